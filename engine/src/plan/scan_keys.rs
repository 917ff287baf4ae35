//! Which conditions of a scan become ScanKeys, and why the others do not (mail 1, Tachoires).
//!
//! A conjunct over one table is pushed when one side is a plain column and the other can be computed
//! before the scan returns a row: the access method then never sees an expression over its rows.

use std::rc::Rc;

use super::node::*;
use super::planner::Planner;
use super::quals::split;
use super::walk::{Rels, contains, is_volatile, rels_of};
use crate::am::{KeyShape, KeySupport};
use crate::bind::{CastMethod, Expr, ExprKind, Notation};
use crate::catalog::{FunctionFacts, OperatorRef, Origin, Table, Volatility};
use crate::settings::{Name, Recheck};
use crate::value::{BooleanTest, Comparison, Datum, Type};

/// A scan's conditions, told apart.
pub(super) struct Pushed {
    pub keys: Vec<PlannedKey>,
    /// What the executor evaluates, in this order; the first `rechecked` are tested by keys as well.
    pub filter: Vec<Expr>,
    pub rechecked: usize,
    pub not_pushed: Vec<NotPushed>,
    pub decided_by: DecidedBy,
}

/// A condition as a key: what the access method is asked, and what it is handed.
struct Candidate {
    test: PlannedTest,
    shape: KeyShape,
    /// The key lets rows through that fail the condition.
    wider: bool,
}

type Answer<T> = Result<T, NotPushedReason>;

