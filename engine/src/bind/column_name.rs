//! What an output column is called that has no alias (`FigureColname` in `parse_target.c`).

use crate::sql::ast::{Expr, ExprKind, SelectItem, SetExpr};

/// The name of a column that nothing names.
const NO_NAME: &str = "?column?";

/// How much a name is worth: that of a type gives way to a better one inside.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    None,
    Type,
    Name,
}

pub(super) fn column_name(expr: &Expr) -> String {
    match figure(expr) {
        (Strength::None, _) => NO_NAME.to_string(),
        (_, name) => name,
    }
}

fn figure(expr: &Expr) -> (Strength, String) {
    let named = |name: &str| (Strength::Name, name.to_string());
    match &expr.kind {
        ExprKind::Column(name) => named(name.object()),
        ExprKind::Call(call) => named(call.name.object()),
        ExprKind::AtTimeZone { .. } => named("timezone"),
        ExprKind::Field { field, .. } => named(&field.text),
        ExprKind::Subscript { arg, .. } | ExprKind::Collate { arg, .. } => figure(arg),
        ExprKind::Cast { arg, ty } => match figure(arg) {
            (Strength::Name, name) => (Strength::Name, name),
            _ => (Strength::Type, ty.name.object().to_string()),
        },
        ExprKind::TypedString { ty, .. } => (Strength::Type, ty.name.object().to_string()),
        ExprKind::Case { otherwise, .. } => match otherwise.as_deref().map(figure) {
            Some((Strength::Name, name)) => (Strength::Name, name),
            _ => (Strength::Type, "case".to_string()),
        },
        ExprKind::SqlValue { name, .. } => named(name),
        ExprKind::Coalesce(_) => named("coalesce"),
        ExprKind::NullIf(..) => named("nullif"),
        ExprKind::Greatest(_) => named("greatest"),
        ExprKind::Least(_) => named("least"),
        ExprKind::Grouping(_) => named("grouping"),
        ExprKind::Row { .. } => named("row"),
        ExprKind::Array(_) | ExprKind::ArrayQuery(_) => named("array"),
        ExprKind::Exists(_) => named("exists"),
        ExprKind::ScalarQuery(query) => of_query(&query.body),
        _ => (Strength::None, String::new()),
    }
}

/// A scalar sub-select is called what its only column is called.
fn of_query(body: &SetExpr) -> (Strength, String) {
    match body {
        SetExpr::Select(select) => match select.items.first() {
            Some(SelectItem::Expr {
                alias: Some(alias), ..
            }) => (Strength::Name, alias.text.clone()),
            Some(SelectItem::Expr { expr, alias: None }) => figure(expr),
            _ => (Strength::None, String::new()),
        },
        SetExpr::Query(query) => of_query(&query.body),
        SetExpr::Operation(operation) => of_query(&operation.left),
        SetExpr::Values { .. } => (Strength::Name, "column1".to_string()),
        SetExpr::Table(_) => (Strength::None, String::new()),
    }
}
