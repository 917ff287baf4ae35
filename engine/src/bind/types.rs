//! Type names to types and typmods (`parse_type.c`).

use super::binder::{Binder, is_schema};
use crate::error::{Result, sqlstate};
use crate::sql::ast::TypeName;
use crate::value::{Base, Interval, Type};

/// What PostgreSQL adds to a length or precision in a typmod (`VARHDRSZ`).
const TYPMOD_OFFSET: i32 = 4;
const MAX_VARCHAR: i64 = 10_485_760;
const MAX_PRECISION: i64 = 1000;

/// Types of PostgreSQL that do not exist here, to be refused by name.
const ABSENT: &[&str] = &[
    "bigserial",
    "bit",
    "box",
    "bytea",
    "char",
    "cid",
    "cidr",
    "circle",
    "daterange",
    "inet",
    "int4range",
    "int8range",
    "json",
    "jsonb",
    "jsonpath",
    "line",
    "lseg",
    "macaddr",
    "macaddr8",
    "money",
    "name",
    "numrange",
    "oid",
    "path",
    "pg_lsn",
    "point",
    "polygon",
    "record",
    "refcursor",
    "regclass",
    "regoper",
    "regproc",
    "regtype",
    "serial",
    "smallserial",
    "tid",
    "time",
    "timestamptz",
    "timetz",
    "tsquery",
    "tsrange",
    "tsvector",
    "txid_snapshot",
    "uuid",
    "varbit",
    "xid",
    "xml",
    "anyelement",
    "anyarray",
    "anynonarray",
    "cstring",
    "internal",
    "trigger",
    "\"any\"",
];

impl Binder<'_> {
    /// The type and typmod a type name stands for.
    ///
    /// # Errors
    /// 42704 for a type that does not exist, 0A000 for one that does not exist here, 22023 for
    /// modifiers out of range.
    pub fn resolve_type(&self, name: &TypeName) -> Result<(Type, i32)> {
        let at = name.name.at();
        let object = match &name.name.parts[..] {
            [object] => &object.text,
            [schema, object] if is_schema(&schema.text) => &object.text,
            _ => {
                let message = format!("type \"{}\" does not exist", name.name);
                return Err(self.error(sqlstate::UNDEFINED_OBJECT, message, at));
            }
        };
        let (object, underscore) = match object.strip_prefix('_') {
            Some(element) => (element, true),
            None => (object.as_str(), false),
        };
        // `integer` and its like have become int4 in the parser; quoted they are no types.
        let base = match object {
            "int4" | "int2" | "int8" | "float4" | "float8" | "bool" | "numeric" | "text"
            | "varchar" | "bpchar" | "date" | "timestamp" | "interval" | "void" => {
                Base::from_name(object)
            }
            _ => None,
        };
        let Some(base) = base else {
            if ABSENT.contains(&object) {
                let shown = match object {
                    "timestamptz" => "timestamp with time zone",
                    "timetz" => "time with time zone",
                    other => other,
                };
                return Err(self.unsupported(format!("type {shown}"), at));
            }
            let message = format!("type \"{}\" does not exist", name.name);
            return Err(self.error(sqlstate::UNDEFINED_OBJECT, message, at));
        };
        let typmod = self.typmod(base, name)?;
        let array = name.dimensions > 0 || underscore;
        Ok((Type { base, array }, typmod))
    }

    fn typmod(&self, base: Base, name: &TypeName) -> Result<i32> {
        let at = name.name.at();
        let invalid = |message: String| self.error(sqlstate::INVALID_PARAMETER_VALUE, message, at);
        match (base, &name.modifiers[..]) {
            (_, []) => Ok(-1),
            (Base::Varchar | Base::Bpchar, [length]) => {
                let shown = match base {
                    Base::Bpchar => "char",
                    _ => "varchar",
                };
                if *length < 1 {
                    let message = format!("length for type {shown} must be at least 1");
                    return Err(invalid(message));
                }
                if *length > MAX_VARCHAR {
                    let message = format!("length for type {shown} cannot exceed {MAX_VARCHAR}");
                    return Err(invalid(message));
                }
                Ok(*length as i32 + TYPMOD_OFFSET)
            }
            (Base::Numeric, [precision, rest @ ..]) if rest.len() <= 1 => {
                let scale = rest.first().copied().unwrap_or(0);
                if !(1..=MAX_PRECISION).contains(precision) {
                    return Err(invalid(format!(
                        "NUMERIC precision {precision} must be between 1 and {MAX_PRECISION}"
                    )));
                }
                if !(-MAX_PRECISION..=MAX_PRECISION).contains(&scale) {
                    return Err(invalid(format!(
                        "NUMERIC scale {scale} must be between -{MAX_PRECISION} and {MAX_PRECISION}"
                    )));
                }
                // `make_numeric_typmod`: the scale has eleven bits.
                let packed = ((*precision as i32) << 16) | (scale as i32 & 0x7ff);
                Ok(packed + TYPMOD_OFFSET)
            }
            (Base::Numeric, _) => Err(invalid("invalid NUMERIC type modifier".into())),
            (Base::Interval, modifiers) => {
                Interval::typmod(modifiers).map_err(|error| error.at(self.at(at)))
            }
            (Base::Varchar | Base::Bpchar, _) => Err(invalid("invalid type modifier".into())),
            (Base::Timestamp, _) => Err(self.unsupported("a precision of timestamp", at)),
            _ => {
                let shown = base.name();
                let message = format!("type modifier is not allowed for type \"{shown}\"");
                Err(self.error(sqlstate::SYNTAX_ERROR, message, at))
            }
        }
    }
}
