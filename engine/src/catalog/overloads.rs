//! Which of several functions or operators of one name a call means (`parse_func.c`,
//! `parse_oper.c`).

use std::rc::Rc;

use super::casts::{self, Category, Coercion, can_coerce};
use super::polymorphic::{Polymorphic, concrete};
use super::signatures::{Builtins, FunctionSignature, OperatorSignature, SignatureType};
use super::{
    Catalog, FunctionFacts, FunctionKind, FunctionRef, OperatorFacts, OperatorRef, Origin,
};
use crate::value::Type;

/// What a name and the types of its arguments lead to.
#[derive(Clone, Debug)]
pub enum Resolution<T> {
    Found(T),
    NotFound,
    Ambiguous,
    /// A polymorphic argument that only untyped literals stand for.
    Undetermined,
    /// The call would need arrays of this array type.
    NoArrayOf(Type),
    /// The call means a function or operator of this type, which does not exist here.
    Foreign(&'static str),
}

impl<T> Resolution<T> {
    pub fn found(self) -> Option<T> {
        match self {
            Resolution::Found(found) => Some(found),
            _ => None,
        }
    }

    pub(super) fn and_then<U>(self, then: impl FnOnce(T) -> Resolution<U>) -> Resolution<U> {
        match self {
            Resolution::Found(found) => then(found),
            Resolution::NotFound => Resolution::NotFound,
            Resolution::Ambiguous => Resolution::Ambiguous,
            Resolution::Undetermined => Resolution::Undetermined,
            Resolution::NoArrayOf(ty) => Resolution::NoArrayOf(ty),
            Resolution::Foreign(name) => Resolution::Foreign(name),
        }
    }
}

/// A signature to choose from, its variadic argument repeated as often as the call needs.
struct Candidate<T> {
    args: Vec<SignatureType>,
    source: T,
}

enum FunctionSource<'a> {
    Builtin(&'a FunctionSignature),
    User(&'a FunctionRef),
}

enum OperatorSource<'a> {
    Builtin(&'a OperatorSignature),
    User(&'a OperatorRef),
}

impl Catalog {
    /// The function a call means. `unknown` stands for literals that have no type yet.
    pub fn resolve_function(&self, name: &str, args: &[Type]) -> Resolution<FunctionRef> {
        let builtins = Builtins::get();
        let mut candidates = Vec::new();
        for signature in builtins.functions(name) {
            if let Some(types) = expanded(signature, args.len()) {
                let source = FunctionSource::Builtin(signature);
                candidates.push(Candidate {
                    args: types,
                    source,
                });
            }
        }
        for function in self
            .functions()
            .iter()
            .filter(|function| &*function.name == name)
        {
            if function.args.len() == args.len() {
                let types = function.args.iter().map(|&ty| SignatureType::Concrete(ty));
                add_users(
                    &mut candidates,
                    types.collect(),
                    FunctionSource::User(function),
                );
            }
        }
        choose(&candidates, args).and_then(|candidate| match &candidate.source {
            FunctionSource::User(function) => Resolution::Found(Rc::clone(function)),
            FunctionSource::Builtin(signature) => function_facts(signature, &candidate.args, args),
        })
    }

    /// The operator between two operands, or before one (`left` is `None`).
    pub fn resolve_operator(
        &self,
        name: &str,
        left: Option<Type>,
        right: Type,
    ) -> Resolution<OperatorRef> {
        let builtins = Builtins::get();
        let mut candidates = Vec::new();
        for signature in builtins.operators(name) {
            if signature.left.is_some() == left.is_some() {
                let args = signature
                    .left
                    .into_iter()
                    .chain([signature.right])
                    .collect();
                candidates.push(Candidate {
                    args,
                    source: OperatorSource::Builtin(signature),
                });
            }
        }
        for operator in self
            .operators()
            .iter()
            .filter(|operator| &*operator.name == name)
        {
            if operator.left.is_some() == left.is_some() {
                let types = operator.left.iter().chain([&operator.right]);
                let args = types.map(|&ty| SignatureType::Concrete(ty)).collect();
                add_users(&mut candidates, args, OperatorSource::User(operator));
            }
        }
        let args: Vec<Type> = left.into_iter().chain([right]).collect();
        // An untyped literal is first taken for the type of the other side (`binary_oper_exact`).
        let assumed = match args[..] {
            [Type::UNKNOWN, other] | [other, Type::UNKNOWN] => vec![other, other],
            _ => args.clone(),
        };
        let exact = exact_match(&candidates, &assumed);
        let chosen = match exact {
            Some(candidate) => Resolution::Found(candidate),
            None => choose(&candidates, &args),
        };
        chosen.and_then(|candidate| match &candidate.source {
            OperatorSource::User(operator) => Resolution::Found(Rc::clone(operator)),
            OperatorSource::Builtin(signature) => operator_facts(signature, &candidate.args, &args),
        })
    }
}

/// Adds a user's function or operator, unless PostgreSQL has one with the same arguments:
/// `pg_catalog` is searched first.
fn add_users<T>(candidates: &mut Vec<Candidate<T>>, args: Vec<SignatureType>, source: T) {
    if !candidates.iter().any(|known| known.args == args) {
        candidates.push(Candidate { args, source });
    }
}

/// The arguments of a signature for a call with `count` of them, if it can have so many.
fn expanded(signature: &FunctionSignature, count: usize) -> Option<Vec<SignatureType>> {
    let args = &signature.args;
    if !signature.variadic {
        let required = args.len() - signature.optional;
        return (required..=args.len())
            .contains(&count)
            .then(|| args[..count].to_vec());
    }
    let last = *args.last()?;
    if count < args.len() {
        return None;
    }
    let mut expanded = args.clone();
    expanded.resize(count, last);
    Some(expanded)
}

fn function_facts(
    signature: &FunctionSignature,
    declared: &[SignatureType],
    actual: &[Type],
) -> Resolution<FunctionRef> {
    concrete(declared, signature.result, actual).and_then(|(args, result)| {
        Resolution::Found(Rc::new(FunctionFacts {
            name: Rc::from(signature.name),
            args,
            result,
            kind: signature.kind,
            strict: signature.strict,
            volatility: signature.volatility,
            leakproof: signature.leakproof,
            returns_set: signature.returns_set,
            origin: Origin::Builtin,
        }))
    })
}

fn operator_facts(
    signature: &OperatorSignature,
    declared: &[SignatureType],
    actual: &[Type],
) -> Resolution<OperatorRef> {
    concrete(declared, signature.result, actual).and_then(|(args, result)| {
        let left = signature.left.and(args.first().copied());
        let Some(&right) = args.last() else {
            return Resolution::NotFound;
        };
        let function = Rc::new(FunctionFacts {
            name: Rc::from(signature.function),
            args,
            result,
            kind: FunctionKind::Plain,
            strict: signature.strict,
            volatility: signature.volatility,
            leakproof: signature.leakproof,
            returns_set: false,
            origin: Origin::Builtin,
        });
        Resolution::Found(Rc::new(OperatorFacts {
            name: Rc::from(signature.name),
            left,
            right,
            function,
            commutator: signature.commutator.map(Rc::from),
            negator: signature.negator.map(Rc::from),
        }))
    })
}

/// The candidate whose argument types are exactly these.
fn exact_match<'c, T>(candidates: &'c [Candidate<T>], args: &[Type]) -> Option<&'c Candidate<T>> {
    candidates.iter().find(|candidate| {
        let pairs = candidate.args.iter().zip(args);
        pairs
            .into_iter()
            .all(|(declared, &actual)| *declared == SignatureType::Concrete(actual))
    })
}

/// `func_get_detail`: an exact match, else the best of those the arguments can be coerced to.
fn choose<'c, T>(candidates: &'c [Candidate<T>], args: &[Type]) -> Resolution<&'c Candidate<T>> {
    if let Some(exact) = exact_match(candidates, args) {
        return Resolution::Found(exact);
    }
    let possible: Vec<&Candidate<T>> = candidates
        .iter()
        .filter(|candidate| accepts(&candidate.args, args))
        .collect();
    match possible[..] {
        [] => Resolution::NotFound,
        [only] => Resolution::Found(only),
        _ => match select(possible, args) {
            Some(best) => Resolution::Found(best),
            None => Resolution::Ambiguous,
        },
    }
}

