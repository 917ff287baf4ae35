//! SELECT, VALUES, TABLE, set operations and what stands around them (`SelectStmt` in `gram.y`).

use super::{MAX_DEPTH, Parser, QUERY_DEPTH};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::*;
use crate::sql::keywords::Category;
use crate::sql::token::Token;

/// How tightly a set operation binds: INTERSECT before UNION and EXCEPT.
const UNION_LEVEL: u8 = 1;
const INTERSECT_LEVEL: u8 = 2;

impl Parser<'_> {
    /// A query with its own WITH, ORDER BY, LIMIT.
    #[inline(never)]
    pub(super) fn query(&mut self) -> Result<Query> {
        let mut with = None;
        if self.is_word("with") {
            with = Some(self.with()?);
        }
        self.query_after_with(with)
    }

    #[inline(never)]
    pub(super) fn query_after_with(&mut self, with: Option<With>) -> Result<Query> {
        let at = self.at();
        let body = self.set_expr(0)?;
        let mut query = Query {
            with,
            body,
            order_by: Vec::new(),
            limit: None,
            offset: None,
            locking: None,
            at,
            depth: 0,
        };
        if self.is_word("order") {
            query.order_by = self.order_by()?;
        }
        self.limits(&mut query)?;
        if matches!(query.limit, Some(Limit::WithTies(_))) && query.order_by.is_empty() {
            let message = "WITH TIES cannot be specified without ORDER BY clause";
            return Err(Error::new(sqlstate::SYNTAX_ERROR, message));
        }
        let with = query.with.iter().flat_map(|with| with.tables.iter());
        let with = with.map(|table| table.query.depth).max().unwrap_or(0);
        let limit = match &query.limit {
            Some(Limit::Count(count) | Limit::WithTies(count)) => count.depth,
            Some(Limit::All) | None => 0,
        };
        let depth = query
            .body
            .depth()
            .max(with)
            .max(limit)
            .max(deepest(query.order_by.iter().map(|item| &item.expr)))
            .max(deepest(&query.offset));
        query.depth = self.checked_depth(depth + QUERY_DEPTH, at)?;
        Ok(query)
    }

    pub(super) fn checked_depth(&self, depth: u16, at: Position) -> Result<u16> {
        if depth > MAX_DEPTH {
            Err(Self::too_deep(at))
        } else {
            Ok(depth)
        }
    }

    /// `WITH [RECURSIVE] name (columns) AS (query), …`
    #[inline(never)]
    pub(super) fn with(&mut self) -> Result<With> {
        let at = self.expect_word("with")?;
        let recursive = self.eat_word("recursive");
        let tables = self.comma_separated(|parser| {
            let name = parser.name()?;
            let mut columns = Vec::new();
            if parser.is_char(b'(') {
                columns = parser.name_list()?;
            }
            parser.expect_word("as")?;
            let mut materialized = None;
            if parser.eat_word("materialized") {
                materialized = Some(true);
            } else if parser.eat_words(&["not", "materialized"]) {
                materialized = Some(false);
            }
            if parser.is_char(b'(')
                && ["insert", "update", "delete"]
                    .iter()
                    .any(|word| parser.is_word_at(1, word))
            {
                return parser.unsupported("a data-modifying statement in WITH");
            }
            let query = parser.query_in_parentheses()?;
            if parser.is_word("search") || parser.is_word("cycle") {
                return parser.unsupported("SEARCH and CYCLE in WITH");
            }
            Ok(CommonTable {
                name,
                columns,
                materialized,
                query,
            })
        })?;
        Ok(With {
            recursive,
            tables,
            at,
        })
    }

    #[inline(never)]
    pub(super) fn order_by(&mut self) -> Result<Vec<SortItem>> {
        self.expect_word("order")?;
        self.expect_word("by")?;
        self.comma_separated(|parser| {
            let expr = parser.expr()?;
            let mut direction = SortDirection::Default;
            if parser.eat_word("asc") {
                direction = SortDirection::Asc;
            } else if parser.eat_word("desc") {
                direction = SortDirection::Desc;
            } else if parser.eat_word("using") {
                let symbol = parser.operator_symbol()?;
                direction = SortDirection::Using(OperatorName {
                    schema: None,
                    symbol,
                });
            }
            let mut nulls_first = None;
            if parser.eat_words(&["nulls", "first"]) {
                nulls_first = Some(true);
            } else if parser.eat_words(&["nulls", "last"]) {
                nulls_first = Some(false);
            }
            Ok(SortItem {
                expr,
                direction,
                nulls_first,
            })
        })
    }

    /// LIMIT, OFFSET, FETCH and FOR UPDATE in any order.
    #[inline(never)]
    fn limits(&mut self, query: &mut Query) -> Result<()> {
        loop {
            let at = self.at();
            if query.limit.is_none() && self.eat_word("limit") {
                query.limit = Some(if self.eat_word("all") {
                    Limit::All
                } else {
                    Limit::Count(self.expr()?)
                });
                if self.is_char(b',') {
                    let error =
                        Error::new(sqlstate::SYNTAX_ERROR, "LIMIT #,# syntax is not supported");
                    let error = error.with_hint("Use separate LIMIT and OFFSET clauses.");
                    return Err(error.at(Some(at)));
                }
            } else if query.offset.is_none() && self.eat_word("offset") {
                query.offset = Some(self.expr()?);
                let _ = self.eat_word("rows") || self.eat_word("row");
            } else if query.limit.is_none() && self.eat_word("fetch") {
                query.limit = Some(self.fetch(at)?);
            } else if query.locking.is_none() && self.is_word("for") {
                query.locking = Some(at);
                self.locking()?;
            } else {
                return Ok(());
            }
        }
    }

    /// `FETCH FIRST n ROWS ONLY`
    fn fetch(&mut self, at: Position) -> Result<Limit> {
        if !self.eat_word("first") {
            self.expect_word("next")?;
        }
        let count = if self.is_word("row") || self.is_word("rows") {
            self.node(at, ExprKind::Number("1".to_string()))?
        } else if self.eat_op("-") {
            let value = self.signed_integer()?;
            self.node(at, ExprKind::Number(format!("-{value}")))?
        } else {
            self.eat_op("+");
            self.operand()?
        };
        if !self.eat_word("row") {
            self.expect_word("rows")?;
        }
        if self.eat_word("only") {
            return Ok(Limit::Count(count));
        }
        self.expect_word("with")?;
        self.expect_word("ties")?;
        Ok(Limit::WithTies(count))
    }

    /// `FOR [NO KEY] UPDATE | [KEY] SHARE [OF t] [NOWAIT | SKIP LOCKED]`
    fn locking(&mut self) -> Result<()> {
        self.expect_word("for")?;
        if self.eat_word("read") {
            self.expect_word("only")?;
            return Ok(());
        }
        let known = self.eat_words(&["no", "key", "update"])
            || self.eat_words(&["key", "share"])
            || self.eat_word("update")
            || self.eat_word("share");
        if !known {
            return self.unexpected();
        }
        if self.eat_word("of") {
            self.comma_separated(Self::qualified_name)?;
        }
        let _ = self.eat_word("nowait") || self.eat_words(&["skip", "locked"]);
        Ok(())
    }

    /// Set operations that bind tighter than `level`, left to right.
    #[inline(never)]
    fn set_expr(&mut self, level: u8) -> Result<SetExpr> {
        let mut left = self.set_operand()?;
        loop {
            let at = self.at();
            let (op, next) = match self.peek() {
                Token::Keyword(k) if k.word == "union" => (SetOperator::Union, UNION_LEVEL),
                Token::Keyword(k) if k.word == "except" => (SetOperator::Except, UNION_LEVEL),
                Token::Keyword(k) if k.word == "intersect" => {
                    (SetOperator::Intersect, INTERSECT_LEVEL)
                }
                _ => return Ok(left),
            };
            if next <= level {
                return Ok(left);
            }
            self.bump();
            let all = self.eat_word("all");
            if !all {
                self.eat_word("distinct");
            }
            let right = self.set_expr(next)?;
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
    }

    #[inline(never)]
    fn set_operand(&mut self) -> Result<SetExpr> {
        let at = self.at();
        if self.is_char(b'(') {
            let query = self.query_in_parentheses()?;
            return Ok(SetExpr::Query(Box::new(query)));
        }
        match self.peek() {
            Token::Keyword(k) if k.word == "select" => self.select(),
            Token::Keyword(k) if k.word == "values" => {
                self.bump();
                let rows = self.comma_separated(|parser| parser.parenthesized(Self::value))?;
                Ok(SetExpr::Values { rows, at })
            }
            Token::Keyword(k) if k.word == "table" => {
                self.bump();
                self.eat_word("only");
                Ok(SetExpr::Table(self.qualified_name()?))
            }
            _ => self.unexpected(),
        }
    }

    /// An expression, or DEFAULT where INSERT and UPDATE allow it.
    pub(super) fn value(&mut self) -> Result<Expr> {
        let at = self.at();
        if self.is_word("default") {
            self.bump();
            return self.node(at, ExprKind::Default);
        }
        self.expr()
    }

    #[inline(never)]
    fn select(&mut self) -> Result<SetExpr> {
        let at = self.expect_word("select")?;
        let mut distinct = Distinct::No;
        if self.eat_word("distinct") {
            distinct = Distinct::All;
            if self.eat_word("on") {
                distinct = Distinct::On(self.parenthesized(Self::expr)?);
            }
        } else {
            self.eat_word("all");
        }
        let mut items = Vec::new();
        if distinct != Distinct::No || !self.ends_target_list() {
            items = self.comma_separated(Self::select_item)?;
        }
        let mut into = None;
        if self.eat_word("into") {
            if self.eat_word("temporary") || self.eat_word("temp") || self.is_word("unlogged") {
                return self.unsupported("SELECT INTO a temporary or unlogged table");
            }
            self.eat_word("table");
            into = Some(self.qualified_name()?);
        }
        let mut from = Vec::new();
        if self.eat_word("from") {
            from = self.table_refs()?;
        }
        let mut filter = None;
        if self.eat_word("where") {
            filter = Some(self.expr()?);
        }
        let mut group_by = Vec::new();
        let mut group_distinct = false;
        if self.eat_word("group") {
            self.expect_word("by")?;
            group_distinct = self.eat_word("distinct");
            if !group_distinct {
                self.eat_word("all");
            }
            group_by = self.comma_separated(Self::group_item)?;
        }
        let mut having = None;
        if self.eat_word("having") {
            having = Some(self.expr()?);
        }
        let mut windows = Vec::new();
        if self.eat_word("window") {
            windows = self.comma_separated(|parser| {
                let name = parser.name()?;
                parser.expect_word("as")?;
                Ok((name, parser.window_spec()?))
            })?;
        }
        Ok(SetExpr::Select(Box::new(Select {
            distinct,
            items,
            into,
            from,
            filter,
            group_by,
            group_distinct,
            having,
            windows,
            at,
        })))
    }

    /// `SELECT FROM t`: a target list may be empty.
    fn ends_target_list(&mut self) -> bool {
        match self.peek() {
            Token::End | Token::Char(b')') => true,
            Token::Keyword(k) => matches!(
                k.word,
                "into"
                    | "from"
                    | "where"
                    | "group"
                    | "having"
                    | "window"
                    | "union"
                    | "intersect"
                    | "except"
                    | "order"
                    | "limit"
                    | "offset"
                    | "fetch"
                    | "for"
            ),
            _ => false,
        }
    }

    #[inline(never)]
    pub(super) fn select_item(&mut self) -> Result<SelectItem> {
        let at = self.at();
        if self.peek().is_op("*") {
            self.bump();
            return Ok(SelectItem::Star(at));
        }
        let expr = self.expr()?;
        if let ExprKind::WholeRow(name) = expr.kind {
            return Ok(SelectItem::QualifiedStar(name));
        }
        let alias = if self.eat_word("as") {
            Some(self.label()?)
        } else {
            self.bare_label()
        };
        Ok(SelectItem::Expr { expr, alias })
    }

    /// `BareColLabel`: a label without AS, which most keywords may be.
    fn bare_label(&mut self) -> Option<Name> {
        let is_bare = match self.peek() {
            Token::Keyword(keyword) => keyword.bare_label,
            _ => true,
        };
        if is_bare {
            self.name_if(|_| true)
        } else {
            None
        }
    }

    #[inline(never)]
    fn group_item(&mut self) -> Result<GroupItem> {
        let at = self.at();
        if self.is_char(b'(') && self.peek_at(1).is_char(b')') {
            self.bump();
            self.bump();
            return Ok(GroupItem::Empty(at));
        }
        let word = match self.peek() {
            Token::Keyword(k) if k.category != Category::Reserved => k.word,
            _ => "",
        };
        let item = match word {
            "rollup" if self.peek_at(1).is_char(b'(') => GroupItem::Rollup(at),
            "cube" if self.peek_at(1).is_char(b'(') => GroupItem::Cube(at),
            "grouping" if self.is_word_at(1, "sets") => {
                self.bump();
                GroupItem::GroupingSets(at)
            }
            _ => return Ok(GroupItem::Expr(self.expr()?)),
        };
        self.bump();
        self.skip_parentheses()?;
        Ok(item)
    }

    /// Steps over balanced parentheses whose contents are not supported.
    fn skip_parentheses(&mut self) -> Result<()> {
        self.expect_char(b'(')?;
        let mut depth = 1;
        while depth > 0 {
            match self.peek() {
                Token::Char(b'(') => depth += 1,
                Token::Char(b')') => depth -= 1,
                Token::End | Token::Bad(_) => return self.unexpected(),
                _ => {}
            }
            self.bump();
        }
        Ok(())
    }
}
