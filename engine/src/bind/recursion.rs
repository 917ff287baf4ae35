//! WITH RECURSIVE: the query of a table that refers to itself (`parse_cte.c`).

use std::cell::Cell;
use std::rc::Rc;

use super::binder::{Binder, CommonState, CommonTable};
use super::{Body, Expr, ExprKind, From, JoinKind, Query, Select, SetOperation, Source, walk};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{self, SetExpr, SetOperator};
use crate::value::Type;

/// Where a WITH query refers to itself and may not (PostgreSQL's `RecursionContext`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misplaced {
    /// The query is no UNION.
    NoUnion,
    NonRecursiveTerm,
    Subquery,
    OuterJoin,
    Intersect,
    Except,
    Twice,
    /// Beside an aggregate.
    Aggregated,
}

impl Misplaced {
    fn message(self, name: &str) -> String {
        let place = match self {
            Misplaced::NoUnion => {
                return format!(
                    "recursive query \"{name}\" does not have the form non-recursive-term UNION \
                     [ALL] recursive-term"
                );
            }
            Misplaced::Aggregated => {
                return "aggregate functions are not allowed in a recursive query's recursive term"
                    .to_string();
            }
            Misplaced::NonRecursiveTerm => "within its non-recursive term",
            Misplaced::Subquery => "within a subquery",
            Misplaced::OuterJoin => "within an outer join",
            Misplaced::Intersect => "within INTERSECT",
            Misplaced::Except => "within EXCEPT",
            Misplaced::Twice => "more than once",
        };
        format!("recursive reference to query \"{name}\" must not appear {place}")
    }
}

impl Binder<'_> {
    pub fn refuse_recursion(&self, place: Misplaced, name: &str, at: Position) -> Error {
        self.error(sqlstate::INVALID_RECURSION, place.message(name), at)
    }

    /// The query of a WITH RECURSIVE table that refers to itself; `None` if it does not.
    ///
    /// # Errors
    /// 42P19, 42804; 0A000 for clauses around the UNION, as PostgreSQL has it.
    pub fn recursive_query(&mut self, table: &CommonTable) -> Result<Option<Query>> {
        let definition = Rc::clone(&table.definition);
        let ast::Query {
            with,
            body,
            order_by,
            limit,
            offset,
            ..
        } = &definition.query;
        let SetExpr::Operation(operation) = body else {
            self.add_placeholder(&definition, CommonState::Refused(Misplaced::NoUnion));
            return Ok(None);
        };
        if operation.op != SetOperator::Union {
            self.add_placeholder(&definition, CommonState::Refused(Misplaced::NoUnion));
            return Ok(None);
        }
        if with.is_some() {
            let feature = "recursion in a WITH query that has a WITH of its own";
            self.add_placeholder(&definition, CommonState::Unsupported(feature));
            return Ok(None);
        }
        let name = &definition.name;
        let refused = CommonState::Refused(Misplaced::NonRecursiveTerm);
        self.add_placeholder(&definition, refused);
        let left = self.branch(&operation.left);
        self.common_tables.pop();
        let left = left?;
        let types: Vec<Type> = left
            .columns
            .iter()
            .map(|column| resolved(column.ty))
            .collect();
        let left = self.with_column_types(left, &types)?;
        let mut columns = left.columns.clone();
        self.rename_common(&mut columns, &definition)?;
        let id = self.new_common();
        let working = Rc::new(CommonTable {
            definition: Rc::clone(&definition),
            scopes: table.scopes,
            visible: table.visible,
            references: Cell::new(0),
            state: CommonState::Working {
                id,
                columns: columns.clone(),
            },
        });
        self.common_tables.push(Rc::clone(&working));
        let right = self.branch(&operation.right);
        self.common_tables.pop();
        let right = right?;
        if working.references.get() == 0 {
            return Ok(None);
        }
        if let Some(place) = misplaced(&right, id) {
            return Err(self.refuse_recursion(place, &name.text, name.at));
        }
        let clauses = [
            (!order_by.is_empty(), "ORDER BY"),
            (offset.is_some(), "OFFSET"),
            (limit.is_some(), "LIMIT"),
        ];
        if let Some((_, clause)) = clauses.iter().find(|(there, _)| *there) {
            let message = format!("{clause} in a recursive query is not implemented");
            return Err(self.error(sqlstate::FEATURE_NOT_SUPPORTED, message, name.at));
        }
        let before: Vec<Type> = left.columns.iter().map(|column| column.ty).collect();
        let (left, right) = self.matched(left, right, "UNION")?;
        for (at, (column, before)) in left.columns.iter().zip(before).enumerate() {
            if column.ty != before {
                let message = format!(
                    "recursive query \"{}\" column {} has type {} in non-recursive term but type \
                     {} overall",
                    name.text,
                    at + 1,
                    before.name(),
                    column.ty.name()
                );
                return Err(self
                    .error(sqlstate::DATATYPE_MISMATCH, message, name.at)
                    .with_hint("Cast the output of the non-recursive term to the correct type."));
            }
        }
        Ok(Some(Query {
            body: Body::Recursive {
                id,
                all: operation.all,
                parts: Box::new([left, right]),
            },
            order_by: Vec::new(),
            limit: None,
            offset: None,
            columns,
            with: Vec::new(),
        }))
    }
}

