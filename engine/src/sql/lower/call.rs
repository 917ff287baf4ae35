//! Calls and their windows (`func_expr` in `gram.y`).

use super::special::Syntax;
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::*;
use crate::sql::reader::{Reader, is_type_or_function_name};
use sqlparser::ast as sp;

impl Reader {
    #[inline(never)]
    pub(super) fn lower_function(&mut self, at: Position, function: sp::Function) -> Result<Expr> {
        let sp::Function {
            name: _,
            uses_odbc_syntax: _,
            parameters: _,
            args,
            within_group,
            filter,
            null_treatment: _,
            over,
        } = function;
        let word = self.keyword();
        let list = match args {
            sp::FunctionArguments::None => return self.lower_sql_value(at, word),
            sp::FunctionArguments::Subquery(query) => {
                self.expect_word("array")?;
                let query = Box::new(self.lower_query_in_parentheses(query)?);
                return self.node(at, ExprKind::ArrayQuery(query));
            }
            sp::FunctionArguments::List(list) => list,
        };
        if self.peek_at(1).is_char(b'(')
            && let Some(syntax) = Syntax::of(word)
        {
            let kind = self.lower_special(at, syntax, list)?;
            return self.node(at, kind);
        }
        let name = self.function_or_qualified_name()?;
        let mut call = self.lower_application(name, list)?;
        if !within_group.is_empty() {
            self.expect_words(&["within", "group"])?;
            self.expect_char(b'(')?;
            call.within_group = Some(self.lower_order_by(within_group)?);
            self.expect_char(b')')?;
        }
        if let Some(condition) = filter {
            self.expect_word("filter")?;
            self.expect_char(b'(')?;
            self.expect_word("where")?;
            call.filter = Some(self.lower_expr(*condition)?);
            self.expect_char(b')')?;
        }
        if let Some(window) = over {
            self.expect_word("over")?;
            call.over = Some(match window {
                sp::WindowType::WindowSpec(spec) => Window::Inline(self.lower_window_spec(spec)?),
                sp::WindowType::NamedWindow(name) => Window::Named(self.lower_name(name)?),
            });
        }
        self.node(at, ExprKind::Call(Box::new(call)))
    }

    /// A function's name: any word where it is qualified.
    fn function_or_qualified_name(&mut self) -> Result<QualifiedName> {
        if !self.peek_at(1).is_char(b'.') {
            return self.function_name();
        }
        self.qualified_name()
    }

    /// `CURRENT_DATE`, `LOCALTIMESTAMP(3)`, `CURRENT_USER`
    fn lower_sql_value(&mut self, at: Position, name: &'static str) -> Result<Expr> {
        if name.is_empty() {
            return self.unexpected();
        }
        self.bump();
        let mut precision = None;
        let has_precision = name == "current_time"
            || name == "current_timestamp"
            || name == "localtime"
            || name == "localtimestamp";
        if has_precision && self.eat_char(b'(') {
            precision = Some(self.signed_integer()?);
            self.expect_char(b')')?;
        }
        self.node(at, ExprKind::SqlValue { name, precision })
    }

    /// `name ( arguments )`
    #[inline(never)]
    pub(super) fn lower_application(
        &mut self,
        name: QualifiedName,
        list: sp::FunctionArgumentList,
    ) -> Result<Call> {
        let sp::FunctionArgumentList {
            duplicate_treatment,
            args,
            clauses,
        } = list;
        self.expect_char(b'(')?;
        let mut call = call_of(name, Vec::new());
        match duplicate_treatment {
            Some(sp::DuplicateTreatment::Distinct) => {
                self.expect_word("distinct")?;
                call.distinct = true;
            }
            Some(sp::DuplicateTreatment::All) => {
                self.expect_word("all")?;
            }
            None => {}
        }
        call.args = self.lower_arguments(args, duplicate_treatment.is_some())?;
        for clause in clauses {
            match clause {
                sp::FunctionArgumentClause::OrderBy(items) if call.order_by.is_empty() => {
                    call.order_by = self.lower_order_by(items)?;
                }
                // WHERE, LIMIT, SEPARATOR, … inside the parentheses are other databases'.
                _ => return self.unexpected(),
            }
        }
        self.expect_char(b')')?;
        Ok(call)
    }

    /// What stands between the parentheses of a call.
    #[inline(never)]
    pub(super) fn lower_arguments(
        &mut self,
        args: Vec<sp::FunctionArg>,
        quantified: bool,
    ) -> Result<CallArgs> {
        let is_star = |arg: &sp::FunctionArg| {
            matches!(arg, sp::FunctionArg::Unnamed(sp::FunctionArgExpr::Wildcard))
        };
        if args.len() == 1 && !quantified && args.iter().all(is_star) {
            if !self.eat_op("*") {
                return self.unexpected();
            }
            return Ok(CallArgs::Star);
        }
        if args.first().is_some_and(is_star) && !quantified {
            self.bump();
            return self.unexpected();
        }
        let mut variadic = false;
        let args = self.lower_list(args, |reader, arg| {
            variadic = reader.eat_word("variadic");
            let argument = reader.lower_argument(arg)?;
            if variadic && reader.is_char(b',') {
                return reader.unexpected();
            }
            Ok(argument)
        })?;
        Ok(CallArgs::List { args, variadic })
    }

