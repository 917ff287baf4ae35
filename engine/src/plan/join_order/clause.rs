//! The conditions of a FROM clause, and where each is tested (PostgreSQL's `RestrictInfo`).

use super::set::ItemSet;
use crate::bind::{Expr, ExprKind, Notation};
use crate::catalog::{OperatorRef, Origin};
use crate::plan::cost::Cost;
use crate::plan::walk::is_volatile;
use crate::value::{Base, Type};

/// A condition that more than one item decides.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub expr: Expr,
    /// The items that must be joined before it is tested.
    pub required: ItemSet,
    /// It filters rows; otherwise it is part of an outer join's own condition and decides which rows
    /// match.
    pub pushed_down: bool,
    /// It has correlated sub-selects, which are computed on the joined rows.
    pub pending: bool,
    pub equality: Option<Equality>,
    /// Of the conditions of one class of equal expressions a join needs only one.
    pub class: Option<usize>,
    /// The semi joins after which the columns of one side are gone.
    pub hidden_after: Vec<usize>,
    pub cost: Cost,
    /// The share of pairs that match.
    pub selectivity: f64,
}

/// An equality of two sides that can be hashed and sorted by.
#[derive(Clone, Debug)]
pub(super) struct Equality {
    pub left: ItemSet,
    pub right: ItemSet,
}

impl Clause {
    /// Tested by the join of these two sets, and not before.
    pub fn belongs_to(&self, a: ItemSet, b: ItemSet) -> bool {
        self.required.is_subset(a.union(b))
            && !self.required.is_subset(a)
            && !self.required.is_subset(b)
    }

    /// An equality of one side with the other.
    pub fn joins(&self, a: ItemSet, b: ItemSet) -> bool {
        self.equality.as_ref().is_some_and(|equality| {
            equality.left.is_subset(a) && equality.right.is_subset(b)
                || equality.left.is_subset(b) && equality.right.is_subset(a)
        })
    }
}

/// The two sides of `left = right` by an operator of PostgreSQL's own whose two types hash alike.
pub(in crate::plan) fn equality_of(expr: &Expr) -> Option<(&Expr, &Expr, &OperatorRef)> {
    let ExprKind::Call {
        notation: Notation::Operator(operator),
        args,
        ..
    } = &expr.kind
    else {
        return None;
    };
    let [left, right] = &args[..] else {
        return None;
    };
    let usable = &*operator.name == "="
        && matches!(operator.function.origin, Origin::Builtin)
        && hash_alike(left.ty, right.ty)
        && !is_volatile(expr);
    usable.then_some((left, right, operator))
}

/// True if equal values of the two types have equal hashes (one hash operator family).
pub(in crate::plan) fn hash_alike(a: Type, b: Type) -> bool {
    use Base::*;
    let family = |ty: Type| match ty.base {
        Int2 | Int4 | Int8 => Some(0),
        Float4 | Float8 => Some(1),
        Text | Varchar | Unknown => Some(2),
        Numeric => Some(3),
        Date => Some(4),
        Timestamp => Some(5),
        Bool => Some(6),
        Bpchar => Some(7),
        Interval => Some(8),
        Void => None,
    };
    a.array == b.array && family(a).is_some() && family(a) == family(b) && !(a.array && a != b)
}
