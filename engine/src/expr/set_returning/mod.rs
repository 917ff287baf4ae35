//! Functions that return sets, as sources with a cursor.

mod series;
mod tpch;
mod unnest;

use std::rc::Rc;

use series::{IntegerSeries, NumericSeries};
use unnest::Unnest;

use super::functions::split_text;
use crate::catalog::{FunctionFacts, TpchDecimals};
use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::value::{Array, Column, Datum};
use crate::work::Work;

/// A running call of a set-returning function.
pub trait SetFunction {
    /// Appends up to `want` rows to `out` and spends the work that takes; fewer where the work
    /// allowance runs out, but at least one. False: that was the last of them. After an error
    /// the complete rows are there.
    fn next(&mut self, out: &mut [Column], want: usize, work: &mut Work) -> Result<bool>;
}

/// Starts a call; what it holds is counted in `memory`. A strict function gives no rows for a NULL argument.
///
/// Errors: 22023 for arguments out of the function's domain, 0A000 for functions not implemented.
pub fn make(
    function: &FunctionFacts,
    args: &[Datum],
    memory: &Memory,
) -> Result<Box<dyn SetFunction>> {
    if function.strict && args.iter().any(Datum::is_null) {
        return Ok(Box::new(NoRows));
    }
    if let (Some(decimals), [Datum::Text(table), Datum::Float8(scale)]) =
        (TpchDecimals::of_function(&function.name), args)
    {
        return tpch::start(table, *scale, decimals, memory);
    }
    Ok(match (&*function.name, args) {
        ("generate_series", [Datum::Int4(start), Datum::Int4(stop)]) => {
            Box::new(IntegerSeries::<i32>::new(
                (*start).into(),
                (*stop).into(),
                1,
            )?)
        }
        ("generate_series", [Datum::Int4(start), Datum::Int4(stop), Datum::Int4(step)]) => {
            Box::new(IntegerSeries::<i32>::new(
                (*start).into(),
                (*stop).into(),
                (*step).into(),
            )?)
        }
        ("generate_series", [Datum::Int8(start), Datum::Int8(stop)]) => {
            Box::new(IntegerSeries::<i64>::new(*start, *stop, 1)?)
        }
        ("generate_series", [Datum::Int8(start), Datum::Int8(stop), Datum::Int8(step)]) => {
            Box::new(IntegerSeries::<i64>::new(*start, *stop, *step)?)
        }
        ("generate_series", [Datum::Numeric(start), Datum::Numeric(stop)]) => {
            Box::new(NumericSeries::new(start, stop, None)?)
        }
        (
            "generate_series",
            [
                Datum::Numeric(start),
                Datum::Numeric(stop),
                Datum::Numeric(step),
            ],
        ) => Box::new(NumericSeries::new(start, stop, Some(step))?),
        ("generate_subscripts", [Datum::Array(array), Datum::Int4(dimension), rest @ ..]) => {
            let length = if *dimension == 1 {
                array.len() as i64
            } else {
                0
            };
            match rest.first().and_then(Datum::as_bool) {
                Some(true) => Box::new(IntegerSeries::<i32>::new(length, 1, -1)?),
                _ => Box::new(IntegerSeries::<i32>::new(1, length, 1)?),
            }
        }
        ("string_to_table", [text, delimiter, rest @ ..]) => {
            let null = rest.first().and_then(Datum::as_str);
            match text.as_str() {
                None => Box::new(NoRows),
                Some(text) => {
                    let parts = split_text(text, delimiter.as_str(), null);
                    Box::new(Unnest::new(&Rc::new(Array::new(parts))))
                }
            }
        }
        ("unnest", [Datum::Array(array)]) => Box::new(Unnest::new(array)),
        _ => {
            let types: Vec<String> = function.args.iter().map(|ty| ty.name()).collect();
            return Err(Error::unsupported(format_args!(
                "function {}({})",
                function.name,
                types.join(", ")
            )));
        }
    })
}

struct NoRows;

impl SetFunction for NoRows {
    fn next(&mut self, _out: &mut [Column], _want: usize, _work: &mut Work) -> Result<bool> {
        Ok(false)
    }
}
