//! System catalogs, as far as a curious user looks: made anew from the catalog where they are named,
//! as a list of VALUES. Object ids are bigints and names are text here.

use std::rc::Rc;

use super::{Body, Expr, Query, ResultColumn};
use crate::catalog::{Catalog, ColumnDef, ColumnStatistics, Table};
use crate::sql::ast::QualifiedName;
use crate::value::{Array, Base, Column, Datum, Type};

/// The namespaces' object ids, as in PostgreSQL.
const PG_CATALOG: i64 = 11;
const PUBLIC: i64 = 2200;

/// The relation of this name as a query, if it is one of the system's.
pub(super) fn system_relation(catalog: &Catalog, name: &QualifiedName) -> Option<Query> {
    let schema = match &name.parts[..] {
        [_] => None,
        [schema, _] => Some(schema.text.as_str()),
        _ => return None,
    };
    match (schema, name.object()) {
        (None | Some("pg_catalog"), "pg_am") => Some(access_methods(catalog)),
        (None | Some("pg_catalog"), "pg_class") => Some(classes(catalog)),
        (None | Some("pg_catalog"), "pg_attribute") => Some(attributes(catalog)),
        (None | Some("pg_catalog"), "pg_type") => Some(types()),
        (None | Some("pg_catalog"), "pg_stats") => Some(statistics(catalog)),
        (None | Some("pg_catalog"), "pg_namespace") => Some(namespaces()),
        (Some("information_schema"), "tables") => Some(information_tables(catalog)),
        (Some("information_schema"), "columns") => Some(information_columns(catalog)),
        _ => None,
    }
}

fn access_methods(catalog: &Catalog) -> Query {
    let rows = catalog.access_methods().iter().zip(2..).map(|(am, oid)| {
        let handler = format!("{}_tableam_handler", am.name());
        vec![
            Datum::Int8(oid),
            Datum::text(am.name()),
            Datum::text(handler),
            Datum::text("t"),
        ]
    });
    let columns = [
        ("oid", Type::INT8),
        ("amname", Type::TEXT),
        ("amhandler", Type::TEXT),
        ("amtype", Type::TEXT),
    ];
    values(&columns, rows.collect())
}

fn classes(catalog: &Catalog) -> Query {
    let mut rows: Vec<Vec<Datum>> = catalog
        .tables()
        .map(|table| class_of_table(table))
        .collect();
    rows.extend(catalog.views().map(|view| {
        let barrier = view
            .security_barrier
            .then(|| "security_barrier=true".to_string());
        vec![
            Datum::Null,
            Datum::text(Rc::clone(&view.name)),
            Datum::Int8(PUBLIC),
            Datum::Null,
            Datum::text("v"),
            Datum::Int4(0),
            Datum::Float4(-1.0),
            Datum::Null,
            options(barrier.into_iter().collect()),
        ]
    }));
    let columns = [
        ("oid", Type::INT8),
        ("relname", Type::TEXT),
        ("relnamespace", Type::INT8),
        ("relam", Type::TEXT),
        ("relkind", Type::TEXT),
        ("relpages", Type::INT4),
        ("reltuples", Type::FLOAT4),
        ("relnatts", Type::INT2),
        ("reloptions", Type::TEXT.to_array()),
    ];
    values(&columns, rows)
}

fn class_of_table(table: &Table) -> Vec<Datum> {
    let known = table.statistics.as_ref();
    let on = |on: bool| if on { "on" } else { "off" };
    let mut set = Vec::new();
    set.extend(
        table
            .options
            .fillfactor
            .map(|percent| format!("fillfactor={percent}")),
    );
    set.extend(
        table
            .options
            .quals_push_down
            .map(|value| format!("quals_push_down={}", on(value))),
    );
    vec![
        Datum::Int8(i64::from(table.oid)),
        Datum::text(Rc::clone(&table.name)),
        Datum::Int8(PUBLIC),
        Datum::text(table.am.name()),
        Datum::text("r"),
        Datum::Int4(known.map_or(0, |known| known.pages as i32)),
        Datum::Float4(known.map_or(-1.0, |known| known.rows as f32)),
        Datum::Int2(table.columns.len() as i16),
        options(set),
    ]
}

