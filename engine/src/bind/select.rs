//! SELECT (`transformSelectStmt` in `analyze.c`, `parse_clause.c`, `parse_target.c`).

use std::rc::Rc;

use super::binder::{Binder, Place};
use super::coerce::known;
use super::query_binder::{Unknowns, resolve_unknowns};
use super::scope::Scope;
use super::{Body, Expr, ExprKind, Query, ResultColumn, Select, SortKey, Target, walk};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{self, Distinct, SelectItem, SortDirection, SortItem};
use crate::value::{Datum, Type};

/// A target with the name and place it has in the text.
pub(super) struct BoundTarget {
    pub target: Target,
    pub at: Position,
}

impl Binder<'_> {
    /// One SELECT with the ORDER BY that belongs to it.
    pub fn select(
        &mut self,
        select: &ast::Select,
        order_by: &[SortItem],
        unknowns: Unknowns,
    ) -> Result<Query> {
        self.scopes.push(Scope::default());
        let bound = self.select_in_scope(select, order_by, unknowns);
        self.scopes.pop();
        bound
    }

    fn select_in_scope(
        &mut self,
        select: &ast::Select,
        order_by: &[SortItem],
        unknowns: Unknowns,
    ) -> Result<Query> {
        let ast::Select {
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
        } = select;
        if into.is_some() {
            return Err(self.unsupported("SELECT INTO", *at));
        }
        if let Some((name, _)) = windows.first() {
            return Err(self.unsupported("the WINDOW clause", name.at));
        }
        if *group_distinct {
            return Err(self.unsupported("GROUP BY DISTINCT", *at));
        }
        let from = self.bind_from(from)?;
        let mut targets = self.target_list(items)?;
        let filter = match filter {
            Some(filter) => Some(self.condition(filter, "WHERE", Place::Where)?),
            None => None,
        };
        let having = match having {
            Some(having) => Some(self.condition(having, "HAVING", Place::Having)?),
            None => None,
        };
        let mut sort = Vec::with_capacity(order_by.len());
        for item in order_by {
            let target = self.order_target(&item.expr, &mut targets)?;
            sort.push(self.sort_key(item, target)?);
        }
        let mut groups: Vec<Expr> = Vec::with_capacity(group_by.len());
        for item in group_by {
            self.group_item(item, &mut targets, &mut groups)?;
        }
        let mut distinct_on = Vec::new();
        let (distinct, all) = match distinct {
            Distinct::No => (false, false),
            Distinct::All => (true, true),
            Distinct::On(exprs) => {
                distinct_on = self.distinct_on(exprs, &sort, &mut targets)?;
                (true, false)
            }
        };
        if all && let Some(hidden) = targets.iter().find(|target| target.target.hidden) {
            let message = "for SELECT DISTINCT, ORDER BY expressions must appear in select list";
            return Err(self.error(sqlstate::INVALID_COLUMN_REFERENCE, message, hidden.at));
        }
        let mut targets: Vec<Target> = targets.into_iter().map(|bound| bound.target).collect();
        if unknowns == Unknowns::Resolve || distinct {
            resolve_unknowns(&mut targets);
        }
        let has_aggregate = targets
            .iter()
            .map(|target| &target.expr)
            .chain(&having)
            .any(walk::has_aggregate);
        let aggregated = has_aggregate || !groups.is_empty() || having.is_some();
        let scope = std::mem::take(self.scope()?);
        self.closed_namespace = scope.namespace;
        let columns = result_columns(&targets);
        let select = Select {
            range: scope.range,
            from,
            filter,
            targets,
            distinct,
            distinct_on,
            aggregated,
            group_by: groups,
            having,
        };
        if aggregated {
            self.check_grouping(&select)?;
        }
        Ok(Query {
            body: Body::Select(Box::new(select)),
            order_by: sort,
            limit: None,
            offset: None,
            columns,
            with: Vec::new(),
        })
    }

    /// The targets of DISTINCT ON (`transformDistinctOnClause`): all of them come before anything else
    /// in ORDER BY.
    ///
    /// # Errors
    /// 42P10 where they do not.
    fn distinct_on(
        &mut self,
        exprs: &[ast::Expr],
        sort: &[SortKey],
        targets: &mut Vec<BoundTarget>,
    ) -> Result<Vec<usize>> {
        let mut on: Vec<usize> = Vec::with_capacity(exprs.len());
        let mut places = Vec::with_capacity(exprs.len());
        for expr in exprs {
            let target = match self.output_column(expr, targets, "DISTINCT ON")? {
                Some(found) => found,
                None => {
                    let bound = self.expr(expr, Place::DistinctOn)?;
                    self.target_for(bound, expr.at, targets)
                }
            };
            if !on.contains(&target) {
                on.push(target);
                places.push(expr.at);
            }
        }
        let prefix = sort
            .iter()
            .take_while(|key| on.contains(&key.target))
            .count();
        let later = sort[prefix..].iter().find(|key| on.contains(&key.target));
        let missing = (0..on.len()).find(|&i| {
            prefix < sort.len() && !sort[..prefix].iter().any(|key| key.target == on[i])
        });
        let wrong = later
            .and_then(|key| on.iter().position(|&target| target == key.target))
            .or(missing);
        if let Some(wrong) = wrong {
            let message = "SELECT DISTINCT ON expressions must match initial ORDER BY expressions";
            return Err(self.error(sqlstate::INVALID_COLUMN_REFERENCE, message, places[wrong]));
        }
        Ok(on)
    }

    fn target_list(&mut self, items: &[SelectItem]) -> Result<Vec<BoundTarget>> {
        let mut targets = Vec::with_capacity(items.len());
        for item in items {
            match item {
                SelectItem::Star(at) => {
                    let items = &self.scope()?.namespace;
                    let columns = items.iter().filter(|item| item.unqualified);
                    let columns: Vec<_> = columns.flat_map(|item| item.columns.clone()).collect();
                    if self.scope()?.namespace.is_empty() {
                        let message = "SELECT * with no tables specified is not valid";
                        return Err(self.error(sqlstate::SYNTAX_ERROR, message, *at));
                    }
                    let position = self.at(*at);
                    for column in columns {
                        targets.push(visible(column.expr.at(position), column.name, *at));
                    }
                }
                SelectItem::QualifiedStar(name) => {
                    let position = self.at(name.at());
                    for column in self.columns_of(name)? {
                        targets.push(visible(column.expr.at(position), column.name, name.at()));
                    }
                }
                SelectItem::Expr { expr, alias } => {
                    let bound = self.expr(expr, Place::Target)?;
                    let name = match (alias, &bound.kind) {
                        (Some(alias), _) => Rc::from(alias.text.as_str()),
                        (None, ExprKind::Sublink(link))
                            if matches!(expr.kind, ast::ExprKind::ScalarQuery(_)) =>
                        {
                            link.query
                                .columns
                                .first()
                                .map_or(Rc::from("?column?"), |column| Rc::clone(&column.name))
                        }
                        (None, _) => Rc::from(super::column_name::column_name(expr)),
                    };
                    targets.push(visible(bound, name, expr.at));
                }
            }
        }
        Ok(targets)
    }

    /// What ORDER BY sorts by: an output column by name or number, else an expression
    /// (`findTargetlistEntrySQL92`). Returns the index of a target.
    fn order_target(&mut self, expr: &ast::Expr, targets: &mut Vec<BoundTarget>) -> Result<usize> {
        if let Some(found) = self.output_column(expr, targets, "ORDER BY")? {
            return Ok(found);
        }
        let bound = self.expr(expr, Place::OrderBy)?;
        Ok(self.target_for(bound, expr.at, targets))
    }

    /// The target that is this expression, added out of sight if there is none.
    fn target_for(&self, expr: Expr, at: Position, targets: &mut Vec<BoundTarget>) -> usize {
        let known = known(expr);
        let found = targets
            .iter()
            .position(|bound| self.is_same(&bound.target.expr, &known));
        found.unwrap_or_else(|| {
            let target = Target {
                expr: known,
                name: Rc::from("?column?"),
                hidden: true,
            };
            targets.push(BoundTarget { target, at });
            targets.len() - 1
        })
    }

    /// The output column a bare name or a number stands for.
    pub fn output_column(
        &mut self,
        expr: &ast::Expr,
        targets: &[BoundTarget],
        clause: &str,
    ) -> Result<Option<usize>> {
        match &expr.kind {
            ast::ExprKind::Column(name) if name.parts.len() == 1 => {
                let wanted = name.object();
                let mut found: Option<usize> = None;
                for (index, bound) in targets.iter().enumerate() {
                    if bound.target.hidden || &*bound.target.name != wanted {
                        continue;
                    }
                    match found {
                        Some(first)
                            if !self.is_same(&targets[first].target.expr, &bound.target.expr) =>
                        {
                            let message = format!("{clause} \"{wanted}\" is ambiguous");
                            return Err(self.error(sqlstate::AMBIGUOUS_COLUMN, message, expr.at));
                        }
                        Some(_) => {}
                        None => found = Some(index),
                    }
                }
                Ok(found)
            }
            ast::ExprKind::Number(text) => match text.parse::<i32>() {
                Ok(number) => self
                    .output_number(number, targets, clause, expr.at)
                    .map(Some),
                Err(_) => Err(self.non_integer(clause, expr.at)),
            },
            ast::ExprKind::Null | ast::ExprKind::String(_) | ast::ExprKind::Bool(_) => {
                Err(self.non_integer(clause, expr.at))
            }
            _ => Ok(None),
        }
    }

    fn non_integer(&self, clause: &str, at: Position) -> Error {
        let message = format!("non-integer constant in {clause}");
        self.error(sqlstate::SYNTAX_ERROR, message, at)
    }

    fn output_number(
        &self,
        number: i32,
        targets: &[BoundTarget],
        clause: &str,
        at: Position,
    ) -> Result<usize> {
        let index = usize::try_from(number)
            .ok()
            .and_then(|number| number.checked_sub(1));
        match index.filter(|index| targets.get(*index).is_some_and(|t| !t.target.hidden)) {
            Some(index) => Ok(index),
            None => {
                let message = format!("{clause} position {number} is not in select list");
                Err(self.error(sqlstate::INVALID_COLUMN_REFERENCE, message, at))
            }
        }
    }

    fn sort_key(&self, item: &SortItem, target: usize) -> Result<SortKey> {
        let (descending, nulls_first) = self.sort_direction(item)?;
        Ok(SortKey {
            target,
            descending,
            nulls_first,
        })
    }

    /// Whether an item of ORDER BY descends, and whether its NULLs come first.
    pub fn sort_direction(&self, item: &SortItem) -> Result<(bool, bool)> {
        let descending = match &item.direction {
            SortDirection::Default | SortDirection::Asc => false,
            SortDirection::Desc => true,
            SortDirection::Using(_) => {
                return Err(self.unsupported("ORDER BY USING", item.expr.at));
            }
        };
        Ok((descending, item.nulls_first.unwrap_or(descending)))
    }

    /// ORDER BY over columns that come out of a set operation or VALUES: names and numbers only.
    pub fn output_order(
        &mut self,
        columns: &[ResultColumn],
        order_by: &[SortItem],
    ) -> Result<Vec<SortKey>> {
        let at = order_by
            .first()
            .map_or(Position { line: 1, column: 1 }, |item| item.expr.at);
        let targets: Vec<BoundTarget> = columns
            .iter()
            .map(|column| {
                let expr = Expr::constant(Datum::Null, column.ty);
                visible(expr, Rc::clone(&column.name), at)
            })
            .collect();
        let mut keys = Vec::with_capacity(order_by.len());
        for item in order_by {
            let Some(target) = self.output_column(&item.expr, &targets, "ORDER BY")? else {
                if let ast::ExprKind::Column(name) = &item.expr.kind {
                    let message = format!("column \"{name}\" does not exist");
                    return Err(self.error(sqlstate::UNDEFINED_COLUMN, message, item.expr.at));
                }
                let at = first_token(&item.expr);
                let message = "invalid UNION/INTERSECT/EXCEPT ORDER BY clause";
                let error = self.error(sqlstate::FEATURE_NOT_SUPPORTED, message, at);
                let error = error.with_detail(
                    "Only result column names can be used, not expressions or functions.",
                );
                return Err(error.with_hint(
                    "Add the expression/function to every SELECT, or move the UNION into a FROM \
                     clause.",
                ));
            };
            keys.push(self.sort_key(item, target)?);
        }
        Ok(keys)
    }

    // Grouping.
}

/// Where an expression begins.
fn first_token(expr: &ast::Expr) -> Position {
    match &expr.kind {
        ast::ExprKind::Binary { left, .. } | ast::ExprKind::IsDistinct { left, .. } => {
            first_token(left)
        }
        ast::ExprKind::Is { arg, .. }
        | ast::ExprKind::Like { arg, .. }
        | ast::ExprKind::Between { arg, .. }
        | ast::ExprKind::InList { arg, .. }
        | ast::ExprKind::Cast { arg, .. } => first_token(arg),
        _ => expr.at,
    }
}

fn visible(expr: Expr, name: Rc<str>, at: Position) -> BoundTarget {
    BoundTarget {
        target: Target {
            expr,
            name,
            hidden: false,
        },
        at,
    }
}

/// The columns that come out of a SELECT.
pub(super) fn result_columns(targets: &[Target]) -> Vec<ResultColumn> {
    let visible = targets.iter().filter(|target| !target.hidden);
    let column = |target: &Target| ResultColumn {
        name: Rc::clone(&target.name),
        ty: target.expr.ty,
        typmod: if target.expr.ty == Type::UNKNOWN {
            -1
        } else {
            target.expr.typmod
        },
    };
    visible.map(column).collect()
}
