//! Set operations and what stands around a query (`SelectStmt` in `gram.y`).

use crate::error::{Error, Result, sqlstate};
use crate::sql::ast::*;
use crate::sql::dialect;
use crate::sql::guard::QUERY_DEPTH;
use crate::sql::reader::Reader;
use crate::sql::token::Token;
use sqlparser::ast as sp;

impl Reader {
    /// A query with its own WITH, ORDER BY, LIMIT.
    #[inline(never)]
    pub(super) fn lower_query(&mut self, query: Box<sp::Query>) -> Result<Query> {
        let (with, body, tail) = take_apart(query);
        let with = with.map(|with| self.lower_with(with)).transpose()?;
        let at = self.at();
        let mut query = Box::new(Query {
            with,
            body: self.deeper(2, |reader| reader.lower_set_expr(body))?,
            order_by: Vec::new(),
            limit: None,
            offset: None,
            locking: None,
            at,
            depth: 0,
        });
        self.lower_tail(&mut query, tail)?;
        check_single_clauses(&query)?;
        query.depth = self.checked_depth(parts_depth(&query) + QUERY_DEPTH, at)?;
        Ok(*query)
    }

    /// What follows the body of a query.
    #[inline(never)]
    fn lower_tail(&mut self, query: &mut Query, tail: Box<Tail>) -> Result<()> {
        let Tail {
            order_by,
            limit_clause,
            fetch,
            locks,
            for_clause,
        } = *tail;
        if let Some(sp::OrderBy { kind, interpolate }) = order_by {
            let (sp::OrderByKind::Expressions(items), None) = (kind, interpolate) else {
                return self.unexpected();
            };
            query.order_by = self.lower_order_by(items)?;
        }
        self.lower_limits(query, limit_clause, fetch, locks)?;
        if for_clause.is_some() {
            return self.unexpected();
        }
        if matches!(query.limit, Some(Limit::WithTies(_))) && query.order_by.is_empty() {
            let message = "WITH TIES cannot be specified without ORDER BY clause";
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
        }
        Ok(())
    }

    /// `WITH [RECURSIVE] name (columns) AS (query), …`
    #[inline(never)]
    pub(super) fn lower_with(&mut self, with: sp::With) -> Result<With> {
        let sp::With {
            with_token: _,
            recursive,
            cte_tables,
        } = with;
        let at = self.expect_word("with")?;
        if recursive {
            self.expect_word("recursive")?;
        }
        let tables = self.lower_list(cte_tables, Self::lower_common_table)?;
        Ok(With {
            recursive,
            tables,
            at,
        })
    }

    #[inline(never)]
    fn lower_common_table(&mut self, table: sp::Cte) -> Result<CommonTable> {
        let sp::Cte {
            alias,
            query,
            from: _,
            materialized,
            closing_paren_token: _,
        } = table;
        let Alias { name, columns } = self.lower_alias_name_and_columns(alias)?;
        self.expect_word("as")?;
        let materialized = match materialized {
            Some(sp::CteAsMaterialized::Materialized) => {
                self.expect_word("materialized")?;
                Some(true)
            }
            Some(sp::CteAsMaterialized::NotMaterialized) => {
                self.expect_words(&["not", "materialized"])?;
                Some(false)
            }
            None => None,
        };
        let changes = ["insert", "update", "delete"];
        if changes.iter().any(|word| self.is_word_at(1, word)) {
            self.expect_char(b'(')?;
            return self.unsupported("a data-modifying statement in WITH");
        }
        let query = self.lower_query_in_parentheses(query)?;
        Ok(CommonTable {
            name,
            columns,
            materialized,
            query,
        })
    }

    /// `ORDER BY item, …`
    #[inline(never)]
    pub(super) fn lower_order_by(&mut self, items: Vec<sp::OrderByExpr>) -> Result<Vec<SortItem>> {
        self.expect_words(&["order", "by"])?;
        self.lower_list(items, Self::lower_sort_item)
    }

