//! SELECT (`simple_select` in `gram.y`).

use crate::error::Result;
use crate::sql::ast::*;
use crate::sql::reader::Reader;
use sqlparser::ast as sp;

impl Reader {
    #[inline(never)]
    pub(super) fn lower_select(&mut self, select: Box<sp::Select>) -> Result<SetExpr> {
        // The fields that are passed over belong to clauses of other databases, whose words are
        // no keywords here: the cursor would meet those words.
        let sp::Select {
            select_token: _,
            optimizer_hints: _,
            distinct,
            select_modifiers: _,
            top: _,
            top_before_distinct: _,
            projection,
            exclude: _,
            into,
            from,
            lateral_views: _,
            prewhere: _,
            selection,
            connect_by: _,
            group_by,
            cluster_by: _,
            distribute_by: _,
            sort_by: _,
            having,
            named_window,
            qualify: _,
            window_before_qualify: _,
            value_table_mode: _,
            flavor: _,
        } = *select;
        let at = self.expect_word("select")?;
        let distinct = self.lower_distinct(distinct)?;
        if distinct != Distinct::No && projection.is_empty() {
            return self.unexpected();
        }
        let items = self.lower_boxes(projection, Self::lower_select_item)?;
        let into = into.map(|into| self.lower_into(into)).transpose()?;
        let mut tables = Vec::new();
        if !from.is_empty() {
            self.expect_word("from")?;
            tables = self.lower_boxes(from, Self::lower_table_with_joins)?;
        }
        let filter = self.lower_clause("where", selection)?;
        let (group_by, group_distinct) = self.lower_group_by(group_by)?;
        let having = self.lower_clause("having", having)?;
        let mut windows = Vec::new();
        if !named_window.is_empty() {
            self.expect_word("window")?;
            windows = self.lower_list(named_window, Self::lower_named_window)?;
        }
        Ok(SetExpr::Select(Box::new(Select {
            distinct,
            items,
            into,
            from: tables,
            filter,
            group_by,
            group_distinct,
            having,
            windows,
            at,
        })))
    }

    /// A word and the expression behind it.
    pub(super) fn lower_clause(
        &mut self,
        word: &str,
        expr: Option<sp::Expr>,
    ) -> Result<Option<Expr>> {
        if expr.is_some() {
            self.expect_word(word)?;
        }
        self.lower_optional(expr)
    }

    fn lower_distinct(&mut self, distinct: Option<sp::Distinct>) -> Result<Distinct> {
        match distinct {
            None => Ok(Distinct::No),
            Some(sp::Distinct::All) => {
                self.expect_word("all")?;
                Ok(Distinct::No)
            }
            Some(sp::Distinct::Distinct) => {
                self.expect_word("distinct")?;
                Ok(Distinct::All)
            }
            Some(sp::Distinct::On(exprs)) => {
                self.expect_words(&["distinct", "on"])?;
                if exprs.is_empty() {
                    self.expect_char(b'(')?;
                    return self.unexpected();
                }
                let exprs = self.lower_parenthesized(exprs, Self::lower_expr)?;
                Ok(Distinct::On(exprs))
            }
        }
    }

    #[inline(never)]
    pub(super) fn lower_select_item(&mut self, item: Box<sp::SelectItem>) -> Result<SelectItem> {
        let at = self.at();
        match *item {
            sp::SelectItem::UnnamedExpr(expr) => {
                let expr = self.lower_expr(expr)?;
                Ok(SelectItem::Expr { expr, alias: None })
            }
            sp::SelectItem::ExprWithAlias { expr, alias: _ } => {
                let expr = self.lower_expr(expr)?;
                self.eat_word("as");
                let alias = Some(self.label()?);
                Ok(SelectItem::Expr { expr, alias })
            }
            sp::SelectItem::Wildcard(options) => {
                // `(*)` too is a star to `sqlparser`.
                if !self.eat_op("*") {
                    self.expect_char(b'(')?;
                    return self.unexpected();
                }
                self.no_wildcard_options(options)?;
                Ok(SelectItem::Star(at))
            }
            sp::SelectItem::QualifiedWildcard(
                sp::SelectItemQualifiedWildcardKind::ObjectName(sp::ObjectName(parts)),
                options,
            ) => {
                let row = self.lower_whole_row(at, parts.len())?;
                if options.opt_alias.is_some() {
                    return self.unsupported("an alias of all columns");
                }
                self.no_wildcard_options(options)?;
                match row.kind {
                    ExprKind::WholeRow(name) => Ok(SelectItem::QualifiedStar(name)),
                    _ => self.unexpected(),
                }
            }
            sp::SelectItem::QualifiedWildcard(sp::SelectItemQualifiedWildcardKind::Expr(_), _)
            | sp::SelectItem::ExprWithAliases {
                expr: _,
                aliases: _,
            } => self.unexpected(),
        }
    }

    /// EXCLUDE, REPLACE and the like behind a star.
    fn no_wildcard_options(&self, options: sp::WildcardAdditionalOptions) -> Result<()> {
        let sp::WildcardAdditionalOptions {
            wildcard_token: _,
            opt_ilike,
            opt_exclude,
            opt_except,
            opt_replace,
            opt_rename,
            opt_alias,
        } = options;
        let any = opt_ilike.is_some()
            || opt_exclude.is_some()
            || opt_except.is_some()
            || opt_replace.is_some()
            || opt_rename.is_some()
            || opt_alias.is_some();
        if any { self.unexpected() } else { Ok(()) }
    }

    fn lower_into(&mut self, into: sp::SelectInto) -> Result<QualifiedName> {
        let sp::SelectInto {
            temporary,
            unlogged,
            table,
            targets: _,
        } = into;
        self.expect_word("into")?;
        if temporary || unlogged {
            return self.unsupported("SELECT INTO a temporary or unlogged table");
        }
        if table {
            self.expect_word("table")?;
        }
        self.qualified_name()
    }

    fn lower_named_window(
        &mut self,
        window: sp::NamedWindowDefinition,
    ) -> Result<(Name, WindowSpec)> {
        let sp::NamedWindowDefinition(name, definition) = window;
        let name = self.lower_name(name)?;
        self.expect_word("as")?;
        match definition {
            sp::NamedWindowExpr::WindowSpec(spec) => Ok((name, self.lower_window_spec(spec)?)),
            sp::NamedWindowExpr::NamedWindow(_) => self.unexpected(),
        }
    }
}
