//! Equivalence classes (`equivclass.c`): expressions that WHERE says are equal, so that any two of them
//! may be compared instead of those that are written, and each with a constant that one of them equals.

use super::clause::equality_of;
use super::set::ItemSet;
use crate::bind::{Expr, ExprKind, Notation};
use crate::catalog::OperatorRef;
use crate::plan::planner::Planner;
use crate::plan::same::same;
use crate::value::Type;

/// Expressions of one item each, or of none.
pub(super) struct Class {
    pub members: Vec<Member>,
}

pub(super) struct Member {
    pub expr: Expr,
    /// Empty for a value that no row decides.
    pub items: ItemSet,
}

/// A condition that follows from a class.
pub(super) struct Derived {
    pub expr: Expr,
    pub left: ItemSet,
    pub right: ItemSet,
    pub class: usize,
}

/// The classes found so far.
#[derive(Default)]
pub(super) struct Classes {
    pub list: Vec<Class>,
    /// The conditions as written, to be used where they say what is derived.
    written: Vec<Expr>,
}

impl Classes {
    /// Takes an equality in (`process_equivalence`). False: it stays a condition of its own.
    /// `items_of` says which items an expression needs.
    pub fn add(
        &mut self,
        planner: &Planner<'_>,
        expr: &Expr,
        items_of: &dyn Fn(&Expr) -> Option<ItemSet>,
    ) -> bool {
        let Some((left, right, _)) = equality_of(expr) else {
            return false;
        };
        let (Some(a), Some(b)) = (items_of(left), items_of(right)) else {
            return false;
        };
        let simple = |items: ItemSet| items.len() <= 1;
        if !simple(a) || !simple(b) || a.is_empty() && b.is_empty() || same(left, right) {
            return false;
        }
        let of_left = self.class_of(left);
        let of_right = self.class_of(right);
        let mut members: Vec<&Member> = Vec::new();
        for class in [of_left, of_right].into_iter().flatten() {
            members.extend(&self.list[class].members);
        }
        // One constant is enough: another one is compared as it is written.
        let constants = members.iter().filter(|member| member.items.is_empty());
        let new = a.is_empty() && of_left.is_none() || b.is_empty() && of_right.is_none();
        if constants.count() + usize::from(new) > 1 {
            return false;
        }
        // Every two of them must have an operator.
        let compares = |x: Type, y: Type| equal_operator(planner, x, y).is_some();
        let all = members.iter().all(|member| {
            let ty = member.expr.ty;
            compares(ty, left.ty)
                && compares(ty, right.ty)
                && compares(left.ty, ty)
                && compares(right.ty, ty)
        });
        if !all || !compares(left.ty, right.ty) || !compares(right.ty, left.ty) {
            return false;
        }
        self.written.push(expr.clone());
        let class = match (of_left, of_right) {
            (Some(into), Some(from)) if into != from => {
                let moved = std::mem::take(&mut self.list[from].members);
                self.list[into].members.extend(moved);
                into
            }
            (Some(class), _) | (None, Some(class)) => class,
            (None, None) => {
                self.list.push(Class {
                    members: Vec::new(),
                });
                self.list.len() - 1
            }
        };
        for (expr, items) in [(left, a), (right, b)] {
            let members = &mut self.list[class].members;
            if !members.iter().any(|known| same(&known.expr, expr)) {
                members.push(Member {
                    expr: expr.clone(),
                    items,
                });
            }
        }
        true
    }

    fn class_of(&self, expr: &Expr) -> Option<usize> {
        self.list
            .iter()
            .position(|class| class.members.iter().any(|known| same(&known.expr, expr)))
    }

    /// The constant that the expression's class has.
    pub fn constant_of(&self, expr: &Expr) -> Option<&Expr> {
        let class = self.class_of(expr)?;
        self.list[class].constant().map(|member| &member.expr)
    }

    /// `generate_base_implied_equalities` and the join clauses of every pair of items. A class with a
    /// constant says of each other member that it equals it; then joins need not compare them.
    pub fn derive(&self, planner: &Planner<'_>) -> Vec<Derived> {
        let mut derived = Vec::new();
        for (number, class) in self.list.iter().enumerate() {
            let mut pairs: Vec<(&Member, &Member)> = Vec::new();
            if let Some(constant) = class.constant() {
                let others = class.members.iter();
                let others = others.filter(|member| !std::ptr::eq(*member, constant));
                pairs.extend(others.map(|member| (member, constant)));
            } else {
                for (i, a) in class.members.iter().enumerate() {
                    let mut chained = false;
                    for b in &class.members[i + 1..] {
                        // Of one item's members each is compared with the next.
                        if a.items != b.items || !std::mem::replace(&mut chained, true) {
                            pairs.push((a, b));
                        }
                    }
                }
            }
            for (a, b) in pairs {
                if let Some(expr) = self.equality(planner, a, b) {
                    derived.push(Derived {
                        expr,
                        left: a.items,
                        right: b.items,
                        class: number,
                    });
                }
            }
        }
        derived
    }

    /// The condition as it is written somewhere, or a new one.
    fn equality(&self, planner: &Planner<'_>, a: &Member, b: &Member) -> Option<Expr> {
        let written = self.written.iter().find(|expr| {
            equality_of(expr).is_some_and(|(left, right, _)| {
                same(left, &a.expr) && same(right, &b.expr)
                    || same(left, &b.expr) && same(right, &a.expr)
            })
        });
        if let Some(written) = written {
            return Some(written.clone());
        }
        equals(planner, &a.expr, &b.expr)
    }
}

impl Class {
    fn constant(&self) -> Option<&Member> {
        self.members.iter().find(|member| member.items.is_empty())
    }
}

/// `left = right`
pub(super) fn equals(planner: &Planner<'_>, left: &Expr, right: &Expr) -> Option<Expr> {
    let operator = equal_operator(planner, left.ty, right.ty)?;
    let kind = ExprKind::Call {
        function: operator.function.clone(),
        notation: Notation::Operator(operator),
        args: vec![left.clone(), right.clone()],
    };
    Some(Expr::new(kind, Type::BOOL))
}

fn equal_operator(planner: &Planner<'_>, left: Type, right: Type) -> Option<OperatorRef> {
    let text = |ty: Type| if ty.is_string() { Type::TEXT } else { ty };
    planner.find_operator("=", text(left), text(right))
}
