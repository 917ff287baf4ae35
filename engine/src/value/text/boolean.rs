//! `boolean` (`bool.c`).

use super::{invalid_syntax, trim_blanks};
use crate::error::Result;

pub fn write_bool(value: bool, out: &mut String) {
    out.push(if value { 't' } else { 'f' });
}

/// Any prefix of `true`, `false`, `yes`, `no`, or `on`, `of`, `off`, `1`, `0`, in any case, with
/// blanks around. 22P02 on anything else.
pub fn parse_bool(text: &str) -> Result<bool> {
    let word = trim_blanks(text).as_bytes();
    let prefix_of = |name: &str| {
        let name = name.as_bytes();
        word.len() <= name.len() && word.eq_ignore_ascii_case(&name[..word.len()])
    };
    match word {
        [] => Err(invalid_syntax("boolean", text)),
        [b'1'] => Ok(true),
        [b'0'] => Ok(false),
        _ if prefix_of("true") || prefix_of("yes") => Ok(true),
        _ if prefix_of("false") || prefix_of("no") => Ok(false),
        // A lone "o" could be either.
        [_, _, ..] if prefix_of("on") => Ok(true),
        [_, _, ..] if prefix_of("off") => Ok(false),
        _ => Err(invalid_syntax("boolean", text)),
    }
}
