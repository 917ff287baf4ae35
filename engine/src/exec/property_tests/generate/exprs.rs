//! Random expressions over integer columns and parameters.

use std::rc::Rc;

use super::Generator;
use crate::bind::{Expr, ExprKind, Notation};
use crate::catalog::{FunctionRef, OperatorRef, Resolution};
use crate::value::{Datum, Type};

impl Generator {
    pub(super) fn operator(&self, name: &str, left: Type, right: Type) -> OperatorRef {
        match self.catalog.resolve_operator(name, Some(left), right) {
            Resolution::Found(operator) => operator,
            _ => panic!("{} {name} {}", left.name(), right.name()),
        }
    }

    pub(super) fn function(&self, name: &str, args: &[Type]) -> FunctionRef {
        match self.catalog.resolve_function(name, args) {
            Resolution::Found(function) => function,
            _ => panic!("{name}"),
        }
    }

    pub(super) fn call(&self, name: &str, left: Expr, right: Expr) -> Expr {
        let operator = self.operator(name, left.ty, right.ty);
        let kind = ExprKind::Call {
            function: Rc::clone(&operator.function),
            notation: Notation::Operator(Rc::clone(&operator)),
            args: vec![left, right],
        };
        Expr::new(kind, operator.result())
    }

    pub(super) fn number(&mut self) -> Expr {
        let value = self.random.below(12) as i32 - 2;
        Expr::constant(
            if self.random.one_in(12) {
                Datum::Null
            } else {
                Datum::Int4(value)
            },
            Type::INT4,
        )
    }

    pub(super) fn slot(&mut self, columns: &[Type]) -> Option<Expr> {
        if columns.is_empty() {
            return None;
        }
        let at = self.random.below(columns.len() as u64) as usize;
        Some(Expr::slot(at, columns[at]))
    }

    pub(super) fn leaf(&mut self, columns: &[Type]) -> Expr {
        let pick = self.random.below(6);
        if pick == 0 && !self.in_scope.is_empty() {
            let at = self.random.below(self.in_scope.len() as u64) as usize;
            return Expr::new(ExprKind::Param(self.in_scope[at]), Type::INT4);
        }
        match self.slot(columns) {
            Some(slot) if pick < 5 => slot,
            _ => self.number(),
        }
    }

    /// An integer expression, integer or bigint.
    pub(super) fn integer(&mut self, columns: &[Type], depth: u32) -> Expr {
        if depth == 0 || self.random.one_in(2) {
            return self.leaf(columns);
        }
        match self.random.below(6) {
            0 | 1 => {
                let (a, b) = (self.integer(columns, depth - 1), self.leaf(columns));
                self.call("+", a, b)
            }
            2 => {
                let (a, b) = (self.integer(columns, depth - 1), self.leaf(columns));
                self.call("-", a, b)
            }
            3 if self.failing => {
                let (a, b) = (self.leaf(columns), self.integer(columns, depth - 1));
                self.call("/", a, b)
            }
            _ => {
                let when = self.condition(columns, depth - 1);
                let then = self.small(columns, depth - 1);
                let otherwise = self
                    .random
                    .one_in(2)
                    .then(|| Box::new(self.small(columns, depth - 1)));
                Expr::new(
                    ExprKind::Case {
                        operand: None,
                        arms: vec![(when, then)],
                        otherwise,
                    },
                    Type::INT4,
                )
            }
        }
    }

    /// An integer expression of type integer.
    pub(super) fn small(&mut self, columns: &[Type], depth: u32) -> Expr {
        for _ in 0..4 {
            let expr = self.integer(columns, depth);
            if expr.ty == Type::INT4 {
                return expr;
            }
        }
        self.number()
    }

    pub(super) fn condition(&mut self, columns: &[Type], depth: u32) -> Expr {
        let compare = |this: &mut Self| {
            let names = ["=", "<>", "<", "<=", ">", ">="];
            let name = names[this.random.below(6) as usize];
            let (a, b) = (this.integer(columns, depth.min(1)), this.leaf(columns));
            this.call(name, a, b)
        };
        if depth == 0 {
            return compare(self);
        }
        match self.random.below(8) {
            0 | 1 => {
                let parts = (0..2 + self.random.below(2))
                    .map(|_| self.condition(columns, depth - 1))
                    .collect();
                Expr::new(ExprKind::And(parts), Type::BOOL)
            }
            2 => {
                let parts = (0..2).map(|_| self.condition(columns, depth - 1)).collect();
                Expr::new(ExprKind::Or(parts), Type::BOOL)
            }
            3 => Expr::new(
                ExprKind::Not(Box::new(self.condition(columns, depth - 1))),
                Type::BOOL,
            ),
            4 => {
                let arg = Box::new(self.integer(columns, depth - 1));
                Expr::new(
                    ExprKind::NullTest {
                        arg,
                        negated: self.random.one_in(2),
                    },
                    Type::BOOL,
                )
            }
            5 if !self.flags_in_scope.is_empty() => {
                let at = self.random.below(self.flags_in_scope.len() as u64) as usize;
                Expr::new(ExprKind::Param(self.flags_in_scope[at]), Type::BOOL)
            }
            _ => compare(self),
        }
    }
}
