//! The test of one column: what a key becomes once its value and the column's type are known.

use std::cmp::Ordering;

use super::array::Reduced;
use super::number::{self, Form};
use super::set::Elements;
use crate::am::heap::deform::{Damaged, NULL, Start};
use crate::am::heap::layout::Attribute;
use crate::am::heap::output::{PageView, numeric_at, varlena_at};
use crate::error::{Error, Result};
use crate::value::text::without_blanks;
use crate::value::{Base, BooleanTest, Comparison, Datum, Numeric, Type};

/// True or not for each value of a column. A NULL passes only [`Test::Always`], [`Test::Null`] and
/// what [`Test::Boolean`] says.
#[derive(Debug)]
pub enum Test {
    /// Every row, NULLs too.
    Always,
    Null,
    NotNull,
    Boolean(BooleanTest),
    Range(Range),
    Number {
        form: Form,
        elements: Elements<i64>,
        negated: bool,
    },
    Text {
        form: TextForm,
        op: Comparison,
        value: Box<[u8]>,
    },
    TextSet {
        form: TextForm,
        elements: Elements<Box<[u8]>>,
        negated: bool,
    },
    Prefix(Box<[u8]>),
    Numeric {
        op: Comparison,
        value: Numeric,
    },
    NumericSet {
        elements: Elements<Numeric>,
        negated: bool,
    },
}

/// What a comparison sees of a column's texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextForm {
    Whole,
    /// All but the blanks at the end, of `character`.
    BlankPadded,
}

impl TextForm {
    pub fn of(column: Type) -> TextForm {
        match column.base {
            Base::Bpchar => TextForm::BlankPadded,
            _ => TextForm::Whole,
        }
    }

    #[inline]
    pub fn seen(self, text: &[u8]) -> &[u8] {
        match self {
            TextForm::Whole => text,
            TextForm::BlankPadded => without_blanks(text),
        }
    }
}

/// Numbers from `least` on, `span` further at most; or, negated, all others. Each of the six comparisons is one.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub form: Form,
    pub least: i64,
    pub span: u64,
    pub negated: bool,
}

impl Range {
    #[inline(always)]
    pub fn contains(self, number: i64) -> bool {
        self.spans(number) != self.negated
    }

    /// Whether the number is within the bounds, `negated` aside.
    #[inline(always)]
    pub fn spans(self, number: i64) -> bool {
        number.wrapping_sub(self.least) as u64 <= self.span
    }
}

/// True if the access method compares columns of the one type with values of the other: as PostgreSQL's
/// cross-type operators do, within integers, within floats, and otherwise of one type.
pub fn is_comparable(column: Type, value: Type) -> bool {
    let integer = |ty: Type| matches!(ty.base, Base::Int2 | Base::Int4 | Base::Int8);
    let float = |ty: Type| matches!(ty.base, Base::Float4 | Base::Float8);
    !column.array
        && !value.array
        && !matches!(column.base, Base::Unknown | Base::Interval | Base::Void)
        && (column == value
            || integer(column) && integer(value)
            || float(column) && float(value)
            || column.is_string() && value.is_string())
}

/// Errors: XX000 where the planner handed over a key that [`is_comparable`] denies.
pub fn check_comparable(column: Type, value: Type) -> Result<()> {
    if is_comparable(column, value) {
        Ok(())
    } else {
        Err(Error::internal(format!(
            "a scan key compares {} with {}",
            column.name(),
            value.name()
        )))
    }
}

/// As [`check_comparable`]: a value does not know what kind of string it is, the column does.
fn check_fits(column: Type, value: &Datum) -> Result<()> {
    if value.fits(column) {
        Ok(())
    } else {
        check_comparable(column, value.natural_type())
    }
}

impl Test {
    /// `column op value`, the value not NULL. None: true of no value. Errors: as [`check_comparable`].
    pub fn compare(attribute: &Attribute, op: Comparison, value: &Datum) -> Result<Option<Test>> {
        check_fits(attribute.ty, value)?;
        Ok(match value {
            Datum::Text(text) => {
                let form = TextForm::of(attribute.ty);
                let value = form.seen(text.as_bytes()).into();
                Some(Test::Text { form, op, value })
            }
            Datum::Numeric(value) => Some(Test::Numeric {
                op,
                value: value.clone(),
            }),
            value => match (Form::of(attribute.ty), number::of_datum(value)) {
                (Some(form), Some(number)) => Test::number(form, op, number),
                _ => return Err(Error::internal("a scan key's value has no order")),
            },
        })
    }

    /// `number op value`, as a range within what the column can hold. A value beyond that makes the test true
    /// of no number, or of all.
    pub fn number(form: Form, op: Comparison, value: i64) -> Option<Test> {
        let (least, greatest) = match op {
            Comparison::Eq | Comparison::Ne => (value, value),
            Comparison::Lt => (i64::MIN, value.checked_sub(1)?),
            Comparison::Le => (i64::MIN, value),
            Comparison::Gt => (value.checked_add(1)?, i64::MAX),
            Comparison::Ge => (value, i64::MAX),
        };
        let negated = op == Comparison::Ne;
        let (first, last) = form.domain().into_inner();
        let (least, greatest) = (least.max(first), greatest.min(last));
        if least > greatest {
            return negated.then_some(Test::NotNull);
        }
        if (least, greatest) == (first, last) {
            return (!negated).then_some(Test::NotNull);
        }
        let span = greatest.wrapping_sub(least) as u64;
        Some(Test::Range(Range {
            form,
            least,
            span,
            negated,
        }))
    }

