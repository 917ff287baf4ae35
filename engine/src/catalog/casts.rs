//! Which type can become which, and when (`pg_cast`, `find_coercion_pathway` in `parse_coerce.c`).

use crate::value::{Base, Type};

/// How a value of one type becomes one of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastPath {
    /// The same bits under another name.
    Relabel,
    /// A conversion of its own.
    Function,
    /// The text of the one read as the other.
    InOut,
}

/// Who asks for a cast; a later one may do what an earlier may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coercion {
    Implicit,
    Assignment,
    Explicit,
}

/// PostgreSQL's `typcategory`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    Boolean,
    Numeric,
    String,
    DateTime,
    TimeSpan,
    Array,
    Pseudo,
    Unknown,
    /// That of types which do not exist here.
    Other,
}

pub fn category(ty: Type) -> Category {
    if ty.array {
        return Category::Array;
    }
    match ty.base {
        Base::Bool => Category::Boolean,
        Base::Int2 | Base::Int4 | Base::Int8 | Base::Numeric | Base::Float4 | Base::Float8 => {
            Category::Numeric
        }
        Base::Text | Base::Varchar | Base::Bpchar => Category::String,
        Base::Date | Base::Timestamp => Category::DateTime,
        Base::Interval => Category::TimeSpan,
        Base::Unknown => Category::Unknown,
        Base::Void => Category::Pseudo,
    }
}

/// The type its category prefers (`typispreferred`).
pub fn is_preferred(ty: Type) -> bool {
    !ty.array
        && matches!(
            ty.base,
            Base::Bool | Base::Float8 | Base::Text | Base::Interval
        )
}

/// The way from one type to another, different one, if `coercion` may take it.
pub fn cast_path(from: Type, to: Type, coercion: Coercion) -> Option<CastPath> {
    if from == Type::UNKNOWN {
        return Some(CastPath::InOut);
    }
    if to == Type::UNKNOWN || to.base == Base::Void || from.base == Base::Void {
        return None;
    }
    if from.array && to.array {
        return cast_path(from.element(), to.element(), coercion).map(|path| match path {
            CastPath::Relabel => CastPath::Relabel,
            CastPath::Function | CastPath::InOut => CastPath::Function,
        });
    }
    if !from.array
        && !to.array
        && let Some((path, needed)) = catalog_cast(from.base, to.base)
    {
        return (coercion >= needed).then_some(path);
    }
    // Any type becomes a string by its text, at least in an assignment; a string becomes any type
    // only when asked to.
    let needed = match (category(from), category(to)) {
        (_, Category::String) => Coercion::Assignment,
        (Category::String, _) => Coercion::Explicit,
        _ => return None,
    };
    (coercion >= needed).then_some(CastPath::InOut)
}

/// `pg_cast` for the types there are.
fn catalog_cast(from: Base, to: Base) -> Option<(CastPath, Coercion)> {
    use Base::*;
    let numeric = |base| matches!(base, Int2 | Int4 | Int8 | Numeric | Float4 | Float8);
    match (from, to) {
        // `Base` orders the numbers as PostgreSQL widens them.
        _ if numeric(from) && numeric(to) => {
            let needed = if from < to {
                Coercion::Implicit
            } else {
                Coercion::Assignment
            };
            Some((CastPath::Function, needed))
        }
        (Int4, Bool) | (Bool, Int4) => Some((CastPath::Function, Coercion::Explicit)),
        (Bool, Text | Varchar | Bpchar) => Some((CastPath::Function, Coercion::Assignment)),
        (Text | Varchar, Bpchar) => Some((CastPath::Relabel, Coercion::Implicit)),
        // Blanks at the end are lost.
        (Bpchar, Text | Varchar) => Some((CastPath::Function, Coercion::Implicit)),
        (Text, Varchar) | (Varchar, Text) => Some((CastPath::Relabel, Coercion::Implicit)),
        (Date, Timestamp) => Some((CastPath::Function, Coercion::Implicit)),
        (Timestamp, Date) => Some((CastPath::Function, Coercion::Assignment)),
        _ => None,
    }
}

