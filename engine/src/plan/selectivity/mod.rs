//! Which share of rows a condition keeps, by PostgreSQL's rules (`selfuncs.c`, `clausesel.c`), with the
//! statistics that ANALYZE keeps or its guesses without them.

mod groups;
mod join;
mod pattern;
mod scalar;
mod variable;

use std::rc::Rc;

pub(super) use join::JoinSelectivity;

use super::same::same;
use crate::bind::{Expr, ExprKind, Notation, Var};
use crate::catalog::ColumnStatistics;
use crate::value::{BooleanTest, Comparison, Datum, Type};

const DEFAULT_EQUAL: f64 = 0.005;
const DEFAULT_INEQUALITY: f64 = 0.333_333_333_333_333_3;
const DEFAULT_RANGE: f64 = 0.005;
const DEFAULT_MATCH: f64 = 0.005;
const DEFAULT_UNKNOWN: f64 = 0.005;
const DEFAULT_DISTINCT: f64 = 200.0;
const DEFAULT_FUNCTION: f64 = 0.333_333_3;

/// What is known about the range table.
#[derive(Clone, Copy)]
pub(super) struct Statistics<'a> {
    pub rels: &'a [RelStatistics],
}

/// What is known about an entry of the range table.
#[derive(Clone, Debug)]
pub(super) struct RelStatistics {
    /// Its rows.
    pub tuples: f64,
    /// Those that its own conditions keep.
    pub rows: f64,
    /// What ANALYZE knows of its columns; may be shorter than they are.
    pub columns: Vec<Option<Rc<ColumnStatistics>>>,
    /// The column that has every value once, by a GROUP BY or DISTINCT.
    pub unique: Option<usize>,
}

impl Default for RelStatistics {
    fn default() -> Self {
        RelStatistics {
            tuples: 1000.0,
            rows: 1000.0,
            columns: Vec::new(),
            unique: None,
        }
    }
}

/// Bounds of one column that are found among conditions.
struct Bounds<'e> {
    column: &'e Expr,
    lower: Option<f64>,
    upper: Option<f64>,
}

