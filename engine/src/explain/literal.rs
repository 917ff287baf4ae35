//! Constants and type names as SQL text that reads back as the same (`ruleutils.c`, `format_type.c`).

use crate::value::{Base, Datum, IntervalFields, Type, datetime, text};

/// Writes a constant with the type label it needs (`get_const_expr`). `label` off leaves the label
/// away (inside a cast that names the type).
pub(super) fn write_constant(value: &Datum, ty: Type, typmod: i32, label: bool, out: &mut String) {
    let mut plain = String::new();
    let mut labelled = true;
    match value {
        Datum::Null => {
            out.push_str("NULL");
            if label {
                write_label(ty, typmod, out);
            }
            return;
        }
        Datum::Bool(value) => {
            out.push_str(if *value { "true" } else { "false" });
            return;
        }
        Datum::Int4(value) => {
            text::write_int4(*value, &mut plain);
            labelled = *value < 0;
        }
        Datum::Numeric(value) => {
            value.write_to(&mut plain);
            let digits = plain.starts_with(|c: char| c.is_ascii_digit());
            labelled = !(digits && plain.contains(['e', 'E', '.'])) || typmod >= 0;
            if digits && plain.contains(['e', 'E', '.']) {
                out.push_str(&plain);
                if labelled && label {
                    write_label(ty, typmod, out);
                }
                return;
            }
        }
        value => write_datum(value, &mut plain),
    }
    if matches!(value, Datum::Int4(_)) && !labelled {
        out.push_str(&plain);
        return;
    }
    write_quoted(&plain, out);
    if label && labelled && ty != Type::UNKNOWN {
        write_label(ty, typmod, out);
    }
}

fn write_label(ty: Type, typmod: i32, out: &mut String) {
    out.push_str("::");
    write_type(ty, typmod, out);
}

/// `format_type_with_typemod`.
pub(super) fn write_type(ty: Type, typmod: i32, out: &mut String) {
    let name = match ty.base {
        // `character` alone would mean `character(1)`.
        Base::Bpchar if typmod < 0 => "bpchar",
        base => base.name(),
    };
    out.push_str(name);
    if typmod >= 4 {
        match ty.base {
            Base::Bpchar => out.push_str(&format!("({})", typmod - 4)),
            Base::Interval => IntervalFields::write_typmod(typmod, out),
            Base::Varchar => out.push_str(&format!("({})", typmod - 4)),
            Base::Numeric => {
                let (precision, scale) = (((typmod - 4) >> 16) & 0xffff, (typmod - 4) & 0x7ff);
                // The scale has eleven bits and a sign.
                let scale = (scale ^ 1024) - 1024;
                out.push_str(&format!("({precision},{scale})"));
            }
            _ => {}
        }
    }
    if ty.array {
        out.push_str("[]");
    }
}

/// A value's text output.
pub(super) fn write_datum(value: &Datum, out: &mut String) {
    match value {
        Datum::Null => out.push_str("NULL"),
        Datum::Bool(value) => text::write_bool(*value, out),
        Datum::Int2(value) => text::write_int2(*value, out),
        Datum::Int4(value) => text::write_int4(*value, out),
        Datum::Int8(value) => text::write_int8(*value, out),
        Datum::Float4(value) => text::write_float4(*value, out),
        Datum::Float8(value) => text::write_float8(*value, out),
        Datum::Numeric(value) => value.write_to(out),
        Datum::Text(value) => out.push_str(value),
        Datum::Date(value) => datetime::write_date(*value, out),
        Datum::Timestamp(value) => datetime::write_timestamp(*value, out),
        Datum::Interval(value) => datetime::write_interval(*value, out),
        Datum::Array(array) => {
            let elements: Vec<Option<String>> = (0..array.len())
                .map(|i| match array.elements.get(i) {
                    Datum::Null => None,
                    value => {
                        let mut element = String::new();
                        write_datum(&value, &mut element);
                        Some(element)
                    }
                })
                .collect();
            text::write_array(elements.iter().map(|element| element.as_deref()), out);
        }
    }
}

fn write_quoted(value: &str, out: &mut String) {
    out.push('\'');
    for c in value.chars() {
        if c == '\'' {
            out.push('\'');
        }
        out.push(c);
    }
    out.push('\'');
}

/// `quote_identifier`: quoted unless it is a plain lower-case name and no reserved word.
pub(super) fn write_identifier(name: &str, out: &mut String) {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !is_reserved(name);
    if plain {
        out.push_str(name);
        return;
    }
    out.push('"');
    for c in name.chars() {
        if c == '"' {
            out.push('"');
        }
        out.push(c);
    }
    out.push('"');
}

/// PostgreSQL's keywords that are not "unreserved", among those that could name a column.
fn is_reserved(name: &str) -> bool {
    const RESERVED: &[&str] = &[
        "all",
        "analyse",
        "analyze",
        "and",
        "any",
        "array",
        "as",
        "asc",
        "asymmetric",
        "authorization",
        "between",
        "bigint",
        "binary",
        "bit",
        "boolean",
        "both",
        "case",
        "cast",
        "char",
        "character",
        "check",
        "coalesce",
        "collate",
        "collation",
        "column",
        "concurrently",
        "constraint",
        "create",
        "cross",
        "current_catalog",
        "current_date",
        "current_role",
        "current_schema",
        "current_time",
        "current_timestamp",
        "current_user",
        "dec",
        "decimal",
        "default",
        "deferrable",
        "desc",
        "distinct",
        "do",
        "else",
        "end",
        "except",
        "exists",
        "extract",
        "false",
        "fetch",
        "float",
        "for",
        "foreign",
        "freeze",
        "from",
        "full",
        "grant",
        "greatest",
        "group",
        "grouping",
        "having",
        "ilike",
        "in",
        "initially",
        "inner",
        "inout",
        "int",
        "integer",
        "intersect",
        "interval",
        "into",
        "is",
        "isnull",
        "join",
        "lateral",
        "leading",
        "least",
        "left",
        "like",
        "limit",
        "localtime",
        "localtimestamp",
        "national",
        "natural",
        "nchar",
        "none",
        "normalize",
        "not",
        "notnull",
        "null",
        "nullif",
        "numeric",
        "offset",
        "on",
        "only",
        "or",
        "order",
        "out",
        "outer",
        "overlaps",
        "overlay",
        "placing",
        "position",
        "precision",
        "primary",
        "real",
        "references",
        "returning",
        "right",
        "row",
        "select",
        "session_user",
        "setof",
        "similar",
        "smallint",
        "some",
        "substring",
        "symmetric",
        "table",
        "tablesample",
        "then",
        "time",
        "timestamp",
        "to",
        "trailing",
        "treat",
        "trim",
        "true",
        "union",
        "unique",
        "user",
        "using",
        "values",
        "varchar",
        "variadic",
        "verbose",
        "when",
        "where",
        "window",
        "with",
        "xmlattributes",
        "xmlconcat",
        "xmlelement",
        "xmlexists",
        "xmlforest",
        "xmlnamespaces",
        "xmlparse",
        "xmlpi",
        "xmlroot",
        "xmlserialize",
        "xmltable",
    ];
    RESERVED.binary_search(&name).is_ok()
}