    #[inline(never)]
    fn lower_sort_item(&mut self, item: sp::OrderByExpr) -> Result<SortItem> {
        let sp::OrderByExpr {
            expr,
            options: sp::OrderByOptions { sort, nulls_first },
            with_fill: _,
        } = item;
        let expr = self.lower_expr(expr)?;
        let direction = match sort {
            None => SortDirection::Default,
            Some(sp::OrderBySort::Asc) => {
                self.expect_word("asc")?;
                SortDirection::Asc
            }
            Some(sp::OrderBySort::Desc) => {
                self.expect_word("desc")?;
                SortDirection::Desc
            }
            Some(sp::OrderBySort::Using(_)) => {
                self.expect_word("using")?;
                SortDirection::Using(self.operator()?)
            }
        };
        if let Some(first) = nulls_first {
            self.expect_words(&["nulls", if first { "first" } else { "last" }])?;
        }
        Ok(SortItem {
            expr,
            direction,
            nulls_first,
        })
    }

    /// LIMIT, OFFSET, FETCH and FOR UPDATE in any order.
    #[inline(never)]
    fn lower_limits(
        &mut self,
        query: &mut Query,
        limit_clause: Option<sp::LimitClause>,
        fetch: Option<sp::Fetch>,
        locks: Vec<sp::LockClause>,
    ) -> Result<()> {
        let (mut limit, mut offset) = match limit_clause {
            None => (None, None),
            Some(sp::LimitClause::LimitOffset {
                limit,
                offset,
                limit_by: _,
            }) => (limit, offset),
            Some(sp::LimitClause::OffsetCommaLimit {
                offset: _,
                limit: _,
            }) => return self.unexpected(),
        };
        let mut fetch = fetch;
        let mut locks = locks.into_iter();
        loop {
            let at = self.at();
            if query.limit.is_none() && self.eat_word("limit") {
                query.limit = Some(match limit.take() {
                    Some(count) => Limit::Count(self.lower_expr(count)?),
                    None => {
                        self.expect_word("all")?;
                        Limit::All
                    }
                });
                if self.is_char(b',') {
                    return Err(dialect::limit_with_comma(at));
                }
            } else if let (Some(_), true) = (&offset, self.is_word("offset")) {
                self.bump();
                if let Some(sp::Offset { value, rows: _ }) = offset.take() {
                    query.offset = Some(self.lower_expr(value)?);
                }
                let _ = self.eat_word("rows") || self.eat_word("row");
            } else if let (Some(_), true, None) = (&fetch, self.is_word("fetch"), &query.limit) {
                if let Some(fetch) = fetch.take() {
                    query.limit = Some(self.lower_fetch(fetch)?);
                }
            } else if self.is_word("for") {
                query.locking = query.locking.or(Some(at));
                if !self.eat_words(&["for", "read", "only"]) {
                    match locks.next() {
                        Some(lock) => self.lower_lock(lock)?,
                        None => return self.unexpected(),
                    }
                }
            } else if limit.is_some() || offset.is_some() || fetch.is_some() {
                return self.unexpected();
            } else {
                return Ok(());
            }
        }
    }

    /// `FETCH FIRST n ROWS ONLY`
    fn lower_fetch(&mut self, fetch: sp::Fetch) -> Result<Limit> {
        let sp::Fetch {
            with_ties,
            percent: _,
            quantity,
        } = fetch;
        let at = self.expect_word("fetch")?;
        if !self.eat_word("first") {
            self.expect_word("next")?;
        }
        let count = match quantity {
            Some(quantity) => self.lower_expr(quantity)?,
            None => self.node(at, ExprKind::Number("1".to_string()))?,
        };
        if !self.eat_word("row") {
            self.expect_word("rows")?;
        }
        if with_ties {
            self.expect_words(&["with", "ties"])?;
            return Ok(Limit::WithTies(count));
        }
        self.expect_word("only")?;
        Ok(Limit::Count(count))
    }