impl Statistics<'_> {
    /// `clauselist_selectivity`: the product, except that two bounds of one column make a range.
    pub fn of_all<'q>(&self, exprs: impl IntoIterator<Item = &'q Expr>) -> f64 {
        let mut selectivity = 1.0;
        let mut bounds: Vec<Bounds<'_>> = Vec::new();
        for expr in exprs {
            let share = self.of(expr);
            let Some((column, lower)) = range_bound(expr) else {
                selectivity *= share;
                continue;
            };
            let at = match bounds.iter().position(|known| same(known.column, column)) {
                Some(at) => at,
                None => {
                    bounds.push(Bounds {
                        column,
                        lower: None,
                        upper: None,
                    });
                    bounds.len() - 1
                }
            };
            let side = match lower {
                true => &mut bounds[at].lower,
                false => &mut bounds[at].upper,
            };
            // Of two bounds on one side the tighter one counts.
            *side = Some(side.map_or(share, |known| known.min(share)));
        }
        for known in &bounds {
            selectivity *= match (known.lower, known.upper) {
                (Some(lower), Some(upper)) => self.between(known.column, lower, upper),
                (Some(share), None) | (None, Some(share)) => share,
                (None, None) => 1.0,
            };
        }
        selectivity
    }

    /// What lies between two bounds: what both keep, of the rows with a value.
    fn between(&self, column: &Expr, lower: f64, upper: f64) -> f64 {
        if lower == DEFAULT_INEQUALITY || upper == DEFAULT_INEQUALITY {
            return DEFAULT_RANGE;
        }
        let share = lower + upper - 1.0 + self.null_test(column, false);
        if share > 0.0 {
            share
        } else if share < -0.01 {
            DEFAULT_RANGE
        } else {
            1.0e-10
        }
    }

    /// `nulltestsel`
    fn null_test(&self, arg: &Expr, negated: bool) -> f64 {
        let column = self.variable(arg).and_then(|variable| variable.column);
        let nulls = column.map_or(DEFAULT_UNKNOWN, |known| f64::from(known.null_fraction));
        if negated { 1.0 - nulls } else { nulls }
    }

    /// `booltestsel`
    fn boolean_test(&self, arg: &Expr, test: BooleanTest) -> f64 {
        let variable = self.variable(arg);
        let known = variable.and_then(|variable| {
            Some((
                variable.column?,
                variable.equals(&Datum::Bool(true), Type::BOOL, false),
            ))
        });
        let (nulls, of_true) = match known {
            Some((column, of_true)) => (f64::from(column.null_fraction), of_true),
            None => {
                return match test {
                    BooleanTest::IsUnknown => DEFAULT_UNKNOWN,
                    BooleanTest::IsNotUnknown => 1.0 - DEFAULT_UNKNOWN,
                    BooleanTest::IsTrue | BooleanTest::IsNotFalse => self.of(arg),
                    BooleanTest::IsFalse | BooleanTest::IsNotTrue => 1.0 - self.of(arg),
                };
            }
        };
        let of_false = 1.0 - of_true - nulls;
        match test {
            BooleanTest::IsUnknown => nulls,
            BooleanTest::IsNotUnknown => 1.0 - nulls,
            BooleanTest::IsTrue => of_true,
            BooleanTest::IsNotTrue => 1.0 - of_true,
            BooleanTest::IsFalse => of_false,
            BooleanTest::IsNotFalse => 1.0 - of_false,
        }
        .clamp(0.0, 1.0)
    }

    /// `clause_selectivity`.
    pub fn of(&self, expr: &Expr) -> f64 {
        match &expr.kind {
            ExprKind::Const(Datum::Bool(true)) => 1.0,
            ExprKind::Const(_) => 0.0,
            ExprKind::And(args) => self.of_all(args),
            ExprKind::Or(args) => args
                .iter()
                .map(|arg| self.of(arg))
                .fold(0.0, |a, b| a + b - a * b),
            ExprKind::Not(arg) => 1.0 - self.of(arg),
            ExprKind::NullTest { arg, negated } => self.null_test(arg, *negated),
            ExprKind::BooleanTest { arg, test } => self.boolean_test(arg, *test),
            ExprKind::Var(_) => match self.variable(expr) {
                Some(variable) if variable.column.is_some() => {
                    variable.equals(&Datum::Bool(true), Type::BOOL, false)
                }
                _ => 0.5,
            },
            ExprKind::Param(_) => 0.5,
            ExprKind::Call {
                function,
                notation: Notation::Operator(operator),
                args,
            } => match &args[..] {
                [left, right] => self.of_operator(&operator.name, &function.name, left, right),
                _ => DEFAULT_FUNCTION,
            },
            ExprKind::Distinct {
                left,
                right,
                negated,
                ..
            } => {
                let equal = self.compared(Comparison::Eq, left, right);
                if *negated { equal } else { 1.0 - equal }
            }
            ExprKind::ScalarArray {
                operator,
                any,
                left,
                array,
            } => self.of_array(&operator.name, &operator.function.name, *any, left, array),
            // The first columns decide most (`rowcomparesel`).
            ExprKind::RowCompare {
                op, left, right, ..
            } => match (left.first(), right.first()) {
                (Some(left), Some(right)) => self.compared(*op, left, right),
                _ => DEFAULT_INEQUALITY,
            },
            ExprKind::Cast { arg, .. } if arg.ty == Type::BOOL => self.of(arg),
            ExprKind::Call { .. } | ExprKind::SqlCall { .. } => DEFAULT_FUNCTION,
            _ => 0.5,
        }
    }

    fn of_operator(&self, name: &str, function: &str, left: &Expr, right: &Expr) -> f64 {
        match Comparison::from_symbol(name) {
            Some(op) => self.compared(op, left, right),
            None => match function {
                "textlike" => self.like(left, right, false),
                "textnlike" => self.like(left, right, true),
                "textregexeq" | "texticlike" | "texticregexeq" => DEFAULT_MATCH,
                "textregexne" | "texticnlike" | "texticregexne" => 1.0 - DEFAULT_MATCH,
                _ => 0.5,
            },
        }
    }

    /// `scalararraysel`.
    fn of_array(&self, name: &str, function: &str, any: bool, left: &Expr, array: &Expr) -> f64 {
        if matches!(array.kind, ExprKind::Const(Datum::Null)) {
            return 0.0;
        }
        let (equal, unequal) = match Comparison::from_symbol(name) {
            Some(Comparison::Eq) => (true, false),
            Some(Comparison::Ne) => (false, true),
            _ => (false, false),
        };
        let mut independent = if any { 0.0 } else { 1.0 };
        let mut disjoint = independent;
        let mut add = |element: &Expr| {
            let share = self.of_operator(name, function, left, element);
            if any {
                independent += share - independent * share;
                disjoint += share;
            } else {
                independent *= share;
                disjoint += share - 1.0;
            }
        };
        match &array.kind {
            ExprKind::Const(Datum::Array(values)) => {
                for row in 0..values.len() {
                    let value = values.elements.get(row);
                    add(&Expr::constant(value, values.element_type()));
                }
            }
            ExprKind::Array(elements) => elements.iter().for_each(add),
            _ => {
                let unknown = Expr::new(ExprKind::CaseValue, array.ty.element());
                let elements = super::cost::array_length(array) as usize;
                (0..elements).for_each(|_| add(&unknown));
            }
        }
        let fits = (0.0..=1.0).contains(&disjoint);
        if fits && if any { equal } else { unequal } {
            disjoint
        } else {
            independent.clamp(0.0, 1.0)
        }
    }
}

/// The column an expression is, relabels aside.
pub(super) fn column_of(expr: &Expr) -> Option<Var> {
    match &expr.kind {
        ExprKind::Var(var) => Some(*var),
        ExprKind::Cast {
            arg,
            method: crate::bind::CastMethod::Relabel,
            ..
        } => column_of(arg),
        _ => None,
    }
}

/// `addRangeClause`: a bound of a column by a value without columns; true: it is a lower one.
fn range_bound(expr: &Expr) -> Option<(&Expr, bool)> {
    let ExprKind::Call {
        notation: Notation::Operator(operator),
        args,
        ..
    } = &expr.kind
    else {
        return None;
    };
    let (left, right) = match &args[..] {
        [left, right] => (left, right),
        _ => return None,
    };
    let lower = match Comparison::from_symbol(&operator.name)? {
        Comparison::Gt | Comparison::Ge => true,
        Comparison::Lt | Comparison::Le => false,
        Comparison::Eq | Comparison::Ne => return None,
    };
    let is_value = |expr: &Expr| super::walk::rels_of(expr).is_empty();
    match (is_value(left), is_value(right)) {
        (false, true) => Some((left, lower)),
        (true, false) => Some((right, !lower)),
        _ => None,
    }
}
