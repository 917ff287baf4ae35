//! A batch of rows: columns of equal length and a selection of the rows that count.

use super::{Column, Datum, Type, Vector};

/// Rows on their way from one operator to the next.
///
/// Columns are physical rows `0..rows`; where `selected` is on, only the rows named by the selection
/// exist, in ascending order. Filters narrow the selection and move no values.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub columns: Vec<Column>,
    rows: usize,
    selection: Vec<u32>,
    selected: bool,
    /// How many rows the receiver wants at most (its *demand*); a filler stops there.
    pub want: usize,
}

/// The rows of a batch (or of a part of it) that an expression is computed for.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'a> {
    /// The physical rows `from..to`.
    Range(usize, usize),
    /// These physical rows, ascending.
    Picked(&'a [u32]),
}

impl<'a> Rows<'a> {
    #[inline]
    pub fn len(self) -> usize {
        match self {
            Rows::Range(from, to) => to - from,
            Rows::Picked(rows) => rows.len(),
        }
    }

    #[inline]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The physical row of the `i`th row.
    #[inline]
    pub fn at(self, i: usize) -> usize {
        match self {
            Rows::Range(from, _) => from + i,
            Rows::Picked(rows) => rows[i] as usize,
        }
    }

    /// One past the highest physical row.
    #[inline]
    pub fn end(self) -> usize {
        match self {
            Rows::Range(_, to) => to,
            Rows::Picked(rows) => rows.last().map_or(0, |&row| row as usize + 1),
        }
    }

    /// The `i`th to `j`th of these rows.
    #[inline]
    pub fn slice(self, i: usize, j: usize) -> Rows<'a> {
        match self {
            Rows::Range(from, _) => Rows::Range(from + i, from + j),
            Rows::Picked(rows) => Rows::Picked(&rows[i..j]),
        }
    }

    /// The rows below physical row `row`.
    #[inline]
    pub fn below(self, row: usize) -> Rows<'a> {
        match self {
            Rows::Range(from, to) => Rows::Range(from, to.min(row).max(from)),
            Rows::Picked(rows) => {
                Rows::Picked(&rows[..rows.partition_point(|&r| (r as usize) < row)])
            }
        }
    }

    #[inline]
    pub fn iter(self) -> impl Iterator<Item = usize> + 'a {
        (0..self.len()).map(move |i| self.at(i))
    }
}

impl Batch {
    /// A batch with this much of texts and long numbers is handed on, however few its rows are.
    pub const FULL_BYTES: u64 = 1 << 20;

    /// An empty batch of columns of these types.
    pub fn with_types(types: &[Type]) -> Self {
        Batch {
            columns: types.iter().map(|&ty| Column::new(ty)).collect(),
            ..Batch::default()
        }
    }

    /// Makes the batch empty, with columns of these types, ready to be filled with `want` rows.
    /// Columns that already have the type keep their memory.
    pub fn reset(&mut self, types: &[Type], want: usize) {
        self.columns.truncate(types.len());
        for (column, &ty) in self.columns.iter_mut().zip(types) {
            if column.ty() == ty {
                column.clear()
            } else {
                *column = Column::new(ty)
            }
        }
        for &ty in &types[self.columns.len()..] {
            self.columns.push(Column::new(ty));
        }
        self.rows = 0;
        self.selection.clear();
        self.selected = false;
        self.want = want;
    }

    /// Makes the batch empty, with a demand of `want` rows. Its columns keep what they hold until
    /// [`Batch::prepare`]: a batch that is only swapped away need not be cleared.
    #[inline]
    pub fn begin(&mut self, want: usize) {
        self.rows = 0;
        self.selection.clear();
        self.selected = false;
        self.want = want;
    }

    /// Makes the columns ready to be appended to: empty and of these types, unless the batch already
    /// holds rows, which are then added to.
    #[inline]
    pub fn prepare(&mut self, types: &[Type]) {
        // Few columns, of the types that they had before: at one row a batch a call costs more.
        if types.is_empty() && self.columns.is_empty() {
            if self.is_empty() {
                self.begin(self.want);
            }
        } else if self.is_empty() {
            self.prepare_columns(types);
        }
    }

    fn prepare_columns(&mut self, types: &[Type]) {
        match (self.columns.as_mut_slice(), types) {
            ([column], &[ty]) if column.ty() == ty => {
                column.clear();
                self.begin(self.want);
            }
            _ => self.clear(types),
        }
    }

    #[inline(never)]
    fn clear(&mut self, types: &[Type]) {
        let mut as_before = self.columns.len() == types.len();
        for (column, &ty) in self.columns.iter_mut().zip(types) {
            as_before &= column.ty() == ty;
            column.clear();
        }
        if as_before {
            self.begin(self.want);
        } else {
            self.reset(types, self.want);
        }
    }

