//! A real PostgreSQL, which writes the expected answers.

use std::io::Write;

use postgres::{Client, Config, NoTls, SimpleQueryMessage};
use sqllogictest::DB;

use crate::{Failure, Letter, Output, shown};

/// One session in its own, empty database.
pub struct Postgres {
    client: Client,
}

impl Postgres {
    /// Connects to the server behind the socket folder `PGHOST`, as `PGUSER`, to a database made anew.
    pub fn fresh_database(name: &str) -> Result<Postgres, postgres::Error> {
        let mut admin = connect("postgres")?;
        admin.batch_execute(&format!("DROP DATABASE IF EXISTS {name}"))?;
        admin.batch_execute(&format!("CREATE DATABASE {name}"))?;
        let mut client = connect(name)?;
        client.batch_execute(
            "SET timezone = 'UTC'; SET max_parallel_workers_per_gather = 0; SET jit = off; SET statement_timeout = '20s'",
        )?;
        Ok(Postgres { client })
    }

    /// Runs statements whose answers do not matter.
    ///
    /// # Errors
    /// The first failure.
    pub fn execute(&mut self, script: &str) -> Result<(), Failure> {
        self.client.batch_execute(script).map_err(failure)
    }

    /// `COPY … FROM STDIN` of a text.
    ///
    /// # Errors
    /// The server's, or those of the connection.
    pub fn copy_in(&mut self, copy: &str, text: &str) -> Result<(), Box<dyn std::error::Error>> {
        let mut writer = self.client.copy_in(copy)?;
        writer.write_all(text.as_bytes())?;
        writer.finish()?;
        Ok(())
    }

    fn statement(&mut self, sql: &str) -> Result<Output, postgres::Error> {
        let described = self.client.prepare(sql);
        let messages = self.client.simple_query(sql)?;
        let rows: Vec<Vec<String>> = messages
            .iter()
            .filter_map(|message| match message {
                SimpleQueryMessage::Row(row) => {
                    Some((0..row.len()).map(|i| shown(row.get(i))).collect())
                }
                _ => None,
            })
            .collect();
        let types: Vec<Letter> = match described {
            Ok(statement) => statement
                .columns()
                .iter()
                .map(|c| Letter::of_catalog_name(c.type_().name()))
                .collect(),
            Err(_) => Vec::new(),
        };
        if types.is_empty() && rows.is_empty() {
            return Ok(Output::StatementComplete(0));
        }
        Ok(Output::Rows { types, rows })
    }
}

fn connect(database: &str) -> Result<Client, postgres::Error> {
    let variable =
        |name: &str, otherwise: &str| std::env::var(name).unwrap_or_else(|_| otherwise.to_string());
    Config::new()
        .host(&variable("PGHOST", "/tmp"))
        .user(&variable("PGUSER", "postgres"))
        .dbname(database)
        .connect(NoTls)
}

fn failure(error: postgres::Error) -> Failure {
    match error.as_db_error() {
        Some(error) => Failure {
            sqlstate: error.code().code().to_string(),
            message: error.message().to_string(),
        },
        None => Failure {
            sqlstate: "08006".to_string(),
            message: error.to_string(),
        },
    }
}

impl DB for Postgres {
    type Error = Failure;
    type ColumnType = Letter;

    fn run(&mut self, sql: &str) -> Result<Output, Failure> {
        self.statement(sql).map_err(failure)
    }

    fn engine_name(&self) -> &str {
        "postgres"
    }

    fn error_sql_state(err: &Failure) -> Option<String> {
        Some(err.sqlstate.clone())
    }
}
