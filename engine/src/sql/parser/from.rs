//! FROM: tables, sub-selects, functions and joins (`table_ref` in `gram.y`).

use super::{Parser, is_column_name, is_type_or_function_name};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::*;
use crate::sql::token::Token;

impl Parser<'_> {
    pub(super) fn table_refs(&mut self) -> Result<Vec<FromItem>> {
        self.comma_separated(Self::table_ref)
    }

    /// A FROM item and the joins behind it.
    fn table_ref(&mut self) -> Result<FromItem> {
        let left = self.nested(Self::table_primary)?;
        self.joins(left, false)
    }

    /// The right side of a join with ON or USING. Further joins belong to it as long as they come
    /// before this join's condition: `a JOIN b JOIN c ON … ON …`.
    fn joined_right(&mut self) -> Result<FromItem> {
        let left = self.table_primary()?;
        self.joins(left, true)
    }

    /// The joins behind `left`, left to right, up to an outer join's condition if there is one.
    #[inline(never)]
    fn joins(&mut self, mut left: FromItem, condition_follows: bool) -> Result<FromItem> {
        loop {
            if condition_follows && (self.is_word("on") || self.is_word("using")) {
                return Ok(left);
            }
            let at = self.at();
            let Some((kind, natural)) = self.join_kind()? else {
                return Ok(left);
            };
            let (right, condition) = if kind == JoinKind::Cross {
                (self.nested(Self::table_primary)?, JoinCondition::None)
            } else if natural {
                (self.nested(Self::table_primary)?, JoinCondition::Natural)
            } else {
                (self.nested(Self::joined_right)?, self.join_condition()?)
            };
            let depth = self.checked_depth(left.depth().max(right.depth()) + 1, at)?;
            let alias = None;
            let join = Join {
                kind,
                left,
                right,
                condition,
                alias,
                at,
                depth,
            };
            left = FromItem::Join(Box::new(join));
        }
    }

    /// `[NATURAL] [INNER | LEFT [OUTER] | …] JOIN`, or nothing.
    fn join_kind(&mut self) -> Result<Option<(JoinKind, bool)>> {
        if self.eat_word("cross") {
            self.expect_word("join")?;
            return Ok(Some((JoinKind::Cross, false)));
        }
        let natural = self.eat_word("natural");
        let kind = match self.keyword() {
            "join" | "inner" => JoinKind::Inner,
            "left" => JoinKind::Left,
            "right" => JoinKind::Right,
            "full" => JoinKind::Full,
            _ if natural => return self.unexpected(),
            _ => return Ok(None),
        };
        if !self.is_word("join") {
            self.bump();
            if kind != JoinKind::Inner {
                self.eat_word("outer");
            }
        }
        self.expect_word("join")?;
        Ok(Some((kind, natural)))
    }

    fn join_condition(&mut self) -> Result<JoinCondition> {
        if self.eat_word("using") {
            let columns = self.name_list()?;
            let mut alias = None;
            if self.eat_word("as") {
                alias = Some(self.name()?);
            }
            return Ok(JoinCondition::Using { columns, alias });
        }
        self.expect_word("on")?;
        Ok(JoinCondition::On(self.expr()?))
    }

    #[inline(never)]
    fn table_primary(&mut self) -> Result<FromItem> {
        let at = self.at();
        let lateral = self.eat_word("lateral");
        if self.is_char(b'(') {
            if self.starts_query_in_parentheses() {
                return self.derived_table(at, lateral);
            }
            if lateral {
                return self.unexpected();
            }
            return self.joined_table();
        }
        if self.is_word("rows") && self.is_word_at(1, "from") {
            return self.unsupported("ROWS FROM");
        }
        let only = !lateral && self.eat_word("only");
        if only && self.eat_char(b'(') {
            let name = self.qualified_name()?;
            self.expect_char(b')')?;
            return self.table(name);
        }
        let may_call = |c| is_column_name(c) || is_type_or_function_name(c);
        let may_be_table = match self.peek() {
            Token::Keyword(k) => is_column_name(k.category),
            _ => true,
        };
        self.refuse_special_functions()?;
        let Some(first) = self.name_if(may_call) else {
            return self.unexpected();
        };
        let name = self.more_parts(first)?;
        if self.is_char(b'(') && !only {
            let call = self.plain_application(name)?;
            return self.function_alias(call, lateral, at);
        }
        if lateral || !may_be_table {
            return self.unexpected();
        }
        self.eat_op("*");
        self.table(name)
    }

    /// COALESCE(…) and its kin may stand in FROM too; they are one expression, which is unusual
    /// enough to be refused by name.
    fn refuse_special_functions(&mut self) -> Result<()> {
        let word = self.keyword();
        match word {
            "coalesce" | "greatest" | "least" | "nullif" | "current_date" | "current_timestamp"
            | "cast" | "extract" | "xmltable" => {
                self.unsupported(format!("{} in FROM", word.to_uppercase()))
            }
            _ => Ok(()),
        }
    }

    #[inline(never)]
    fn derived_table(&mut self, at: Position, lateral: bool) -> Result<FromItem> {
        let query = Box::new(self.query_in_parentheses()?);
        let alias = self.alias()?;
        if alias.is_none() {
            let values = matches!(query.body, SetExpr::Values { .. });
            let (what, hint) = if values {
                ("VALUES", "For example, FROM (VALUES ...) [AS] foo.")
            } else {
                ("subquery", "For example, FROM (SELECT ...) [AS] foo.")
            };
            let message = format!("{what} in FROM must have an alias");
            let error = Error::new(sqlstate::SYNTAX_ERROR, message).with_hint(hint);
            return Err(error.at(Some(at)));
        }
        Ok(FromItem::Query {
            query,
            lateral,
            alias,
            at,
        })
    }

    /// `( table_ref JOIN table_ref )`; a lone table in parentheses is an error.
    #[inline(never)]
    fn joined_table(&mut self) -> Result<FromItem> {
        self.expect_char(b'(')?;
        let inner = self.table_ref()?;
        if !matches!(inner, FromItem::Join(_)) {
            return self.unexpected();
        }
        self.expect_char(b')')?;
        let alias = self.alias()?;
        match (inner, alias) {
            (FromItem::Join(mut join), Some(alias)) => {
                if join.alias.is_some() {
                    return self.unexpected();
                }
                join.alias = Some(alias);
                Ok(FromItem::Join(join))
            }
            (inner, _) => Ok(inner),
        }
    }

    #[inline(never)]
    fn table(&mut self, name: QualifiedName) -> Result<FromItem> {
        let alias = self.alias()?;
        let at = self.at();
        let mut sample = None;
        if self.eat_word("tablesample") {
            sample = Some(at);
            self.qualified_name()?;
            self.parenthesized(Self::expr)?;
            if self.eat_word("repeatable") {
                self.parenthesized(Self::expr)?;
            }
        }
        Ok(FromItem::Table {
            name,
            alias,
            sample,
        })
    }

    #[inline(never)]
    fn function_alias(&mut self, call: Call, lateral: bool, at: Position) -> Result<FromItem> {
        let ordinality = self.eat_words(&["with", "ordinality"]);
        let explicit = self.is_word("as");
        if explicit && self.peek_at(1).is_char(b'(') {
            self.bump();
            let definitions = self.parenthesized(Self::column_definition_of_function)?;
            let call = Box::new(call);
            return Ok(FromItem::Function {
                call,
                lateral,
                ordinality,
                alias: None,
                definitions,
                at,
            });
        }
        let mut definitions = Vec::new();
        let mut alias = None;
        if let Some(name) = self.alias_name()? {
            let mut columns = Vec::new();
            if self.is_char(b'(') {
                let typed = !matches!(self.peek_at(2), Token::Char(b',' | b')'));
                if typed {
                    definitions = self.parenthesized(Self::column_definition_of_function)?;
                } else {
                    columns = self.name_list()?;
                }
            }
            alias = Some(Alias { name, columns });
        }
        Ok(FromItem::Function {
            call: Box::new(call),
            lateral,
            ordinality,
            alias,
            definitions,
            at,
        })
    }

    fn column_definition_of_function(&mut self) -> Result<(Name, TypeName)> {
        Ok((self.name()?, self.type_name()?))
    }

    fn alias_name(&mut self) -> Result<Option<Name>> {
        if self.eat_word("as") {
            return self.name().map(Some);
        }
        Ok(self.name_if(is_column_name))
    }

    /// `[AS] name [(columns)]`
    pub(super) fn alias(&mut self) -> Result<Option<Alias>> {
        let Some(name) = self.alias_name()? else {
            return Ok(None);
        };
        let mut columns = Vec::new();
        if self.is_char(b'(') {
            columns = self.name_list()?;
        }
        Ok(Some(Alias { name, columns }))
    }
}
