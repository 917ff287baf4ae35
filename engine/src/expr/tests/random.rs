//! Random typed expressions and batches.

use std::rc::Rc;

use crate::bind::{CastContext, CastMethod, Expr, ExprKind, Notation};
use crate::catalog::{Catalog, FunctionFacts, FunctionRef, OperatorRef, Origin, SqlBody};
use crate::value::{Array, Base, BooleanTest, Column, Comparison, Datum, Type};

/// xorshift64*
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % sides
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.roll(from.len())]
    }
}

/// The columns of a generated batch, two of each.
pub const INPUT: [Type; 12] = [
    Type::BOOL,
    Type::BOOL,
    Type::INT4,
    Type::INT4,
    Type::INT8,
    Type::INT8,
    Type::TEXT,
    Type::TEXT,
    Type::FLOAT8,
    Type::FLOAT8,
    Type::array_of(Base::Int4),
    Type::array_of(Base::Int4),
];

const SCALARS: [Type; 5] = [Type::BOOL, Type::INT4, Type::INT8, Type::TEXT, Type::FLOAT8];

pub struct Generator<'a> {
    pub dice: &'a mut Dice,
    catalog: Catalog,
    /// Types of the arguments of the SQL function whose body is generated.
    arguments: Vec<Type>,
    /// Inside of a body there are no columns.
    in_body: bool,
    case_value: Option<Type>,
}

impl<'a> Generator<'a> {
    pub fn new(dice: &'a mut Dice) -> Self {
        let catalog = Catalog::new(Vec::new());
        Generator {
            dice,
            catalog,
            arguments: Vec::new(),
            in_body: false,
            case_value: None,
        }
    }

    pub fn value(&mut self, ty: Type) -> Datum {
        if self.dice.roll(6) == 0 {
            return Datum::Null;
        }
        if ty.array {
            let length = self.dice.pick(&[0, 1, 3, 9, 12]);
            let mut elements = Column::new(ty.element());
            for _ in 0..length {
                let value = self.value(ty.element());
                elements.push(&value);
            }
            return Datum::Array(Rc::new(Array::new(elements)));
        }
        match ty.base {
            Base::Bool => Datum::Bool(self.dice.roll(2) == 0),
            Base::Int4 => {
                let rare = self.dice.roll(30) == 0;
                Datum::Int4(if rare {
                    self.dice.pick(&[i32::MAX, i32::MIN])
                } else {
                    self.dice.roll(7) as i32 - 2
                })
            }
            Base::Int8 => {
                let rare = self.dice.roll(30) == 0;
                Datum::Int8(if rare {
                    self.dice.pick(&[i64::MAX, 1 << 40])
                } else {
                    self.dice.roll(7) as i64 - 2
                })
            }
            Base::Float8 => {
                Datum::Float8(
                    self.dice
                        .pick(&[0.0, -0.0, 1.5, -2.0, f64::NAN, f64::INFINITY]),
                )
            }
            _ => Datum::text(self.dice.pick(&["", "a", "b", "ab", "é", "日本"])),
        }
    }

    fn operator(&self, name: &str, left: Type, right: Type) -> OperatorRef {
        self.catalog
            .resolve_operator(name, Some(left), right)
            .found()
            .unwrap()
    }

    fn call(&self, function: FunctionRef, args: Vec<Expr>) -> Expr {
        let ty = function.result;
        Expr::new(
            ExprKind::Call {
                function,
                notation: Notation::Function,
                args,
            },
            ty,
        )
    }

    fn binary(&mut self, name: &str, left: Type, right: Type, depth: usize) -> Expr {
        let function = Rc::clone(&self.operator(name, left, right).function);
        let args = vec![self.expr(left, depth), self.expr(right, depth)];
        self.call(function, args)
    }

    fn leaf(&mut self, ty: Type) -> Expr {
        let places: Vec<usize> = if self.in_body {
            (0..self.arguments.len())
                .filter(|&i| self.arguments[i] == ty)
                .collect()
        } else {
            (0..INPUT.len()).filter(|&i| INPUT[i] == ty).collect()
        };
        if self.case_value == Some(ty) && self.dice.roll(3) == 0 {
            return Expr::new(ExprKind::CaseValue, ty);
        }
        if places.is_empty() || self.dice.roll(4) == 0 {
            let value = self.value(ty);
            return Expr::constant(value, ty);
        }
        let place = self.dice.pick(&places);
        if self.in_body {
            return Expr::new(ExprKind::Argument(place), ty);
        }
        // The parameters have the columns' types, too.
        if self.dice.roll(8) == 0 {
            return Expr::new(ExprKind::Param(place), ty);
        }
        Expr::slot(place, ty)
    }

