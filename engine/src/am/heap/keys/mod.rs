//! ScanKeys made ready for the heap.
//!
//! 1. *Compile* each key against its column's type into a [`Test`]: comparisons of fixed-width values become
//!    ranges of 64-bit integers, arrays become a comparison, a set or a constant (`array.rs`).
//!    A key that is true of no row ends the scan before it reads on.
//! 2. On a page without NULLs, the *leading* keys on columns at fixed offsets run one after the other
//!    over all candidates (`kernel.rs`), so long as the demand cannot end within the page.
//! 3. The other keys, and all keys on other pages, run tuple by tuple over one incremental deform.
//!
//! Both ways make the same tests of the same tuples, and count them.

mod array;
mod column;
mod kernel;
pub(in crate::am) mod number;
pub(in crate::am) mod set;
pub(in crate::am) mod test;

use std::cmp::Ordering;

use self::array::reduce;
use self::number::Form;
pub use self::test::Range;
use self::test::{Comparand, Test, TextForm, check_comparable, is_comparable};
use super::deform::{Damaged, NULL, Start, TupleWalk};
use super::layout::RowLayout;
use super::output::{Candidate, PageView};
use crate::am::{KeyShape, KeySupport, ScanKey};
use crate::error::{Error, Result};
use crate::value::{Array, Comparison, Datum, Type, Vector};

/// See [`crate::am::TableAm::key_support`].
pub fn key_support(key: &KeyShape) -> KeySupport {
    let exact_if = |supported| {
        if supported {
            KeySupport::Exact
        } else {
            KeySupport::No
        }
    };
    match key {
        KeyShape::Compare { column, value, .. } => exact_if(is_comparable(*column, *value)),
        KeyShape::Array {
            column, element, ..
        } => exact_if(is_comparable(*column, *element)),
        KeyShape::Null | KeyShape::Boolean => KeySupport::Exact,
        KeyShape::Row {
            columns, values, ..
        } => {
            let pairs = columns
                .iter()
                .zip(values)
                .all(|(&column, &value)| is_comparable(column, value));
            exact_if(pairs && columns.len() == values.len() && !columns.is_empty())
        }
        KeyShape::Prefix => KeySupport::Inexact,
        KeyShape::AnyOf(groups) => groups
            .iter()
            .flatten()
            .map(key_support)
            .min()
            .unwrap_or(KeySupport::No),
    }
}

/// One compiled key.
#[derive(Debug)]
pub enum CompiledKey {
    Column {
        column: usize,
        test: Test,
    },
    /// `(a, b) op (x, y)`
    Row {
        columns: Vec<usize>,
        op: Comparison,
        values: Vec<Comparand>,
    },
    AnyOf(Vec<Vec<CompiledKey>>),
}

/// A scan's keys, all of which a row must pass. They stand in the order of the columns they look at, so that
/// a tuple that fails is deformed no further than it must.
#[derive(Debug)]
pub struct Keys {
    keys: Vec<CompiledKey>,
    /// Some key is true of no row.
    never: bool,
    /// How many keys from the first on test a column at a fixed offset.
    leading: usize,
    /// All keys' columns and ranges, if all are ranges.
    all_ranges: Option<Vec<(usize, Range)>>,
    /// Work units to test one tuple.
    cost: u32,
}

