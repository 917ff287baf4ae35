//! `left op ANY (array)` and `left op ALL (array)` (`ExecEvalScalarArrayOp`).
//!
//! An array that is the same for all rows is made ready once: from nine elements on `= ANY` and
//! `<> ALL` look each row up in a hash table; otherwise element after element is compared with
//! the rows still undecided. NULL elements never settle a row, they only make "no" unknown.

use std::rc::Rc;

use hashbrown::HashTable;

use super::EvalCx;
use super::choice::Test;
use super::node::{Env, Evaluated, Halt, Node, Operand, before, eval_pair};
use super::operand::{Native, each_row, grow};
use crate::value::{Array, Column, Datum, Rows, Type, equal_values, hash_row, hash_rows};

/// From how many elements on an array is hashed (`MIN_ARRAY_SIZE_FOR_HASHED_SAOP`).
const HASHED_FROM: usize = 9;

pub(super) struct ScalarArray {
    left: Node,
    array: Node,
    search: Search,
}

impl ScalarArray {
    /// `test` is the operator over left value and element. `hashable`: it is `= ANY` or `<> ALL`
    /// over types that hash alike.
    pub fn new(left: Node, array: Node, test: Test, any: bool, hashable: bool) -> Self {
        let search = Search {
            test,
            any,
            hashable,
            known: None,
            hashes: Vec::new(),
            undecided: Vec::new(),
            still: Vec::new(),
            out: Column::new(Type::BOOL),
        };
        ScalarArray {
            left,
            array,
            search,
        }
    }

    pub fn eval<'a>(
        &'a mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'a>,
        rows: Rows<'_>,
    ) -> Evaluated<'a> {
        let (left, array, rows, halt) = eval_pair(&mut self.left, &mut self.array, cx, env, rows);
        let search = &mut self.search;
        search.begin(rows.end());
        let earlier = match array {
            Operand::Scalar(Datum::Array(array)) => search.constant(cx, env, left, array, rows),
            Operand::Scalar(_) => return (Operand::NULL, halt),
            Operand::Column(arrays) => search.varying(cx, env, left, arrays, rows),
        };
        (Operand::Column(&search.out), earlier.or(halt))
    }
}

struct Search {
    test: Test,
    any: bool,
    hashable: bool,
    known: Option<Known>,
    hashes: Vec<u64>,
    undecided: Vec<u32>,
    still: Vec<u32>,
    out: Column,
}

/// An array that is the same for all rows.
struct Known {
    array: Rc<Array>,
    has_null: bool,
    elements: Elements,
}

enum Elements {
    /// Those that are not NULL.
    Listed(Vec<Datum>),
    /// Places in the array, by hash.
    Hashed(HashTable<u32>),
}

impl Known {
    fn new(array: &Rc<Array>, hashable: bool) -> Self {
        let elements = &array.elements;
        let has_null = (0..array.len()).any(|row| elements.is_null(row));
        let rows = (0..array.len()).filter(|&row| !elements.is_null(row));
        let elements = if hashable && array.len() >= HASHED_FROM {
            let mut table = HashTable::with_capacity(array.len());
            let hash_of = |row: usize| hash_row([elements], row);
            for row in rows {
                let equal = |&other: &u32| equal_values(elements, other as usize, elements, row);
                if table.find(hash_of(row), equal).is_none() {
                    table.insert_unique(hash_of(row), row as u32, |&row| hash_of(row as usize));
                }
            }
            Elements::Hashed(table)
        } else {
            Elements::Listed(rows.map(|row| elements.get(row)).collect())
        };
        Known {
            array: Rc::clone(array),
            has_null,
            elements,
        }
    }

    /// Whether a row's value is among the hashed elements.
    fn holds(&self, table: &HashTable<u32>, hash: u64, column: &Column, row: usize) -> bool {
        let elements = &self.array.elements;
        table
            .find(hash, |&at| equal_values(elements, at as usize, column, row))
            .is_some()
    }
}

impl Search {
    fn begin(&mut self, end: usize) {
        self.out.nulls.clear();
        grow(bool::vector(&mut self.out.data), end);
    }

