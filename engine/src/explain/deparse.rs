//! Expressions of a plan as SQL text, the way PostgreSQL's `ruleutils.c` prints them for EXPLAIN.
//!
//! A Slot is printed as what it shows: the walk goes down the plan to the scan's column, or to the
//! expression that computes it (then in parentheses, as PostgreSQL does).

use std::collections::HashMap;

use super::literal::{write_constant, write_identifier, write_type};
use crate::bind::{CastContext, CastMethod, Expr, ExprKind, Notation, ParamId};
use crate::plan::{NodeKind, Plan, PlanNode, SeqScan, SubPlanKind};
use crate::value::{BooleanTest, Datum};

/// Prints the expressions of one plan.
pub(super) struct Deparser<'a> {
    plan: &'a Plan,
    /// Parameters that carry a column of an outer row: printed as that column.
    outer: HashMap<ParamId, (Place<'a>, Expr)>,
}

/// The rows an expression's Slots are columns of.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    /// A node's own rows.
    Own(&'a PlanNode),
    /// A join's pairs: the outer side's columns, then the inner side's.
    Pair(&'a PlanNode),
    /// A node's output.
    Output(&'a PlanNode),
    /// All columns of a scan's table.
    Table(&'a SeqScan),
    /// No Slots.
    Nothing,
}

impl<'a> Deparser<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        let mut outer = HashMap::new();
        let mut see = |node: &'a PlanNode| match &node.kind {
            NodeKind::Apply(apply) => {
                for (param, expr) in &apply.params {
                    outer.insert(*param, (Place::Output(&node.children[0]), expr.clone()));
                }
            }
            NodeKind::NestedLoop { params, .. } => {
                for (param, slot) in params {
                    let child = &node.children[0];
                    let expr = Expr::slot(*slot, child.output[*slot].ty);
                    outer.insert(*param, (Place::Output(child), expr));
                }
            }
            _ => {}
        };
        plan.root.each(&mut see);
        plan.subplans
            .iter()
            .for_each(|subplan| subplan.root.each(&mut see));
        Deparser { plan, outer }
    }

    /// `prefix`: columns are written with their relation's name.
    pub fn text(&self, expr: &Expr, place: Place<'a>, prefix: bool) -> String {
        let mut out = String::new();
        Writer {
            deparser: self,
            prefix,
            out: &mut out,
        }
        .expr(expr, place, false);
        out
    }

    /// As [`Deparser::text`], implicit casts included: sort and group keys, operands.
    pub fn operand(&self, expr: &Expr, place: Place<'a>, prefix: bool) -> String {
        let mut out = String::new();
        Writer {
            deparser: self,
            prefix,
            out: &mut out,
        }
        .expr(expr, place, true);
        out
    }

    /// `InitPlan 1 (returns $0)`, `SubPlan 2`.
    pub fn sub_plan_name(&self, index: usize) -> String {
        match &self.plan.subplans[index].kind {
            SubPlanKind::Init { param, .. } => format!("InitPlan {} (returns ${param})", index + 1),
            SubPlanKind::Common { name, .. } => format!("CTE {name}"),
            SubPlanKind::Correlated { .. } => format!("SubPlan {}", index + 1),
        }
    }

    /// A column of a node's output, as an expression above it refers to it.
    pub fn column(&self, node: &'a PlanNode, column: usize, prefix: bool) -> String {
        let mut out = String::new();
        Writer {
            deparser: self,
            prefix,
            out: &mut out,
        }
        .slot(Place::Output(node), column);
        out
    }

    /// A column of a node's output, as the node itself computes it: a target list's entry.
    pub fn target(&self, node: &'a PlanNode, column: usize, prefix: bool) -> String {
        match (&node.kind, &node.project) {
            (NodeKind::ProjectSet { targets }, _) => {
                let mut out = String::new();
                Writer {
                    deparser: self,
                    prefix,
                    out: &mut out,
                }
                .set_target(&targets[column], &node.children[0]);
                out
            }
            (_, Some(project)) => self.text(&project[column], Place::Own(node), prefix),
            (_, None) => {
                let mut out = String::new();
                Writer {
                    deparser: self,
                    prefix,
                    out: &mut out,
                }
                .own(node, column, false);
                out
            }
        }
    }

    pub fn function_call(&self, name: &str, args: &[Expr]) -> String {
        let mut out = String::new();
        Writer {
            deparser: self,
            prefix: true,
            out: &mut out,
        }
        .call(name, args, Place::Nothing);
        out
    }
}