/// `reloptions`: NULL where none is set.
fn options(set: Vec<String>) -> Datum {
    if set.is_empty() {
        return Datum::Null;
    }
    let mut elements = Column::new(Type::TEXT);
    for option in set {
        elements.push(&Datum::text(option));
    }
    Datum::Array(Rc::new(Array::new(elements)))
}

fn attributes(catalog: &Catalog) -> Query {
    let rows = each_column(catalog, |table, number, column| {
        vec![
            Datum::Int8(i64::from(table.oid)),
            Datum::text(Rc::clone(&column.name)),
            Datum::text(type_name(column.ty)),
            Datum::Int2(number as i16),
            Datum::Int4(column.typmod),
            Datum::Bool(column.not_null),
            Datum::Bool(column.default.is_some()),
        ]
    });
    let columns = [
        ("attrelid", Type::INT8),
        ("attname", Type::TEXT),
        ("atttypid", Type::TEXT),
        ("attnum", Type::INT2),
        ("atttypmod", Type::INT4),
        ("attnotnull", Type::BOOL),
        ("atthasdef", Type::BOOL),
    ];
    values(&columns, rows)
}

fn each_column(
    catalog: &Catalog,
    row: impl Fn(&Table, usize, &ColumnDef) -> Vec<Datum>,
) -> Vec<Vec<Datum>> {
    let mut rows = Vec::new();
    for table in catalog.tables() {
        rows.extend(
            table
                .columns
                .iter()
                .zip(1..)
                .map(|(column, number)| row(table, number, column)),
        );
    }
    rows
}

/// `pg_stats`. The lists of values, of no type of their own in PostgreSQL, are text here.
fn statistics(catalog: &Catalog) -> Query {
    let mut rows = Vec::new();
    for table in catalog.tables() {
        let Some(known) = &table.statistics else {
            continue;
        };
        for (column, statistics) in table.columns.iter().zip(&known.columns) {
            if let Some(statistics) = statistics {
                rows.push(statistics_row(table, column, statistics));
            }
        }
    }
    let columns = [
        ("schemaname", Type::TEXT),
        ("tablename", Type::TEXT),
        ("attname", Type::TEXT),
        ("inherited", Type::BOOL),
        ("null_frac", Type::FLOAT4),
        ("avg_width", Type::INT4),
        ("n_distinct", Type::FLOAT4),
        ("most_common_vals", Type::TEXT),
        ("most_common_freqs", Type::FLOAT4.to_array()),
        ("histogram_bounds", Type::TEXT),
        ("correlation", Type::FLOAT4),
    ];
    values(&columns, rows)
}

fn statistics_row(table: &Table, column: &ColumnDef, known: &ColumnStatistics) -> Vec<Datum> {
    let list = |values: &Column| {
        let mut text = String::new();
        let array = Rc::new(Array::new(values.clone()));
        crate::value::text::write_datum(&Datum::Array(array), &mut text);
        Datum::text(text)
    };
    let common = known.common.as_ref();
    let frequencies = common.map(|common| {
        let mut column = Column::new(Type::FLOAT4);
        let each = common.frequencies.iter();
        each.for_each(|&frequency| column.push(&Datum::Float4(frequency)));
        Datum::Array(Rc::new(Array::new(column)))
    });
    vec![
        Datum::text("public"),
        Datum::text(Rc::clone(&table.name)),
        Datum::text(Rc::clone(&column.name)),
        Datum::Bool(false),
        Datum::Float4(known.null_fraction),
        Datum::Int4(known.width as i32),
        Datum::Float4(known.distinct),
        common.map_or(Datum::Null, |common| list(&common.values)),
        frequencies.unwrap_or(Datum::Null),
        known.histogram.as_ref().map_or(Datum::Null, list),
        known.correlation.map_or(Datum::Null, Datum::Float4),
    ]
}

