//! PostgreSQL behind `psql`, driven through its pipes.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use sqllogictest::DB;

use crate::{Failure, Letter, Output, shown};

const FIELD: char = '\u{1f}';
const RECORD: char = '\u{1e}';
const DONE: &str = "\u{1d}";
const NULL: &str = "\u{1c}";

/// One session in its own, empty database.
pub struct Psql {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    errors: Receiver<String>,
}

impl Psql {
    /// Connects by libpq's environment variables (PGHOST, PGUSER, …) to a database made anew as `name`.
    pub fn fresh_database(name: &str) -> std::io::Result<Psql> {
        for sql in [format!("DROP DATABASE IF EXISTS {name}"), format!("CREATE DATABASE {name}")] {
            let status = Command::new("psql").args(["-X", "-q", "-d", "postgres", "-c", &sql]).status()?;
            if !status.success() {
                return Err(std::io::Error::other(format!("{sql} failed")));
            }
        }
        Psql::connect(name)
    }

    fn connect(database: &str) -> std::io::Result<Psql> {
        let mut child = Command::new("psql")
            .args(["-X", "-q", "-A", "-t", "-d", database, "-v", "VERBOSITY=verbose"])
            .args(["-P", &format!("null={NULL}")])
            .args(["-F", &FIELD.to_string(), "-R", &RECORD.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let missing = || std::io::Error::other("psql has no pipes");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        let stderr = BufReader::new(child.stderr.take().ok_or_else(missing)?);
        let (send, errors) = channel();
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let mut psql = Psql { child, stdin, stdout, errors };
        for sql in ["SET timezone = 'UTC'", "SET max_parallel_workers_per_gather = 0", "SET jit = off"] {
            psql.exchange(sql)?;
        }
        Ok(psql)
    }

    /// Sends a command; what it printed to both streams.
    fn exchange(&mut self, command: &str) -> std::io::Result<(String, Vec<String>)> {
        writeln!(self.stdin, "{command}\n;\n\\echo {DONE}\n\\warn {DONE}")?;
        self.stdin.flush()?;
        let mut bytes = Vec::new();
        let mut byte = [0u8];
        while !bytes.ends_with(DONE.as_bytes()) {
            self.stdout.read_exact(&mut byte)?;
            bytes.push(byte[0]);
        }
        self.stdout.read_exact(&mut byte)?;
        bytes.truncate(bytes.len() - DONE.len());
        let errors = self.errors.iter().take_while(|line| line != DONE).collect();
        Ok((String::from_utf8_lossy(&bytes).into_owned(), errors))
    }

    fn statement(&mut self, sql: &str) -> std::io::Result<Result<Output, Failure>> {
        let sql = sql.trim().trim_end_matches(';');
        let mut types = Vec::new();
        if returns_rows(sql) {
            let (described, _) = self.exchange(&format!("{sql} \\gdesc"))?;
            types = described
                .trim_end_matches('\n')
                .split(RECORD)
                .filter_map(|row| row.split_once(FIELD))
                .map(|(_, ty)| Letter::of_type(ty.trim()))
                .collect();
        }
        let (out, errors) = self.exchange(sql)?;
        if let Some(failure) = errors.iter().find_map(|line| parse_error(line)) {
            return Ok(Err(failure));
        }
        if types.is_empty() {
            return Ok(Ok(Output::StatementComplete(0)));
        }
        let out = out.strip_suffix('\n').unwrap_or(&out);
        let rows = if out.is_empty() {
            Vec::new()
        } else {
            out.split(RECORD)
                .map(|row| {
                    row.split(FIELD).map(|v| shown(if v == NULL { None } else { Some(v) })).collect()
                })
                .collect()
        };
        Ok(Ok(Output::Rows { types, rows }))
    }
}

/// Statements that `\gdesc` can describe.
fn returns_rows(sql: &str) -> bool {
    let word: String = sql.trim_start_matches('(').chars().take_while(char::is_ascii_alphabetic).collect();
    matches!(word.to_ascii_uppercase().as_str(), "SELECT" | "VALUES" | "WITH" | "TABLE" | "SHOW")
        || sql.to_ascii_uppercase().contains("RETURNING")
}

/// `psql:<stdin>:3: ERROR:  22012: division by zero`
fn parse_error(line: &str) -> Option<Failure> {
    let at = line.find("ERROR:  ")?;
    let (sqlstate, message) = line[at + 8..].split_once(": ")?;
    Some(Failure { sqlstate: sqlstate.to_string(), message: message.to_string() })
}

impl DB for Psql {
    type Error = Failure;
    type ColumnType = Letter;

    fn run(&mut self, sql: &str) -> Result<Output, Failure> {
        self.statement(sql).unwrap_or_else(|e| {
            Err(Failure { sqlstate: "08006".to_string(), message: format!("psql is gone: {e}") })
        })
    }

    fn engine_name(&self) -> &str {
        "postgres"
    }

    fn error_sql_state(err: &Failure) -> Option<String> {
        Some(err.sqlstate.clone())
    }
}

impl Drop for Psql {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
