//! What the planner keeps while it works on a statement, and the small moves every part of it makes.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::common_tables::Common;
use super::cost::{Cost, Prices};
use super::lower::lower;
use super::node::*;
use super::subplans::PendingApply;
use crate::bind::{Expr, ExprKind, ParamId, Var};
use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::settings::Settings;
use crate::value::Type;

pub(super) struct Planner<'a> {
    pub catalog: &'a Catalog,
    pub settings: &'a Settings,
    pub memory: &'a Memory,
    pub prices: Prices,
    /// Bytes of the columns of the level being planned, where ANALYZE has seen them.
    pub widths: HashMap<(usize, usize), u32>,
    /// Bytes of the constants that folding has made: the plan keeps them.
    pub folded: Cell<u64>,
    pub subplans: Vec<SubPlan>,
    pub params: usize,
    /// The enclosing SELECTs, outermost first, with the columns the inner ones refer to.
    pub outer: Vec<OuterLevel>,
    /// Correlated sub-selects that are planned and stand as parameters in the expressions of their level.
    pub pending: BTreeMap<ParamId, PendingApply>,
    /// WITH queries that are computed once, and work tables.
    pub commons: Vec<Common>,
    /// InitPlans of the SELECT being planned: EXPLAIN prints them under its topmost node.
    pub init_plans: Vec<usize>,
    /// Sub-selects of the SELECT being planned and what they became; kept only where GROUP BY has
    /// one, so that it is the same value in the targets.
    pub shared_sublinks: Option<Vec<(Expr, ExprKind)>>,
    /// Range-table entries so far, joins included, as PostgreSQL counts them.
    pub relations: usize,
    pub names: Vec<Rc<str>>,
    next_node: NodeId,
}

/// References from inner SELECTs to one enclosing SELECT's columns.
#[derive(Default)]
pub(super) struct OuterLevel {
    pub references: Vec<OuterReference>,
}

/// A column of an enclosing SELECT and the parameter that carries it inwards.
#[derive(Clone)]
pub(super) struct OuterReference {
    pub column: Expr,
    pub param: ParamId,
}

/// A part of the plan, and what its columns stand for.
pub(super) struct Built {
    pub node: PlanNode,
    /// What each of the node's output columns is, in the terms of the level: mostly [`Var`]s.
    pub columns: Vec<Expr>,
    /// Columns of sibling FROM items it must be given before it can run (LATERAL).
    pub lateral: Vec<OuterReference>,
}

impl<'a> Planner<'a> {
    pub fn new(catalog: &'a Catalog, settings: &'a Settings, memory: &'a Memory) -> Self {
        Planner {
            catalog,
            settings,
            memory,
            prices: Prices::of(settings),
            widths: HashMap::new(),
            folded: Cell::new(0),
            subplans: Vec::new(),
            params: 0,
            outer: Vec::new(),
            pending: BTreeMap::new(),
            commons: Vec::new(),
            init_plans: Vec::new(),
            shared_sublinks: None,
            relations: 0,
            names: Vec::new(),
            next_node: 0,
        }
    }

    pub fn new_param(&mut self) -> ParamId {
        self.params += 1;
        self.params - 1
    }

    /// A node whose output is its own rows.
    pub fn node(
        &mut self,
        kind: NodeKind,
        children: Vec<PlanNode>,
        output: Vec<OutputColumn>,
        estimate: Estimate,
    ) -> PlanNode {
        let id = self.next_node;
        self.next_node += 1;
        PlanNode {
            id,
            kind,
            children,
            filter: None,
            project: None,
            output,
            estimate,
        }
    }

    /// The parameter that stands for a column of an enclosing SELECT.
    pub fn outer_param(&mut self, expr: &Expr, var: Var) -> Result<ParamId> {
        let level = self
            .outer
            .len()
            .checked_sub(var.up)
            .ok_or_else(|| Error::internal("a column reference leads out of the query"))?;
        let own = Var { up: 0, ..var };
        let known = self.outer[level]
            .references
            .iter()
            .find(|reference| is_var(&reference.column, own));
        if let Some(reference) = known {
            return Ok(reference.param);
        }
        let param = self.new_param();
        let column = Expr {
            kind: ExprKind::Var(own),
            ..expr.clone()
        };
        self.outer[level]
            .references
            .push(OuterReference { column, param });
        Ok(param)
    }

