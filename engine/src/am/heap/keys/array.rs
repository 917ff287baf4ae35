//! `op ANY (array)` and `op ALL (array)` reduced to the simplest test that has the same rows.

use crate::value::Comparison;

/// What is left of an array key for a column's values.
#[derive(Debug, PartialEq, Eq)]
pub enum Reduced<T> {
    /// No row, whatever the value.
    Never,
    /// Every row, NULLs too: `op ALL ('{}')`.
    Always,
    /// Every value that is not NULL.
    NotNull,
    Compare(Comparison, T),
    /// The value is among these (or, negated, is not), which are two at the least, ascending and distinct.
    Member {
        values: Vec<T>,
        negated: bool,
    },
}

/// `values` are the elements that are not NULL.
pub fn reduce<T: Ord>(op: Comparison, any: bool, mut values: Vec<T>, has_null: bool) -> Reduced<T> {
    // A NULL element makes no ANY true; it keeps every ALL from being true.
    if !any && has_null {
        return Reduced::Never;
    }
    values.sort_unstable();
    values.dedup();
    let only_one = values.len() == 1;
    let (Some(greatest), least) = (values.pop(), values.first()) else {
        return if any { Reduced::Never } else { Reduced::Always };
    };
    match op {
        Comparison::Eq | Comparison::Ne if only_one => Reduced::Compare(op, greatest),
        // Equal to two different values at once; different from one of two, as every value is.
        Comparison::Eq if !any => Reduced::Never,
        Comparison::Ne if any => Reduced::NotNull,
        Comparison::Eq | Comparison::Ne => {
            values.push(greatest);
            Reduced::Member {
                values,
                negated: op == Comparison::Ne,
            }
        }
        // Less than one of them: than the greatest. Less than all of them: than the least.
        Comparison::Lt | Comparison::Le if any => Reduced::Compare(op, greatest),
        Comparison::Gt | Comparison::Ge if !any => Reduced::Compare(op, greatest),
        _ if least.is_none() => Reduced::Compare(op, greatest),
        _ => Reduced::Compare(op, values.swap_remove(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Comparison::*;

    /// The definition: some, or all, of the single comparisons are true.
    fn defined(op: Comparison, any: bool, elements: &[Option<i32>], x: Option<i32>) -> bool {
        let holds = |element: &Option<i32>| match (x, element) {
            (Some(x), Some(element)) => op.holds(x.cmp(element)),
            _ => false,
        };
        if any {
            elements.iter().any(holds)
        } else {
            elements.iter().all(holds)
        }
    }

    fn reduced(test: &Reduced<i32>, x: Option<i32>) -> bool {
        match (test, x) {
            (Reduced::Always, _) => true,
            (Reduced::Never, _) | (_, None) => false,
            (Reduced::NotNull, Some(_)) => true,
            (Reduced::Compare(op, value), Some(x)) => op.holds(x.cmp(value)),
            (Reduced::Member { values, negated }, Some(x)) => values.contains(&x) != *negated,
        }
    }

    #[test]
    fn a_reduced_key_has_the_same_rows() {
        let elements = [None, Some(1), Some(3), Some(3), Some(5)];
        for picked in 0..32 {
            let array: Vec<_> = (0..5)
                .filter(|i| picked >> i & 1 == 1)
                .map(|i| elements[i])
                .collect();
            for op in [Eq, Ne, Lt, Le, Gt, Ge] {
                for any in [true, false] {
                    let values = array.iter().copied().flatten().collect();
                    let test = reduce(op, any, values, array.contains(&None));
                    for x in [
                        None,
                        Some(0),
                        Some(1),
                        Some(2),
                        Some(3),
                        Some(4),
                        Some(5),
                        Some(6),
                    ] {
                        assert_eq!(
                            reduced(&test, x),
                            defined(op, any, &array, x),
                            "{x:?} {op:?} any {any} {array:?} became {test:?}"
                        );
                    }
                }
            }
        }
    }
}