    /// Rows that count.
    #[inline]
    pub fn len(&self) -> usize {
        if self.selected {
            self.selection.len()
        } else {
            self.rows
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True when the receiver's demand is met.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.len() >= self.want
    }

    /// How many more rows the receiver wants.
    #[inline]
    pub fn room(&self) -> usize {
        self.want.saturating_sub(self.len())
    }

    /// Physical rows in the columns, counted or not.
    #[inline]
    pub fn physical_rows(&self) -> usize {
        self.rows
    }

    /// Says how many rows the columns hold, after they were appended to.
    #[inline]
    pub fn set_physical_rows(&mut self, rows: usize) {
        debug_assert!(self.columns.iter().all(|column| column.len() == rows));
        debug_assert!(
            !self.selected,
            "rows are appended before any are deselected"
        );
        self.rows = rows;
    }

    /// The physical row of the `i`th row that counts.
    #[inline]
    pub fn row(&self, i: usize) -> usize {
        if self.selected {
            self.selection[i] as usize
        } else {
            i
        }
    }

    #[inline]
    pub fn rows(&self) -> Rows<'_> {
        if self.selected {
            Rows::Picked(&self.selection)
        } else {
            Rows::Range(0, self.rows)
        }
    }

    pub fn types(&self) -> Vec<Type> {
        self.columns.iter().map(Column::ty).collect()
    }

    /// Replaces the selection: `rows` are physical rows, ascending, a subset of those that counted.
    pub fn select(&mut self, rows: &[u32]) {
        self.selection.clear();
        self.selection.extend_from_slice(rows);
        self.selected = true;
    }

    /// Swaps the selection with `rows`, which gets the old one: no copy, no allocation.
    pub fn swap_selection(&mut self, rows: &mut Vec<u32>) {
        std::mem::swap(&mut self.selection, rows);
        self.selected = true;
    }

    /// Keeps the first `n` rows that count.
    pub fn keep_first(&mut self, n: usize) {
        if self.selected {
            self.selection.truncate(n);
        } else if n < self.rows {
            for column in &mut self.columns {
                column.truncate(n);
            }
            self.rows = n;
        }
    }

    /// Drops the first `n` rows that count.
    pub fn skip_first(&mut self, n: usize) {
        if n == 0 {
            return;
        }
        if self.selected {
            self.selection.drain(..n.min(self.selection.len()));
        } else {
            self.selection.clear();
            self.selection
                .extend(n.min(self.rows) as u32..self.rows as u32);
            self.selected = true;
        }
    }

    /// Appends one row given as datums.
    pub fn push_row(&mut self, row: &[Datum]) {
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.push(value);
        }
        self.set_physical_rows(self.rows + 1);
    }

    /// Appends the rows of `other` that count to this batch, whose columns have the same types.
    pub fn append(&mut self, other: &Batch) {
        for (to, from) in self.columns.iter_mut().zip(&other.columns) {
            match other.rows() {
                Rows::Range(a, b) => to.extend_range(from, a, b),
                Rows::Picked(rows) => to.gather(from, rows),
            }
        }
        self.set_physical_rows(self.rows + other.len());
    }

    pub fn accounted_bytes(&self) -> u64 {
        self.accounted_from(0)
    }

    /// What the physical rows from `row` on add to the accounted bytes.
    pub fn accounted_from(&self, row: usize) -> u64 {
        self.columns
            .iter()
            .map(|column| column.accounted_from(row))
            .sum()
    }

    /// False where all rows' texts and long numbers together, each copied `times`, are below
    /// [`Batch::FULL_BYTES`].
    fn may_be_wide(&self, times: u64) -> bool {
        let bytes = |column: &Column| match &column.data {
            Vector::Text(texts) => texts.text_bytes(),
            Vector::Numeric(_) => column.accounted_bytes(),
            _ => 0,
        };
        self.columns.iter().map(bytes).sum::<u64>() * times >= Batch::FULL_BYTES
    }

    fn copied_bytes(&self, row: usize) -> u64 {
        self.columns
            .iter()
            .map(|column| column.copied_bytes(row))
            .sum()
    }

    /// The bytes to be copied of the widest row that counts; 0 where `times` copies of every row
    /// make no wide batch.
    pub fn widest(&self, times: usize) -> u64 {
        if !self.may_be_wide(times as u64) {
            return 0;
        }
        self.rows()
            .iter()
            .map(|row| self.copied_bytes(row))
            .max()
            .unwrap_or(0)
    }

    /// How many of these physical rows, from the first on, make a batch that is full by its bytes.
    pub fn rows_to_fill(&self, rows: Rows<'_>) -> usize {
        let mut bytes = 0;
        let full = rows.iter().position(|row| {
            bytes += self.copied_bytes(row);
            bytes >= Batch::FULL_BYTES
        });
        full.map_or(rows.len(), |at| at + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: i32) -> Batch {
        let mut batch = Batch::with_types(&[Type::INT4]);
        for i in 0..n {
            batch.push_row(&[Datum::Int4(i)]);
        }
        batch
    }

    #[test]
    fn selections_narrow_and_rows_keep_their_order() {
        let mut batch = numbers(6);
        batch.select(&[1, 3, 5]);
        batch.skip_first(1);
        assert_eq!(batch.len(), 2);
        assert_eq!(batch.rows().iter().collect::<Vec<_>>(), [3, 5]);
        batch.keep_first(1);
        assert_eq!((batch.len(), batch.row(0)), (1, 3));
        let mut all = numbers(1);
        all.append(&batch);
        assert_eq!(all.physical_rows(), 2);
        assert_eq!(all.columns[0].get(1).as_i64(), Some(3));
    }

    #[test]
    fn rows_below_a_row() {
        assert_eq!(Rows::Range(2, 9).below(5).len(), 3);
        assert_eq!(Rows::Range(2, 9).below(1).len(), 0);
        assert_eq!(Rows::Picked(&[1, 4, 8]).below(8).len(), 2);
    }
}