impl Keys {
    /// Errors: XX000 for a key that [`key_support`] would have refused.
    pub fn compile(layout: &RowLayout, keys: &[ScanKey]) -> Result<Keys> {
        let compiled: Vec<Option<CompiledKey>> = ScanKey::in_column_order(keys)
            .into_iter()
            .map(|key| compile(layout, key))
            .collect::<Result<_>>()?;
        let never = compiled.iter().any(Option::is_none);
        let keys: Vec<CompiledKey> = compiled.into_iter().flatten().collect();
        let leads = |key: &&CompiledKey| matches!(key, CompiledKey::Column { column, .. } if layout.attributes[*column].fixed_offset().is_some());
        let leading = keys.iter().take_while(leads).count();
        let range = |key: &CompiledKey| match *key {
            CompiledKey::Column {
                column,
                test: Test::Range(range),
            } => Some((column, range)),
            _ => None,
        };
        let tests: usize = keys.iter().map(CompiledKey::tests).sum();
        Ok(Keys {
            leading,
            all_ranges: keys.iter().map(range).collect(),
            never,
            cost: 1 + tests as u32 / 8,
            keys,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && !self.never
    }

    /// No row passes.
    pub fn is_never(&self) -> bool {
        self.never
    }

    pub fn cost(&self) -> u32 {
        self.cost
    }

    /// Whether [`Keys::narrow`] can be used on the page, and whether it runs all keys.
    pub fn leading(&self, view: PageView<'_>) -> Leading {
        match self.leading {
            _ if !view.plain => Leading::None,
            0 => Leading::None,
            all if all == self.keys.len() => Leading::All,
            _ => Leading::Some,
        }
    }

    /// Puts the candidates that pass the leading keys into `passed`. Answers the tests made.
    pub fn narrow(
        &self,
        layout: &RowLayout,
        view: PageView<'_>,
        candidates: &[Candidate],
        passed: &mut Vec<Candidate>,
    ) -> Result<u64, Damaged> {
        let mut evaluations = 0;
        for (at, key) in self.keys[..self.leading].iter().enumerate() {
            let CompiledKey::Column { column, test } = key else {
                continue;
            };
            let offset = layout.attributes[*column]
                .fixed_offset()
                .unwrap_or_default();
            if at == 0 {
                evaluations += candidates.len() as u64;
                kernel::select(test, view, offset, candidates, passed)?;
            } else {
                evaluations += passed.len() as u64;
                kernel::retain(test, view, offset, passed)?;
            }
        }
        Ok(evaluations)
    }

    /// How to find the next row on a page without NULLs, where the one key is a range of a column at a
    /// fixed offset.
    #[inline]
    pub fn range_search(&self, layout: &RowLayout) -> Option<RangeSearch> {
        let first = self.first_range()?;
        let offset = layout.attributes[first.column].fixed_offset()?;
        first.is_only.then_some(RangeSearch {
            range: first.range,
            offset,
        })
    }

    /// Whether [`Keys::narrow`] runs all keys on a page without NULLs.
    #[inline]
    pub fn all_lead(&self) -> bool {
        self.leading == self.keys.len()
    }

    /// The keys' columns and ranges, in the keys' order, if all are ranges.
    #[inline]
    pub fn all_ranges(&self) -> Option<&[(usize, Range)]> {
        self.all_ranges.as_deref()
    }

    /// The first key, if it is a range.
    #[inline]
    pub fn first_range(&self) -> Option<FirstRange> {
        match self.keys.first() {
            Some(&CompiledKey::Column {
                column,
                test: Test::Range(range),
            }) => Some(FirstRange {
                column,
                range,
                is_only: self.keys.len() == 1,
            }),
            _ => None,
        }
    }

    /// How many keys a page by page run has dealt with.
    pub fn count_leading(&self, leading: Leading) -> usize {
        if leading == Leading::None {
            0
        } else {
            self.leading
        }
    }

    /// Tests one tuple with the keys from the `from`th on, up to the first that fails.
    pub fn passes(
        &self,
        from: usize,
        walk: &mut TupleWalk<'_>,
        evaluations: &mut u64,
    ) -> Result<bool, Damaged> {
        for key in &self.keys[from..] {
            *evaluations += 1;
            if !key.passes(walk)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A range key that is tested first, inline: most tuples that fail fail there.
#[derive(Clone, Copy, Debug)]
pub struct FirstRange {
    pub column: usize,
    pub range: Range,
    /// There are no other keys.
    pub is_only: bool,
}

impl FirstRange {
    #[inline(always)]
    pub fn passes(self, view: PageView<'_>, start: Start) -> bool {
        let page = view.page.bytes();
        start != NULL
            && self
                .range
                .contains(self.range.form.load_in_place(page, usize::from(start)))
    }
}

/// A single range key on a column at a fixed offset.
#[derive(Clone, Copy, Debug)]
pub struct RangeSearch {
    range: Range,
    offset: usize,
}

impl RangeSearch {
    /// Whether a candidate passes.
    #[inline(always)]
    pub fn passes(self, view: PageView<'_>, candidate: Candidate) -> bool {
        let (page, at) = (view.page.bytes(), candidate.offset() + self.offset);
        self.range.contains(self.range.form.load_in_place(page, at))
    }

    /// The position of the first candidate that passes.
    #[inline]
    pub fn first(self, view: PageView<'_>, candidates: &[Candidate]) -> Option<usize> {
        kernel::find_first(self.range, view, self.offset, candidates)
    }
}

/// Which keys run page by page, before the others run tuple by tuple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leading {
    None,
    Some,
    All,
}

impl CompiledKey {
    fn passes(&self, walk: &mut TupleWalk<'_>) -> Result<bool, Damaged> {
        match self {
            CompiledKey::Column { column, test } => {
                let start = walk.start(*column)?;
                test.passes(walk.view, start)
            }
            CompiledKey::Row {
                columns,
                op,
                values,
            } => row_passes(columns, *op, values, walk),
            CompiledKey::AnyOf(groups) => {
                for group in groups {
                    if all_pass(group, walk)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// Adds the columns it looks at.
    pub fn columns(&self, to: &mut Vec<usize>) {
        match self {
            CompiledKey::Column { column, .. } => to.push(*column),
            CompiledKey::Row { columns, .. } => to.extend_from_slice(columns),
            CompiledKey::AnyOf(groups) => groups.iter().flatten().for_each(|key| key.columns(to)),
        }
    }

    /// Tests of single columns in it.
    fn tests(&self) -> usize {
        match self {
            CompiledKey::Column { .. } => 1,
            CompiledKey::Row { columns, .. } => columns.len(),
            CompiledKey::AnyOf(groups) => groups.iter().flatten().map(CompiledKey::tests).sum(),
        }
    }
}

fn all_pass(keys: &[CompiledKey], walk: &mut TupleWalk<'_>) -> Result<bool, Damaged> {
    for key in keys {
        if !key.passes(walk)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `ExecEvalRow`'s rules: equality needs all pairs equal and inequality one pair different, NULLs aside;
/// the others are decided by the first pair that is not equal, and are not true if that has a NULL.
fn row_passes(
    columns: &[usize],
    op: Comparison,
    values: &[Comparand],
    walk: &mut TupleWalk<'_>,
) -> Result<bool, Damaged> {
    for (&column, value) in columns.iter().zip(values) {
        let start = walk.start(column)?;
        match (value.compare(walk.view, start)?, op) {
            (Some(Ordering::Equal), _) | (None, Comparison::Ne) => {}
            (None, _) | (Some(_), Comparison::Eq) => return Ok(false),
            (Some(_), Comparison::Ne) => return Ok(true),
            (Some(ordering), op) => return Ok(op.holds(ordering)),
        }
    }
    Ok(op.holds(Ordering::Equal))
}

/// None: true of no row.
pub fn compile(layout: &RowLayout, key: &ScanKey) -> Result<Option<CompiledKey>> {
    if !matches!(key, ScanKey::AnyOf(_)) && key.last_column() >= layout.attributes.len() {
        return Err(Error::internal(
            "a scan key names a column that its relation does not have",
        ));
    }
    let of_column =
        |column: usize, test: Option<Test>| test.map(|test| CompiledKey::Column { column, test });
    Ok(match key {
        ScanKey::Compare {
            value: Datum::Null, ..
        } => None,
        &ScanKey::Compare {
            column,
            op,
            ref value,
        } => of_column(
            column,
            Test::compare(&layout.attributes[column], op, value)?,
        ),
        ScanKey::Array {
            array: Datum::Null, ..
        } => None,
        &ScanKey::Array {
            column,
            op,
            any,
            array: Datum::Array(ref array),
        } => of_column(
            column,
            array_test(layout.attributes[column].ty, op, any, array)?,
        ),
        ScanKey::Array { .. } => return Err(Error::internal("a scan key's array is none")),
        &ScanKey::Null { column, negated } => of_column(
            column,
            Some(if negated { Test::NotNull } else { Test::Null }),
        ),
        &ScanKey::Boolean { column, test } => {
            check_comparable(layout.attributes[column].ty, Type::BOOL)?;
            of_column(column, Some(Test::Boolean(test)))
        }
        ScanKey::Prefix { column, prefix } => {
            check_comparable(layout.attributes[*column].ty, Type::TEXT)?;
            of_column(*column, Some(Test::Prefix(prefix.as_bytes().into())))
        }
        ScanKey::Row {
            columns,
            op,
            values,
        } => row_key(layout, columns, *op, values)?,
        ScanKey::AnyOf(groups) => any_of(layout, groups)?,
    })
}

fn array_test(column: Type, op: Comparison, any: bool, array: &Array) -> Result<Option<Test>> {
    let elements = &array.elements;
    check_comparable(column, elements.ty())?;
    let rows = (0..elements.len()).filter(|&row| !elements.is_null(row));
    let has_null = elements.nulls.any() && (0..elements.len()).any(|row| elements.is_null(row));
    Ok(match &elements.data {
        Vector::Text(v) => {
            let text = TextForm::of(column);
            let values = rows.map(|row| Box::from(text.seen(v.bytes_of(row))));
            Test::of_texts(text, reduce(op, any, values.collect(), has_null))
        }
        Vector::Numeric(v) => {
            let values = rows.map(|row| v[row].clone()).collect();
            Test::of_numerics(reduce(op, any, values, has_null))
        }
        _ => {
            let values = rows
                .filter_map(|row| number::of_datum(&elements.get(row)))
                .collect();
            match Form::of(column) {
                Some(form) => Test::of_numbers(form, reduce(op, any, values, has_null)),
                None => return Err(Error::internal("a scan key's array has no order")),
            }
        }
    })
}

fn row_key(
    layout: &RowLayout,
    columns: &[usize],
    op: Comparison,
    values: &[Datum],
) -> Result<Option<CompiledKey>> {
    if columns.len() != values.len() || columns.is_empty() {
        return Err(Error::internal("a row comparison's sides differ in length"));
    }
    let values: Vec<Comparand> = columns
        .iter()
        .zip(values)
        .map(|(&column, value)| Comparand::new(&layout.attributes[column], value))
        .collect::<Result<_>>()?;
    let null = |value: &Comparand| matches!(value, Comparand::Null);
    let never = match op {
        Comparison::Eq => values.iter().any(null),
        Comparison::Ne => values.iter().all(null),
        _ => values.first().is_some_and(null),
    };
    Ok((!never).then(|| CompiledKey::Row {
        columns: columns.to_vec(),
        op,
        values,
    }))
}

fn any_of(layout: &RowLayout, groups: &[Vec<ScanKey>]) -> Result<Option<CompiledKey>> {
    let mut possible = Vec::new();
    for group in groups {
        let keys: Vec<Option<CompiledKey>> = group
            .iter()
            .map(|key| compile(layout, key))
            .collect::<Result<_>>()?;
        // A group with a key that is true of no row is true of no row.
        possible.extend(keys.into_iter().collect::<Option<Vec<CompiledKey>>>());
    }
    Ok((!possible.is_empty()).then_some(CompiledKey::AnyOf(possible)))
}