    /// A name no other relation of the plan has: `t`, then `t_1`, as EXPLAIN shows them.
    pub fn unique_name(&mut self, alias: &Rc<str>) -> Rc<str> {
        let mut name = Rc::clone(alias);
        let mut n = 0;
        while self.names.contains(&name) {
            n += 1;
            name = format!("{alias}_{n}").into();
        }
        self.names.push(Rc::clone(&name));
        name
    }

    /// Makes `targets` the node's output, by its own projection if it has none yet.
    pub fn project(
        &mut self,
        built: Built,
        targets: Vec<Expr>,
        labels: Vec<Rc<str>>,
    ) -> Result<Built> {
        let Built {
            mut node,
            columns,
            lateral,
        } = built;
        let lowered = targets
            .iter()
            .map(|target| lower(target, &columns))
            .collect::<Result<Vec<_>>>()?;
        let output: Vec<OutputColumn> = labels
            .into_iter()
            .zip(&lowered)
            .map(|(label, expr)| OutputColumn { label, ty: expr.ty })
            .collect();
        let identity = lowered.len() == columns.len()
            && lowered
                .iter()
                .enumerate()
                .all(|(i, expr)| matches!(expr.kind, ExprKind::Slot(slot) if slot == i));
        if !identity {
            node = self.set_project(node, lowered);
        }
        node.estimate.width = self.width_of(&targets);
        node.output = output;
        Ok(Built {
            node,
            columns: targets,
            lateral,
        })
    }

    /// Computes `exprs` from the node's output. A node that projects already takes them too where
    /// that computes nothing twice; else a Result above it does.
    pub fn set_project(&mut self, mut node: PlanNode, exprs: Vec<Expr>) -> PlanNode {
        let output: Vec<OutputColumn> = exprs
            .iter()
            .map(|expr| OutputColumn {
                label: label_of(expr, &node),
                ty: expr.ty,
            })
            .collect();
        let cost = exprs.iter().map(|expr| Cost::of(expr, self)).sum::<Cost>();
        let width = self.width_of(&exprs);
        if matches!(
            node.kind,
            NodeKind::ProjectSet { .. } | NodeKind::ModifyTable(_)
        ) {
            let estimate = node.estimate;
            node = self.node(
                NodeKind::Result {
                    one_time_filter: None,
                },
                vec![node],
                Vec::new(),
                estimate,
            );
        }
        node.project = Some(match node.project.take() {
            None => exprs,
            Some(inner) => {
                let plain = |expr: &Expr| {
                    matches!(
                        expr.kind,
                        ExprKind::Slot(_) | ExprKind::Const(_) | ExprKind::Param(_)
                    )
                };
                if inner.iter().all(plain) || uses_each_once(&exprs, inner.len()) {
                    exprs
                        .into_iter()
                        .map(|expr| substitute_slots(expr, &inner))
                        .collect()
                } else {
                    node.project = Some(inner);
                    let estimate = node.estimate;
                    node = self.node(
                        NodeKind::Result {
                            one_time_filter: None,
                        },
                        vec![node],
                        Vec::new(),
                        estimate,
                    );
                    exprs
                }
            }
        });
        node.estimate.width = width;
        node.estimate.startup_cost += cost.startup;
        node.estimate.total_cost += cost.startup + cost.per_tuple * node.estimate.rows;
        node.output = output;
        node
    }

