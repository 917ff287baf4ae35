//! The declared length of `character varying(n)` (`varchar.c`). Lengths count characters.

use crate::error::{Error, Result, sqlstate};

/// An explicit cast cuts what is too long.
pub fn cast_varchar(text: &str, length: usize) -> &str {
    &text[..end_of(text, length)]
}

/// An assignment drops blanks beyond the length, and only blanks: 22001 otherwise.
pub fn store_varchar(text: &str, length: usize) -> Result<&str> {
    let (kept, rest) = text.split_at(end_of(text, length));
    if rest.bytes().all(|byte| byte == b' ') {
        return Ok(kept);
    }
    Err(Error::new(
        sqlstate::STRING_DATA_RIGHT_TRUNCATION,
        format!("value too long for type character varying({length})"),
    ))
}

/// Where the first `length` characters end, in bytes.
pub(super) fn end_of(text: &str, length: usize) -> usize {
    if text.len() <= length {
        return text.len();
    }
    text.char_indices()
        .nth(length)
        .map_or(text.len(), |(at, _)| at)
}
