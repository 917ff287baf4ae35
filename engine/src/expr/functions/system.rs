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
        ("pg_size_pretty", [Type::INT8]) => {
            Kernel::Row(|row, out| out.text(&size_with_unit(row.int8(0))))
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

/// `pg_size_pretty`: the largest unit that leaves the number below about 20000 halves of it.
fn size_with_unit(bytes: i64) -> String {
    /// The number that is too large for a unit, and how many powers of two its halves have.
    const UNITS: [(&str, u64, u32); 6] = [
        ("bytes", 10 * 1024, 0),
        ("kB", 20 * 1024 - 1, 9),
        ("MB", 20 * 1024 - 1, 19),
        ("GB", 20 * 1024 - 1, 29),
        ("TB", 20 * 1024 - 1, 39),
        ("PB", 20 * 1024 - 1, 49),
    ];
    for (i, (name, limit, bits)) in UNITS.into_iter().enumerate() {
        let halves = bytes / (1 << bits);
        if halves.unsigned_abs() < limit || i == UNITS.len() - 1 {
            let number = match halves {
                _ if bits == 0 => halves,
                ..0 => halves / 2,
                _ => (halves + 1) / 2,
            };
            return format!("{number} {name}");
        }
    }
    String::new()
}
