//! What crosses from the engine to the page. `www/src/engine/protocol.ts` is generated from these types.
//!
//! Values travel as PostgreSQL's text output: no JavaScript number ever carries a `bigint` or a `numeric`.
//! Counts and times are JavaScript numbers (exact to 2^53).

use serde::Serialize;
use wasm_bindgen::JsValue;

/// What one slice of work brought. The page reacts to every kind; there is none it may skip.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Event {
    /// The slice is over and the statement goes on.
    Progress(Progress),
    /// Result rows of the running statement, in order.
    Rows(Rows),
    /// A statement has ended, well or not.
    Statement(Box<Statement>),
    /// The script has ended: nothing is running.
    Done,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Progress {
    /// Which statement of the script runs, from 0.
    pub statement: u32,
    /// How far the current pipeline is, 0 to 1, from pages done; null where nobody can know.
    pub fraction: Option<f64>,
    /// Milliseconds of work so far, the gaps between slices excluded.
    pub elapsed_ms: f64,
    /// The counters of every node, depth first as the plan prints them, `counter_names().length` numbers a node.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[cfg_attr(test, ts(type = "Float64Array | null"))]
    pub counters: JsValue,
    /// EXPLAIN's JSON without actual figures, once per statement when its execution begins.
    pub plan: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Rows {
    pub statement: u32,
    /// With the first rows of a statement only.
    pub columns: Option<Vec<Column>>,
    pub rows: Vec<Vec<Option<String>>>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Column {
    pub name: String,
    /// PostgreSQL's name of the type.
    #[serde(rename = "type")]
    pub type_name: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Statement {
    pub statement: u32,
    /// The statement's own text.
    pub sql: String,
    /// PostgreSQL's command tag (`SELECT 1`, `INSERT 0 3`); empty for a failed statement.
    pub tag: String,
    pub columns: Vec<Column>,
    /// Rows produced, sent or not.
    #[cfg_attr(test, ts(type = "number"))]
    pub rows_total: u64,
    pub error: Option<StatementError>,
    pub notices: Vec<Notice>,
    /// EXPLAIN's JSON with actual figures; null for a statement without a plan.
    pub plan: Option<String>,
    /// The same as EXPLAIN's text.
    pub plan_text: Option<String>,
    /// Milliseconds of work, the gaps between slices excluded.
    pub elapsed_ms: f64,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct StatementError {
    pub sqlstate: String,
    pub message: String,
    pub detail: Option<String>,
    pub hint: Option<String>,
    /// Line and column in the script, both from 1; columns count characters.
    pub line: Option<u32>,
    pub column: Option<u32>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Notice {
    /// `NOTICE` or `WARNING`.
    pub severity: String,
    pub message: String,
}

/// One row of the engine's settings table, with the session's value.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Setting {
    pub name: String,
    pub group: String,
    /// One sentence.
    pub help: String,
    pub shape: SettingShape,
    pub default: String,
    pub value: String,
}

/// Which values a setting takes; the page draws a switch, a list or a field from it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum SettingShape {
    Bool,
    Enum {
        values: Vec<String>,
    },
    Integer {
        min: f64,
        max: f64,
    },
    /// Bytes with PostgreSQL's units, such as `64MB`.
    Size {
        min: String,
        max: String,
    },
    /// A time with PostgreSQL's units, such as `500ms`.
    Duration,
    /// A number from 0 on, such as `0.0025`.
    Real,
    /// Kept for scripts written for PostgreSQL; decides nothing here.
    Inert,
}

/// A table of the session, for completion and for the knobs that it overrides.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Table {
    pub name: String,
    pub columns: Vec<Column>,
    /// The table's own `quals_push_down`, which wins over the setting; null where it has none.
    pub quals_push_down: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use ts_rs::{Config, TS};

    const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../www/src/engine/protocol.ts");

    fn declarations() -> String {
        let config = Config::default();
        let mut text = String::from(
            "// Generated from web/src/messages.rs; refresh with `UPDATE_PROTOCOL=1 cargo test -p web`.\n",
        );
        for declaration in [
            Event::decl(&config),
            Progress::decl(&config),
            Rows::decl(&config),
            Column::decl(&config),
            Statement::decl(&config),
            StatementError::decl(&config),
            Notice::decl(&config),
            Setting::decl(&config),
            SettingShape::decl(&config),
            Table::decl(&config),
        ] {
            text.push_str(&format!("\nexport {declaration}\n"));
        }
        text
    }

    #[test]
    fn the_pages_protocol_is_current() {
        let wanted = declarations();
        if std::env::var_os("UPDATE_PROTOCOL").is_some() {
            std::fs::write(PATH, &wanted).expect("protocol.ts can be written");
        }
        let found = std::fs::read_to_string(PATH).unwrap_or_default();
        assert_eq!(found, wanted, "www/src/engine/protocol.ts is stale");
    }
}
