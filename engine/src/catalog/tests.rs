//! Overload resolution, compared with PostgreSQL 15's for every pair of types.

use super::{Catalog, Resolution};
use crate::value::{Base, Type};

/// Operator, left type, right type, the result's type or PostgreSQL's SQLSTATE.
const OPERATORS: &str = include_str!("tests/operators.txt");
/// Function, argument types, the result's type or the SQLSTATE.
const FUNCTIONS: &str = include_str!("tests/functions.txt");

fn ty(name: &str) -> Type {
    let (base, array) = match name.strip_suffix("[]") {
        Some(element) => (element, true),
        None => (name, false),
    };
    Type {
        base: Base::from_name(base).expect("a type"),
        array,
    }
}

fn shown<T>(resolution: Resolution<T>, result: impl Fn(&T) -> Type) -> String {
    match resolution {
        Resolution::Found(found) => result(&found).name(),
        Resolution::NotFound => "42883".to_string(),
        Resolution::Ambiguous => "42725".to_string(),
        Resolution::Undetermined => "42804".to_string(),
        Resolution::NoArrayOf(_) => "42704".to_string(),
        Resolution::Foreign(name) => name.to_string(),
    }
}

/// Answers with types this engine has not are left out.
fn exists(answer: &str) -> bool {
    let digits = answer.starts_with("42");
    digits || Base::from_name(answer.trim_end_matches("[]")).is_some()
}

#[test]
fn operators_resolve_as_in_postgresql() {
    let catalog = Catalog::new(Vec::new());
    let mut wrong = Vec::new();
    for line in OPERATORS.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, left, right, expected] = columns[..] else {
            panic!("{line}")
        };
        if !exists(expected) {
            continue;
        }
        let found = catalog.resolve_operator(name, Some(ty(left)), ty(right));
        let found = shown(found, |operator| operator.result());
        // A type that does not exist here is refused by name instead.
        let refused = !exists(&found) && !expected.starts_with("42");
        if found != expected && !refused {
            wrong.push(format!(
                "{left} {name} {right}: {found}, PostgreSQL {expected}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn functions_resolve_as_in_postgresql() {
    let catalog = Catalog::new(Vec::new());
    let mut wrong = Vec::new();
    for line in FUNCTIONS.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, args, expected] = columns[..] else {
            panic!("{line}")
        };
        if !exists(expected) {
            continue;
        }
        let types: Vec<Type> = args.split(", ").map(ty).collect();
        let found = shown(catalog.resolve_function(name, &types), |function| {
            function.result
        });
        if found != expected {
            wrong.push(format!("{name}({args}): {found}, PostgreSQL {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn facts_come_from_the_catalog() {
    let catalog = Catalog::new(Vec::new());
    let operator = |name: &str, ty: Type| {
        catalog
            .resolve_operator(name, Some(ty), ty)
            .found()
            .expect("an operator")
    };
    let equal = operator("=", Type::INT4);
    assert_eq!(&*equal.function.name, "int4eq");
    assert!(equal.function.leakproof && equal.function.strict);
    assert_eq!(equal.commutator.as_deref(), Some("="));
    assert_eq!(equal.negator.as_deref(), Some("<>"));
    assert!(!operator(">", Type::NUMERIC).function.leakproof);
    assert!(!operator("~~", Type::TEXT).function.leakproof);
    let negative = catalog
        .resolve_operator("-", None, Type::INT4)
        .found()
        .expect("a sign");
    assert_eq!(&*negative.function.name, "int4um");
}
