//! CREATE and DROP of functions and operators.

use super::{Parser, is_type_or_function_name};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::*;
use crate::sql::token::Token;

impl Parser<'_> {
    pub(super) fn create_function(&mut self, or_replace: bool) -> Result<Statement> {
        self.expect_word("function")?;
        let name = self.function_name()?;
        self.expect_char(b'(')?;
        let mut parameters = Vec::new();
        if !self.is_char(b')') {
            parameters = self.comma_separated(Self::parameter)?;
        }
        self.expect_char(b')')?;
        let mut function = CreateFunction {
            name,
            or_replace,
            parameters,
            returns: None,
            returns_table: None,
            language: None,
            volatility: None,
            strict: None,
            leakproof: None,
            body: None,
            others: Vec::new(),
        };
        if self.eat_word("returns") {
            let at = self.at();
            if self.eat_word("table") {
                function.returns_table = Some(at);
                self.parenthesized(|parser| Ok((parser.name()?, parser.type_name()?)))?;
            } else {
                function.returns = Some(self.type_name()?);
            }
        }
        while !matches!(self.peek(), Token::End) {
            self.function_option(&mut function)?;
        }
        Ok(Statement::CreateFunction(Box::new(function)))
    }

    /// A function's name, which may be a keyword like LEFT.
    fn function_name(&mut self) -> Result<QualifiedName> {
        match self.name_if(is_type_or_function_name) {
            Some(first) => self.more_parts(first),
            None => self.unexpected(),
        }
    }

    /// `[IN | OUT | INOUT | VARIADIC] [name] type [DEFAULT value]`
    fn parameter(&mut self) -> Result<Parameter> {
        let at = self.at();
        let mut unsupported = None;
        if self.eat_word("out") {
            unsupported = Some(("an OUT parameter", at));
        } else if self.eat_word("inout") {
            unsupported = Some(("an INOUT parameter", at));
        } else if self.eat_word("variadic") {
            unsupported = Some(("a VARIADIC parameter", at));
        } else {
            self.eat_word("in");
        }
        // A word is the parameter's name if a type follows it.
        let ends = matches!(
            self.peek_at(1),
            Token::Char(b',' | b')' | b'(' | b'[' | b'.') | Token::Op(_)
        ) || [
            "default",
            "precision",
            "varying",
            "array",
            "with",
            "without",
        ]
        .iter()
        .any(|word| self.is_word_at(1, word));
        let mut name = None;
        if !ends && !self.is_word("setof") {
            name = self.name_if(is_type_or_function_name);
        }
        let ty = self.type_name()?;
        let default_at = self.at();
        if self.eat_word("default") || self.eat_op("=") {
            self.expr()?;
            unsupported = unsupported.or(Some(("a parameter's default", default_at)));
        }
        Ok(Parameter {
            name,
            ty,
            unsupported,
        })
    }

    fn function_option(&mut self, function: &mut CreateFunction) -> Result<()> {
        let at = self.at();
        let word = self.keyword();
        let repeated = match word {
            "language" => {
                self.bump();
                let language = match self.peek() {
                    Token::String(text) => {
                        let text = text.clone();
                        self.bump();
                        Name { text, at }
                    }
                    _ => self.label()?,
                };
                function.language.replace(language).is_some()
            }
            "immutable" => {
                self.bump();
                function.volatility.replace(Volatility::Immutable).is_some()
            }
            "stable" => {
                self.bump();
                function.volatility.replace(Volatility::Stable).is_some()
            }
            "volatile" => {
                self.bump();
                function.volatility.replace(Volatility::Volatile).is_some()
            }
            "strict" => {
                self.bump();
                function.strict.replace(true).is_some()
            }
            "returns" => {
                for word in ["returns", "null", "on", "null", "input"] {
                    self.expect_word(word)?;
                }
                function.strict.replace(true).is_some()
            }
            "called" => {
                for word in ["called", "on", "null", "input"] {
                    self.expect_word(word)?;
                }
                function.strict.replace(false).is_some()
            }
            "leakproof" => {
                self.bump();
                function.leakproof.replace(true).is_some()
            }
            "not" => {
                self.bump();
                self.expect_word("leakproof")?;
                function.leakproof.replace(false).is_some()
            }
            // Both only guide PostgreSQL's planner about parallel plans and costs.
            "parallel" => {
                self.bump();
                self.label()?;
                false
            }
            "cost" | "rows" => {
                self.bump();
                self.signed_integer()?;
                false
            }
            "as" => {
                self.bump();
                let body_at = self.at();
                let Token::String(text) = self.peek() else {
                    return self.unexpected();
                };
                let text = text.clone();
                self.bump();
                if self.is_char(b',') {
                    return self.unsupported("a function in an object file");
                }
                function
                    .body
                    .replace(FunctionBody::Text { text, at: body_at })
                    .is_some()
            }
            "return" => {
                self.bump();
                let body_at = self.at();
                let from = self.start_offset();
                self.expr()?;
                let text = self.source(from, self.last_end);
                function
                    .body
                    .replace(FunctionBody::Return { text, at: body_at })
                    .is_some()
            }
            "begin" => return self.unsupported("BEGIN ATOMIC"),
            "security" | "external" | "window" | "set" | "support" | "transform" => {
                let feature = match word {
                    "security" | "external" => "SECURITY of a function",
                    "window" => "a window function",
                    "set" => "SET of a function",
                    "support" => "SUPPORT of a function",
                    _ => "TRANSFORM of a function",
                };
                function.others.push((feature, at));
                self.skip_statement();
                false
            }
            _ => return self.unexpected(),
        };
        if repeated {
            let error = Error::new(sqlstate::SYNTAX_ERROR, "conflicting or redundant options");
            return Err(error.at(Some(at)));
        }
        Ok(())
    }

    pub(super) fn create_operator(&mut self) -> Result<Statement> {
        self.expect_word("operator")?;
        let (name, at) = self.any_operator()?;
        let options = self.parenthesized(|parser| {
            let name = parser.label()?;
            let mut value = OperatorOptionValue::None;
            if parser.eat_op("=") {
                value = parser.operator_option_value()?;
            }
            Ok(OperatorOption { name, value })
        })?;
        Ok(Statement::CreateOperator(Box::new(CreateOperator {
            name,
            at,
            options,
        })))
    }

    /// `any_operator`: `+` or `schema.+`.
    fn any_operator(&mut self) -> Result<(OperatorName, Position)> {
        let at = self.at();
        let mut schema = None;
        while !matches!(self.peek(), Token::Op(_)) {
            schema = Some(self.name()?);
            self.expect_char(b'.')?;
        }
        let symbol = self.operator_symbol()?;
        Ok((OperatorName { schema, symbol }, at))
    }

    fn operator_option_value(&mut self) -> Result<OperatorOptionValue> {
        if let Token::Op(_) = self.peek() {
            let symbol = self.operator_symbol()?;
            return Ok(OperatorOptionValue::Operator(OperatorName {
                schema: None,
                symbol,
            }));
        }
        if self.is_word("operator") && self.peek_at(1).is_char(b'(') {
            self.bump();
            self.expect_char(b'(')?;
            let (name, _) = self.any_operator()?;
            self.expect_char(b')')?;
            return Ok(OperatorOptionValue::Operator(name));
        }
        if self.eat_word("none") {
            return Ok(OperatorOptionValue::None);
        }
        Ok(OperatorOptionValue::Type(self.type_name()?))
    }

    pub(super) fn drop_functions(&mut self) -> Result<Statement> {
        self.expect_word("function")?;
        let if_exists = self.eat_if_exists();
        let functions = self.comma_separated(|parser| {
            let name = parser.function_name()?;
            if !parser.eat_char(b'(') {
                return Ok((name, None));
            }
            let mut types = Vec::new();
            if !parser.is_char(b')') {
                let parameters = parser.comma_separated(Self::parameter)?;
                types.extend(parameters.into_iter().map(|parameter| parameter.ty));
            }
            parser.expect_char(b')')?;
            Ok((name, Some(types)))
        })?;
        let cascade = self.drop_behavior();
        Ok(Statement::DropFunctions(DropFunctions {
            functions,
            if_exists,
            cascade,
        }))
    }

    pub(super) fn drop_operators(&mut self) -> Result<Statement> {
        self.expect_word("operator")?;
        let if_exists = self.eat_if_exists();
        let operators = self.comma_separated(|parser| {
            let (name, at) = parser.any_operator()?;
            parser.expect_char(b'(')?;
            let mut left = None;
            if !parser.eat_word("none") {
                left = Some(parser.type_name()?);
            }
            parser.expect_char(b',')?;
            let right = parser.type_name()?;
            parser.expect_char(b')')?;
            Ok(DropOperator {
                name,
                at,
                left,
                right,
            })
        })?;
        let cascade = self.drop_behavior();
        Ok(Statement::DropOperators(DropOperators {
            operators,
            if_exists,
            cascade,
        }))
    }
}