    pub fn of_numbers(form: Form, reduced: Reduced<i64>) -> Option<Test> {
        Some(match reduced {
            Reduced::Never => return None,
            Reduced::Always => Test::Always,
            Reduced::NotNull => Test::NotNull,
            Reduced::Compare(op, value) => return Test::number(form, op, value),
            Reduced::Member { values, negated } => Test::Number {
                form,
                elements: Elements::new(values),
                negated,
            },
        })
    }

    pub fn of_texts(form: TextForm, reduced: Reduced<Box<[u8]>>) -> Option<Test> {
        Some(match reduced {
            Reduced::Never => return None,
            Reduced::Always => Test::Always,
            Reduced::NotNull => Test::NotNull,
            Reduced::Compare(op, value) => Test::Text { form, op, value },
            Reduced::Member { values, negated } => Test::TextSet {
                form,
                elements: Elements::new(values),
                negated,
            },
        })
    }

    pub fn of_numerics(reduced: Reduced<Numeric>) -> Option<Test> {
        Some(match reduced {
            Reduced::Never => return None,
            Reduced::Always => Test::Always,
            Reduced::NotNull => Test::NotNull,
            Reduced::Compare(op, value) => Test::Numeric { op, value },
            Reduced::Member { values, negated } => Test::NumericSet {
                elements: Elements::new(values),
                negated,
            },
        })
    }

    /// The test of the value that starts at `at`.
    #[inline]
    pub fn passes(&self, view: PageView<'_>, at: Start) -> Result<bool, Damaged> {
        let page = view.page.bytes();
        let start = usize::from(at);
        if at == NULL {
            return Ok(match self {
                Test::Always | Test::Null => true,
                Test::Boolean(test) => test.of(None),
                _ => false,
            });
        }
        Ok(match self {
            Test::Always | Test::NotNull => true,
            Test::Null => false,
            Test::Boolean(test) => test.of(Some(number::load_bool(page, start) == 1)),
            Test::Range(range) => range.contains(range.form.load(page, start)),
            Test::Number {
                form,
                elements,
                negated,
            } => elements.contains(&form.load(page, start)) != *negated,
            Test::Text { form, op, value } => {
                text_passes(*op, form.seen(varlena_at(page, start)?), value)
            }
            Test::TextSet {
                form,
                elements,
                negated,
            } => elements.contains(form.seen(varlena_at(page, start)?)) != *negated,
            Test::Prefix(prefix) => varlena_at(page, start)?.starts_with(prefix),
            Test::Numeric { op, value } => op.holds(numeric_at(page, start)?.cmp(value)),
            Test::NumericSet { elements, negated } => {
                elements.contains(&numeric_at(page, start)?) != *negated
            }
        })
    }
}

/// Text in C order. Equality looks at the lengths before it looks at a byte (`texteq`).
#[inline]
pub fn text_passes(op: Comparison, text: &[u8], value: &[u8]) -> bool {
    match op {
        Comparison::Eq => text == value,
        Comparison::Ne => text != value,
        op => op.holds(text.cmp(value)),
    }
}

/// A value of a row comparison.
#[derive(Debug)]
pub enum Comparand {
    Null,
    Number(Form, i64),
    Text(TextForm, Box<[u8]>),
    Numeric(Numeric),
}

impl Comparand {
    /// Errors: as [`check_comparable`].
    pub fn new(attribute: &Attribute, value: &Datum) -> Result<Comparand> {
        if value.is_null() {
            return Ok(Comparand::Null);
        }
        check_fits(attribute.ty, value)?;
        Ok(match value {
            Datum::Text(text) => {
                let form = TextForm::of(attribute.ty);
                Comparand::Text(form, form.seen(text.as_bytes()).into())
            }
            Datum::Numeric(value) => Comparand::Numeric(value.clone()),
            value => match (Form::of(attribute.ty), number::of_datum(value)) {
                (Some(form), Some(number)) => Comparand::Number(form, number),
                _ => return Err(Error::internal("a scan key's value has no order")),
            },
        })
    }

    /// How the column's value stands to this one; None if either is NULL.
    pub fn compare(&self, view: PageView<'_>, at: Start) -> Result<Option<Ordering>, Damaged> {
        let (page, start) = (view.page.bytes(), usize::from(at));
        if at == NULL {
            return Ok(None);
        }
        Ok(match self {
            Comparand::Null => None,
            Comparand::Number(form, value) => Some(form.load(page, start).cmp(value)),
            Comparand::Text(form, value) => Some(form.seen(varlena_at(page, start)?).cmp(value)),
            Comparand::Numeric(value) => Some(numeric_at(page, start)?.cmp(value)),
        })
    }
}