pub(super) struct Writer<'w, 'a> {
    deparser: &'w Deparser<'a>,
    pub prefix: bool,
    pub out: &'w mut String,
}

impl<'a> Writer<'_, 'a> {
    pub fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub fn list(&mut self, exprs: &[Expr], separator: &str, place: Place<'a>, implicit: bool) {
        for (i, expr) in exprs.iter().enumerate() {
            if i > 0 {
                self.push(separator);
            }
            self.expr(expr, place, implicit);
        }
    }

    /// `get_rule_expr`; `implicit`: implicit casts are written out.
    pub fn expr(&mut self, expr: &Expr, place: Place<'a>, implicit: bool) {
        match &expr.kind {
            ExprKind::Const(value) => write_constant(value, expr.ty, expr.typmod, true, self.out),
            ExprKind::Slot(slot) => self.slot(place, *slot),
            ExprKind::Param(param) => self.param(*param),
            ExprKind::Argument(argument) => self.push(&format!("${}", argument + 1)),
            ExprKind::Call {
                function,
                notation,
                args,
            }
            | ExprKind::SqlCall {
                function,
                notation,
                args,
                ..
            } => match (notation, &args[..]) {
                (Notation::Operator(operator), [arg]) => {
                    self.push(&format!("({} ", operator.name));
                    self.expr(arg, place, true);
                    self.push(")");
                }
                (Notation::Operator(operator), [left, right]) => {
                    self.binary(left, &operator.name, right, place);
                }
                // SQL's functions that are written without parentheses.
                (Notation::Function, []) if is_keyword_call(&function.name) => {
                    self.push(&function.name.to_ascii_uppercase());
                }
                _ => self.call(&function.name, args, place),
            },
            ExprKind::And(args) | ExprKind::Or(args) => {
                let separator = if matches!(expr.kind, ExprKind::And(_)) {
                    " AND "
                } else {
                    " OR "
                };
                self.push("(");
                self.list(args, separator, place, false);
                self.push(")");
            }
            ExprKind::Not(arg) => {
                self.push("(NOT ");
                self.expr(arg, place, false);
                self.push(")");
            }
            ExprKind::NullTest { arg, negated } => {
                self.push("(");
                self.expr(arg, place, true);
                self.push(if *negated {
                    " IS NOT NULL)"
                } else {
                    " IS NULL)"
                });
            }
            ExprKind::BooleanTest { arg, test } => {
                self.push("(");
                self.expr(arg, place, false);
                self.push(match test {
                    BooleanTest::IsTrue => " IS TRUE)",
                    BooleanTest::IsNotTrue => " IS NOT TRUE)",
                    BooleanTest::IsFalse => " IS FALSE)",
                    BooleanTest::IsNotFalse => " IS NOT FALSE)",
                    BooleanTest::IsUnknown => " IS UNKNOWN)",
                    BooleanTest::IsNotUnknown => " IS NOT UNKNOWN)",
                });
            }
            ExprKind::Distinct {
                left,
                right,
                negated,
                ..
            } => {
                if *negated {
                    self.push("(NOT ");
                }
                self.binary(left, "IS DISTINCT FROM", right, place);
                if *negated {
                    self.push(")");
                }
            }
            ExprKind::Case {
                operand,
                arms,
                otherwise,
            } => {
                self.push("CASE");
                if let Some(operand) = operand {
                    self.push(" ");
                    self.expr(operand, place, true);
                }
                for (when, then) in arms {
                    self.push(" WHEN ");
                    self.when(when, operand.is_some(), place);
                    self.push(" THEN ");
                    self.expr(then, place, true);
                }
                self.push(" ELSE ");
                match otherwise {
                    Some(otherwise) => self.expr(otherwise, place, true),
                    None => write_constant(&Datum::Null, expr.ty, expr.typmod, true, self.out),
                }
                self.push(" END");
            }
            ExprKind::CaseValue => self.push("CASE_TEST_EXPR"),
            ExprKind::Coalesce(args) => self.special("COALESCE", args, place),
            ExprKind::MinMax { greatest, args, .. } => {
                self.special(if *greatest { "GREATEST" } else { "LEAST" }, args, place);
            }
            ExprKind::NullIf { left, right, .. } => {
                self.push("NULLIF(");
                self.expr(left, place, true);
                self.push(", ");
                self.expr(right, place, true);
                self.push(")");
            }
            ExprKind::ScalarArray {
                operator,
                any,
                left,
                array,
            } => {
                self.push("(");
                self.expr(left, place, true);
                self.push(&format!(
                    " {} {} (",
                    operator.name,
                    if *any { "ANY" } else { "ALL" }
                ));
                self.expr(array, place, true);
                self.push("))");
            }
            ExprKind::RowCompare {
                op, left, right, ..
            } => {
                self.push("(ROW(");
                self.list(left, ", ", place, true);
                self.push(&format!(") {} ROW(", op.symbol()));
                self.list(right, ", ", place, true);
                self.push("))");
            }
            ExprKind::Array(elements) => {
                self.push("ARRAY[");
                self.list(elements, ", ", place, true);
                self.push("]");
                if elements.is_empty() {
                    self.push("::");
                    write_type(expr.ty, -1, self.out);
                }
            }
            ExprKind::Subscript { array, index } => {
                let plain = matches!(array.kind, ExprKind::Slot(_));
                if !plain {
                    self.push("(");
                }
                self.expr(array, place, true);
                self.push(if plain { "[" } else { ")[" });
                self.expr(index, place, false);
                self.push("]");
            }
            ExprKind::Cast {
                arg,
                method,
                context,
            } => match context {
                CastContext::Implicit | CastContext::Assignment if !implicit => {
                    self.expr(arg, place, false);
                }
                _ => self.cast(arg, *method, expr, place),
            },
            ExprKind::Var(var) => self.push(&format!("column {}.{}", var.rel, var.column)),
            ExprKind::Sublink(_) => self.push("(SubPlan)"),
            ExprKind::Aggregate(call) => self.call(&call.function.name, &call.args, place),
        }
    }

    /// `get_coercion_expr`: the cast's own input conversions are not shown.
    fn cast(&mut self, arg: &Expr, method: CastMethod, to: &Expr, place: Place<'a>) {
        // `x::numeric(10,2)` is two casts, written as the one it was.
        let arg = match &arg.kind {
            ExprKind::Cast { arg: inner, .. } if method == CastMethod::Typmod && arg.typmod < 0 => {
                inner
            }
            _ => arg,
        };
        match &arg.kind {
            ExprKind::Const(value) if arg.ty == to.ty && arg.typmod == -1 => {
                write_constant(value, arg.ty, arg.typmod, false, self.out);
            }
            _ => {
                self.push("(");
                self.expr(arg, place, false);
                self.push(")");
            }
        }
        self.push("::");
        let typmod = if method == CastMethod::Typmod || to.typmod >= 0 {
            to.typmod
        } else {
            -1
        };
        write_type(to.ty, typmod, self.out);
    }

    fn binary(&mut self, left: &Expr, operator: &str, right: &Expr, place: Place<'a>) {
        self.push("(");
        self.expr(left, place, true);
        self.push(&format!(" {operator} "));
        self.expr(right, place, true);
        self.push(")");
    }

    pub fn call(&mut self, name: &str, args: &[Expr], place: Place<'a>) {
        write_identifier(name, self.out);
        self.push("(");
        self.list(args, ", ", place, true);
        self.push(")");
    }

    fn special(&mut self, name: &str, args: &[Expr], place: Place<'a>) {
        self.push(name);
        self.push("(");
        self.list(args, ", ", place, true);
        self.push(")");
    }

    /// WHEN of a CASE with an operand: `operand = value` is written as the value.
    fn when(&mut self, when: &Expr, has_operand: bool, place: Place<'a>) {
        if let (true, ExprKind::Call { args, .. }) = (has_operand, &when.kind)
            && let [left, right] = &args[..]
            && is_case_value(left)
        {
            self.expr(right, place, false);
        } else {
            self.expr(when, place, false);
        }
    }

    fn param(&mut self, param: ParamId) {
        match self.deparser.outer.get(&param) {
            Some((place, expr)) => {
                let (place, expr) = (*place, expr.clone());
                let prefix = std::mem::replace(&mut self.prefix, true);
                self.expr(&expr, place, false);
                self.prefix = prefix;
            }
            None => {
                let sub_plans = &self.deparser.plan.subplans;
                let is_it = |kind: &SubPlanKind| matches!(kind, SubPlanKind::Correlated { param: own } if *own == param);
                match sub_plans.iter().position(|subplan| is_it(&subplan.kind)) {
                    Some(index) => self.push(&format!("(SubPlan {})", index + 1)),
                    None => self.push(&format!("${param}")),
                }
            }
        }
    }
}

fn is_case_value(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::CaseValue => true,
        ExprKind::Cast { arg, .. } => is_case_value(arg),
        _ => false,
    }
}

fn is_keyword_call(name: &str) -> bool {
    matches!(name, "current_date" | "localtimestamp")
}
