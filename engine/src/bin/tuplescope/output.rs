//! Rows as text: unaligned as `psql -A -t` prints them, aligned for people, or JSON.

use std::fmt::Write;

use engine::session::Finished;
use engine::value::text::write_value;
use engine::value::{Batch, Column};

/// Appends the batch's rows as lines, `|` between columns.
pub fn unaligned(rows: &Batch, null: &str, out: &mut String) {
    for row in rows.rows().iter() {
        for (at, column) in rows.columns.iter().enumerate() {
            if at > 0 {
                out.push('|');
            }
            if column.is_null(row) {
                out.push_str(null);
            } else {
                write_value(column, row, out);
            }
        }
        out.push('\n');
    }
}

/// The batch's values, NULL being `None`.
pub fn cells(rows: &Batch) -> Vec<Vec<Option<String>>> {
    rows.rows()
        .iter()
        .map(|row| {
            rows.columns
                .iter()
                .map(|column| cell(column, row))
                .collect()
        })
        .collect()
}

fn cell(column: &Column, row: usize) -> Option<String> {
    if column.is_null(row) {
        return None;
    }
    let mut text = String::new();
    write_value(column, row, &mut text);
    Some(text)
}

/// A table as psql draws it: numbers to the right, text to the left.
pub fn aligned(
    names: &[String],
    right: &[bool],
    rows: &[Vec<Option<String>>],
    null: &str,
    out: &mut String,
) {
    let shown = |cell: &'_ Option<String>| cell.clone().unwrap_or_else(|| null.to_string());
    let width_of = |at: usize| {
        let widest = rows
            .iter()
            .flat_map(|row| {
                shown(&row[at])
                    .lines()
                    .map(|l| l.chars().count())
                    .collect::<Vec<_>>()
            })
            .max();
        widest.unwrap_or(0).max(names[at].chars().count())
    };
    let widths: Vec<usize> = (0..names.len()).map(width_of).collect();
    let header: Vec<String> = names
        .iter()
        .zip(&widths)
        .map(|(name, &w)| format!(" {name:^w$} "))
        .collect();
    let rule: Vec<String> = widths.iter().map(|w| "-".repeat(w + 2)).collect();
    let _ = writeln!(out, "{}\n{}", header.join("|"), rule.join("+"));
    for row in rows {
        let line: Vec<String> = row
            .iter()
            .enumerate()
            .map(|(at, cell)| {
                let (text, w) = (shown(cell), widths[at]);
                if right[at] {
                    format!(" {text:>w$} ")
                } else {
                    format!(" {text:<w$} ")
                }
            })
            .collect();
        let _ = writeln!(out, "{}", line.join("|").trim_end());
    }
    let _ = writeln!(
        out,
        "({} row{})\n",
        rows.len(),
        if rows.len() == 1 { "" } else { "s" }
    );
}

/// One statement as one line of JSON, in the shape of the page's `tuplescope.run`.
pub fn json(finished: &Finished, rows: &[Vec<Option<String>>], plan: Option<String>) -> String {
    let mut out = String::from("{\"sql\":");
    quote(&finished.sql, &mut out);
    out.push_str(",\"tag\":");
    optional(finished.tag.as_deref(), &mut out);
    out.push_str(",\"columns\":");
    list(&finished.columns, &mut out, |column, out| {
        out.push_str("{\"name\":");
        quote(&column.name, out);
        out.push_str(",\"type\":");
        quote(&column.ty.name(), out);
        out.push('}');
    });
    out.push_str(",\"rows\":");
    list(rows, &mut out, |row, out| {
        list(row, out, |cell, out| optional(cell.as_deref(), out))
    });
    out.push_str(",\"error\":");
    match &finished.error {
        None => out.push_str("null"),
        Some(error) => {
            out.push_str("{\"sqlstate\":");
            quote(error.sqlstate, &mut out);
            out.push_str(",\"message\":");
            quote(&error.message, &mut out);
            for (name, value) in [("detail", &error.detail), ("hint", &error.hint)] {
                let _ = write!(out, ",\"{name}\":");
                optional(value.as_deref(), &mut out);
            }
            match error.position {
                Some(at) => {
                    let _ = write!(out, ",\"line\":{},\"column\":{}}}", at.line, at.column);
                }
                None => out.push_str(",\"line\":null,\"column\":null}"),
            }
        }
    }
    out.push_str(",\"notices\":");
    list(&finished.notices, &mut out, |notice, out| {
        quote(notice, out)
    });
    let _ = write!(
        out,
        ",\"elapsedMs\":{:.3},\"plan\":",
        finished.elapsed_ns as f64 / 1e6
    );
    match plan {
        // EXPLAIN's line breaks stand between tokens only: in texts they are escaped.
        Some(plan) => plan
            .lines()
            .for_each(|line| out.push_str(line.trim_start())),
        None => out.push_str("null"),
    }
    out.push('}');
    out
}

fn list<T>(items: &[T], out: &mut String, mut write: impl FnMut(&T, &mut String)) {
    out.push('[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(']');
}

fn optional(text: Option<&str>, out: &mut String) {
    match text {
        Some(text) => quote(text, out),
        None => out.push_str("null"),
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