impl Planner<'_> {
    /// Sorts a scan's conditions into keys and filter. `pending` are those with correlated
    /// sub-selects, which an Apply above the scan evaluates.
    pub fn push_down(&self, table: &Rc<Table>, conditions: Vec<Expr>, pending: &[Expr]) -> Pushed {
        let (on, decided_by) = match table.options.quals_push_down {
            Some(on) => (on, DecidedBy::TableOption),
            None => (self.settings.flag(Name::QualsPushDown), DecidedBy::Setting),
        };
        let mut pushed = Pushed {
            keys: Vec::new(),
            filter: Vec::new(),
            rechecked: 0,
            not_pushed: Vec::new(),
            decided_by,
        };
        let mut rechecked = Vec::new();
        for condition in conditions {
            let answer = match on {
                true => self.key(table, &condition),
                false => Err(NotPushedReason::PushDownOff(decided_by)),
            };
            match answer {
                Ok(key) => {
                    if key.support == KeySupport::Inexact
                        || self.settings.recheck() == Recheck::Always
                    {
                        rechecked.push(condition);
                    }
                    pushed.keys.push(key);
                }
                Err(reason) => {
                    pushed.not_pushed.push(NotPushed {
                        qual: over_table(&condition),
                        reason,
                    });
                    pushed.filter.push(condition);
                }
            }
        }
        for condition in pending {
            let reason = match on {
                true => NotPushedReason::CorrelatedSubselect,
                false => NotPushedReason::PushDownOff(decided_by),
            };
            pushed.not_pushed.push(NotPushed {
                qual: over_table(condition),
                reason,
            });
        }
        pushed.rechecked = rechecked.len();
        pushed.filter.splice(0..0, rechecked);
        pushed
    }

    /// The condition as a key that the access method takes.
    fn key(&self, table: &Table, condition: &Expr) -> Answer<PlannedKey> {
        let candidate = self.candidate(condition)?;
        let support = match table.am.key_support(&candidate.shape) {
            KeySupport::Exact if candidate.wider => KeySupport::Inexact,
            KeySupport::No => return Err(not_supported(&candidate.shape, table.am.name())),
            support => support,
        };
        Ok(PlannedKey {
            test: candidate.test,
            support,
            qual: over_table(condition),
        })
    }

    fn candidate(&self, condition: &Expr) -> Answer<Candidate> {
        match &condition.kind {
            ExprKind::Call {
                notation: Notation::Operator(operator),
                args,
                ..
            } => match &args[..] {
                [left, right] => self.comparison(operator, left, right),
                _ => self
                    .check_function(&operator.function, &operator.name)
                    .and(Err(NotPushedReason::NotSimple)),
            },
            ExprKind::Call { function, .. } => self
                .check_function(function, &function.name)
                .and(Err(NotPushedReason::NotSimple)),
            ExprKind::SqlCall {
                function, notation, ..
            } => Err(NotPushedReason::UserDefinedOperator(match notation {
                Notation::Operator(operator) => Rc::clone(&operator.name),
                Notation::Function => Rc::clone(&function.name),
            })),
            ExprKind::ScalarArray {
                operator,
                any,
                left,
                array,
            } => {
                self.check_function(&operator.function, &operator.name)?;
                check_volatile(condition)?;
                let (column, ty) = column_side(left)?;
                if !is_value(array) {
                    return Err(NotPushedReason::NotSimple);
                }
                let op = comparison_named(operator)?;
                Ok(Candidate {
                    test: PlannedTest::Array {
                        column,
                        op,
                        any: *any,
                        array: (**array).clone(),
                    },
                    shape: KeyShape::Array {
                        column: ty,
                        op,
                        any: *any,
                        element: array.ty.element(),
                    },
                    wider: false,
                })
            }
            ExprKind::NullTest { arg, negated } => {
                check_volatile(arg)?;
                let (column, _) = column_side(arg)?;
                Ok(exact(
                    PlannedTest::Null {
                        column,
                        negated: *negated,
                    },
                    KeyShape::Null,
                ))
            }
            ExprKind::Var(_) => self.boolean(condition, BooleanTest::IsTrue),
            ExprKind::Not(arg) => self.boolean(arg, BooleanTest::IsFalse),
            ExprKind::BooleanTest { arg, test } => self.boolean(arg, *test),
            ExprKind::RowCompare {
                op,
                operators,
                left,
                right,
            } => {
                let (op, operators, columns, values) = if left.iter().all(is_value) {
                    let commuted = operators.iter().map(|operator| self.commutator(operator));
                    (
                        op.commuted(),
                        commuted.collect::<Answer<Vec<_>>>()?,
                        right,
                        left,
                    )
                } else {
                    (*op, operators.clone(), left, right)
                };
                operators
                    .iter()
                    .try_for_each(|o| self.check_function(&o.function, &o.name))?;
                check_volatile(condition)?;
                let columns = columns
                    .iter()
                    .map(column_side)
                    .collect::<Answer<Vec<_>>>()?;
                if !values.iter().all(is_value) {
                    return Err(NotPushedReason::NotSimple);
                }
                let (columns, types) = columns.into_iter().unzip();
                Ok(exact(
                    PlannedTest::Row {
                        columns,
                        op,
                        values: values.clone(),
                    },
                    KeyShape::Row {
                        columns: types,
                        op,
                        values: values.iter().map(|value| value.ty).collect(),
                    },
                ))
            }
            ExprKind::Or(arms) => self.any_of(arms),
            _ => check_volatile(condition).and(Err(NotPushedReason::NotSimple)),
        }
    }

    /// `column op value`, or `value op column` by the commutator, which must pass the same checks.
    fn comparison(&self, operator: &OperatorRef, left: &Expr, right: &Expr) -> Answer<Candidate> {
        self.check_function(&operator.function, &operator.name)?;
        check_volatile(left)?;
        check_volatile(right)?;
        let commuted;
        let (operator, column, value) = if is_value(left) && !is_value(right) {
            let column = column_side(right)?;
            commuted = self.commutator(operator)?;
            self.check_function(&commuted.function, &commuted.name)?;
            (&commuted, column, left)
        } else {
            let column = column_side(left)?;
            if !is_value(right) {
                return Err(match column_side(right) {
                    Ok(_) => NotPushedReason::NotSimple,
                    Err(reason) => reason,
                });
            }
            (operator, column, right)
        };
        let (column, ty) = column;
        if &*operator.function.name == "textlike" {
            let prefix = like_prefix(value).ok_or(NotPushedReason::NotSimple)?;
            return Ok(Candidate {
                test: PlannedTest::Prefix { column, prefix },
                shape: KeyShape::Prefix,
                wider: true,
            });
        }
        let op = comparison_named(operator)?;
        Ok(exact(
            PlannedTest::Compare {
                column,
                op,
                value: value.clone(),
            },
            KeyShape::Compare {
                column: ty,
                op,
                value: value.ty,
            },
        ))
    }

    /// A test of a boolean column.
    fn boolean(&self, arg: &Expr, test: BooleanTest) -> Answer<Candidate> {
        check_volatile(arg)?;
        match column_side(arg) {
            Ok((column, Type::BOOL)) => Ok(exact(
                PlannedTest::Boolean { column, test },
                KeyShape::Boolean,
            )),
            // The test is of a condition rather than of a column: what keeps that one behind?
            _ => Err(self
                .candidate(arg)
                .err()
                .unwrap_or(NotPushedReason::NotSimple)),
        }
    }

    /// An OR is a group of keys if every term of every arm is a key.
    fn any_of(&self, arms: &[Expr]) -> Answer<Candidate> {
        let mut groups = Vec::with_capacity(arms.len());
        let mut shapes = Vec::with_capacity(arms.len());
        let mut wider = false;
        for arm in arms {
            let mut terms = Vec::new();
            split(arm.clone(), &mut terms);
            let mut group = Vec::with_capacity(terms.len());
            let mut shape = Vec::with_capacity(terms.len());
            for term in &terms {
                let candidate = self.candidate(term)?;
                group.push(candidate.test);
                shape.push(candidate.shape);
                wider |= candidate.wider;
            }
            groups.push(group);
            shapes.push(shape);
        }
        Ok(Candidate {
            test: PlannedTest::AnyOf(groups),
            shape: KeyShape::AnyOf(shapes),
            wider,
        })
    }

    fn check_function(&self, function: &FunctionFacts, name: &Rc<str>) -> Answer<()> {
        check_function(
            function,
            name,
            self.settings.flag(Name::QualsRequireLeakproof),
        )
    }

    fn commutator(&self, operator: &OperatorRef) -> Answer<OperatorRef> {
        let left = operator.left.ok_or(NotPushedReason::NotSimple)?;
        operator
            .commutator
            .as_ref()
            .and_then(|name| self.find_operator(name, operator.right, left))
            .ok_or(NotPushedReason::NotSimple)
    }
}

