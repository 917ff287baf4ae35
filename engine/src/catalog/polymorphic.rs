//! What pseudo-types such as `anyarray` stand for in one call (`parse_coerce.c`).

use super::Resolution;
use super::casts::{self, Coercion, can_coerce};
use super::signatures::SignatureType;
use crate::value::Type;

/// What the polymorphic types of one call stand for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Polymorphic {
    element: Option<Type>,
    compatible: Option<Type>,
}

impl Polymorphic {
    /// `check_generic_type_consistency`: the element types of both families, or `None` if the
    /// arguments contradict each other.
    pub fn of(declared: &[SignatureType], actual: &[Type]) -> Option<Polymorphic> {
        let mut element: Option<Type> = None;
        let mut compatible = Vec::new();
        let mut uses_compatible = false;
        for (declared, &actual) in declared.iter().zip(actual) {
            let is_unknown = actual == Type::UNKNOWN;
            match declared {
                SignatureType::Concrete(_) | SignatureType::Foreign(_) | SignatureType::Any => {}
                SignatureType::AnyElement | SignatureType::AnyNonArray => {
                    if is_unknown {
                        continue;
                    }
                    // An element that is itself an array would need arrays of arrays.
                    let refused = *declared == SignatureType::AnyNonArray && actual.array;
                    if refused || element.is_some_and(|known| known != actual) {
                        return None;
                    }
                    element = Some(actual);
                }
                SignatureType::AnyArray => {
                    if is_unknown {
                        continue;
                    }
                    if !actual.array || element.is_some_and(|known| known != actual.element()) {
                        return None;
                    }
                    element = Some(actual.element());
                }
                SignatureType::AnyCompatible | SignatureType::AnyCompatibleNonArray => {
                    uses_compatible = true;
                    if *declared == SignatureType::AnyCompatibleNonArray && actual.array {
                        return None;
                    }
                    compatible.push(actual);
                }
                SignatureType::AnyCompatibleArray => {
                    uses_compatible = true;
                    if is_unknown {
                        continue;
                    }
                    if !actual.array {
                        return None;
                    }
                    compatible.push(actual.element());
                }
            }
        }
        let mut common = None;
        if uses_compatible {
            let ty = casts::common_type(&compatible).ok()?;
            if !compatible
                .iter()
                .all(|&from| can_coerce(from, ty, Coercion::Implicit))
            {
                return None;
            }
            common = Some(ty);
        }
        Some(Polymorphic {
            element,
            compatible: common,
        })
    }

    fn apply(self, declared: SignatureType, actual: Option<Type>) -> Resolution<Type> {
        let known = |ty: Option<Type>| match ty {
            Some(ty) => Resolution::Found(ty),
            None => Resolution::Undetermined,
        };
        let array_of = |ty: Type| match ty.array {
            true => Resolution::NoArrayOf(ty),
            false => Resolution::Found(ty.to_array()),
        };
        match declared {
            SignatureType::Concrete(ty) => Resolution::Found(ty),
            SignatureType::Foreign(name) => Resolution::Foreign(name),
            SignatureType::Any => known(actual).and_then(|ty| {
                Resolution::Found(if ty == Type::UNKNOWN { Type::TEXT } else { ty })
            }),
            SignatureType::AnyElement | SignatureType::AnyNonArray => known(self.element),
            SignatureType::AnyArray => known(self.element).and_then(array_of),
            SignatureType::AnyCompatible | SignatureType::AnyCompatibleNonArray => {
                known(self.compatible)
            }
            SignatureType::AnyCompatibleArray => known(self.compatible).and_then(array_of),
        }
    }
}

/// `enforce_generic_type_consistency`: argument and result types without pseudo-types.
pub(super) fn concrete(
    declared: &[SignatureType],
    result: SignatureType,
    actual: &[Type],
) -> Resolution<(Vec<Type>, Type)> {
    let Some(polymorphic) = Polymorphic::of(declared, actual) else {
        return Resolution::NotFound;
    };
    let mut args = Resolution::Found(Vec::with_capacity(actual.len()));
    for (&declared, &actual) in declared.iter().zip(actual) {
        args = args.and_then(|mut args| {
            polymorphic.apply(declared, Some(actual)).and_then(|ty| {
                args.push(ty);
                Resolution::Found(args)
            })
        });
    }
    args.and_then(|args| {
        polymorphic
            .apply(result, None)
            .and_then(|result| Resolution::Found((args, result)))
    })
}
