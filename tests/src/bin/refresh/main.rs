//! Writes expected answers anew, by a real PostgreSQL.
//!
//! `refresh FILE …`: an `.slt` file is rewritten in place; an `.sql` file (one statement after the
//! other, ended by `;` at a line's end) becomes an `.slt` file beside it and is removed; a `.txt` file
//! is a list of plans ([`plans`]). Run it by `./build.sh pg`, which starts a throw-away server first.

mod plans;

use std::path::Path;
use std::process::ExitCode;

use sqllogictest::{Condition, DB, ExpectedError, QueryExpect, Record, SortMode, StatementExpect};
use tests::postgres::Postgres;
use tests::{Letter, Output};

fn main() -> ExitCode {
    for file in std::env::args().skip(1) {
        if let Err(e) = refresh(Path::new(&file)) {
            eprintln!("{file}: {e}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn refresh(file: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let mut postgres = Postgres::fresh_database("refresh")?;
    let text = std::fs::read_to_string(file)?;
    if file.extension().is_some_and(|e| e == "txt") {
        let schema = std::fs::read_to_string(file.with_file_name("schema.sql"))?;
        std::fs::write(file, plans::refreshed(&text, &schema, &mut postgres)?)?;
        return Ok(());
    }
    let from_sql = file.extension().is_some_and(|e| e == "sql");
    let script = if from_sql { as_script(&text) } else { text };
    let mut out = String::new();
    for record in sqllogictest::parse::<Letter>(&script)? {
        out.push_str(&answered(record, &mut postgres).to_string());
        out.push('\n');
    }
    let out = squeeze(&out);
    std::fs::write(file.with_extension("slt"), out)?;
    if from_sql {
        std::fs::remove_file(file)?;
    }
    Ok(())
}

/// Statements of a plain script as records that say nothing yet of the answer.
fn as_script(sql: &str) -> String {
    let mut out = String::new();
    let mut statement = String::new();
    for line in sql.lines() {
        let trimmed = line.trim();
        if statement.is_empty() && (trimmed.is_empty() || trimmed.starts_with("--")) {
            out.push_str(&trimmed.replacen("--", "#", 1));
            out.push('\n');
            continue;
        }
        statement.push_str(line.trim_end());
        if trimmed.ends_with(';') {
            statement.pop();
            out.push_str(&format!("statement ok\n{statement}\n\n"));
            statement.clear();
        } else {
            statement.push('\n');
        }
    }
    out
}

/// The record with PostgreSQL's answer. What is for the engine only stays as it is.
fn answered(record: Record<Letter>, postgres: &mut Postgres) -> Record<Letter> {
    let (loc, conditions, connection, sql) = match &record {
        Record::Statement {
            loc,
            conditions,
            connection,
            sql,
            ..
        }
        | Record::Query {
            loc,
            conditions,
            connection,
            sql,
            ..
        } => (
            loc.clone(),
            conditions.clone(),
            connection.clone(),
            sql.clone(),
        ),
        _ => return record,
    };
    if conditions.iter().any(is_engine_only) {
        return record;
    }
    let retry = None;
    match postgres.run(&sql) {
        Ok(Output::Rows { types, mut rows }) => {
            let unordered = rows.len() > 1 && !sql.to_ascii_uppercase().contains("ORDER BY");
            if unordered {
                rows.sort_unstable();
            }
            let expected = QueryExpect::Results {
                types,
                sort_mode: unordered.then_some(SortMode::RowSort),
                result_mode: None,
                label: None,
                results: rows.iter().map(|row| row.join(" ")).collect(),
            };
            Record::Query {
                loc,
                conditions,
                connection,
                sql,
                expected,
                retry,
            }
        }
        Ok(_) => Record::Statement {
            loc,
            conditions,
            connection,
            sql,
            expected: StatementExpect::Ok,
            retry,
        },
        Err(failure) => {
            let expected = StatementExpect::Error(ExpectedError::Multiline(failure.to_string()));
            Record::Statement {
                loc,
                conditions,
                connection,
                sql,
                expected,
                retry,
            }
        }
    }
}

/// `onlyif tuplescope` and `skipif postgres` declare a known difference.
fn is_engine_only(condition: &Condition) -> bool {
    match condition {
        Condition::OnlyIf { label } => label != "postgres",
        Condition::SkipIf { label } => label == "postgres",
    }
}

/// At most two empty lines in a row: two end an expected error message.
fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines() {
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 3 {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}
