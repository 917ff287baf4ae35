//! FROM: tables, sub-selects, functions and joins (`table_ref` in `gram.y`).

use super::call::{call_of, check_plain_call};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::*;
use crate::sql::reader::{Reader, boxes, is_type_or_function_name};
use sqlparser::ast as sp;

/// The columns of a function that returns records: `AS (a int, b text)`.
type Definitions = Vec<(Name, TypeName)>;

impl Reader {
    /// A FROM item and the joins behind it.
    pub(super) fn lower_table_with_joins(
        &mut self,
        table: Box<sp::TableWithJoins>,
    ) -> Result<FromItem> {
        let (relation, joins) = take_relation(table);
        let mut left = self.lower_table_factor(relation)?;
        for join in boxes(joins) {
            left = self.lower_join(left, join)?;
        }
        Ok(left)
    }

    #[inline(never)]
    fn lower_join(&mut self, left: FromItem, join: Box<sp::Join>) -> Result<FromItem> {
        let at = self.at();
        let (relation, operator) = take_joined(join);
        let Some((kind, constraint)) = take_constraint(operator) else {
            return self.unexpected();
        };
        if matches!(*constraint, sp::JoinConstraint::Natural) {
            self.expect_word("natural")?;
        }
        self.join_words(kind)?;
        let right = self.lower_joined(relation)?;
        let condition = self.lower_join_constraint(kind, constraint)?;
        let depth = self.checked_depth(left.depth().max(right.depth()) + 1, at)?;
        Ok(FromItem::Join(Box::new(Join {
            kind,
            left,
            right,
            condition,
            alias: None,
            at,
            depth,
        })))
    }

    /// `[INNER] JOIN`, `LEFT [OUTER] JOIN`, …
    fn join_words(&mut self, kind: JoinKind) -> Result<()> {
        match kind {
            JoinKind::Inner => {
                self.eat_word("inner");
            }
            JoinKind::Cross => {
                self.expect_word("cross")?;
            }
            JoinKind::Left | JoinKind::Right | JoinKind::Full => {
                self.expect_word(match kind {
                    JoinKind::Left => "left",
                    JoinKind::Right => "right",
                    _ => "full",
                })?;
                self.eat_word("outer");
            }
        }
        self.expect_word("join")?;
        Ok(())
    }

    /// The right side of a join. Further joins belong to it when they come before this join's
    /// condition: `a JOIN b JOIN c ON … ON …`; `sqlparser` makes a nested join of them.
    fn lower_joined(&mut self, relation: Box<sp::TableFactor>) -> Result<FromItem> {
        let is_bare = match &*relation {
            sp::TableFactor::NestedJoin {
                table_with_joins,
                alias: None,
            } => !self.opens_in_parentheses(table_with_joins),
            _ => false,
        };
        match *relation {
            sp::TableFactor::NestedJoin {
                table_with_joins,
                alias: _,
            } if is_bare => self.lower_table_with_joins(table_with_joins),
            _ => self.lower_table_factor(relation),
        }
    }

    /// Whether the nested join has a parenthesis of its own before those its first item has.
    fn opens_in_parentheses(&self, nested: &sp::TableWithJoins) -> bool {
        let mut first = nested;
        let mut inner = 0;
        while let sp::TableFactor::NestedJoin {
            table_with_joins,
            alias: _,
        } = &first.relation
        {
            first = table_with_joins;
            inner += 1;
        }
        let mut opened = 0;
        while self.peek_at(opened).is_char(b'(') && !self.is_query_parenthesis_at(opened) {
            opened += 1;
        }
        opened > inner
    }

    fn lower_join_constraint(
        &mut self,
        kind: JoinKind,
        constraint: Box<sp::JoinConstraint>,
    ) -> Result<JoinCondition> {
        match *constraint {
            sp::JoinConstraint::On(condition) => {
                self.expect_word("on")?;
                Ok(JoinCondition::On(self.lower_expr(condition)?))
            }
            sp::JoinConstraint::Using(_) => {
                self.expect_word("using")?;
                let columns = self.name_list()?;
                let alias = None;
                Ok(JoinCondition::Using { columns, alias })
            }
            sp::JoinConstraint::UsingAlias(_, _) => {
                self.expect_word("using")?;
                let columns = self.name_list()?;
                self.expect_word("as")?;
                let alias = Some(self.name()?);
                Ok(JoinCondition::Using { columns, alias })
            }
            sp::JoinConstraint::Natural => Ok(JoinCondition::Natural),
            sp::JoinConstraint::None if kind == JoinKind::Cross => Ok(JoinCondition::None),
            sp::JoinConstraint::None => self.unexpected(),
        }
    }