    fn constant(
        &mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'_>,
        left: Operand<'_>,
        array: &Rc<Array>,
        rows: Rows<'_>,
    ) -> Halt {
        if !self
            .known
            .as_ref()
            .is_some_and(|known| Rc::ptr_eq(&known.array, array))
        {
            self.known = Some(Known::new(array, self.hashable));
        }
        let Some(known) = &self.known else {
            return None;
        };
        let any = self.any;
        let truths = bool::vector(&mut self.out.data);
        if array.is_empty() {
            each_row(rows, |row| truths[row] = !any);
            return None;
        }
        match (&known.elements, left) {
            (Elements::Hashed(table), Operand::Column(column)) => {
                hash_rows(&[column], rows, &mut self.hashes);
                for (i, &hash) in self.hashes.iter().enumerate() {
                    let row = rows.at(i);
                    let found = !column.is_null(row) && known.holds(table, hash, column, row);
                    truths[row] = found == any;
                    if column.is_null(row) || !found && known.has_null {
                        self.out.nulls.set(row);
                    }
                }
                None
            }
            (Elements::Hashed(table), Operand::Scalar(value)) => {
                // The elements' type knows whether blanks at the end count.
                let elements = array.element_type();
                let ty = if value.fits(elements) {
                    elements
                } else {
                    value.natural_type()
                };
                let mut column = Column::new(ty);
                column.push(value);
                let hash = hash_row([&column], 0);
                let found = !value.is_null() && known.holds(table, hash, &column, 0);
                let unknown = value.is_null() || !found && known.has_null;
                each_row(rows, |row| truths[row] = found == any);
                if unknown {
                    each_row(rows, |row| self.out.nulls.set(row));
                }
                None
            }
            (Elements::Listed(_), left) if any && self.test.is_infallible() => {
                self.listed_any(cx, env, left, rows)
            }
            (Elements::Listed(_), left) => self.listed(cx, env, left, rows),
        }
    }

    /// `op ANY` by an operator that never fails: every element is compared with all rows.
    fn listed_any(
        &mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'_>,
        left: Operand<'_>,
        rows: Rows<'_>,
    ) -> Halt {
        let Search {
            test,
            known,
            still: passed,
            out,
            ..
        } = self;
        let Some(Known {
            has_null,
            elements: Elements::Listed(elements),
            ..
        }) = known
        else {
            return None;
        };
        let Column { data, nulls, .. } = out;
        let truths = bool::vector(data);
        each_row(rows, |row| truths[row] = false);
        for element in elements {
            passed.clear();
            let halt = test.filter(
                cx,
                env.input,
                &[left, Operand::Scalar(element)],
                rows,
                passed,
            );
            if halt.is_some() {
                return halt;
            }
            passed.iter().for_each(|&row| truths[row as usize] = true);
        }
        if *has_null {
            each_row(rows, |row| {
                if !truths[row] {
                    nulls.set(row);
                }
            });
        } else if left.is_null_scalar() || left.nulls().is_some() {
            each_row(rows, |row| {
                if left.is_null(row) {
                    nulls.set(row);
                }
            });
        }
        None
    }

    /// Compares every element with the rows that are undecided.
    fn listed(
        &mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'_>,
        left: Operand<'_>,
        rows: Rows<'_>,
    ) -> Halt {
        let Search {
            test,
            any,
            known,
            undecided,
            still,
            out,
            ..
        } = self;
        let Some(Known {
            has_null,
            elements: Elements::Listed(elements),
            ..
        }) = known
        else {
            return None;
        };
        let Column { data, nulls, .. } = out;
        let truths = bool::vector(data);
        undecided.clear();
        each_row(rows, |row| {
            truths[row] = !*any;
            if left.is_null(row) {
                nulls.set(row);
            } else {
                undecided.push(row as u32);
            }
        });
        let mut halt = None;
        for element in elements {
            if undecided.is_empty() {
                break;
            }
            let arguments = [left, Operand::Scalar(element)];
            let asked = Rows::Picked(undecided);
            let (value, earlier) = test.eval(cx, env.input, &arguments, asked);
            still.clear();
            each_row(before(asked, &earlier), |row| {
                if value.truth(row) == Some(*any) {
                    truths[row] = *any;
                } else {
                    still.push(row as u32);
                }
            });
            if earlier.is_some() {
                halt = earlier;
            }
            std::mem::swap(undecided, still);
        }
        if *has_null {
            each_row(Rows::Picked(undecided), |row| nulls.set(row));
        }
        halt
    }

    /// Each row has an array of its own.
    fn varying(
        &mut self,
        cx: &mut EvalCx<'_>,
        env: Env<'_>,
        left: Operand<'_>,
        arrays: &Column,
        rows: Rows<'_>,
    ) -> Halt {
        let Search { test, any, out, .. } = self;
        let Column { data, nulls, .. } = out;
        let truths = bool::vector(data);
        let operands = Operand::Column(arrays);
        'rows: for row in rows.iter() {
            if arrays.is_null(row) {
                nulls.set(row);
                continue;
            }
            let array: &Rc<Array> = operands.value(row);
            truths[row] = !*any;
            if array.is_empty() {
                continue;
            }
            if left.is_null(row) {
                nulls.set(row);
                continue;
            }
            let mut unknown = false;
            for at in 0..array.len() {
                let element = array.elements.get(at);
                let arguments = [left, Operand::Scalar(&element)];
                let (value, halt) = test.eval(cx, env.input, &arguments, Rows::Range(row, row + 1));
                if halt.is_some() {
                    return halt;
                }
                match value.truth(row) {
                    None => unknown = true,
                    Some(truth) if truth == *any => {
                        truths[row] = *any;
                        continue 'rows;
                    }
                    Some(_) => {}
                }
            }
            if unknown {
                nulls.set(row);
            }
        }
        None
    }
}
