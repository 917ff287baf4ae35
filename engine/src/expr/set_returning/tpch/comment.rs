//! Which piece of the text pool each row's comment is.

use tpchgen::random::RowRandomInt;

use super::text_pool::POOL_SIZE;
use crate::catalog::TpchTable;

/// A piece of the pool, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub start: u32,
    pub length: u32,
}

/// The random numbers of a table's comments (`RandomText` in `tpchgen`): two for each.
pub(super) struct Comments {
    random: RowRandomInt,
    least: i32,
    most: i32,
}

impl Comments {
    /// Seeds and average lengths are dbgen's.
    pub fn of(table: TpchTable) -> Comments {
        // A table with several rows for one of another table draws for as many as there can be.
        let (seed, average, rows) = match table {
            TpchTable::Part => (804_159_733, 14, 1),
            TpchTable::Supplier => (1_341_315_363, 63, 1),
            TpchTable::Partsupp => (1_961_692_154, 124, 4),
            TpchTable::Customer => (1_335_826_707, 73, 1),
            TpchTable::Orders => (276_090_261, 49, 1),
            TpchTable::Lineitem => (1_095_462_486, 27, 7),
            TpchTable::Nation => (606_179_079, 72, 1),
            TpchTable::Region => (1_500_869_201, 72, 1),
        };
        let average = f64::from(average);
        Comments {
            random: RowRandomInt::new(seed, rows * 2),
            least: (average * 0.4) as i32,
            most: (average * 1.6) as i32,
        }
    }

    /// The next row's piece. `starts_anew`: the row is the first of an order.
    pub fn next(&mut self, starts_anew: bool) -> Piece {
        if starts_anew {
            self.random.row_finished();
        }
        let start = self.random.next_int(0, POOL_SIZE - self.most);
        let length = self.random.next_int(self.least, self.most);
        Piece {
            start: start.unsigned_abs(),
            length: length.unsigned_abs(),
        }
    }
}

/// What dbgen writes into the comments of some suppliers, for query 16 to find.
const CUSTOMER: &str = "Customer ";
const REMARKS: [&str; 2] = ["Complaints", "Recommends"];

/// Puts the remarks about customers that the crate has written into a comment of its small pool to
/// the same places of the true one, which is as long.
pub(super) fn keep_remarks(unseen: &str, text: &mut [u8]) {
    let mut keep = |at: usize, remark: &str| {
        if let Some(place) = text.get_mut(at..at + remark.len()) {
            place.copy_from_slice(remark.as_bytes());
        }
    };
    // The grammar itself knows none of these words.
    if let Some(at) = unseen.find(CUSTOMER) {
        keep(at, CUSTOMER);
        for remark in REMARKS {
            if let Some(at) = unseen.find(remark) {
                keep(at, remark);
            }
        }
    }
}
