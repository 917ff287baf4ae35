//! Text output and input of the base types: `typoutput` and `typinput` in PostgreSQL's words.
//!
//! Writers append to a string and cannot fail; readers answer 22P02 (not of this type) or
//! 22003 (out of its range) in PostgreSQL's wording. Numeric has its own in
//! [`Numeric`](crate::value::Numeric), date and timestamp in
//! [`datetime`](crate::value::datetime).

mod any;
mod array;
mod boolean;
mod character;
mod float_input;
mod float_output;
mod integer;
mod scientific;
mod varchar;

#[cfg(test)]
mod tests;

pub use any::{parse_datum, write_datum, write_value};
pub use array::{parse_array, write_array};
pub use boolean::{parse_bool, write_bool};
pub use character::{cast_character, store_character, without_blanks};
pub use float_input::{parse_float4, parse_float8};
pub use float_output::{write_float4, write_float8};
pub use integer::{parse_int2, parse_int4, parse_int8, write_int2, write_int4, write_int8};
pub use varchar::{cast_varchar, store_varchar};

pub(in crate::value) use scientific::{Scientific, Scratch};

use crate::error::{Error, sqlstate};

/// C's `isspace` in the C locale, which every input function skips by.
pub(in crate::value) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | 0x09..=0x0D)
}

/// The text without blanks at either end.
pub(in crate::value) fn trim_blanks(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_ascii() && is_blank(c as u8))
}

#[cold]
pub(in crate::value) fn invalid_syntax(type_name: &str, text: &str) -> Error {
    Error::new(
        sqlstate::INVALID_TEXT_REPRESENTATION,
        format!("invalid input syntax for type {type_name}: \"{text}\""),
    )
}
