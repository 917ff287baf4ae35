//! The declared length of `character(n)` (`varchar.c`). Lengths count characters; shorter values are
//! padded with blanks, which comparisons and casts to other strings do not see.

use super::varchar::end_of;
use crate::error::{Error, Result, sqlstate};

/// What a comparison sees of a value (`bcTruelen`).
#[inline]
pub fn without_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().rev().take_while(|&&byte| byte == b' ').count();
    &text[..text.len() - blanks]
}

/// Appends the value of an explicit cast, which cuts what is too long.
pub fn cast_character(text: &str, length: usize, out: &mut String) {
    pad(&text[..end_of(text, length)], length, out);
}

/// Appends the value of an assignment, which drops blanks beyond the length, and only blanks: 22001
/// otherwise.
pub fn store_character(text: &str, length: usize, out: &mut String) -> Result<()> {
    let (kept, rest) = text.split_at(end_of(text, length));
    if rest.bytes().any(|byte| byte != b' ') {
        return Err(Error::new(
            sqlstate::STRING_DATA_RIGHT_TRUNCATION,
            format!("value too long for type character({length})"),
        ));
    }
    pad(kept, length, out);
    Ok(())
}

fn pad(text: &str, length: usize, out: &mut String) {
    out.push_str(text);
    let missing = length.saturating_sub(text.chars().count());
    out.extend(std::iter::repeat_n(' ', missing));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_padded_and_cut_by_characters() {
        let cast = |text, length| {
            let mut out = String::new();
            cast_character(text, length, &mut out);
            out
        };
        assert_eq!(cast("ab", 4), "ab  ");
        assert_eq!(cast("ééé", 2), "éé");
        assert_eq!(cast("é", 3), "é  ");
        assert_eq!(cast("a b  c", 3), "a b");
        let mut out = String::new();
        assert!(store_character("ab   ", 3, &mut out).is_ok() && out == "ab ");
        let error = store_character("abcd", 3, &mut out).expect_err("too long");
        assert_eq!(error.sqlstate, "22001");
    }

    #[test]
    fn blanks_alone_are_nothing() {
        assert_eq!(without_blanks(b"a b  "), b"a b");
        assert_eq!(without_blanks(b"   "), b"");
    }
}
