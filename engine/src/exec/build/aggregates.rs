//! The calls of an Aggregate node.

use super::Compiler;
use crate::bind::same::same;
use crate::bind::{CastMethod, Expr, ExprKind};
use crate::error::Result;
use crate::exec::ops::aggregate::{AggregateCalls, Call};
use crate::expr::{Accumulator, Program};
use crate::plan::AggregateSpec;
use crate::value::KeyOrder;

pub(super) fn aggregate_calls(
    compiler: &mut Compiler,
    aggregates: &[AggregateSpec],
) -> Result<AggregateCalls> {
    let calls = aggregates
        .iter()
        .map(|aggregate| {
            let mut args = compiler.list(&aggregate.args)?;
            let accumulator = if aggregate.order_by.is_empty() {
                Accumulator::new(&aggregate.function, aggregate.distinct)?
            } else {
                ordered(compiler, aggregate, &mut args)?
            };
            Ok(Call {
                accumulator,
                args,
                filter: compiler.optional(&aggregate.filter)?,
            })
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(AggregateCalls::new(calls))
}

/// An accumulator that is given its rows sorted. What is sorted by and is no argument is added to `args`.
fn ordered(
    compiler: &mut Compiler,
    aggregate: &AggregateSpec,
    args: &mut Vec<Program>,
) -> Result<Accumulator> {
    let (mut types, mut keys) = (Vec::new(), Vec::new());
    for item in &aggregate.order_by {
        // A relabelled argument is still the argument.
        let is_it = |arg: &Expr| match &arg.kind {
            ExprKind::Cast {
                arg,
                method: CastMethod::Relabel,
                ..
            } => same(arg, &item.expr),
            _ => same(arg, &item.expr),
        };
        let column = match aggregate.args.iter().position(is_it) {
            Some(argument) => argument,
            None => {
                types.push(item.expr.ty);
                args.push(compiler.compile(&item.expr)?);
                args.len() - 1
            }
        };
        keys.push(KeyOrder {
            column,
            descending: item.descending,
            nulls_first: item.nulls_first,
        });
    }
    Accumulator::ordered(&aggregate.function, aggregate.distinct, &types, keys)
}
