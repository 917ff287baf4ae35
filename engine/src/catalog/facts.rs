//! What the catalog knows of a function or an operator, whether PostgreSQL's own or a user's.

use std::rc::Rc;

use crate::value::Type;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Volatility {
    Immutable,
    Stable,
    Volatile,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    Plain,
    Aggregate,
}

/// Where a function comes from. Only catalog functions count as safe for push-down (mail 1).
#[derive(Clone, Debug)]
pub enum Origin {
    /// PostgreSQL's own; the implementation is found by `name` and `args`.
    Builtin,
    /// `CREATE FUNCTION … LANGUAGE sql`: the body's text, bound anew where it is called.
    User(Rc<SqlBody>),
}

#[derive(Debug)]
pub struct SqlBody {
    pub source: String,
    pub argument_names: Vec<Option<String>>,
}

/// A function with its argument and result types made concrete (no `anyelement` left).
#[derive(Clone, Debug)]
pub struct FunctionFacts {
    /// `pg_proc.proname`: for an operator's function the name PostgreSQL gives it, as `int4eq`.
    pub name: Rc<str>,
    pub args: Vec<Type>,
    pub result: Type,
    pub kind: FunctionKind,
    pub strict: bool,
    pub volatility: Volatility,
    pub leakproof: bool,
    pub returns_set: bool,
    pub origin: Origin,
}

pub type FunctionRef = Rc<FunctionFacts>;

#[derive(Clone, Debug)]
pub struct OperatorFacts {
    pub name: Rc<str>,
    /// `None` for a prefix operator.
    pub left: Option<Type>,
    pub right: Type,
    pub function: FunctionRef,
    pub commutator: Option<Rc<str>>,
    pub negator: Option<Rc<str>>,
}

pub type OperatorRef = Rc<OperatorFacts>;

impl OperatorFacts {
    pub fn result(&self) -> Type {
        self.function.result
    }

    pub fn is_user_defined(&self) -> bool {
        matches!(self.function.origin, Origin::User(_))
    }
}
