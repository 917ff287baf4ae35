//! A column of a plan node as text: the walk down the plan to what it shows.

use super::deparse::{Place, Writer};
use super::literal::write_identifier;
use crate::bind::{Expr, ExprKind};
use crate::plan::{AggregateSpec, NodeKind, PlanNode, SeqScan, SetTarget};

/// How ORDER BY says which way it sorts.
pub(super) fn direction(descending: bool, nulls_first: bool) -> &'static str {
    match (descending, nulls_first) {
        (false, false) => "",
        (false, true) => " NULLS FIRST",
        (true, true) => " DESC",
        (true, false) => " DESC NULLS LAST",
    }
}

impl<'a> Writer<'_, 'a> {
    pub fn slot(&mut self, place: Place<'a>, slot: usize) {
        match place {
            Place::Nothing => self.push(&format!("column{}", slot + 1)),
            Place::Table(scan) => self.table_column(scan, slot),
            Place::Own(node) => self.own(node, slot, false),
            Place::Pair(node) => self.of_pair(node, slot),
            Place::Output(node) => match (&node.kind, &node.project) {
                (NodeKind::ProjectSet { targets }, _) => match &targets[slot] {
                    SetTarget::Plain(Expr {
                        kind: ExprKind::Slot(inner),
                        ..
                    }) => {
                        self.slot(Place::Output(&node.children[0]), *inner);
                    }
                    target => {
                        self.push("(");
                        self.set_target(target, &node.children[0]);
                        self.push(")");
                    }
                },
                (_, None) => self.own(node, slot, true),
                (_, Some(project)) => match &project[slot].kind {
                    ExprKind::Slot(own) => self.own(node, *own, true),
                    _ => {
                        self.push("(");
                        self.expr(&project[slot], Place::Own(node), true);
                        self.push(")");
                    }
                },
            },
        }
    }

    /// A column of a node's own rows. `above`: from a node above it, which sees computed columns in
    /// parentheses.
    pub fn own(&mut self, node: &'a PlanNode, slot: usize, above: bool) {
        match &node.kind {
            NodeKind::SeqScan(scan) => match scan.columns.get(slot) {
                Some(&column) => self.table_column(scan, column),
                None => self.name(&scan.alias, "ctid"),
            },
            NodeKind::FunctionScan { alias, columns, .. } => self.name(alias, &columns[slot].label),
            NodeKind::CteScan(scan) | NodeKind::WorkTableScan(scan) => {
                self.name(&scan.alias, &scan.columns[slot]);
            }
            NodeKind::ValuesScan { alias, .. } => self.name(alias, &format!("column{}", slot + 1)),
            NodeKind::SubqueryScan { alias, columns, .. } => self.name(alias, &columns[slot]),
            NodeKind::NestedLoop { kind, .. }
            | NodeKind::HashJoin { kind, .. }
            | NodeKind::MergeJoin { kind, .. } => {
                let first = match kind.gives_outer() {
                    true => 0,
                    false => node.children[0].output.len(),
                };
                self.of_pair(node, first + slot);
            }
            NodeKind::Aggregate {
                groups, aggregates, ..
            } => {
                let child = &node.children[0];
                match slot.checked_sub(groups.len()) {
                    None => match &groups[slot].kind {
                        ExprKind::Slot(inner) => self.slot(Place::Output(child), *inner),
                        _ => {
                            self.push("(");
                            self.expr(&groups[slot], Place::Output(child), true);
                            self.push(")");
                        }
                    },
                    Some(slot) => {
                        if above {
                            self.push("(");
                        }
                        self.aggregate(&aggregates[slot], child);
                        if above {
                            self.push(")");
                        }
                    }
                }
            }
            NodeKind::Apply(apply) => {
                let child = &node.children[0];
                if slot < child.output.len() {
                    self.slot(Place::Output(child), slot);
                } else {
                    self.push(&format!("(SubPlan {})", apply.subplan + 1));
                }
            }
            NodeKind::Result { .. }
            | NodeKind::Hash
            | NodeKind::Material
            | NodeKind::Memoize { .. }
            | NodeKind::Sort { .. }
            | NodeKind::Limit { .. }
            | NodeKind::Unique { .. }
            | NodeKind::Append
            | NodeKind::SetOp { .. }
            | NodeKind::RecursiveUnion { .. }
            | NodeKind::ProjectSet { .. }
            | NodeKind::ModifyTable(_) => match node.children.first() {
                Some(child) => self.slot(Place::Output(child), slot),
                None => self.push("NULL"),
            },
        }
    }

    fn of_pair(&mut self, node: &'a PlanNode, slot: usize) {
        let outer = &node.children[0];
        match slot.checked_sub(outer.output.len()) {
            None => self.slot(Place::Output(outer), slot),
            Some(slot) => self.slot(Place::Output(&node.children[1]), slot),
        }
    }

    pub fn set_target(&mut self, target: &SetTarget, child: &'a PlanNode) {
        match target {
            SetTarget::Plain(expr) => self.expr(expr, Place::Output(child), false),
            SetTarget::Set { function, args } => {
                self.call(&function.name, args, Place::Output(child))
            }
        }
    }

    fn aggregate(&mut self, spec: &AggregateSpec, child: &'a PlanNode) {
        write_identifier(&spec.function.name, self.out);
        self.push(if spec.distinct { "(DISTINCT " } else { "(" });
        match &spec.args[..] {
            [] => self.push("*"),
            args => self.list(args, ", ", Place::Output(child), true),
        }
        for (i, item) in spec.order_by.iter().enumerate() {
            self.push(if i == 0 { " ORDER BY " } else { ", " });
            self.expr(&item.expr, Place::Output(child), false);
            self.push(direction(item.descending, item.nulls_first));
        }
        self.push(")");
        if let Some(filter) = &spec.filter {
            self.push(" FILTER (WHERE ");
            self.expr(filter, Place::Output(child), false);
            self.push(")");
        }
    }

    fn table_column(&mut self, scan: &SeqScan, column: usize) {
        match scan.table.columns.get(column) {
            Some(definition) => self.name(&scan.alias, &definition.name),
            None => self.name(&scan.alias, "ctid"),
        }
    }

    fn name(&mut self, relation: &str, column: &str) {
        if self.prefix {
            write_identifier(relation, self.out);
            self.push(".");
        }
        write_identifier(column, self.out);
    }
}