    /// Numbers the nodes in EXPLAIN's order and hands the plan out.
    pub fn finish(mut self, mut root: PlanNode, names: &[Rc<str>]) -> Plan {
        remove_plain_subquery_scans(&mut root);
        for subplan in &mut self.subplans {
            remove_plain_subquery_scans(&mut subplan.root);
        }
        let mut ids = HashMap::new();
        number(&mut root, &mut ids);
        for subplan in &mut self.subplans {
            number(&mut subplan.root, &mut ids);
        }
        for subplan in &mut self.subplans {
            subplan.parent = ids.get(&subplan.parent).copied().unwrap_or(root.id);
        }
        let columns = names
            .iter()
            .zip(&root.output)
            .map(|(name, column)| OutputColumn {
                label: Rc::clone(name),
                ty: column.ty,
            })
            .collect();
        Plan {
            nodes: ids.len(),
            columns,
            qualified: self.relations > 1,
            params: self.params,
            subplans: self.subplans,
            root,
        }
    }
}

pub(super) fn is_var(expr: &Expr, var: Var) -> bool {
    matches!(expr.kind, ExprKind::Var(v) if v == var)
}

/// The columns of rows that belong to no table, by their places.
pub(super) fn numbered(types: &[(Type, i32)]) -> Vec<Expr> {
    let column = |(i, &(ty, typmod))| var(0, i, ty, typmod);
    types.iter().enumerate().map(column).collect()
}

/// Output columns of these labels and types.
pub(super) fn labeled(labels: Vec<Rc<str>>, types: &[(Type, i32)]) -> Vec<OutputColumn> {
    let column = |(label, &(ty, _))| OutputColumn { label, ty };
    labels.into_iter().zip(types).map(column).collect()
}

pub(super) fn var(rel: usize, column: usize, ty: Type, typmod: i32) -> Expr {
    Expr {
        typmod,
        ..Expr::new(ExprKind::Var(Var { rel, column, up: 0 }), ty)
    }
}

/// The name of a computed column: that of the column it shows, or what computes it.
fn label_of(expr: &Expr, node: &PlanNode) -> Rc<str> {
    match &expr.kind {
        ExprKind::Slot(slot) => node
            .output
            .get(*slot)
            .map_or_else(|| "?column?".into(), |column| Rc::clone(&column.label)),
        ExprKind::Call { function, .. } | ExprKind::SqlCall { function, .. } => {
            Rc::clone(&function.name)
        }
        _ => "?column?".into(),
    }
}

/// `expr` with each Slot replaced by what stands there in `by`.
pub(super) fn substitute_slots(mut expr: Expr, by: &[Expr]) -> Expr {
    if let ExprKind::Slot(slot) = expr.kind {
        return by[slot].clone();
    }
    expr.each_child_mut(|child| {
        let taken = std::mem::replace(child, Expr::new(ExprKind::CaseValue, child.ty));
        *child = substitute_slots(taken, by);
    });
    expr
}

/// True if no Slot stands twice in the expressions: replacing them computes nothing twice.
fn uses_each_once(exprs: &[Expr], slots: usize) -> bool {
    fn count(expr: &Expr, seen: &mut [u32]) {
        if let ExprKind::Slot(slot) = expr.kind {
            seen[slot] += 1;
        }
        expr.each_child(|child| count(child, seen));
    }
    let mut seen = vec![0; slots];
    exprs.iter().for_each(|expr| count(expr, &mut seen));
    seen.iter().all(|&n| n <= 1)
}

/// A Subquery Scan that neither filters nor projects shows nothing: its child takes its place.
fn remove_plain_subquery_scans(node: &mut PlanNode) {
    for child in &mut node.children {
        remove_plain_subquery_scans(child);
    }
    if matches!(&node.kind, NodeKind::SubqueryScan { alias, .. } if !alias.starts_with(super::decorrelate::ALIAS))
        && node.filter.is_none()
        && node.project.is_none()
        && let Some(child) = node.children.pop()
    {
        *node = child;
    }
}

fn number(node: &mut PlanNode, ids: &mut HashMap<NodeId, NodeId>) {
    let next = ids.len();
    ids.insert(node.id, next);
    node.id = next;
    for child in &mut node.children {
        number(child, ids);
    }
}
