//! Aggregates: states of many groups in typed vectors.

mod bits;
mod collect;
mod count;
mod distinct;
mod extreme;
mod float;
mod interval;
mod logic;
mod ordered;
mod regression;
mod sum;

use std::ops::Range;

use count::Count;
use distinct::Distinct;
use ordered::Ordered;

use super::Stop;
use crate::catalog::FunctionFacts;
use crate::error::{Error, Result};
use crate::value::{Base, Column, KeyOrder, Rows, Type};

/// Which group each of the rows belongs to.
#[derive(Clone, Copy, Debug)]
pub enum Groups<'a> {
    /// All rows to one group.
    One(usize),
    /// The `i`th row to the `i`th of these groups.
    Each(&'a [u32]),
}

impl Groups<'_> {
    #[inline]
    fn at(self, i: usize) -> usize {
        match self {
            Groups::One(group) => group,
            Groups::Each(groups) => groups[i] as usize,
        }
    }
}

/// One aggregate's states, a state a group. Groups are numbered from 0 and exist from `grow` on.
pub struct Accumulator {
    state: Held,
}

/// `count` is called in place: at one row a batch a call through a table costs more than counting.
enum Held {
    Count(Count),
    Other(Box<dyn State>),
}

impl Held {
    #[inline]
    fn get(&self) -> &dyn State {
        match self {
            Held::Count(count) => count,
            Held::Other(state) => &**state,
        }
    }

    #[inline]
    fn get_mut(&mut self) -> &mut dyn State {
        match self {
            Held::Count(count) => count,
            Held::Other(state) => &mut **state,
        }
    }
}

/// What an aggregate does with its groups.
trait State {
    /// Makes empty states until there are `groups`.
    fn grow(&mut self, groups: usize);
    fn update(&mut self, groups: Groups<'_>, args: &[&Column], rows: Rows<'_>) -> Result<(), Stop>;
    /// As `update`, for one row of one group.
    fn update_one(&mut self, group: usize, args: &[&Column], row: usize) -> Result<(), Stop> {
        self.update(Groups::One(group), args, Rows::Range(row, row + 1))
    }
    /// Appends the results of a range of groups to `out`.
    fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()>;
    fn reset(&mut self);
    fn accounted_bytes(&self) -> u64;
}

impl Accumulator {
    /// `distinct`: each group sees each value (or each combination of arguments) once.
    ///
    /// Errors: 0A000 for an aggregate that is not implemented.
    pub fn new(function: &FunctionFacts, distinct: bool) -> Result<Self> {
        let distinct = distinct && !function.args.is_empty();
        if &*function.name == "count" && !distinct {
            let state = Held::Count(Count::default());
            return Ok(Accumulator { state });
        }
        let (state, ordered) = state(function)?;
        let state = if distinct {
            let nulls_count = &*function.name == "array_agg";
            Box::new(Distinct::new(state, &function.args, ordered, nulls_count))
        } else {
            state
        };
        Ok(Accumulator {
            state: Held::Other(state),
        })
    }

    /// As [`Accumulator::new`], each group seeing its rows in the order of `keys`, which name the
    /// columns of an update: the function's arguments, then those of the types `sorted_by`.
    ///
    /// Errors: 0A000 for an aggregate that is not implemented.
    pub fn ordered(
        function: &FunctionFacts,
        distinct: bool,
        sorted_by: &[Type],
        keys: Vec<KeyOrder>,
    ) -> Result<Self> {
        let (state, _) = state(function)?;
        let arguments = function.args.len();
        let types: Vec<Type> = function.args.iter().chain(sorted_by).copied().collect();
        Ok(Accumulator {
            state: Held::Other(Box::new(Ordered::new(
                state, arguments, &types, keys, distinct,
            ))),
        })
    }

    /// Makes empty states until there are `groups`.
    pub fn grow(&mut self, groups: usize) {
        self.state.get_mut().grow(groups);
    }

    /// Adds rows to their groups. The arguments are columns aligned with the rows' physical
    /// positions. Errors: those of the transition function, at the row that fails; the rows before
    /// are added, the statement fails anyway.
    pub fn update(
        &mut self,
        groups: Groups<'_>,
        args: &[&Column],
        rows: Rows<'_>,
    ) -> Result<(), Stop> {
        self.state.get_mut().update(groups, args, rows)
    }

    /// As [`Accumulator::update`], for one row.
    #[inline]
    pub fn update_one(&mut self, group: usize, args: &[&Column], row: usize) -> Result<(), Stop> {
        match &mut self.state {
            Held::Count(count) => {
                count.add_one(group, args, row);
                Ok(())
            }
            Held::Other(state) => state.update_one(group, args, row),
        }
    }

