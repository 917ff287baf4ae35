//! PostgreSQL 15's own functions and operators: the facts of `pg_proc` and `pg_operator`, read from
//! a running server, as far as their types exist here; and the few functions of our own.

use std::cell::OnceCell;
use std::rc::Rc;

use super::{FunctionKind, Volatility};
use crate::value::{Base, Type};

const FUNCTIONS: [&str; 3] = [
    include_str!("data/pg15_functions.tsv"),
    include_str!("data/pg15_functions_more.tsv"),
    include_str!("data/own_functions.tsv"),
];
const OPERATORS: [&str; 2] = [
    include_str!("data/pg15_operators.tsv"),
    include_str!("data/pg15_operators_more.tsv"),
];

/// A type in a signature: one of ours, or a pseudo-type that stands for many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureType {
    Concrete(Type),
    /// `"any"`
    Any,
    AnyElement,
    AnyNonArray,
    AnyArray,
    AnyCompatible,
    AnyCompatibleNonArray,
    AnyCompatibleArray,
    /// A type of PostgreSQL that does not exist here. Nothing but an untyped literal can become
    /// one, but it makes calls ambiguous as it does in PostgreSQL.
    Foreign(&'static str),
}

/// A row of `pg_proc`.
#[derive(Clone, Debug)]
pub struct FunctionSignature {
    pub name: &'static str,
    pub args: Vec<SignatureType>,
    /// The last argument may be repeated.
    pub variadic: bool,
    /// How many of the last arguments may be left out.
    pub optional: usize,
    pub result: SignatureType,
    pub kind: FunctionKind,
    pub leakproof: bool,
    pub volatility: Volatility,
    pub strict: bool,
    pub returns_set: bool,
}

/// A row of `pg_operator` with the facts of its function.
#[derive(Clone, Debug)]
pub struct OperatorSignature {
    pub name: &'static str,
    /// `None` for a prefix operator.
    pub left: Option<SignatureType>,
    pub right: SignatureType,
    pub result: SignatureType,
    pub function: &'static str,
    pub leakproof: bool,
    pub volatility: Volatility,
    pub strict: bool,
    pub commutator: Option<&'static str>,
    pub negator: Option<&'static str>,
}

/// Both tables, sorted by name.
#[derive(Debug)]
pub struct Builtins {
    functions: Vec<FunctionSignature>,
    operators: Vec<OperatorSignature>,
    /// Functions of PostgreSQL with signatures that could not be read: window functions,
    /// ordered-set aggregates, arguments with defaults.
    absent: Vec<&'static str>,
}

impl Builtins {
    /// Read once a thread, when the first statement is bound.
    pub fn get() -> Rc<Builtins> {
        thread_local! {
            static BUILTINS: OnceCell<Rc<Builtins>> = const { OnceCell::new() };
        }
        BUILTINS.with(|cell| Rc::clone(cell.get_or_init(|| Rc::new(Builtins::read()))))
    }

    fn read() -> Builtins {
        let mut functions: Vec<FunctionSignature> = Vec::new();
        let mut absent = Vec::new();
        for row in FUNCTIONS.iter().flat_map(|table| table.lines().skip(1)) {
            match function(row) {
                Some(signature) => functions.push(signature),
                None => absent.extend(row.split('\t').next()),
            }
        }
        functions.sort_by_key(|signature| signature.name);
        absent.sort_unstable();
        let rows = OPERATORS.iter().flat_map(|table| table.lines().skip(1));
        let mut operators: Vec<OperatorSignature> = rows.filter_map(operator).collect();
        operators.sort_by_key(|signature| signature.name);
        Builtins {
            functions,
            operators,
            absent,
        }
    }

    /// The functions of this name.
    pub fn functions(&self, name: &str) -> &[FunctionSignature] {
        let from = self.functions.partition_point(|f| f.name < name);
        let to = self.functions.partition_point(|f| f.name <= name);
        &self.functions[from..to]
    }

    pub fn operators(&self, name: &str) -> &[OperatorSignature] {
        let from = self.operators.partition_point(|o| o.name < name);
        let to = self.operators.partition_point(|o| o.name <= name);
        &self.operators[from..to]
    }

