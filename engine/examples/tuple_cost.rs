//! What a tuple costs in instructions: mail 1's cases and mail 4's kinds of nodes, in both drivers, at
//! one row a batch and at 1024. Each run is one call of [`measured`]; callgrind counts what happens in it.
//!
//! `tests/bench/instructions.sh` builds this, runs it under callgrind and prints the table.
//! `cargo run --release -p engine --example tuple_cost [rows [word]]` only lists the runs whose name has the word.

use engine::session::{Event, Host, Session};

/// One query in one setting.
struct Run {
    name: String,
    sql: String,
    settings: Vec<(&'static str, &'static str)>,
}

const OFF: [(&str, &str); 1] = [("quals_push_down", "off")];
const ALWAYS: [(&str, &str); 2] = [("quals_push_down", "on"), ("quals_recheck", "always")];
const AUTO: [(&str, &str); 2] = [("quals_push_down", "on"), ("quals_recheck", "auto")];

const EXECUTORS: [&str; 2] = ["pull", "push"];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rows: u64 = arguments
        .next()
        .and_then(|rows| rows.parse().ok())
        .unwrap_or(100_000);
    let word = arguments.next().unwrap_or_default();
    let mut session = Session::new(Host::still());
    load(&mut session, rows);
    for run in runs(rows) {
        if run.name.contains(&word) {
            for (name, value) in &run.settings {
                prepare(&mut session, &format!("SET {name} = '{value}'"));
            }
            measured(&mut session, &run.sql);
            println!("{}", run.name);
        }
    }
}

/// The call that callgrind is told to count.
#[inline(never)]
fn measured(session: &mut Session, sql: &str) {
    prepare(session, sql);
}

fn prepare(session: &mut Session, sql: &str) {
    session.start(sql);
    loop {
        match session.resume() {
            Event::Finished(finished) => {
                if let Some(error) = finished.error {
                    panic!("{sql}: {error}");
                }
            }
            Event::End => return,
            Event::Started(_) | Event::Rows | Event::Yielded => {}
        }
    }
}

fn load(session: &mut Session, rows: u64) {
    let integers: Vec<String> = (1..=15).map(|n| format!("c{n} int")).collect();
    let values: Vec<String> = (1..15).map(|n| format!("g % {}", n + 1)).collect();
    let values = values.join(", ");
    let integers = integers.join(", ");
    // Of every hundred rows each has another number from 0 to 99, in no order; or a tenth is NULL.
    let (spread, holed) = ("g * 37 % 100", "nullif(g % 10, 0) * 0 + g * 37 % 100");
    let among = |key: &str, at: [usize; 3]| {
        let column = |n| match at.contains(&n) {
            true => key.to_owned(),
            false => format!("g % {}", n + 1),
        };
        (1..=15).map(column).collect::<Vec<_>>().join(", ")
    };
    let (even, gaps) = (among(spread, [1, 4, 15]), among(holed, [1, 4, 15]));
    prepare(
        session,
        &format!(
            "CREATE TABLE t (i int);
             INSERT INTO t SELECT generate_series(1, {rows});
             CREATE TABLE small (i int, name text);
             INSERT INTO small SELECT g * 10, 'name ' || g FROM generate_series(1, 1000) g;
             CREATE TABLE wide ({integers});
             INSERT INTO wide SELECT {values}, g FROM generate_series(1, {rows}) g;
             CREATE TABLE even ({integers});
             INSERT INTO even SELECT {even} FROM generate_series(1, {rows}) g;
             CREATE TABLE gaps ({integers});
             INSERT INTO gaps SELECT {gaps} FROM generate_series(1, {rows}) g;
             CREATE TABLE behind (s text, i int, j int);
             INSERT INTO behind SELECT 'text ' || g, {spread}, g % 10 FROM generate_series(1, {rows}) g;
             CREATE TABLE holes (s text, i int, j int);
             INSERT INTO holes SELECT 'text ' || g, {holed}, g % 10 FROM generate_series(1, {rows}) g;
             VACUUM t; VACUUM small; VACUUM wide; VACUUM even; VACUUM gaps; VACUUM behind; VACUUM holes;
             SET explain_timing = off"
        ),
    );
}