/// An untyped literal becomes text.
fn resolved(ty: Type) -> Type {
    match ty {
        Type::UNKNOWN => Type::TEXT,
        ty => ty,
    }
}

/// `checkWellFormedRecursionWalker`, over a bound recursive part: the first reference to the work table
/// that is not where it may be.
fn misplaced(query: &Query, id: usize) -> Option<Misplaced> {
    let mut search = Search { id, seen: 0 };
    search.query(query, None).err()
}

struct Search {
    id: usize,
    /// References found so far.
    seen: u32,
}

impl Search {
    /// `place`: what forbids a reference here.
    fn query(&mut self, query: &Query, place: Option<Misplaced>) -> Result<(), Misplaced> {
        for common in &query.with {
            self.query(&common.query, place)?;
        }
        match &query.body {
            Body::Select(select) => self.select(select, place),
            Body::Values(rows) => rows.iter().flatten().try_for_each(|expr| self.expr(expr)),
            Body::UnionAll(parts) => parts.iter().try_for_each(|part| self.query(part, place)),
            Body::SetOperation {
                operation,
                all,
                parts,
            } => {
                let (left, right) = match (operation, all) {
                    (SetOperation::Intersect, false) => (place, place),
                    (SetOperation::Intersect, true) => {
                        (Some(Misplaced::Intersect), Some(Misplaced::Intersect))
                    }
                    (SetOperation::Except, false) => (place, Some(Misplaced::Except)),
                    (SetOperation::Except, true) => {
                        (Some(Misplaced::Except), Some(Misplaced::Except))
                    }
                };
                self.query(&parts[0], left)?;
                self.query(&parts[1], right)
            }
            Body::Recursive { parts, .. } => {
                parts.iter().try_for_each(|part| self.query(part, place))
            }
        }
    }

    fn select(&mut self, select: &Select, place: Option<Misplaced>) -> Result<(), Misplaced> {
        for target in &select.targets {
            self.expr(&target.expr)?;
        }
        if let Some(from) = &select.from {
            self.from(select, from, place)?;
        }
        let conditions = select.filter.iter().chain(&select.group_by);
        for expr in conditions.chain(&select.having) {
            self.expr(expr)?;
        }
        let is_here = select
            .range
            .iter()
            .any(|entry| matches!(entry.source, Source::WorkTable { id, .. } if id == self.id));
        let exprs = select.targets.iter().map(|target| &target.expr);
        if is_here && exprs.chain(&select.having).any(walk::has_aggregate) {
            return Err(Misplaced::Aggregated);
        }
        Ok(())
    }

    fn from(
        &mut self,
        select: &Select,
        from: &From,
        place: Option<Misplaced>,
    ) -> Result<(), Misplaced> {
        let rel = match from {
            From::Entry(rel) => *rel,
            From::Join {
                kind,
                left,
                right,
                on,
            } => {
                let outer = Some(Misplaced::OuterJoin);
                let (of_left, of_right) = match kind {
                    JoinKind::Inner | JoinKind::Semi | JoinKind::Anti => (place, place),
                    JoinKind::Left => (place, outer),
                    JoinKind::Full => (outer, outer),
                };
                self.from(select, left, of_left)?;
                self.from(select, right, of_right)?;
                return on.iter().try_for_each(|on| self.expr(on));
            }
        };
        match &select.range[rel].source {
            Source::WorkTable { id, .. } if *id == self.id => {
                self.seen += 1;
                match place {
                    Some(place) => Err(place),
                    None if self.seen > 1 => Err(Misplaced::Twice),
                    None => Ok(()),
                }
            }
            Source::Subquery { query, .. } => self.query(query, place),
            Source::Function(call) => self.expr(call),
            Source::Table(_) | Source::Common { .. } | Source::WorkTable { .. } => Ok(()),
        }
    }

    /// The sub-selects of an expression.
    fn expr(&mut self, expr: &Expr) -> Result<(), Misplaced> {
        let mut found = Ok(());
        expr.each_child(|child| {
            if found.is_ok() {
                found = self.expr(child);
            }
        });
        found?;
        match &expr.kind {
            ExprKind::Sublink(link) => self.query(&link.query, Some(Misplaced::Subquery)),
            _ => Ok(()),
        }
    }
}
