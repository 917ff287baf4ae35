//! What the session and the statement know.

use super::super::Random;
use super::super::call::Kernel;
use super::Found;
use crate::error::{Error, sqlstate};
use crate::value::Type;

pub(super) fn find(name: &str, types: &[Type]) -> Option<Found> {
    let kernel = match (name, types) {
        ("random", []) => Kernel::Context(|_, cx, out| out.set(cx.random.fraction())),
        ("setseed", [Type::FLOAT8]) => Kernel::Context(|row, cx, out| {
            let seed = row.float8(0);
            if !(-1.0..=1.0).contains(&seed) {
                return Err(Error::new(
                    sqlstate::INVALID_PARAMETER_VALUE,
                    format!("setseed parameter {seed} is out of allowed range [-1,1]"),
                ));
            }
            *cx.random = Random::from_fraction(seed);
            out.text("")
        }),
        ("current_setting", [name, rest @ ..]) if name.is_string() && rest.len() < 2 => {
            Kernel::Context(|row, cx, out| match (cx.setting)(row.text(0)) {
                Some(value) => out.text(&value),
                None if row.count() > 1 && row.get::<bool>(1) => out.null(),
                None => Err(Error::new(
                    sqlstate::UNDEFINED_OBJECT,
                    format!("unrecognized configuration parameter \"{}\"", row.text(0)),
                )),
            })
        }
        ("version", []) => Kernel::Row(|_, out| {
            out.text(concat!(
                "PostgreSQL 15 (Tuplescope ",
                env!("CARGO_PKG_VERSION"),
                ")"
            ))
        }),
        _ => return None,
    };
    Some((kernel, 5))
}