/// `can_coerce_type` for all arguments together, implicitly.
fn accepts(declared: &[SignatureType], actual: &[Type]) -> bool {
    let plain = declared
        .iter()
        .zip(actual)
        .all(|(declared, &actual)| match declared {
            SignatureType::Concrete(ty) => can_coerce(actual, *ty, Coercion::Implicit),
            SignatureType::Foreign(_) => actual == Type::UNKNOWN,
            _ => true,
        });
    plain && Polymorphic::of(declared, actual).is_some()
}

fn slot_category(declared: SignatureType) -> Category {
    match declared {
        SignatureType::Concrete(ty) => casts::category(ty),
        SignatureType::Foreign(name) => match name {
            "name" => Category::String,
            "oid" | "money" | "regclass" => Category::Numeric,
            _ if name.starts_with("time") => Category::DateTime,
            _ => Category::Other,
        },
        _ => Category::Pseudo,
    }
}

fn slot_preferred(declared: SignatureType) -> bool {
    match declared {
        SignatureType::Concrete(ty) => casts::is_preferred(ty),
        SignatureType::Foreign(name) => {
            matches!(name, "timestamp with time zone" | "oid" | "inet")
        }
        _ => false,
    }
}

/// Keeps the candidates with the highest count.
fn keep_best<T>(candidates: &mut Vec<&Candidate<T>>, count: impl Fn(&[SignatureType]) -> usize) {
    let best = candidates
        .iter()
        .map(|candidate| count(&candidate.args))
        .max()
        .unwrap_or(0);
    candidates.retain(|candidate| count(&candidate.args) == best);
}

