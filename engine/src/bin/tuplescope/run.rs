//! Runs scripts in one session and prints what comes of them.

use std::io::{self, Write};

use engine::bind::{ExplainOptions, Format};
use engine::error::Error;
use engine::session::{ColumnHeader, Event, Finished, Session};

use crate::arguments::Options;
use crate::{host, output};

pub struct Shell {
    session: Session,
    options: Options,
    /// Aligned tables and row counts for people.
    aligned: bool,
}

impl Shell {
    pub fn new(options: Options, aligned: bool) -> Self {
        let mut session = Session::new(host::host());
        for (name, value) in &options.settings {
            if let Err(error) = session.set(name, value) {
                eprintln!("{error}");
            }
        }
        Shell {
            session,
            options,
            aligned,
        }
    }

    /// Runs a script. False: it stopped at an error.
    pub fn run(&mut self, script: &str) -> io::Result<bool> {
        self.session.start(script);
        let mut kept = Vec::new();
        let mut columns: Vec<ColumnHeader> = Vec::new();
        let mut text = String::new();
        loop {
            match self.session.resume() {
                Event::Started(started) => {
                    columns = started.columns;
                    if self.options.header && !self.aligned && !columns.is_empty() {
                        let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
                        println!("{}", names.join("|"));
                    }
                }
                Event::Rows if self.aligned || self.options.json => {
                    kept.extend(output::cells(self.session.rows()));
                }
                Event::Rows => {
                    text.clear();
                    output::unaligned(self.session.rows(), &self.options.null, &mut text);
                    io::stdout().write_all(text.as_bytes())?;
                }
                Event::Yielded => {}
                Event::Finished(finished) => {
                    let failed = finished.error.is_some();
                    self.report(&finished, std::mem::take(&mut kept), &columns, script)?;
                    columns.clear();
                    if failed && self.options.stop_on_error {
                        self.session.stop();
                        return Ok(false);
                    }
                }
                Event::End => return Ok(true),
            }
        }
    }

    fn report(
        &mut self,
        finished: &Finished,
        rows: Vec<Vec<Option<String>>>,
        columns: &[ColumnHeader],
        script: &str,
    ) -> io::Result<()> {
        let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
        if self.options.json {
            let plan = finished
                .executed
                .as_ref()
                .map(|executed| executed.explain(&EXPLAIN_JSON));
            writeln!(out, "{}", output::json(finished, &rows, plan))?;
            return out.flush();
        }
        if self.aligned && !columns.is_empty() && finished.error.is_none() {
            let names: Vec<String> = columns.iter().map(|c| c.name.clone()).collect();
            let right: Vec<bool> = columns.iter().map(|c| c.ty.is_numeric_category()).collect();
            let mut table = String::new();
            output::aligned(&names, &right, &rows, &self.options.null, &mut table);
            out.write_all(table.as_bytes())?;
        }
        for notice in &finished.notices {
            writeln!(err, "{notice}")?;
        }
        match (&finished.error, &finished.tag) {
            (Some(error), _) => print_error(&mut err, error, script)?,
            (None, Some(tag)) if columns.is_empty() => writeln!(out, "{tag}")?,
            (None, _) => {}
        }
        if self.options.timing {
            writeln!(out, "Time: {:.3} ms", finished.elapsed_ns as f64 / 1e6)?;
        }
        out.flush()?;
        err.flush()
    }

    /// `\q`, `\d`, `\timing`. False: the shell is to end.
    pub fn backslash(&mut self, command: &str) -> io::Result<bool> {
        let mut words = command.split_whitespace();
        match words.next().unwrap_or_default() {
            "\\q" => return Ok(false),
            "\\timing" => {
                self.options.timing = !self.options.timing;
                println!(
                    "Timing is {}.",
                    if self.options.timing { "on" } else { "off" }
                );
            }
            "\\d" => match words.next() {
                Some(name) => self.describe(name),
                None => self.list_relations(),
            },
            other => eprintln!("invalid command {other}; there are \\d [NAME], \\timing and \\q"),
        }
        io::stdout().flush()?;
        Ok(true)
    }

    fn list_relations(&self) {
        let tables = self
            .session
            .catalog()
            .tables()
            .map(|t| (t.name.to_string(), "table"));
        let views = self
            .session
            .catalog()
            .views()
            .map(|v| (v.name.to_string(), "view"));
        for (name, kind) in tables.chain(views) {
            println!("{name}|{kind}");
        }
    }

    fn describe(&self, name: &str) {
        let Some(table) = self.session.catalog().table(name) else {
            eprintln!("Did not find any relation named \"{name}\".");
            return;
        };
        for column in &table.columns {
            let not_null = if column.not_null { "not null" } else { "" };
            println!(
                "{}|{}|{not_null}|{}",
                column.name,
                column.ty.name(),
                column.default.as_deref().unwrap_or("")
            );
        }
    }
}

const EXPLAIN_JSON: ExplainOptions = ExplainOptions {
    analyze: true,
    verbose: false,
    costs: true,
    settings: true,
    buffers: false,
    timing: None,
    summary: None,
    format: Format::Json,
};

fn print_error(err: &mut impl Write, error: &Error, script: &str) -> io::Result<()> {
    writeln!(err, "{error}")?;
    if let Some(detail) = &error.detail {
        writeln!(err, "DETAIL:  {detail}")?;
    }
    if let Some(hint) = &error.hint {
        writeln!(err, "HINT:  {hint}")?;
    }
    if let Some(at) = error.position
        && let Some(line) = script.lines().nth(at.line as usize - 1)
    {
        let prefix = format!("LINE {}: ", at.line);
        writeln!(err, "{prefix}{line}")?;
        writeln!(
            err,
            "{:>1$}",
            "^",
            prefix.chars().count() + at.column as usize
        )?;
    }
    Ok(())
}
