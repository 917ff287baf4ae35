//! EXPLAIN, VACUUM, settings, transactions.

use super::binder::Binder;
use super::{Explain, ExplainOptions, Format, Statement, Vacuum, VacuumTable};
use crate::catalog::Table;
use crate::error::{Error, Result, sqlstate};
use crate::sql::ast;

impl Binder<'_> {
    pub fn explain(&mut self, explain: &ast::Explain) -> Result<Statement> {
        let ast::Explain { options, statement } = explain;
        let mut bound = ExplainOptions {
            analyze: false,
            verbose: false,
            costs: true,
            settings: false,
            buffers: false,
            timing: None,
            summary: None,
            format: Format::Text,
        };
        for ast::ExplainOption { name, value } in options {
            if name.text == "format" {
                bound.format = self.explain_format(name, value.as_deref())?;
                continue;
            }
            let known = [
                "analyze", "verbose", "costs", "settings", "buffers", "timing", "summary", "wal",
            ];
            if !known.contains(&name.text.as_str()) {
                let message = format!("unrecognized EXPLAIN option \"{}\"", name.text);
                return Err(self.error(sqlstate::SYNTAX_ERROR, message, name.at));
            }
            let on = self.explain_boolean(name, value.as_deref())?;
            match name.text.as_str() {
                "analyze" => bound.analyze = on,
                "verbose" => bound.verbose = on,
                "costs" => bound.costs = on,
                "settings" => bound.settings = on,
                "buffers" => bound.buffers = on,
                "timing" => bound.timing = Some(on),
                "summary" => bound.summary = Some(on),
                _ if on => return Err(self.unsupported("EXPLAIN (WAL)", name.at)),
                _ => {}
            }
        }
        if bound.timing == Some(true) && !bound.analyze {
            let message = "EXPLAIN option TIMING requires ANALYZE";
            return Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message));
        }
        let statement = Box::new(self.statement(statement)?);
        Ok(Statement::Explain(Explain {
            statement,
            options: bound,
        }))
    }

    fn explain_boolean(&self, name: &ast::Name, value: Option<&str>) -> Result<bool> {
        match value.map(str::to_ascii_lowercase).as_deref() {
            None | Some("true" | "on" | "1") => Ok(true),
            Some("false" | "off" | "0") => Ok(false),
            Some(_) => {
                let message = format!("{} requires a Boolean value", name.text);
                Err(Error::new(sqlstate::SYNTAX_ERROR, message))
            }
        }
    }

    fn explain_format(&self, name: &ast::Name, value: Option<&str>) -> Result<Format> {
        match value.map(str::to_ascii_lowercase).as_deref() {
            Some("text") => Ok(Format::Text),
            Some("json") => Ok(Format::Json),
            Some(other @ ("xml" | "yaml")) => {
                let feature = format!("EXPLAIN (FORMAT {})", other.to_uppercase());
                Err(self.unsupported(feature, name.at))
            }
            Some(other) => {
                let message =
                    format!("unrecognized value for EXPLAIN option \"format\": \"{other}\"");
                Err(self.error(sqlstate::INVALID_PARAMETER_VALUE, message, name.at))
            }
            None => {
                let message = "format requires a parameter";
                Err(Error::new(sqlstate::SYNTAX_ERROR, message))
            }
        }
    }

    pub fn vacuum(&mut self, vacuum: &ast::Vacuum) -> Result<Statement> {
        let ast::Vacuum {
            vacuum: vacuums,
            analyze,
            full,
            verbose,
            unsupported,
            tables,
        } = vacuum;
        let command = if *vacuums { "VACUUM" } else { "ANALYZE" };
        if let Some((option, at)) = unsupported {
            return Err(self.unsupported(format!("{command} ({option})"), *at));
        }
        if *full {
            return Err(Error::unsupported("VACUUM FULL"));
        }
        if *verbose {
            return Err(Error::unsupported(format!("{command} VERBOSE")));
        }
        let mut found = Vec::with_capacity(tables.len());
        for (name, columns) in tables {
            if !columns.is_empty() && !*analyze {
                let message = "ANALYZE option must be specified when a column list is provided";
                return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
            }
            let table = self.table_for(name, command)?;
            let columns = match columns.is_empty() {
                true => None,
                false => Some(analyzed_columns(&table, columns)?),
            };
            found.push(VacuumTable { table, columns });
        }
        Ok(Statement::Vacuum(Vacuum {
            tables: found,
            vacuum: *vacuums,
            analyze: *analyze,
        }))
    }

    pub fn truncate(&mut self, truncate: &ast::Truncate) -> Result<Statement> {
        // There are no sequences to restart and no foreign keys to cascade along.
        let ast::Truncate {
            tables,
            restart_identity: _,
            cascade: _,
        } = truncate;
        let mut found: Vec<std::rc::Rc<crate::catalog::Table>> = Vec::with_capacity(tables.len());
        for name in tables {
            let table = self.table_for(name, "TRUNCATE")?;
            if !found.iter().any(|known| known.oid == table.oid) {
                found.push(table);
            }
        }
        Ok(Statement::Truncate(found))
    }

    pub fn transaction(&self, transaction: &ast::Transaction) -> Result<Statement> {
        use ast::Transaction::*;
        match transaction {
            Begin { modes: None } => Ok(Statement::Begin),
            // With one session at a time every isolation level is the strictest one.
            Begin {
                modes: Some((text, at)),
            } => {
                let lower = text.to_ascii_lowercase();
                if lower.contains("only") || lower.contains("deferrable") {
                    return Err(self.unsupported(format!("BEGIN {}", text.to_uppercase()), *at));
                }
                Ok(Statement::Begin)
            }
            Commit { chain: None } => Ok(Statement::Commit),
            Rollback { chain: None } => Ok(Statement::Rollback),
            Commit { chain: Some(at) } | Rollback { chain: Some(at) } => {
                Err(self.unsupported("AND CHAIN", *at))
            }
            Savepoint(name) | RollbackTo(name) | Release(name) => {
                Err(self.unsupported("SAVEPOINT", name.at))
            }
        }
    }
}

/// Errors: 42703, 42701.
fn analyzed_columns(table: &Table, names: &[ast::Name]) -> Result<Vec<usize>> {
    let mut columns: Vec<usize> = Vec::with_capacity(names.len());
    for name in names {
        let of = |what: &str| {
            format!(
                "column \"{}\" of relation \"{}\" {what}",
                name.text, table.name
            )
        };
        let found = table.columns.iter().position(|c| *c.name == name.text);
        let Some(column) = found else {
            let message = of("does not exist");
            return Err(Error::new(sqlstate::UNDEFINED_COLUMN, message));
        };
        if columns.contains(&column) {
            let message = of("appears more than once");
            return Err(Error::new(sqlstate::DUPLICATE_COLUMN, message));
        }
        columns.push(column);
    }
    Ok(columns)
}