    /// True for a function that PostgreSQL has for types or purposes that do not exist here.
    pub fn is_absent(&self, name: &str) -> bool {
        let foreign = |ty: &SignatureType| matches!(ty, SignatureType::Foreign(_));
        self.absent.binary_search(&name).is_ok()
            || self
                .functions(name)
                .iter()
                .any(|f| f.args.iter().any(foreign))
    }
}

fn function(row: &'static str) -> Option<FunctionSignature> {
    let mut columns = row.split('\t');
    let mut next = || columns.next();
    let name = next()?;
    let arguments = next()?;
    let mut variadic = false;
    let mut args = Vec::new();
    for argument in arguments
        .split(", ")
        .filter(|argument| !argument.is_empty())
    {
        let argument = match argument.strip_prefix("VARIADIC ") {
            Some(rest) => {
                variadic = true;
                rest
            }
            None => argument,
        };
        args.push(argument_type(argument)?);
    }
    let optional = match name {
        // Every part of it is 0 unless given (`proargdefaults`).
        "make_interval" => args.len(),
        _ => 0,
    };
    let result = signature_type(next()?)?;
    let kind = match next()? {
        "f" => FunctionKind::Plain,
        "a" => FunctionKind::Aggregate,
        _ => return None,
    };
    let leakproof = next()? == "t";
    let volatility = volatility(next()?)?;
    let strict = next()? == "t";
    let returns_set = next()? == "t";
    Some(FunctionSignature {
        name,
        args,
        variadic,
        optional,
        result,
        kind,
        leakproof,
        volatility,
        strict,
        returns_set,
    })
}

fn operator(row: &'static str) -> Option<OperatorSignature> {
    let mut columns = row.split('\t');
    let mut next = || columns.next();
    let name = next()?;
    let left = match next()? {
        "" => None,
        ty => Some(signature_type(ty)?),
    };
    Some(OperatorSignature {
        name,
        left,
        right: signature_type(next()?)?,
        result: signature_type(next()?)?,
        function: next()?,
        leakproof: next()? == "t",
        volatility: volatility(next()?)?,
        strict: next()? == "t",
        commutator: next().filter(|name| !name.is_empty()),
        negator: next().filter(|name| !name.is_empty()),
    })
}

/// An argument's type, behind its name if it has one. One with a default is not among those read:
/// a call may leave it out, which no signature here can say.
fn argument_type(argument: &'static str) -> Option<SignatureType> {
    signature_type(argument).or_else(|| {
        let (_, ty) = argument.split_once(' ')?;
        signature_type(ty)
    })
}

fn signature_type(name: &'static str) -> Option<SignatureType> {
    Some(match name {
        // The name of the type is all that can be done with it here.
        "regtype" => SignatureType::Concrete(Type::TEXT),
        "\"any\"" => SignatureType::Any,
        "anyelement" => SignatureType::AnyElement,
        "anynonarray" => SignatureType::AnyNonArray,
        "anyarray" => SignatureType::AnyArray,
        "anycompatible" => SignatureType::AnyCompatible,
        "anycompatiblenonarray" => SignatureType::AnyCompatibleNonArray,
        "anycompatiblearray" => SignatureType::AnyCompatibleArray,
        _ => {
            let (base, array) = match name.strip_suffix("[]") {
                Some(element) => (element, true),
                None => (name, false),
            };
            match Base::from_name(base) {
                Some(base) => SignatureType::Concrete(Type { base, array }),
                None if FOREIGN.contains(&name) => SignatureType::Foreign(name),
                None => return None,
            }
        }
    })
}

/// The types of PostgreSQL's signatures that do not exist here.
const FOREIGN: &[&str] = &[
    "bit",
    "box",
    "bytea",
    "circle",
    "inet",
    "lseg",
    "macaddr8",
    "money",
    "name",
    "oid",
    "path",
    "pg_lsn",
    "point",
    "polygon",
    "regclass",
    "tid",
    "time with time zone",
    "time without time zone",
    "timestamp with time zone",
    "tsvector",
    "uuid",
    "xid",
    "xid8",
];

fn volatility(letter: &str) -> Option<Volatility> {
    match letter {
        "i" => Some(Volatility::Immutable),
        "s" => Some(Volatility::Stable),
        "v" => Some(Volatility::Volatile),
        _ => None,
    }
}