/// Mail 1's rule: the function is the catalog's own and leakproof. `name` is what the user wrote. That it
/// must be strict keeps out no operator of the catalog that answers true or false.
fn check_function(function: &FunctionFacts, name: &Rc<str>, require_leakproof: bool) -> Answer<()> {
    if matches!(function.origin, Origin::User(_)) {
        return Err(NotPushedReason::UserDefinedOperator(Rc::clone(name)));
    }
    if function.volatility == Volatility::Volatile {
        return Err(NotPushedReason::Volatile);
    }
    if !function.strict {
        return Err(NotPushedReason::NotStrict(Rc::clone(&function.name)));
    }
    if !function.leakproof && require_leakproof {
        return Err(NotPushedReason::NotLeakproof(Rc::clone(&function.name)));
    }
    Ok(())
}

fn exact(test: PlannedTest, shape: KeyShape) -> Candidate {
    Candidate {
        test,
        shape,
        wider: false,
    }
}

fn check_volatile(expr: &Expr) -> Answer<()> {
    if is_volatile(expr) {
        Err(NotPushedReason::Volatile)
    } else {
        Ok(())
    }
}

/// The table column an operand is, binary-coercible relabels stripped, and its declared type.
fn column_side(expr: &Expr) -> Answer<(usize, Type)> {
    match &expr.kind {
        ExprKind::Var(var) if var.column != super::from::TID => Ok((var.column, expr.ty)),
        ExprKind::Cast {
            arg,
            method: CastMethod::Relabel,
            ..
        } => column_side(arg),
        _ if contains(expr, &|e| matches!(e.kind, ExprKind::Var(_))) => {
            Err(NotPushedReason::ExpressionOnColumnSide)
        }
        _ => Err(NotPushedReason::NotSimple),
    }
}

/// True for an operand that no row decides.
fn is_value(expr: &Expr) -> bool {
    rels_of(expr) == Rels::default()
}

fn comparison_named(operator: &OperatorRef) -> Answer<Comparison> {
    Comparison::from_symbol(&operator.name)
        .ok_or_else(|| NotPushedReason::OperatorNotSupported(Rc::clone(&operator.name)))
}

fn not_supported(shape: &KeyShape, access_method: &'static str) -> NotPushedReason {
    match shape {
        KeyShape::Compare { column, .. } | KeyShape::Array { column, .. } => {
            NotPushedReason::TypeNotSupported {
                ty: *column,
                access_method,
            }
        }
        KeyShape::Row { columns, .. } => match columns.first() {
            Some(&ty) => NotPushedReason::TypeNotSupported { ty, access_method },
            None => NotPushedReason::FormNotSupported { access_method },
        },
        _ => NotPushedReason::FormNotSupported { access_method },
    }
}

/// The condition for EXPLAIN: its Slots are the table's columns.
fn over_table(condition: &Expr) -> Expr {
    let mut expr = condition.clone();
    super::walk::each_mut(&mut expr, 0, &mut |e, _| {
        if let ExprKind::Var(var) = e.kind {
            e.kind = ExprKind::Slot(var.column);
        }
    });
    expr
}

/// `like_fixed_prefix`: the characters of a LIKE pattern before its first wildcard.
fn like_prefix(pattern: &Expr) -> Option<Rc<str>> {
    let ExprKind::Const(Datum::Text(pattern)) = &pattern.kind else {
        return None;
    };
    let mut prefix = String::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '%' | '_' => break,
            '\\' => prefix.push(chars.next()?),
            c => prefix.push(c),
        }
    }
    (!prefix.is_empty()).then(|| prefix.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::FunctionKind;

    /// A catalog function that may be pushed.
    fn pushable() -> FunctionFacts {
        FunctionFacts {
            name: "int4eq".into(),
            args: vec![Type::INT4, Type::INT4],
            result: Type::BOOL,
            kind: FunctionKind::Plain,
            strict: true,
            volatility: Volatility::Immutable,
            leakproof: true,
            returns_set: false,
            origin: Origin::Builtin,
        }
    }

    #[test]
    fn a_function_that_is_not_strict_stays_behind_and_is_named() {
        let check = |function: &FunctionFacts| check_function(function, &"=".into(), true).err();
        assert_eq!(check(&pushable()), None);
        let lax = FunctionFacts {
            strict: false,
            ..pushable()
        };
        assert_eq!(
            check(&lax),
            Some(NotPushedReason::NotStrict("int4eq".into()))
        );
        // Of two reasons the first by the mail's order is named.
        let lax = FunctionFacts {
            leakproof: false,
            ..lax
        };
        assert_eq!(
            check(&lax),
            Some(NotPushedReason::NotStrict("int4eq".into()))
        );
    }
}
