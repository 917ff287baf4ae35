//! The engine behind the same face as PostgreSQL.

use std::sync::mpsc::{Receiver, Sender, channel};

use engine::session::{Event, Host, Session};
use engine::value::text::write_value;
use sqllogictest::{DB, DBOutput};

use crate::{Failure, Letter, Output, shown};

/// One session, on a thread of its own because a session does not move between threads.
pub struct Engine {
    statements: Sender<String>,
    outputs: Receiver<Result<Output, Failure>>,
}

impl Engine {
    /// A fresh database under these settings.
    pub fn with_settings(settings: &[(&'static str, &'static str)]) -> Engine {
        let (statements, arriving) = channel::<String>();
        let (answer, outputs) = channel();
        let settings = settings.to_vec();
        let body = move || {
            let mut session = Session::new(Host::still());
            for (name, value) in settings {
                session
                    .set(name, value)
                    .expect("the test's own settings are valid");
            }
            for sql in arriving {
                if answer.send(run(&mut session, &sql)).is_err() {
                    break;
                }
            }
        };
        // The stack that a browser gives the engine, so that depth shows here first.
        std::thread::Builder::new()
            .stack_size(4 << 20)
            .spawn(body)
            .expect("a thread can be started");
        Engine {
            statements,
            outputs,
        }
    }
}

fn run(session: &mut Session, sql: &str) -> Result<Output, Failure> {
    session.start(sql);
    let (mut types, mut rows) = (Vec::new(), Vec::new());
    loop {
        match session.resume() {
            Event::Started(started) => {
                types = started
                    .columns
                    .iter()
                    .map(|c| Letter::of_type(&c.ty.name()))
                    .collect();
            }
            Event::Rows => rows.extend(texts(session)),
            Event::Yielded => {}
            Event::Finished(finished) => {
                if let Some(error) = finished.error {
                    session.stop();
                    return Err(Failure {
                        sqlstate: error.sqlstate.to_string(),
                        message: error.into_data().message,
                    });
                }
                if types.is_empty() && rows.is_empty() {
                    return Ok(DBOutput::StatementComplete(finished.rows));
                }
            }
            Event::End => return Ok(DBOutput::Rows { types, rows }),
        }
    }
}

fn texts(session: &Session) -> Vec<Vec<String>> {
    let batch = session.rows();
    batch
        .rows()
        .iter()
        .map(|row| {
            batch
                .columns
                .iter()
                .map(|column| {
                    if column.is_null(row) {
                        return shown(None);
                    }
                    let mut text = String::new();
                    write_value(column, row, &mut text);
                    shown(Some(&text))
                })
                .collect()
        })
        .collect()
}

impl DB for Engine {
    type Error = Failure;
    type ColumnType = Letter;

    fn run(&mut self, sql: &str) -> Result<Output, Failure> {
        let gone = || Failure {
            sqlstate: "XX000".to_string(),
            message: "the engine panicked".to_string(),
        };
        self.statements.send(sql.to_string()).map_err(|_| gone())?;
        self.outputs.recv().map_err(|_| gone())?
    }

    fn engine_name(&self) -> &str {
        "tuplescope"
    }

    fn error_sql_state(err: &Failure) -> Option<String> {
        Some(err.sqlstate.clone())
    }
}