/// `pg_type.typname`: arrays start with an underscore.
fn type_name(ty: Type) -> String {
    format!("{}{}", if ty.array { "_" } else { "" }, ty.base.typname())
}

fn types() -> Query {
    use Base::*;
    let bases = [
        Bool, Int2, Int4, Int8, Numeric, Float4, Float8, Text, Varchar, Bpchar, Date, Timestamp,
        Interval, Unknown, Void,
    ];
    let rows = bases.iter().map(|base| {
        let length = base.fixed_width().map_or(-1, |width| width as i16);
        vec![
            Datum::text(base.typname()),
            Datum::Int8(PG_CATALOG),
            Datum::Int2(length),
            Datum::Bool(length > 0),
        ]
    });
    let columns = [
        ("typname", Type::TEXT),
        ("typnamespace", Type::INT8),
        ("typlen", Type::INT2),
        ("typbyval", Type::BOOL),
    ];
    values(&columns, rows.collect())
}

fn namespaces() -> Query {
    let rows = [(PG_CATALOG, "pg_catalog"), (PUBLIC, "public")];
    let rows = rows
        .iter()
        .map(|(oid, name)| vec![Datum::Int8(*oid), Datum::text(*name)]);
    values(
        &[("oid", Type::INT8), ("nspname", Type::TEXT)],
        rows.collect(),
    )
}

fn information_tables(catalog: &Catalog) -> Query {
    let row = |name: &Rc<str>, kind: &str| {
        vec![
            Datum::text("tuplescope"),
            Datum::text("public"),
            Datum::text(Rc::clone(name)),
            Datum::text(kind),
        ]
    };
    let tables = catalog.tables().map(|table| row(&table.name, "BASE TABLE"));
    let rows = tables
        .chain(catalog.views().map(|view| row(&view.name, "VIEW")))
        .collect();
    let columns = ["table_catalog", "table_schema", "table_name", "table_type"]
        .map(|name| (name, Type::TEXT));
    values(&columns, rows)
}

fn information_columns(catalog: &Catalog) -> Query {
    let rows = each_column(catalog, |table, number, column| {
        vec![
            Datum::text("public"),
            Datum::text(Rc::clone(&table.name)),
            Datum::text(Rc::clone(&column.name)),
            Datum::Int4(number as i32),
            column.default.clone().map_or(Datum::Null, Datum::Text),
            Datum::text(if column.not_null { "NO" } else { "YES" }),
            Datum::text(if column.ty.array {
                "ARRAY"
            } else {
                column.ty.base.name()
            }),
        ]
    });
    let columns = [
        ("table_schema", Type::TEXT),
        ("table_name", Type::TEXT),
        ("column_name", Type::TEXT),
        ("ordinal_position", Type::INT4),
        ("column_default", Type::TEXT),
        ("is_nullable", Type::TEXT),
        ("data_type", Type::TEXT),
    ];
    values(&columns, rows)
}

fn values(columns: &[(&str, Type)], rows: Vec<Vec<Datum>>) -> Query {
    let expressions = |row: Vec<Datum>| {
        row.into_iter()
            .zip(columns)
            .map(|(value, (_, ty))| Expr::constant(value, *ty))
            .collect()
    };
    Query {
        body: Body::Values(rows.into_iter().map(expressions).collect()),
        order_by: Vec::new(),
        limit: None,
        offset: None,
        with: Vec::new(),
        columns: columns
            .iter()
            .map(|(name, ty)| ResultColumn {
                name: Rc::from(*name),
                ty: *ty,
                typmod: -1,
            })
            .collect(),
    }
}
