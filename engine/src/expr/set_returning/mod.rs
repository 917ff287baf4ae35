//! Functions that return sets, as sources with a cursor.

mod series;
mod unnest;

use series::{IntegerSeries, NumericSeries};
use unnest::Unnest;

use crate::catalog::FunctionFacts;
use crate::error::{Error, Result};
use crate::value::{Column, Datum};
use crate::work::Work;

/// A running call of a set-returning function.
pub trait SetFunction {
    /// Appends up to `want` values to `out` and spends the work that takes; fewer where the work
    /// allowance runs out, but at least one. False: that was the last of them.
    fn next(&mut self, out: &mut Column, want: usize, work: &mut Work) -> Result<bool>;
}

/// Starts a call. A strict function gives no rows for a NULL argument.
///
/// Errors: 22023 for arguments out of the function's domain, 0A000 for functions not implemented.
pub fn make(function: &FunctionFacts, args: &[Datum]) -> Result<Box<dyn SetFunction>> {
    if args.iter().any(Datum::is_null) {
        return Ok(Box::new(NoRows));
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
    fn next(&mut self, _out: &mut Column, _want: usize, _work: &mut Work) -> Result<bool> {
        Ok(false)
    }
}
