//! What a node is: its name, what it scans or changes, its place under its parent.

use super::describe::Describer;
use super::literal::write_identifier;
use super::property::Value;
use crate::bind::SetOperation;
use crate::catalog::Origin;
use crate::plan::{AggregateStrategy, JoinType, NodeKind, Operation, PlanNode};

impl Describer<'_> {
    pub fn title(&self, node: &PlanNode) -> String {
        let mut title = match &node.kind {
            NodeKind::NestedLoop { kind, .. } if *kind != JoinType::Inner => {
                format!("Nested Loop {} Join", kind.name())
            }
            NodeKind::HashJoin { kind, .. } if *kind != JoinType::Inner => {
                format!("Hash {} Join", kind.name())
            }
            NodeKind::MergeJoin { kind, .. } if *kind != JoinType::Inner => {
                format!("Merge {} Join", kind.name())
            }
            NodeKind::Aggregate {
                strategy: AggregateStrategy::Hashed,
                ..
            } => "HashAggregate".to_string(),
            NodeKind::Aggregate {
                strategy: AggregateStrategy::Sorted,
                ..
            } => "GroupAggregate".to_string(),
            NodeKind::SetOp {
                operation,
                all,
                strategy,
            } => {
                let hashed = match strategy {
                    AggregateStrategy::Hashed => "Hash",
                    AggregateStrategy::Plain | AggregateStrategy::Sorted => "",
                };
                format!("{hashed}SetOp {}", command(*operation, *all))
            }
            NodeKind::ModifyTable(modify) => operation(modify.operation).to_string(),
            kind => kind.name().to_string(),
        };
        if let Some(target) = target(node) {
            title.push_str(" on ");
            if let (true, Some(schema)) = (self.options.verbose, target.schema) {
                title.push_str(schema);
                title.push('.');
            }
            write_identifier(target.name, &mut title);
            if target.name != target.alias {
                title.push(' ');
                write_identifier(target.alias, &mut title);
            }
        }
        title
    }

    pub fn identity(
        &self,
        node: &PlanNode,
        relationship: Option<&'static str>,
        name: &Option<String>,
    ) -> Vec<(&'static str, Value)> {
        let mut identity = vec![("Node Type", Value::text(node.kind.name()))];
        match &node.kind {
            NodeKind::Aggregate { strategy, .. } => {
                let strategy = match strategy {
                    AggregateStrategy::Plain => "Plain",
                    AggregateStrategy::Sorted => "Sorted",
                    AggregateStrategy::Hashed => "Hashed",
                };
                identity.push(("Strategy", Value::text(strategy)));
                identity.push(("Partial Mode", Value::text("Simple")));
            }
            NodeKind::SetOp {
                operation,
                all,
                strategy,
            } => {
                let strategy = match strategy {
                    AggregateStrategy::Hashed => "Hashed",
                    AggregateStrategy::Plain | AggregateStrategy::Sorted => "Sorted",
                };
                identity.push(("Strategy", Value::text(strategy)));
                identity.push(("Command", Value::text(command(*operation, *all))));
            }
            NodeKind::ModifyTable(modify) => {
                identity.push(("Operation", Value::text(operation(modify.operation))));
            }
            _ => {}
        }
        if let Some(relationship) = relationship {
            identity.push(("Parent Relationship", Value::text(relationship)));
        }
        if let Some(name) = name {
            identity.push(("Subplan Name", Value::text(name)));
        }
        identity.push(("Parallel Aware", Value::Bool(false)));
        identity.push(("Async Capable", Value::Bool(false)));
        if let NodeKind::NestedLoop { kind, .. }
        | NodeKind::HashJoin { kind, .. }
        | NodeKind::MergeJoin { kind, .. } = &node.kind
        {
            identity.push(("Join Type", Value::text(kind.name())));
        }
        if let Some(target) = target(node) {
            if let Some(key) = target.key {
                identity.push((key, Value::text(target.name)));
            }
            if let (true, Some(schema)) = (self.options.verbose, target.schema) {
                identity.push(("Schema", Value::text(schema)));
            }
            identity.push(("Alias", Value::text(target.alias)));
        }
        identity
    }
}

/// What a node scans or changes.
struct Target<'a> {
    /// JSON's key for the name, if it has one.
    key: Option<&'static str>,
    name: &'a str,
    alias: &'a str,
    schema: Option<&'static str>,
}

fn target(node: &PlanNode) -> Option<Target<'_>> {
    let (key, name, alias, schema) = match &node.kind {
        NodeKind::SeqScan(scan) => (
            Some("Relation Name"),
            &scan.table.name,
            &scan.alias,
            Some("public"),
        ),
        NodeKind::ModifyTable(modify) => (
            Some("Relation Name"),
            &modify.table.name,
            &modify.alias,
            Some("public"),
        ),
        NodeKind::FunctionScan {
            alias, function, ..
        } => {
            let schema = match function.origin {
                Origin::Builtin => "pg_catalog",
                Origin::User(_) => "public",
            };
            (Some("Function Name"), &function.name, alias, Some(schema))
        }
        NodeKind::CteScan(scan) | NodeKind::WorkTableScan(scan) => {
            (Some("CTE Name"), &scan.name, &scan.alias, None)
        }
        NodeKind::ValuesScan { alias, .. } | NodeKind::SubqueryScan { alias, .. } => {
            (None, alias, alias, None)
        }
        _ => return None,
    };
    Some(Target {
        key,
        name,
        alias,
        schema,
    })
}

fn command(operation: SetOperation, all: bool) -> &'static str {
    match (operation, all) {
        (SetOperation::Intersect, false) => "Intersect",
        (SetOperation::Intersect, true) => "Intersect All",
        (SetOperation::Except, false) => "Except",
        (SetOperation::Except, true) => "Except All",
    }
}

fn operation(operation: Operation) -> &'static str {
    match operation {
        Operation::Insert => "Insert",
        Operation::Update => "Update",
        Operation::Delete => "Delete",
    }
}