/// `can_coerce_type` for one value and a type that is not polymorphic.
pub fn can_coerce(from: Type, to: Type, coercion: Coercion) -> bool {
    from == to || cast_path(from, to, coercion).is_some()
}

/// Why types have none in common: the one settled on so far, and the one that does not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unmatched {
    pub settled: Type,
    pub other: Type,
    /// Index of the other.
    pub index: usize,
}

/// The type that UNION, CASE, COALESCE, VALUES and ARRAY give their parts (`select_common_type`);
/// `unknown` literals alone become text.
pub fn common_type(types: &[Type]) -> Result<Type, Unmatched> {
    let mut settled = types.first().copied().unwrap_or(Type::UNKNOWN);
    for (index, &other) in types.iter().enumerate().skip(1) {
        if other == Type::UNKNOWN || other == settled {
            continue;
        }
        if settled == Type::UNKNOWN {
            settled = other;
        } else if category(other) != category(settled) {
            return Err(Unmatched {
                settled,
                other,
                index,
            });
        } else if !is_preferred(settled)
            && can_coerce(settled, other, Coercion::Implicit)
            && !can_coerce(other, settled, Coercion::Implicit)
        {
            settled = other;
        }
    }
    Ok(if settled == Type::UNKNOWN {
        Type::TEXT
    } else {
        settled
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts_are_pg_casts() {
        let cases = [
            (
                Type::INT4,
                Type::INT8,
                Coercion::Implicit,
                Some(CastPath::Function),
            ),
            (Type::INT8, Type::INT4, Coercion::Implicit, None),
            (
                Type::INT8,
                Type::INT4,
                Coercion::Assignment,
                Some(CastPath::Function),
            ),
            (
                Type::NUMERIC,
                Type::FLOAT8,
                Coercion::Implicit,
                Some(CastPath::Function),
            ),
            (Type::FLOAT8, Type::NUMERIC, Coercion::Implicit, None),
            (Type::INT4, Type::BOOL, Coercion::Assignment, None),
            (
                Type::INT4,
                Type::BOOL,
                Coercion::Explicit,
                Some(CastPath::Function),
            ),
            (Type::INT8, Type::BOOL, Coercion::Explicit, None),
            (Type::INT4, Type::TEXT, Coercion::Implicit, None),
            (
                Type::INT4,
                Type::TEXT,
                Coercion::Assignment,
                Some(CastPath::InOut),
            ),
            (Type::TEXT, Type::INT4, Coercion::Assignment, None),
            (
                Type::TEXT,
                Type::INT4,
                Coercion::Explicit,
                Some(CastPath::InOut),
            ),
            (
                Type::VARCHAR,
                Type::TEXT,
                Coercion::Implicit,
                Some(CastPath::Relabel),
            ),
            (
                Type::DATE,
                Type::TIMESTAMP,
                Coercion::Implicit,
                Some(CastPath::Function),
            ),
            (
                Type::array_of(Base::Int4),
                Type::array_of(Base::Int8),
                Coercion::Implicit,
                Some(CastPath::Function),
            ),
            (
                Type::array_of(Base::Int4),
                Type::INT4,
                Coercion::Explicit,
                None,
            ),
            (
                Type::UNKNOWN,
                Type::DATE,
                Coercion::Implicit,
                Some(CastPath::InOut),
            ),
        ];
        for (from, to, coercion, expected) in cases {
            assert_eq!(
                cast_path(from, to, coercion),
                expected,
                "{from:?} {to:?} {coercion:?}"
            );
        }
    }

    #[test]
    fn common_types() {
        assert_eq!(common_type(&[Type::INT4, Type::NUMERIC]), Ok(Type::NUMERIC));
        assert_eq!(common_type(&[Type::UNKNOWN, Type::INT4]), Ok(Type::INT4));
        assert_eq!(common_type(&[Type::UNKNOWN, Type::UNKNOWN]), Ok(Type::TEXT));
        assert_eq!(common_type(&[Type::VARCHAR, Type::TEXT]), Ok(Type::VARCHAR));
        assert!(common_type(&[Type::INT4, Type::TEXT]).is_err());
    }
}