    #[inline(never)]
    fn lower_table_factor(&mut self, factor: Box<sp::TableFactor>) -> Result<FromItem> {
        let at = self.at();
        match *factor {
            sp::TableFactor::Table {
                name: _,
                alias,
                args,
                with_hints,
                version: _,
                with_ordinality,
                partitions: _,
                json_path: _,
                sample: _,
                index_directives: _,
                inheritance: _,
            } => {
                let item = match args {
                    Some(sp::TableFunctionArgs { args, settings: _ }) => {
                        self.lower_table_function(at, false, args, with_ordinality, alias)?
                    }
                    None => self.lower_table(alias)?,
                };
                if with_hints.is_empty() {
                    Ok(item)
                } else {
                    self.unexpected()
                }
            }
            sp::TableFactor::Function {
                lateral,
                name: _,
                args,
                with_ordinality,
                alias,
            } => self.lower_table_function(at, lateral, args, with_ordinality, alias),
            sp::TableFactor::Derived {
                lateral,
                subquery,
                alias,
                sample: _,
            } => self.lower_derived_table(at, lateral, subquery, alias),
            sp::TableFactor::NestedJoin {
                table_with_joins,
                alias,
            } => self.lower_joined_table(table_with_joins, alias),
            // Tables of other databases.
            _ => self.unexpected(),
        }
    }

    fn lower_table(&mut self, alias: Option<sp::TableAlias>) -> Result<FromItem> {
        let name = self.lower_relation()?;
        let alias = self.lower_alias(alias)?;
        let at = self.at();
        let mut sample = None;
        if self.eat_word("tablesample") {
            sample = Some(at);
            self.qualified_name()?;
            self.skip_parentheses()?;
            if self.eat_word("repeatable") {
                self.skip_parentheses()?;
            }
        }
        Ok(FromItem::Table {
            name,
            alias,
            sample,
        })
    }

    /// `relation_expr`: a table's name with ONLY or a star, which change nothing here: there is no
    /// inheritance.
    pub(super) fn lower_relation(&mut self) -> Result<QualifiedName> {
        if self.eat_word("only") {
            if self.eat_char(b'(') {
                let name = self.relation_name()?;
                self.expect_char(b')')?;
                return Ok(name);
            }
            return self.relation_name();
        }
        let name = self.relation_name()?;
        self.eat_op("*");
        Ok(name)
    }