fn runs(rows: u64) -> Vec<Run> {
    let mut runs = Vec::new();
    let few = rows / 20;
    let cases = [
        ("case 1", format!("SELECT count(*) FROM t WHERE i = {few}")),
        ("case 2", "SELECT count(*) FROM t WHERE i >= 2".to_owned()),
    ];
    for batch_rows in ["1", "1024"] {
        for (case, sql) in &cases {
            for (how, keys) in [("off", &OFF[..]), ("always", &ALWAYS), ("auto", &AUTO)] {
                add(&mut runs, case, how, sql, batch_rows, keys);
            }
        }
    }
    // Mail 4's kinds of nodes; no push-down, as there.
    for batch_rows in ["1", "1024"] {
        for (node, sql) in [
            ("scan, count", "SELECT count(*) FROM t".to_owned()),
            (
                "scan, filter, sum",
                "SELECT sum(i) FROM t WHERE i >= 2".to_owned(),
            ),
            (
                "scan, filter, hash join, count",
                "SELECT count(*) FROM t JOIN small USING (i) WHERE t.i >= 2".to_owned(),
            ),
            (
                "scan, filter, hashed aggregate",
                "SELECT c7, count(*), sum(c15) FROM wide WHERE c15 >= 2 GROUP BY c7".to_owned(),
            ),
            (
                "scan, filter, expressions, sums",
                "SELECT sum(c3 * (1 + c4)), avg(c15), count(*) FROM wide WHERE c15 >= 2 AND c9 < 8"
                    .to_owned(),
            ),
            // The client takes few rows: its cost is not a node's.
            (
                "scan, filter, sort, limit",
                format!(
                    "SELECT i FROM t WHERE i >= 2 ORDER BY i DESC OFFSET {}",
                    rows - 10
                ),
            ),
            (
                "scan, filter, limit, count",
                format!(
                    "SELECT count(*) FROM (SELECT i FROM t WHERE i >= 2 LIMIT {}) s",
                    rows - 2
                ),
            ),
        ] {
            add(&mut runs, node, "off", &sql, batch_rows, &OFF);
        }
    }
    // Where a key costs most: its column is wanted as well, and many rows pass.
    for (table, column, what) in [
        ("even", "c1", "first column"),
        ("even", "c4", "fourth column"),
        ("even", "c15", "last column"),
        ("gaps", "c1", "first column, NULLs"),
        ("gaps", "c4", "fourth column, NULLs"),
        ("gaps", "c15", "last column, NULLs"),
        ("behind", "i", "behind text"),
        ("holes", "i", "behind text, NULLs"),
    ] {
        for share in [100, 95, 90, 80, 70, 50, 20] {
            let from = 100 - share;
            let sql = format!("SELECT sum({column}) FROM {table} WHERE {column} >= {from}");
            for (how, keys) in [("off", &OFF[..]), ("auto", &AUTO)] {
                let name = format!("{share} % pass, {what}");
                for batch_rows in ["1", "1024"] {
                    add(&mut runs, &name, how, &sql, batch_rows, keys);
                }
            }
        }
    }
    // The column is wanted for the key only.
    for (table, column, what) in [
        ("even", "c4", "fourth column"),
        ("gaps", "c4", "fourth column, NULLs"),
        ("behind", "i", "behind text"),
    ] {
        for share in [100, 50, 0] {
            let from = 100 - share;
            let sql = format!("SELECT count(*) FROM {table} WHERE {column} >= {from}");
            for (how, keys) in [("off", &OFF[..]), ("auto", &AUTO)] {
                let name = format!("count {share} % pass, {what}");
                for batch_rows in ["1", "1024"] {
                    add(&mut runs, &name, how, &sql, batch_rows, keys);
                }
            }
        }
    }
    runs
}

fn add(
    runs: &mut Vec<Run>,
    name: &str,
    how: &str,
    sql: &str,
    batch_rows: &'static str,
    keys: &[(&'static str, &'static str)],
) {
    for executor in EXECUTORS {
        let mut settings = vec![("executor", executor), ("batch_rows", batch_rows)];
        settings.extend(keys);
        runs.push(Run {
            name: format!("{name}|{how}|{batch_rows}|{executor}"),
            sql: sql.to_owned(),
            settings,
        });
    }
}