    #[inline(never)]
    fn lower_argument(&mut self, arg: sp::FunctionArg) -> Result<Argument> {
        let (name, value) = match arg {
            sp::FunctionArg::Unnamed(value) => (None, value),
            sp::FunctionArg::ExprNamed {
                name: sp::Expr::Identifier(_),
                arg,
                operator: sp::FunctionArgOperator::RightArrow | sp::FunctionArgOperator::Assignment,
            } => {
                let Some(name) = self.name_if(is_type_or_function_name) else {
                    return self.unexpected();
                };
                self.bump();
                (Some(name), arg)
            }
            sp::FunctionArg::ExprNamed {
                name,
                arg: _,
                operator: _,
            } => {
                self.lower_expr(name)?;
                return self.unexpected();
            }
            sp::FunctionArg::Named {
                name: _,
                arg: _,
                operator: _,
            } => return self.unexpected(),
        };
        let value = match value {
            sp::FunctionArgExpr::Expr(value) => self.lower_expr(value)?,
            sp::FunctionArgExpr::QualifiedWildcard(sp::ObjectName(parts)) => {
                self.lower_whole_row(self.at(), parts.len())?
            }
            sp::FunctionArgExpr::Wildcard | sp::FunctionArgExpr::WildcardWithOptions(_) => {
                return self.unexpected();
            }
        };
        Ok(Argument { name, value })
    }

    /// `(base PARTITION BY … ORDER BY … frame)`
    #[inline(never)]
    pub(super) fn lower_window_spec(&mut self, spec: sp::WindowSpec) -> Result<WindowSpec> {
        let sp::WindowSpec {
            window_name,
            partition_by,
            order_by,
            window_frame,
        } = spec;
        self.expect_char(b'(')?;
        let base = window_name.map(|name| self.lower_name(name)).transpose()?;
        let mut partitions = Vec::new();
        if !partition_by.is_empty() {
            self.expect_words(&["partition", "by"])?;
            partitions = self.lower_list(partition_by, Self::lower_expr)?;
        }
        let mut sorted = Vec::new();
        if !order_by.is_empty() {
            sorted = self.lower_order_by(order_by)?;
        }
        let frame = window_frame
            .map(|frame| self.lower_frame(frame))
            .transpose()?;
        self.expect_char(b')')?;
        Ok(WindowSpec {
            base,
            partition_by: partitions,
            order_by: sorted,
            frame,
        })
    }

    /// Steps over a frame, of which our tree keeps the place.
    fn lower_frame(&mut self, frame: sp::WindowFrame) -> Result<Position> {
        let sp::WindowFrame {
            units,
            start_bound,
            end_bound,
        } = frame;
        let at = self.expect_word(match units {
            sp::WindowFrameUnits::Rows => "rows",
            sp::WindowFrameUnits::Range => "range",
            sp::WindowFrameUnits::Groups => "groups",
        })?;
        let between = end_bound.is_some();
        if between {
            self.expect_word("between")?;
        }
        self.lower_frame_bound(start_bound)?;
        if let Some(end_bound) = end_bound {
            self.expect_word("and")?;
            self.lower_frame_bound(end_bound)?;
        }
        if self.eat_word("exclude") {
            let known = self.eat_words(&["current", "row"])
                || self.eat_words(&["no", "others"])
                || self.eat_word("group")
                || self.eat_word("ties");
            if !known {
                return self.unexpected();
            }
        }
        Ok(at)
    }

    fn lower_frame_bound(&mut self, bound: sp::WindowFrameBound) -> Result<()> {
        let (offset, word) = match bound {
            sp::WindowFrameBound::CurrentRow => return self.expect_words(&["current", "row"]),
            sp::WindowFrameBound::Preceding(offset) => (offset, "preceding"),
            sp::WindowFrameBound::Following(offset) => (offset, "following"),
        };
        match offset {
            Some(offset) => {
                self.lower_expr(*offset)?;
            }
            None => {
                self.expect_word("unbounded")?;
            }
        }
        self.expect_word(word)?;
        Ok(())
    }
}

/// Complains of arguments that only an aggregate or a window function can have.
pub(super) fn check_plain_call(call: &Call) -> Result<()> {
    let what = if call.args == CallArgs::Star {
        format!("{}(*)", call.name)
    } else if call.distinct {
        "DISTINCT".to_string()
    } else if !call.order_by.is_empty() {
        "ORDER BY".to_string()
    } else {
        return Ok(());
    };
    let message = format!(
        "{what} specified, but {} is not an aggregate function",
        call.name
    );
    Err(Error::new(sqlstate::WRONG_OBJECT_TYPE, message).at(Some(call.name.at())))
}

pub(super) fn call_of(name: QualifiedName, args: Vec<Argument>) -> Call {
    Call {
        name,
        args: CallArgs::List {
            args,
            variadic: false,
        },
        distinct: false,
        order_by: Vec::new(),
        within_group: None,
        filter: None,
        over: None,
    }
}