    #[inline(never)]
    fn lower_derived_table(
        &mut self,
        at: Position,
        lateral: bool,
        query: Box<sp::Query>,
        alias: Option<sp::TableAlias>,
    ) -> Result<FromItem> {
        if lateral {
            self.expect_word("lateral")?;
        }
        let query = Box::new(self.lower_query_in_parentheses(query)?);
        let alias = self.lower_alias(alias)?;
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

    /// `( table_ref JOIN table_ref )`, in any number of parentheses.
    #[inline(never)]
    fn lower_joined_table(
        &mut self,
        table: Box<sp::TableWithJoins>,
        alias: Option<sp::TableAlias>,
    ) -> Result<FromItem> {
        self.expect_char(b'(')?;
        let is_alone = table.joins.is_empty();
        let inner = self.lower_table_with_joins(table)?;
        match inner {
            // What has an alias is no joined table any more, which parentheses could hold.
            FromItem::Join(mut join) if !(is_alone && join.alias.is_some()) => {
                self.expect_char(b')')?;
                join.alias = match self.lower_alias(alias)? {
                    Some(alias) => Some(alias),
                    None => join.alias,
                };
                Ok(FromItem::Join(join))
            }
            _ => self.unexpected(),
        }
    }

    #[inline(never)]
    fn lower_table_function(
        &mut self,
        at: Position,
        lateral: bool,
        args: Vec<sp::FunctionArg>,
        ordinality: bool,
        alias: Option<sp::TableAlias>,
    ) -> Result<FromItem> {
        if lateral {
            self.expect_word("lateral")?;
        }
        let name = self.table_function_name()?;
        self.expect_char(b'(')?;
        let mut call = call_of(name, Vec::new());
        call.args = self.lower_arguments(args, false)?;
        self.expect_char(b')')?;
        check_plain_call(&call)?;
        if ordinality {
            self.expect_words(&["with", "ordinality"])?;
        }
        let (alias, definitions) = self.lower_function_alias(alias)?;
        Ok(FromItem::Function {
            call: Box::new(call),
            lateral,
            ordinality,
            alias,
            definitions,
            at,
        })
    }

    fn table_function_name(&mut self) -> Result<QualifiedName> {
        if self.peek_at(1).is_char(b'.') {
            return self.qualified_name();
        }
        match self.name_if(is_type_or_function_name) {
            Some(name) => self.more_parts(name),
            None => {
                // A table may be called so, which then has no arguments.
                self.name()?;
                self.unexpected()
            }
        }
    }

    /// `[AS] name (columns)`, `[AS] name (column type, …)`, `AS (column type, …)`
    #[inline(never)]
    fn lower_function_alias(
        &mut self,
        alias: Option<sp::TableAlias>,
    ) -> Result<(Option<Alias>, Definitions)> {
        let Some(alias) = alias else {
            return Ok((None, Vec::new()));
        };
        let typed = alias
            .columns
            .iter()
            .any(|column| column.data_type.is_some());
        if !typed {
            return Ok((self.lower_alias(Some(alias))?, Vec::new()));
        }
        let sp::TableAlias {
            explicit: _,
            name: _,
            columns: _,
            at: _,
        } = alias;
        self.eat_word("as");
        let mut alias = None;
        if !self.is_char(b'(') {
            let name = self.name()?;
            let columns = Vec::new();
            alias = Some(Alias { name, columns });
        }
        let definitions = self.parenthesized(|reader| Ok((reader.name()?, reader.type_name()?)))?;
        Ok((alias, definitions))
    }

    /// `[AS] name [(columns)]`
    pub(super) fn lower_alias(&mut self, alias: Option<sp::TableAlias>) -> Result<Option<Alias>> {
        let Some(alias) = alias else {
            return Ok(None);
        };
        self.eat_word("as");
        self.lower_alias_name_and_columns(alias).map(Some)
    }

    pub(super) fn lower_alias_name_and_columns(&mut self, alias: sp::TableAlias) -> Result<Alias> {
        let sp::TableAlias {
            explicit: _,
            name,
            columns,
            at: _,
        } = alias;
        let name = self.lower_name(name)?;
        let mut names = Vec::new();
        if !columns.is_empty() {
            names = self.lower_parenthesized(columns, |reader, column| {
                let sp::TableAliasColumnDef { name, data_type } = column;
                let name = reader.lower_name(name)?;
                if data_type.is_some() {
                    return reader.unexpected();
                }
                Ok(name)
            })?;
        }
        Ok(Alias {
            name,
            columns: names,
        })
    }
}

// `sqlparser` holds FROM items inside one another: taking them apart in functions of their own
// keeps them off the stack of those that recurse.

#[inline(never)]
fn take_relation(table: Box<sp::TableWithJoins>) -> (Box<sp::TableFactor>, Vec<sp::Join>) {
    let sp::TableWithJoins { relation, joins } = *table;
    (Box::new(relation), joins)
}

#[inline(never)]
fn take_joined(join: Box<sp::Join>) -> (Box<sp::TableFactor>, Box<sp::JoinOperator>) {
    let sp::Join {
        relation,
        global: _,
        join_operator,
    } = *join;
    (Box::new(relation), Box::new(join_operator))
}

/// The kind of a join and its constraint, if PostgreSQL has such joins.
#[inline(never)]
fn take_constraint(operator: Box<sp::JoinOperator>) -> Option<(JoinKind, Box<sp::JoinConstraint>)> {
    use sp::JoinOperator::*;
    let (kind, constraint) = match *operator {
        Join(constraint) | Inner(constraint) => (JoinKind::Inner, constraint),
        Left(constraint) | LeftOuter(constraint) => (JoinKind::Left, constraint),
        Right(constraint) | RightOuter(constraint) => (JoinKind::Right, constraint),
        FullOuter(constraint) => (JoinKind::Full, constraint),
        CrossJoin(constraint) => (JoinKind::Cross, constraint),
        Semi(_) | LeftSemi(_) | RightSemi(_) | Anti(_) | LeftAnti(_) | RightAnti(_)
        | StraightJoin(_) | CrossApply | OuterApply | ArrayJoin | LeftArrayJoin
        | InnerArrayJoin => return None,
        AsOf {
            match_condition: _,
            constraint: _,
        } => return None,
    };
    Some((kind, Box::new(constraint)))
}
