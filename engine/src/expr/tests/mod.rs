//! Tests of expressions against PostgreSQL's answers and against a naive evaluator.

mod aggregates;
mod calls;
mod context;
mod naive;
mod property;
mod random;

use super::{EvalCounters, EvalCx, Params, Random};
use crate::memory::Memory;
use crate::value::{Base, Datum, Type};
use crate::work::Work;

/// Lends a context with these parameters to `use_it`.
fn with_context<R>(params: &Params, use_it: impl FnOnce(&mut EvalCx<'_>) -> R) -> R {
    let mut counters = EvalCounters::default();
    let mut random = Random::from_seed(1);
    let (mut work, memory) = (Work::default(), Memory::with_limit(1 << 30));
    use_it(&mut EvalCx {
        params,
        counters: &mut counters,
        now: 0,
        random: &mut random,
        setting: &|name| (name == "a.b").then(|| "value".to_string()),
        work: &mut work,
        memory: &memory,
    })
}

/// `int4`, `text[]`, `varchar(3)`, `numeric(5,2)`: a type and its typmod.
fn type_named(name: &str) -> (Type, i32) {
    let (name, array) = match name.strip_suffix("[]") {
        Some(element) => (element, true),
        None => (name, false),
    };
    let (name, length) = match name.split_once('(') {
        Some((name, length)) => (name, length.strip_suffix(')')),
        None => (name, None),
    };
    let base = Base::from_name(name).unwrap();
    let typmod = length.map_or(-1, |length| {
        let mut numbers = length.split(',').map(|n| n.parse::<i32>().unwrap());
        let first = numbers.next().unwrap();
        if base == Base::Numeric {
            ((first << 16) | (numbers.next().unwrap_or(0) & 0x7FF)) + 4
        } else {
            first + 4
        }
    });
    (Type { base, array }, typmod)
}

/// Undoes the escapes of the test data; `None` is NULL.
fn unescape(text: &str) -> Option<String> {
    if text == "\\N" {
        return None;
    }
    let mut out = String::new();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        out.push(match c {
            '\\' => match characters.next().unwrap() {
                't' => '\t',
                'n' => '\n',
                other => other,
            },
            other => other,
        });
    }
    Some(out)
}

fn value_of(ty: Type, text: &str) -> Datum {
    match unescape(text) {
        None => Datum::Null,
        Some(text) => crate::value::text::parse_datum(ty, &text, None).unwrap(),
    }
}

fn text_of(value: &Datum) -> Option<String> {
    (!value.is_null()).then(|| {
        let mut text = String::new();
        crate::value::text::write_datum(value, &mut text);
        text
    })
}
