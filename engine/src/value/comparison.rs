//! The six comparisons and SQL's tests of a truth value.

use std::cmp::Ordering;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Comparison {
    pub const fn symbol(self) -> &'static str {
        match self {
            Comparison::Eq => "=",
            Comparison::Ne => "<>",
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
        }
    }

    pub fn from_symbol(symbol: &str) -> Option<Comparison> {
        Some(match symbol {
            "=" => Comparison::Eq,
            "<>" => Comparison::Ne,
            "<" => Comparison::Lt,
            "<=" => Comparison::Le,
            ">" => Comparison::Gt,
            ">=" => Comparison::Ge,
            _ => return None,
        })
    }

    /// `a op b` is `b op.commuted() a`.
    pub const fn commuted(self) -> Comparison {
        match self {
            Comparison::Lt => Comparison::Gt,
            Comparison::Le => Comparison::Ge,
            Comparison::Gt => Comparison::Lt,
            Comparison::Ge => Comparison::Le,
            same => same,
        }
    }

    #[inline]
    pub fn holds(self, ordering: Ordering) -> bool {
        match self {
            Comparison::Eq => ordering.is_eq(),
            Comparison::Ne => ordering.is_ne(),
            Comparison::Lt => ordering.is_lt(),
            Comparison::Le => ordering.is_le(),
            Comparison::Gt => ordering.is_gt(),
            Comparison::Ge => ordering.is_ge(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BooleanTest {
    IsTrue,
    IsNotTrue,
    IsFalse,
    IsNotFalse,
    IsUnknown,
    IsNotUnknown,
}

impl BooleanTest {
    /// The test that is true where this one is false.
    pub const fn negated(self) -> BooleanTest {
        match self {
            BooleanTest::IsTrue => BooleanTest::IsNotTrue,
            BooleanTest::IsNotTrue => BooleanTest::IsTrue,
            BooleanTest::IsFalse => BooleanTest::IsNotFalse,
            BooleanTest::IsNotFalse => BooleanTest::IsFalse,
            BooleanTest::IsUnknown => BooleanTest::IsNotUnknown,
            BooleanTest::IsNotUnknown => BooleanTest::IsUnknown,
        }
    }

    /// The test of a boolean, NULL being `None`.
    pub const fn of(self, value: Option<bool>) -> bool {
        match self {
            BooleanTest::IsTrue => matches!(value, Some(true)),
            BooleanTest::IsNotTrue => !matches!(value, Some(true)),
            BooleanTest::IsFalse => matches!(value, Some(false)),
            BooleanTest::IsNotFalse => !matches!(value, Some(false)),
            BooleanTest::IsUnknown => value.is_none(),
            BooleanTest::IsNotUnknown => value.is_some(),
        }
    }
}