    /// Appends the results of a range of groups to `out`, a column of the function's result type.
    pub fn finish(&mut self, groups: Range<usize>, out: &mut Column) -> Result<()> {
        self.state.get_mut().finish(groups, out)
    }

    /// Forgets all groups.
    pub fn reset(&mut self) {
        self.state.get_mut().reset();
    }

    pub fn accounted_bytes(&self) -> u64 {
        self.state.get().accounted_bytes()
    }
}

/// The state of an aggregate, and whether the order of its input shows in its result.
fn state(function: &FunctionFacts) -> Result<(Box<dyn State>, bool)> {
    let first = function.args.first().copied();
    let base = first.filter(|ty| !ty.array).map(|ty| ty.base);
    Ok(match (&*function.name, base) {
        ("count", _) => (Box::new(Count::default()), false),
        ("sum", Some(Base::Int2 | Base::Int4)) => (Box::new(sum::SumSmall::new(false)), false),
        ("avg", Some(Base::Int2 | Base::Int4)) => (Box::new(sum::SumSmall::new(true)), false),
        ("sum", Some(Base::Int8 | Base::Numeric)) => (Box::new(sum::SumExact::new(false)), false),
        ("avg", Some(Base::Int8 | Base::Numeric)) => (Box::new(sum::SumExact::new(true)), false),
        ("sum", Some(Base::Float4)) => (Box::new(float::FloatSum::<f32>::default()), true),
        ("sum", Some(Base::Float8)) => (Box::new(float::FloatSum::<f64>::default()), true),
        ("sum" | "avg", Some(Base::Interval)) => {
            let average = &*function.name == "avg";
            (Box::new(interval::IntervalSum::new(average)), false)
        }
        ("min" | "max", _) => {
            let Some(state) = first.and_then(|ty| extreme::state(ty, &*function.name == "max"))
            else {
                return Err(not_implemented(function));
            };
            (state, false)
        }
        ("bool_and" | "every", Some(Base::Bool)) => (Box::new(logic::Logic::new(true)), false),
        ("bool_or", Some(Base::Bool)) => (Box::new(logic::Logic::new(false)), false),
        ("string_agg", _) => (Box::new(collect::StringAgg::default()), true),
        ("array_agg", Some(_)) => (Box::new(collect::ArrayAgg::new(function.result)), true),
        (name, Some(Base::Float4 | Base::Float8)) => {
            if let Some(moment) = float::Moment::named(name) {
                (Box::new(float::Moments::new(moment)), true)
            } else if let Some(state) = regression::Regression::named(name) {
                (Box::new(state), true)
            } else {
                return Err(not_implemented(function));
            }
        }
        (name, Some(Base::Int2 | Base::Int4 | Base::Int8 | Base::Numeric)) => {
            if let Some(state) = sum::ExactMoments::named(name) {
                (Box::new(state), false)
            } else if let Some(state) = bits::Bits::named(name)
                && base != Some(Base::Numeric)
            {
                (Box::new(state), false)
            } else {
                return Err(not_implemented(function));
            }
        }
        _ => return Err(not_implemented(function)),
    })
}

#[cold]
fn not_implemented(function: &FunctionFacts) -> Error {
    let types: Vec<String> = function.args.iter().map(|ty| ty.name()).collect();
    Error::unsupported(format_args!(
        "aggregate {}({})",
        function.name,
        types.join(", ")
    ))
}

/// Calls `f(group, row)` for every row whose value is not NULL.
#[inline(always)]
fn each_value(
    groups: Groups<'_>,
    column: &Column,
    rows: Rows<'_>,
    mut f: impl FnMut(usize, usize),
) {
    if column.nulls.any() {
        for i in 0..rows.len() {
            let row = rows.at(i);
            if !column.nulls.get(row) {
                f(groups.at(i), row);
            }
        }
        return;
    }
    match (groups, rows) {
        (Groups::One(group), Rows::Range(from, to)) => (from..to).for_each(|row| f(group, row)),
        (Groups::Each(groups), Rows::Range(from, _)) => {
            groups
                .iter()
                .enumerate()
                .for_each(|(i, &group)| f(group as usize, from + i));
        }
        (groups, Rows::Picked(rows)) => {
            rows.iter()
                .enumerate()
                .for_each(|(i, &row)| f(groups.at(i), row as usize));
        }
    }
}

/// As [`each_value`], for what can fail; stops at the first failure.
#[inline(always)]
fn try_each_value(
    groups: Groups<'_>,
    column: &Column,
    rows: Rows<'_>,
    mut f: impl FnMut(usize, usize) -> Result<()>,
) -> Result<(), Stop> {
    for i in 0..rows.len() {
        let row = rows.at(i);
        if !column.nulls.get(row) {
            f(groups.at(i), row).map_err(|error| Stop::error(row, error))?;
        }
    }
    Ok(())
}
