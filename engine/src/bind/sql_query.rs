//! Users' SQL functions that are more than an expression. PostgreSQL runs their query at each call
//! (`fmgr_sql`) and takes its first row; here the query takes the place of the call as a sub-select, so
//! that it is planned with the statement and run by an Apply or once as an InitPlan.

use super::binder::Binder;
use super::sql_function::type_mismatch;
use super::{Expr, ExprKind, Query, Sublink, SublinkKind, walk};
use crate::catalog::FunctionFacts;
use crate::error::{Error, Position, Result};
use crate::sql::ast;
use crate::value::{Datum, Type};

/// Whether a function's body is more than an expression over its arguments.
pub(super) fn reads_tables(body: &Expr) -> bool {
    walk::contains(body, &|part| matches!(part.kind, ExprKind::Sublink(_)))
}

impl Binder<'_> {
    /// A function's query as the value of its first row, NULL if there is none.
    ///
    /// # Errors
    /// Those of the query; 42P13 for more columns than one.
    pub(super) fn first_row(&mut self, query: &ast::Query, result: Type) -> Result<Expr> {
        let at = query.at;
        let mut query = self.query(query)?;
        let [column] = &query.columns[..] else {
            let is = "Final statement must return exactly one column.";
            return Err(type_mismatch(result).with_detail(is));
        };
        let (ty, typmod) = (column.ty, column.typmod);
        self.limit_to_one(&mut query, at)?;
        let link = Sublink {
            kind: SublinkKind::Scalar,
            query,
            correlated: false,
        };
        Ok(Expr {
            typmod,
            ..ExprKind::Sublink(Box::new(link)).of(ty)
        })
    }

    /// LIMIT 1, or what is less: a limit of NULL is none, which LEAST leaves out.
    fn limit_to_one(&self, query: &mut Query, at: Position) -> Result<()> {
        let one = ExprKind::Const(Datum::Int8(1)).of(Type::INT8);
        query.limit = Some(match query.limit.take() {
            None => one,
            Some(limit) => ExprKind::MinMax {
                greatest: false,
                less: self.find_operator("<", Some(Type::INT8), Type::INT8, at)?,
                args: vec![limit, one],
            }
            .of(Type::INT8),
        });
        Ok(())
    }
}

/// A call's body with the arguments in it.
///
/// # Errors
/// 0A000 for what must be computed once a call and would be computed once a row.
pub(super) fn in_place(function: &FunctionFacts, mut body: Expr, args: Vec<Expr>) -> Result<Expr> {
    let unsupported = |what: &str| {
        let name = &function.name;
        Error::unsupported(format_args!(
            "{what} of function {name}, which reads tables,"
        ))
    };
    if walk::is_volatile(&body) {
        return Err(unsupported("a volatile expression in the body"));
    }
    if args.iter().any(walk::is_volatile) {
        return Err(unsupported("a volatile argument"));
    }
    if args.iter().any(walk::has_aggregate) {
        return Err(unsupported("an aggregate as an argument"));
    }
    let outer: Vec<bool> = args.iter().map(refers_outward).collect();
    walk::each_mut(&mut body, 0, &mut |part, _| {
        if let ExprKind::Sublink(link) = &mut part.kind {
            let mut correlated = link.correlated;
            walk::each_in_query(&link.query, 0, &mut |inner, _| {
                correlated |=
                    matches!(inner.kind, ExprKind::Argument(i) if outer.get(i) == Some(&true));
            });
            link.correlated = correlated;
        }
    });
    walk::each_mut(&mut body, 0, &mut |part, depth| {
        if let ExprKind::Argument(index) = part.kind
            && let Some(arg) = args.get(index)
        {
            *part = arg.clone();
            walk::further_in(part, depth);
        }
    });
    if !function.strict || args.is_empty() {
        return Ok(body);
    }
    let is_null = |arg: Expr| {
        ExprKind::NullTest {
            arg: Box::new(arg),
            negated: false,
        }
        .of(Type::BOOL)
    };
    let ty = body.ty;
    let null = ExprKind::Const(Datum::Null).of(ty);
    let any = ExprKind::Or(args.into_iter().map(is_null).collect()).of(Type::BOOL);
    Ok(ExprKind::Case {
        operand: None,
        arms: vec![(any, null)],
        otherwise: Some(Box::new(body)),
    }
    .of(ty))
}

/// Whether an expression has a column of its own level or of one further out.
fn refers_outward(expr: &Expr) -> bool {
    let mut found = false;
    walk::each(expr, 0, &mut |part, depth| {
        found |= matches!(part.kind, ExprKind::Var(var) if var.up >= depth);
    });
    found
}