    /// `FOR [NO KEY] UPDATE | [KEY] SHARE [OF t] [NOWAIT | SKIP LOCKED]`
    fn lower_lock(&mut self, lock: sp::LockClause) -> Result<()> {
        let sp::LockClause {
            lock_type,
            of,
            nonblock,
        } = lock;
        self.expect_word("for")?;
        match lock_type {
            sp::LockType::Update => {
                self.eat_words(&["no", "key"]);
                self.expect_word("update")?;
            }
            sp::LockType::Share => {
                self.eat_word("key");
                self.expect_word("share")?;
            }
        }
        if of.is_some() {
            self.expect_word("of")?;
            self.comma_separated(Self::qualified_name)?;
        }
        match nonblock {
            Some(sp::NonBlock::Nowait) => self.expect_words(&["nowait"]),
            Some(sp::NonBlock::SkipLocked) => self.expect_words(&["skip", "locked"]),
            None => Ok(()),
        }
    }

    /// Set operations from left to right, the leftmost without recursion.
    #[inline(never)]
    fn lower_set_expr(&mut self, body: Box<sp::SetExpr>) -> Result<SetExpr> {
        let mut operations = Vec::new();
        let mut first = body;
        loop {
            match take_operation(first) {
                Ok((left, op, quantifier, right)) => {
                    operations.push((op, quantifier, right));
                    first = left;
                }
                Err(operand) => {
                    first = operand;
                    break;
                }
            }
        }
        let mut left = self.lower_set_operand(first)?;
        while let Some((op, quantifier, right)) = operations.pop() {
            let at = self.at();
            let (op, word) = match op {
                sp::SetOperator::Union => (SetOperator::Union, "union"),
                sp::SetOperator::Except => (SetOperator::Except, "except"),
                sp::SetOperator::Intersect => (SetOperator::Intersect, "intersect"),
                sp::SetOperator::Minus => return self.unexpected(),
            };
            self.expect_word(word)?;
            let all = match quantifier {
                sp::SetQuantifier::All => {
                    self.expect_word("all")?;
                    true
                }
                sp::SetQuantifier::Distinct => {
                    self.expect_word("distinct")?;
                    false
                }
                sp::SetQuantifier::None => false,
                sp::SetQuantifier::ByName
                | sp::SetQuantifier::AllByName
                | sp::SetQuantifier::DistinctByName => {
                    let _ = self.eat_word("all") || self.eat_word("distinct");
                    return self.unexpected();
                }
            };
            let right = self.lower_set_expr(right)?;
            let depth = self.checked_depth(left.depth().max(right.depth()) + 1, at)?;
            left = SetExpr::Operation(Box::new(SetOperation {
                op,
                all,
                left,
                right,
                at,
                depth,
            }));
        }
        Ok(left)
    }

    #[inline(never)]
    fn lower_set_operand(&mut self, operand: Box<sp::SetExpr>) -> Result<SetExpr> {
        match *operand {
            sp::SetExpr::Select(select) => self.lower_select(select),
            sp::SetExpr::Query(query) => {
                let query = self.lower_query_in_parentheses(query)?;
                Ok(SetExpr::Query(Box::new(query)))
            }
            sp::SetExpr::Values(values) => self.lower_values(values),
            sp::SetExpr::Table(table) => {
                let sp::Table {
                    table_name: _,
                    schema_name: _,
                } = *table;
                self.expect_word("table")?;
                self.eat_word("only");
                Ok(SetExpr::Table(self.qualified_name()?))
            }
            sp::SetExpr::SetOperation {
                left: _,
                op: _,
                set_quantifier: _,
                right: _,
            } => Err(Error::internal("a set operation was not taken apart")),
            sp::SetExpr::Insert(_)
            | sp::SetExpr::Update(_)
            | sp::SetExpr::Delete(_)
            | sp::SetExpr::Merge(_) => self.unexpected(),
        }
    }

    fn lower_values(&mut self, values: sp::Values) -> Result<SetExpr> {
        let sp::Values {
            explicit_row: _,
            value_keyword: _,
            rows,
        } = values;
        let at = self.expect_word("values")?;
        let rows = self.lower_list(rows, |reader, row| {
            let sp::Parens {
                opening_token: _,
                content,
                closing_token: _,
            } = row;
            reader.lower_parenthesized(content, Self::lower_value)
        })?;
        Ok(SetExpr::Values { rows, at })
    }

