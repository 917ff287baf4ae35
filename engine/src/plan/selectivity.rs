//! Which share of rows a condition keeps, by PostgreSQL's rules for columns without statistics
//! (`selfuncs.c`, `clausesel.c`).

use super::same::same;
use crate::bind::{Expr, ExprKind, Notation, Var};
use crate::value::{BooleanTest, Comparison, Datum, Type};

const DEFAULT_INEQUALITY: f64 = 0.333_333_333_333_333_3;
const DEFAULT_RANGE: f64 = 0.005;
const DEFAULT_MATCH: f64 = 0.005;
const DEFAULT_UNKNOWN: f64 = 0.005;
const DEFAULT_DISTINCT: f64 = 200.0;
const DEFAULT_FUNCTION: f64 = 0.333_333_3;

/// What is known about the range table.
#[derive(Clone, Copy)]
pub(super) struct Statistics<'a> {
    /// Rows of each entry.
    pub tuples: &'a [f64],
    /// Those that its own conditions keep.
    pub rows: &'a [f64],
}

impl Statistics<'_> {
    /// `clauselist_selectivity`: the product, except that two bounds of one column make a range.
    pub fn of_all<'q>(&self, exprs: impl IntoIterator<Item = &'q Expr>) -> f64 {
        let mut selectivity = 1.0;
        let mut bounds: Vec<(&Expr, bool, bool)> = Vec::new();
        for expr in exprs {
            match range_bound(expr) {
                Some((column, lower)) => {
                    match bounds.iter_mut().find(|(known, ..)| same(known, column)) {
                        Some((_, low, high)) => {
                            if lower {
                                *low = true
                            } else {
                                *high = true
                            }
                        }
                        None => bounds.push((column, lower, !lower)),
                    }
                }
                None => selectivity *= self.of(expr),
            }
        }
        for (_, low, high) in bounds {
            selectivity *= if low && high {
                DEFAULT_RANGE
            } else {
                DEFAULT_INEQUALITY
            };
        }
        selectivity
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
            ExprKind::NullTest { negated, .. } => {
                if *negated {
                    1.0 - DEFAULT_UNKNOWN
                } else {
                    DEFAULT_UNKNOWN
                }
            }
            ExprKind::BooleanTest { arg, test } => match test {
                BooleanTest::IsUnknown => DEFAULT_UNKNOWN,
                BooleanTest::IsNotUnknown => 1.0 - DEFAULT_UNKNOWN,
                BooleanTest::IsTrue | BooleanTest::IsNotFalse => self.of(arg),
                BooleanTest::IsFalse | BooleanTest::IsNotTrue => 1.0 - self.of(arg),
            },
            ExprKind::Var(_) | ExprKind::Param(_) => 0.5,
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
                let equal = self.equality(left, right);
                if *negated { equal } else { 1.0 - equal }
            }
            ExprKind::ScalarArray {
                operator,
                any,
                left,
                array,
            } => self.of_array(&operator.name, &operator.function.name, *any, left, array),
            ExprKind::RowCompare { .. } => DEFAULT_INEQUALITY,
            ExprKind::Cast { arg, .. } if arg.ty == Type::BOOL => self.of(arg),
            ExprKind::Call { .. } | ExprKind::SqlCall { .. } => DEFAULT_FUNCTION,
            _ => 0.5,
        }
    }

    fn of_operator(&self, name: &str, function: &str, left: &Expr, right: &Expr) -> f64 {
        match Comparison::from_symbol(name) {
            Some(Comparison::Eq) => self.equality(left, right),
            Some(Comparison::Ne) => 1.0 - self.equality(left, right),
            Some(_) => DEFAULT_INEQUALITY,
            None => match function {
                "textlike" | "textregexeq" | "texticlike" | "texticregexeq" => DEFAULT_MATCH,
                "textnlike" | "textregexne" | "texticnlike" | "texticregexne" => {
                    1.0 - DEFAULT_MATCH
                }
                _ => 0.5,
            },
        }
    }

    /// `eqsel` and `eqjoinsel`: one value of as many as the columns have.
    fn equality(&self, left: &Expr, right: &Expr) -> f64 {
        match (column_of(left), column_of(right)) {
            (Some(a), Some(b)) if a.rel != b.rel => {
                1.0 / self.distinct(left).max(self.distinct(right))
            }
            (Some(_), _) => 1.0 / self.distinct(left),
            (None, Some(_)) => 1.0 / self.distinct(right),
            (None, None) => 1.0 / DEFAULT_DISTINCT,
        }
    }

    /// `scalararraysel`.
    fn of_array(&self, name: &str, function: &str, any: bool, left: &Expr, array: &Expr) -> f64 {
        if matches!(array.kind, ExprKind::Const(Datum::Null)) {
            return 0.0;
        }
        let elements = super::cost::array_length(array);
        let null = Expr::constant(Datum::Null, array.ty.element());
        let one = self.of_operator(name, function, left, &null);
        let independent = if any {
            1.0 - (1.0 - one).powf(elements)
        } else {
            one.powf(elements)
        };
        let disjoint = match Comparison::from_symbol(name) {
            Some(Comparison::Eq) if any => elements * one,
            Some(Comparison::Ne) if !any => 1.0 + elements * (one - 1.0),
            _ => return independent.clamp(0.0, 1.0),
        };
        if (0.0..=1.0).contains(&disjoint) {
            disjoint
        } else {
            independent.clamp(0.0, 1.0)
        }
    }

    /// `get_variable_numdistinct` without statistics.
    pub fn distinct(&self, expr: &Expr) -> f64 {
        if expr.ty == Type::BOOL {
            return 2.0;
        }
        let tuples = column_of(expr)
            .and_then(|var| self.tuples.get(var.rel))
            .copied();
        match tuples {
            Some(tuples) if tuples > 0.0 => tuples.min(DEFAULT_DISTINCT),
            _ => DEFAULT_DISTINCT,
        }
    }

    /// `estimate_num_groups`: the product over the columns the groups are made of; several columns of
    /// one relation are expected to depend on each other.
    pub fn groups(&self, groups: &[Expr], input_rows: f64) -> f64 {
        let mut columns: Vec<&Expr> = Vec::new();
        for group in groups {
            collect_columns(group, &mut columns);
        }
        let mut by_rel: std::collections::BTreeMap<usize, Vec<f64>> = Default::default();
        for (i, column) in columns.iter().enumerate() {
            if let Some(var) = column_of(column)
                && !columns[..i].iter().any(|known| same(known, column))
            {
                by_rel
                    .entry(var.rel)
                    .or_default()
                    .push(self.distinct(column));
            }
        }
        let mut product = 1.0;
        for (rel, distinct) in by_rel {
            let tuples = self.tuples.get(rel).copied().unwrap_or(input_rows);
            let rows = self.rows.get(rel).copied().unwrap_or(tuples);
            let most = distinct.iter().copied().fold(1.0, f64::max);
            let mut groups: f64 = distinct.iter().product();
            if distinct.len() > 1 {
                groups = groups.min((tuples * 0.1).max(most).min(tuples));
            }
            if groups > 0.0 && rows < tuples {
                groups *= 1.0 - ((tuples - rows) / tuples).powf(tuples / groups);
            }
            product *= super::cost::clamp_rows(groups);
        }
        super::cost::clamp_rows(product.min(input_rows))
    }

    /// `estimate_hash_bucket_stats`: the share of a hash table's rows in the bucket of a value.
    pub fn bucket_share(&self, key: &Expr) -> f64 {
        let rel = column_of(key).map(|var| var.rel);
        match rel.and_then(|rel| Some((self.tuples.get(rel)?, self.rows.get(rel)?))) {
            Some((&tuples, &rows)) if tuples > 0.0 && tuples < DEFAULT_DISTINCT => {
                1.0 / super::cost::clamp_rows(self.distinct(key) * rows / tuples)
            }
            _ => 0.1,
        }
    }
}

fn collect_columns<'e>(expr: &'e Expr, columns: &mut Vec<&'e Expr>) {
    if let ExprKind::Var(_) = expr.kind {
        columns.push(expr);
    }
    expr.each_child(|child| collect_columns(child, columns));
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