    fn exprs(&mut self, ty: Type, from: usize, to: usize, depth: usize) -> Vec<Expr> {
        let count = from + self.dice.roll(to - from + 1);
        (0..count).map(|_| self.expr(ty, depth)).collect()
    }

    pub fn expr(&mut self, ty: Type, depth: usize) -> Expr {
        if depth == 0 || self.dice.roll(6) == 0 {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        if ty.array {
            return match self.dice.roll(2) {
                0 => self.leaf(ty),
                _ => Expr::new(ExprKind::Array(self.exprs(ty.element(), 0, 3, depth)), ty),
            };
        }
        let own = match ty {
            Type::BOOL => 9,
            Type::INT4 => 5,
            Type::INT8 | Type::TEXT => 2,
            _ => 0,
        };
        let which = self.dice.roll(6 + own);
        if which >= 6 {
            return self.own_expr(ty, which - 6, depth);
        }
        let boxed = Box::new;
        let kind = match which {
            0 => return self.case(ty, depth),
            1 => ExprKind::Coalesce(self.exprs(ty, 1, 3, depth)),
            2 => ExprKind::NullIf {
                equal: self.operator("=", ty, ty),
                left: boxed(self.expr(ty, depth)),
                right: boxed(self.expr(ty, depth)),
            },
            3 => ExprKind::MinMax {
                greatest: self.dice.roll(2) == 0,
                less: self.operator("<", ty, ty),
                args: self.exprs(ty, 1, 3, depth),
            },
            4 if !self.in_body => return self.sql_call(ty, depth),
            _ => return self.leaf(ty),
        };
        Expr::new(kind, ty)
    }

    fn own_expr(&mut self, ty: Type, which: usize, depth: usize) -> Expr {
        let boxed = Box::new;
        match ty {
            Type::BOOL => self.boolean(which, depth),
            Type::INT4 if which == 4 => {
                let array = Type::array_of(Base::Int4);
                let (array, index) = (self.expr(array, depth), self.expr(Type::INT4, depth));
                Expr::new(
                    ExprKind::Subscript {
                        array: boxed(array),
                        index: boxed(index),
                    },
                    ty,
                )
            }
            Type::INT4 if which == 3 => {
                if self.dice.roll(2) == 0 {
                    let function = self
                        .catalog
                        .resolve_function("length", &[Type::TEXT])
                        .found()
                        .unwrap();
                    let args = vec![self.expr(Type::TEXT, depth)];
                    return self.call(function, args);
                }
                self.cast(Type::INT8, Type::INT4, depth)
            }
            Type::INT4 => {
                let name = self.dice.pick(&["+", "-", "*", "/"]);
                self.binary(name, ty, ty, depth)
            }
            Type::INT8 if which == 0 => self.cast(Type::INT4, Type::INT8, depth),
            Type::INT8 => self.binary("+", Type::INT4, Type::INT8, depth),
            _ if which == 0 => self.binary("||", Type::TEXT, Type::TEXT, depth),
            _ => {
                let types = [Type::TEXT, Type::INT4];
                let function = self
                    .catalog
                    .resolve_function("left", &types)
                    .found()
                    .unwrap();
                let args = vec![self.expr(Type::TEXT, depth), self.expr(Type::INT4, depth)];
                self.call(function, args)
            }
        }
    }

    fn cast(&mut self, from: Type, to: Type, depth: usize) -> Expr {
        let arg = Box::new(self.expr(from, depth));
        let (method, context) = (CastMethod::Convert, CastContext::Explicit);
        Expr::new(
            ExprKind::Cast {
                arg,
                method,
                context,
            },
            to,
        )
    }

    fn boolean(&mut self, which: usize, depth: usize) -> Expr {
        const COMPARISONS: [Comparison; 6] = [
            Comparison::Eq,
            Comparison::Ne,
            Comparison::Lt,
            Comparison::Le,
            Comparison::Gt,
            Comparison::Ge,
        ];
        const TESTS: [BooleanTest; 6] = [
            BooleanTest::IsTrue,
            BooleanTest::IsNotTrue,
            BooleanTest::IsFalse,
            BooleanTest::IsNotFalse,
            BooleanTest::IsUnknown,
            BooleanTest::IsNotUnknown,
        ];
        let boxed = Box::new;
        let op = self.dice.pick(&COMPARISONS);
        let ty = self.dice.pick(&SCALARS);
        let negated = self.dice.roll(2) == 0;
        let kind = match which {
            0 => ExprKind::And(self.exprs(Type::BOOL, 1, 3, depth)),
            1 => ExprKind::Or(self.exprs(Type::BOOL, 1, 3, depth)),
            2 => ExprKind::Not(boxed(self.expr(Type::BOOL, depth))),
            3 => ExprKind::NullTest {
                arg: boxed(self.expr(ty, depth)),
                negated,
            },
            4 => {
                let test = self.dice.pick(&TESTS);
                ExprKind::BooleanTest {
                    arg: boxed(self.expr(Type::BOOL, depth)),
                    test,
                }
            }
            5 => ExprKind::Distinct {
                equal: self.operator("=", ty, ty),
                left: boxed(self.expr(ty, depth)),
                right: boxed(self.expr(ty, depth)),
                negated,
            },
            6 => ExprKind::ScalarArray {
                operator: self.operator(op.symbol(), Type::INT4, Type::INT4),
                any: negated,
                left: boxed(self.expr(Type::INT4, depth)),
                array: boxed(self.expr(Type::array_of(Base::Int4), depth)),
            },
            7 => {
                let right = if ty == Type::INT4 { Type::INT8 } else { ty };
                ExprKind::RowCompare {
                    op,
                    operators: vec![
                        self.operator(op.symbol(), ty, right),
                        self.operator(op.symbol(), Type::INT4, Type::INT4),
                    ],
                    left: vec![self.expr(ty, depth), self.expr(Type::INT4, depth)],
                    right: vec![self.expr(right, depth), self.expr(Type::INT4, depth)],
                }
            }
            _ => {
                let right = if ty == Type::INT8 && negated {
                    Type::INT4
                } else {
                    ty
                };
                return self.binary(op.symbol(), ty, right, depth);
            }
        };
        Expr::new(kind, Type::BOOL)
    }

    fn case(&mut self, ty: Type, depth: usize) -> Expr {
        let operand_type = self.dice.pick(&SCALARS);
        let operand = (self.dice.roll(2) == 0).then(|| Box::new(self.expr(operand_type, depth)));
        let arms = (0..1 + self.dice.roll(3))
            .map(|_| {
                let outer = self.case_value;
                if operand.is_some() {
                    self.case_value = Some(operand_type);
                }
                let when = self.expr(Type::BOOL, depth);
                self.case_value = outer;
                (when, self.expr(ty, depth))
            })
            .collect();
        let otherwise = (self.dice.roll(2) == 0).then(|| Box::new(self.expr(ty, depth)));
        Expr::new(
            ExprKind::Case {
                operand,
                arms,
                otherwise,
            },
            ty,
        )
    }

    fn sql_call(&mut self, ty: Type, depth: usize) -> Expr {
        let types = vec![self.dice.pick(&SCALARS), ty];
        let args = types.iter().map(|&ty| self.expr(ty, depth)).collect();
        self.arguments = types.clone();
        self.in_body = true;
        let outer = self.case_value.take();
        let body = Rc::new(self.expr(ty, depth));
        self.case_value = outer;
        self.in_body = false;
        let model = self.operator("=", Type::INT4, Type::INT4);
        let function = Rc::new(FunctionFacts {
            args: types,
            result: ty,
            strict: self.dice.roll(2) == 0,
            origin: Origin::User(Rc::new(SqlBody {
                source: String::new(),
                argument_names: Vec::new(),
            })),
            ..(*model.function).clone()
        });
        let notation = Notation::Function;
        Expr::new(
            ExprKind::SqlCall {
                function,
                notation,
                args,
                body,
            },
            ty,
        )
    }
}
