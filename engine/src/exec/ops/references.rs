//! Columns by reference, as the row functions take them.

use crate::value::Column;

/// More columns than these have their references listed on the heap.
const FEW_COLUMNS: usize = 8;

/// Calls `f` with references to the columns; no allocation for a few.
pub(super) fn with_references<R>(columns: &[Column], f: impl FnOnce(&[&Column]) -> R) -> R {
    match columns {
        [] => f(&[]),
        [first, ..] if columns.len() <= FEW_COLUMNS => {
            let mut references = [first; FEW_COLUMNS];
            for (reference, column) in references.iter_mut().zip(columns) {
                *reference = column;
            }
            f(&references[..columns.len()])
        }
        _ => f(&columns.iter().collect::<Vec<_>>()),
    }
}