/// `func_select_candidate`
fn select<'c, T>(mut candidates: Vec<&'c Candidate<T>>, args: &[Type]) -> Option<&'c Candidate<T>> {
    let known = || {
        args.iter()
            .enumerate()
            .filter(|(_, ty)| **ty != Type::UNKNOWN)
    };
    let unknown = || {
        args.iter()
            .enumerate()
            .filter(|(_, ty)| **ty == Type::UNKNOWN)
    };
    keep_best(&mut candidates, |slots| {
        known()
            .filter(|&(i, &ty)| slots[i] == SignatureType::Concrete(ty))
            .count()
    });
    if let [only] = candidates[..] {
        return Some(only);
    }
    keep_best(&mut candidates, |slots| {
        let wanted = |i: usize, ty: Type| {
            slots[i] == SignatureType::Concrete(ty)
                || slot_preferred(slots[i]) && slot_category(slots[i]) == casts::category(ty)
        };
        known().filter(|&(i, &ty)| wanted(i, ty)).count()
    });
    if let [only] = candidates[..] {
        return Some(only);
    }
    // Without untyped literals there is nothing left to decide by.
    unknown().next()?;
    if let Some(wanted) = unknown_categories(&candidates, args) {
        let fits = |slots: &[SignatureType]| {
            wanted.iter().all(|&(i, category, preferred)| {
                slot_category(slots[i]) == category && (!preferred || slot_preferred(slots[i]))
            })
        };
        if candidates.iter().any(|candidate| fits(&candidate.args)) {
            candidates.retain(|candidate| fits(&candidate.args));
        }
        if let [only] = candidates[..] {
            return Some(only);
        }
    }
    // Known arguments of one type only: the literals are assumed to be of it too.
    let mut types = known().map(|(_, &ty)| ty);
    let first = types.next()?;
    if types.any(|ty| ty != first) {
        return None;
    }
    let assumed = vec![first; args.len()];
    candidates.retain(|candidate| accepts(&candidate.args, &assumed));
    match candidates[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// The category each untyped literal should have, and whether only its preferred type will do.
/// `None` if the candidates disagree.
fn unknown_categories<T>(
    candidates: &[&Candidate<T>],
    args: &[Type],
) -> Option<Vec<(usize, Category, bool)>> {
    let mut wanted = Vec::new();
    for (i, _) in args
        .iter()
        .enumerate()
        .filter(|(_, ty)| **ty == Type::UNKNOWN)
    {
        let mut settled: Option<(Category, bool)> = None;
        let mut conflict = false;
        for candidate in candidates {
            let slot = candidate.args[i];
            let (category, preferred) = (slot_category(slot), slot_preferred(slot));
            settled = match settled {
                None => Some((category, preferred)),
                Some((c, p)) if c == category => Some((c, p || preferred)),
                Some(_) if category == Category::String => Some((category, preferred)),
                other => {
                    conflict = true;
                    other
                }
            };
        }
        let (category, preferred) = settled?;
        if conflict && category != Category::String {
            return None;
        }
        wanted.push((i, category, preferred));
    }
    Some(wanted)
}
