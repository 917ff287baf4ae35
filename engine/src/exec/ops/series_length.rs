//! How many rows a set-returning call will give, where the arguments say so: for progress.

use crate::catalog::FunctionFacts;
use crate::value::Datum;

/// The length of an integer `generate_series`; `None` for what is not known beforehand.
pub(super) fn series_length(function: &FunctionFacts, args: &[Datum]) -> Option<u64> {
    if &*function.name != "generate_series" {
        return None;
    }
    let start = i128::from(args.first()?.as_i64()?);
    let stop = i128::from(args.get(1)?.as_i64()?);
    let step = i128::from(args.get(2).map_or(Some(1), Datum::as_i64)?);
    let steps = (stop - start).checked_div(step)?;
    u64::try_from(
        if steps < 0 || (stop - start).signum() * step.signum() < 0 {
            0
        } else {
            steps + 1
        },
    )
    .ok()
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::catalog::{FunctionKind, Origin, Volatility};
    use crate::value::Type;

    #[test]
    fn lengths_of_series() {
        let function = FunctionFacts {
            name: Rc::from("generate_series"),
            args: vec![Type::INT8; 3],
            result: Type::INT8,
            kind: FunctionKind::Plain,
            strict: true,
            volatility: Volatility::Immutable,
            leakproof: false,
            returns_set: true,
            origin: Origin::Builtin,
        };
        let length = |args: &[i64]| {
            let args: Vec<Datum> = args.iter().map(|&n| Datum::Int8(n)).collect();
            series_length(&function, &args)
        };
        assert_eq!(length(&[1, 10]), Some(10));
        assert_eq!(length(&[1, 10, 4]), Some(3));
        assert_eq!(length(&[10, 1]), Some(0));
        assert_eq!(length(&[10, 1, -3]), Some(4));
        assert_eq!(length(&[10, 10, -3]), Some(1));
        assert_eq!(length(&[1, 2, 0]), None);
        assert_eq!(length(&[i64::MIN, i64::MAX]), None);
    }
}
