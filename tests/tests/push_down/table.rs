//! The table that conditions are tried on, and what is asked of each.

use tests::database::Database;

use super::ACCESS_METHOD;

pub const ROWS: u64 = 1000;

/// A database after a script, every statement of which must succeed; its tables are of the access
/// method that is tested.
pub fn database(script: &str) -> Database {
    let mut database = Database::with_settings(&[("default_table_access_method", ACCESS_METHOD)]);
    database.execute(script);
    database
}

/// `i` 1 … 1000, `b` its billions, `s` a short, `n` numeric, `f`/`g` floats, `t` text, `d` date, `x` NULL
/// in every third row, `o` boolean.
pub fn table(options: &str) -> Database {
    database(&format!(
        "CREATE TABLE t (i int, b bigint, s smallint, n numeric, f float8, g float4, t text, v varchar(20),
                         d date, x int, o boolean) {options};
         INSERT INTO t SELECT i, i * 1000000000::bigint, (i % 100)::smallint, i / 10.0, i / 4.0, i / 2.0,
                'k' || i % 50, 'v' || i % 20, '2024-01-01'::date + i,
                CASE WHEN i % 3 = 0 THEN NULL ELSE i END, i % 2 = 0
           FROM generate_series(1, 1000) i;
         VACUUM t;"
    ))
}

/// The condition is handed over and the lines say so.
pub fn pushed(condition: &str, key: &str) {
    pushed_with(&[], condition, key);
}

pub fn pushed_with(settings: &[(&str, &str)], condition: &str, key: &str) {
    let mut database = table("");
    for (name, value) in settings {
        database.session.set(name, value).unwrap();
    }
    let lines = database.explain(&format!("SELECT * FROM t WHERE {condition}"));
    let expected = format!("  Scan Keys: {key}");
    assert!(
        lines.contains(&expected),
        "{condition}: no `{expected}` in\n{}",
        lines.join("\n")
    );
    same_rows_without(&mut database, condition);
}

/// The condition stays in the filter, with this reason.
pub fn stays(condition: &str, line: &str) {
    let mut database = table("");
    stays_in(&mut database, condition, line);
}

pub fn stays_in(database: &mut Database, condition: &str, line: &str) {
    let lines = database.explain(&format!("SELECT * FROM t WHERE {condition}"));
    let expected = format!("  Not Pushed: {line}");
    assert!(
        lines.contains(&expected),
        "{condition}: no `{expected}` in\n{}",
        lines.join("\n")
    );
    assert!(
        !lines.iter().any(|line| line.contains("Scan Keys")),
        "{}",
        lines.join("\n")
    );
    assert!(
        lines.iter().any(|line| line.starts_with("  Filter: ")),
        "{}",
        lines.join("\n")
    );
}

/// The same rows come without push-down and with every key checked again.
pub fn same_rows_without(database: &mut Database, condition: &str) {
    let sql = format!("SELECT i FROM t WHERE {condition} ORDER BY i");
    let with = database.query(&sql).rows;
    for (name, value) in [("quals_push_down", "off"), ("quals_recheck", "always")] {
        let before = database.session.settings().show(name).unwrap();
        database.session.set(name, value).unwrap();
        assert_eq!(
            database.query(&sql).rows,
            with,
            "{condition} with {name} = {value}"
        );
        database.session.set(name, &before).unwrap();
    }
}