    /// An expression, or DEFAULT where INSERT and UPDATE allow it.
    pub(super) fn lower_value(&mut self, value: sp::Expr) -> Result<Expr> {
        let alone = matches!(
            self.peek_at(1),
            Token::Char(_) | Token::Keyword(_) | Token::End
        );
        if self.is_word("default") && alone {
            let at = self.at();
            self.bump();
            return self.node(at, ExprKind::Default);
        }
        self.lower_expr(value)
    }
}

/// A query in parentheses and the clauses around them are one query (`insertSelectOptions`).
fn check_single_clauses(outer: &Query) -> Result<()> {
    let mut body = &outer.body;
    while let SetExpr::Query(inner) = body {
        let sorts = outer.order_by.first().map(|item| item.expr.at);
        let offset = outer.offset.as_ref().map(|offset| offset.at);
        let limit = match &outer.limit {
            Some(Limit::Count(count) | Limit::WithTies(count)) => Some(count.at),
            Some(Limit::All) | None => None,
        };
        let with = outer.with.as_ref().map(|with| with.at);
        let clauses = [
            ("ORDER BY", sorts, !inner.order_by.is_empty()),
            ("OFFSET", offset, inner.offset.is_some()),
            ("LIMIT", limit, inner.limit.is_some()),
            ("WITH", with, inner.with.is_some()),
        ];
        for (clause, at, is_inside) in clauses {
            if at.is_some() && is_inside {
                let message = format!("multiple {clause} clauses not allowed");
                return Err(Error::new(sqlstate::SYNTAX_ERROR, message).at(at));
            }
        }
        body = &inner.body;
    }
    Ok(())
}

/// The clauses behind the body of a query.
struct Tail {
    order_by: Option<sp::OrderBy>,
    limit_clause: Option<sp::LimitClause>,
    fetch: Option<sp::Fetch>,
    locks: Vec<sp::LockClause>,
    for_clause: Option<sp::ForClause>,
}

/// The parts of a query. `sqlparser`'s structs are large: what waits for its turn waits on the
/// heap, so that a level of sub-selects takes little of the stack.
#[inline(never)]
fn take_apart(query: Box<sp::Query>) -> (Option<sp::With>, Box<sp::SetExpr>, Box<Tail>) {
    let sp::Query {
        with,
        body,
        order_by,
        limit_clause,
        fetch,
        locks,
        for_clause,
        settings: _,
        format_clause: _,
        pipe_operators: _,
    } = *query;
    let tail = Tail {
        order_by,
        limit_clause,
        fetch,
        locks,
        for_clause,
    };
    (with, body, Box::new(tail))
}

type Operation = (
    Box<sp::SetExpr>,
    sp::SetOperator,
    sp::SetQuantifier,
    Box<sp::SetExpr>,
);

/// The parts of a set operation, or the operand that is none.
#[inline(never)]
fn take_operation(body: Box<sp::SetExpr>) -> std::result::Result<Operation, Box<sp::SetExpr>> {
    if !matches!(*body, sp::SetExpr::SetOperation { .. }) {
        return Err(body);
    }
    match *body {
        sp::SetExpr::SetOperation {
            left,
            op,
            set_quantifier,
            right,
        } => Ok((left, op, set_quantifier, right)),
        other => Err(Box::new(other)),
    }
}

/// The levels below a query.
fn parts_depth(query: &Query) -> u16 {
    let with = query.with.iter().flat_map(|with| with.tables.iter());
    let with = with.map(|table| table.query.depth).max().unwrap_or(0);
    let limit = match &query.limit {
        Some(Limit::Count(count) | Limit::WithTies(count)) => count.depth,
        Some(Limit::All) | None => 0,
    };
    query
        .body
        .depth()
        .max(with)
        .max(limit)
        .max(deepest(query.order_by.iter().map(|item| &item.expr)))
        .max(deepest(&query.offset))
}
