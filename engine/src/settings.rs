//! Every `SET` name, once: type, range, default and a sentence of help. The page's knob panel and
//! SHOW ALL read the same table.

use crate::error::{Error, Result, sqlstate};

/// A setting's name, type, default and meaning.
#[derive(Debug)]
pub struct Definition {
    pub name: &'static str,
    pub kind: Kind,
    pub group: Group,
    pub help: &'static str,
}

/// Where the page shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    PushDown,
    Executor,
    Planner,
    Resources,
    Session,
}

#[derive(Debug)]
pub enum Kind {
    Bool {
        default: bool,
    },
    Choice {
        values: &'static [&'static str],
        default: usize,
    },
    Integer {
        min: i64,
        max: i64,
        default: i64,
    },
    /// From 0 on.
    Real {
        default: f64,
    },
    /// Bytes; read and shown with PostgreSQL's units (kB, MB, GB); a bare number counts kB.
    Size {
        min: u64,
        max: u64,
        default: u64,
    },
    /// Milliseconds, 0 for none; read and shown with PostgreSQL's units.
    Duration {
        default: u64,
    },
    /// One of PostgreSQL's settings that decides nothing here: kept, shown, and announced by a NOTICE.
    Inert {
        default: &'static str,
    },
}

macro_rules! settings {
    ($($id:ident: $name:literal, $group:ident, $kind:expr, $help:literal;)*) => {
        /// A setting by name, checked by the compiler.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Name { $($id),* }

        pub static DEFINITIONS: &[Definition] = &[
            $(Definition { name: $name, kind: $kind, group: Group::$group, help: $help }),*
        ];
    };
}

settings! {
    QualsPushDown: "quals_push_down", PushDown, Kind::Bool { default: true },
        "Hand simple WHERE conditions to the table access method as scan keys (a table's own quals_push_down option wins).";
    QualsRecheck: "quals_recheck", PushDown, Kind::Choice { values: &["auto", "always"], default: 0 },
        "auto trusts keys that the access method tests exactly; always lets the executor evaluate them again, as mail 1's patch does.";
    QualsRequireLeakproof: "quals_require_leakproof", PushDown, Kind::Bool { default: true },
        "Push down only operators that come from the catalog and are leakproof, which is mail 1's security rule.";
    Executor: "executor", Executor, Kind::Choice { values: &["push", "pull"], default: 0 },
        "The driver: pull asks for rows from the top (Volcano), push delivers them from the bottom.";
    BatchRows: "batch_rows", Executor, Kind::Integer { min: 1, max: 4096, default: 1024 },
        "Rows handed from node to node at a time; 1 decides tuple by tuple, as the mails' executors do.";
    ExplainTiming: "explain_timing", Executor, Kind::Choice { values: &["off", "batch", "full"], default: 1 },
        "When the clock is read: never, once a hand-over, or twice a tuple and node as PostgreSQL does.";
    EnableHashjoin: "enable_hashjoin", Planner, Kind::Bool { default: true },
        "Off discourages hash joins.";
    EnableNestloop: "enable_nestloop", Planner, Kind::Bool { default: true },
        "Off discourages nested loops.";
    EnableSeqscan: "enable_seqscan", Planner, Kind::Bool { default: true },
        "Off discourages sequential scans.";
    EnableHashagg: "enable_hashagg", Planner, Kind::Bool { default: true },
        "Off groups by sorting instead of hashing.";
    EnableSort: "enable_sort", Planner, Kind::Bool { default: true },
        "Off discourages explicit sorts.";
    EnableMaterial: "enable_material", Planner, Kind::Bool { default: true },
        "Off does not keep a nested loop's inner rows.";
    EnableMemoize: "enable_memoize", Planner, Kind::Bool { default: true },
        "Off does not keep the rows of a nested loop's inner side by its parameters.";
    EnableMergejoin: "enable_mergejoin", Planner, Kind::Bool { default: true },
        "Off discourages merge joins.";
    EnableDecorrelation: "enable_decorrelation", Planner, Kind::Bool { default: true },
        "On turns a correlated sub-select of one aggregate into a join with the aggregate of each group, which PostgreSQL does not.";
    JoinOrderLimit: "join_order_limit", Planner, Kind::Integer { min: 1, max: 12, default: 10 },
        "Up to this many relations every order of joins is weighed; beyond, the next best join is taken each time.";
    SeqPageCost: "seq_page_cost", Planner, Kind::Real { default: 1.0 },
        "What reading the next page costs.";
    RandomPageCost: "random_page_cost", Planner, Kind::Real { default: 4.0 },
        "What reading any page costs.";
    CpuTupleCost: "cpu_tuple_cost", Planner, Kind::Real { default: 0.01 },
        "What handling a row costs.";
    CpuIndexTupleCost: "cpu_index_tuple_cost", Planner, Kind::Real { default: 0.005 },
        "What handling an entry of an index costs.";
    CpuOperatorCost: "cpu_operator_cost", Planner, Kind::Real { default: 0.0025 },
        "What calling an operator or a function costs.";
    DefaultStatisticsTarget: "default_statistics_target", Planner,
        Kind::Integer { min: 1, max: 10_000, default: 100 },
        "How many common values and histogram bins ANALYZE keeps of a column; it samples 300 rows for each.";
    MemoryLimit: "memory_limit", Resources,
        Kind::Size { min: 1 << 20, max: 1 << 40, default: 3 << 30 },
        "Memory for tables, sorts, hash tables and results together; past it a statement fails with 53200.";
    DefaultTableAccessMethod: "default_table_access_method", Executor,
        Kind::Choice { values: &["heap", "columnar"], default: 0 },
        "How a new table is stored where CREATE TABLE does not say USING: in rows on pages, or in columns.";
    StatementTimeout: "statement_timeout", Resources, Kind::Duration { default: 0 },
        "Cancels a statement that runs longer; 0 lets it run.";
    ApplicationName: "application_name", Session, Kind::Inert { default: "" }, "Kept for scripts; decides nothing here.";
    ClientEncoding: "client_encoding", Session, Kind::Inert { default: "UTF8" }, "Always UTF8 here.";
    ClientMinMessages: "client_min_messages", Session, Kind::Inert { default: "notice" }, "Kept for scripts; decides nothing here.";
    DateStyle: "datestyle", Session, Kind::Inert { default: "ISO, MDY" }, "Always ISO, MDY here.";
    EffectiveCacheSize: "effective_cache_size", Session, Kind::Inert { default: "4GB" }, "Decides nothing here: there is no file cache.";
    EnableBitmapscan: "enable_bitmapscan", Planner, Kind::Inert { default: "on" }, "Decides nothing here: there are no indexes.";
    EnableIndexonlyscan: "enable_indexonlyscan", Planner, Kind::Inert { default: "on" }, "Decides nothing here: there are no indexes.";
    EnableIndexscan: "enable_indexscan", Planner, Kind::Inert { default: "on" }, "Decides nothing here: there are no indexes.";
    ExtraFloatDigits: "extra_float_digits", Session, Kind::Inert { default: "1" }, "Floats are always shown in their shortest exact form.";
    IntervalStyle: "intervalstyle", Session, Kind::Inert { default: "postgres" }, "Decides nothing here.";
    Jit: "jit", Session, Kind::Inert { default: "off" }, "There is no just-in-time compilation here.";
    MaintenanceWorkMem: "maintenance_work_mem", Session, Kind::Inert { default: "64MB" }, "Decides nothing here.";
    MaxParallelWorkersPerGather: "max_parallel_workers_per_gather", Session, Kind::Inert { default: "0" }, "Queries run on one thread here.";
    MaxWalSenders: "max_wal_senders", Session, Kind::Inert { default: "0" }, "There is no write-ahead log here.";
    SearchPath: "search_path", Session, Kind::Inert { default: "\"$user\", public" }, "There is one schema here.";
    SharedBuffers: "shared_buffers", Session, Kind::Inert { default: "128MB" }, "Decides nothing here: tables live in memory.";
    StandardConformingStrings: "standard_conforming_strings", Session, Kind::Inert { default: "on" }, "Always on here.";
    TimeZone: "timezone", Session, Kind::Inert { default: "UTC" }, "Always UTC here.";
    SynchronousCommit: "synchronous_commit", Session, Kind::Inert { default: "on" }, "There is no write-ahead log here.";
    WorkMem: "work_mem", Session, Kind::Inert { default: "4MB" }, "Decides nothing here: sorts and hash tables share memory_limit.";
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Bool(bool),
    Choice(usize),
    Integer(i64),
    Real(f64),
    Size(u64),
    Duration(u64),
    Text(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    Push,
    Pull,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recheck {
    Auto,
    Always,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    Off,
    Batch,
    Full,
}

/// What SET did, for the caller to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Changed,
    /// A known PostgreSQL setting that decides nothing here: worth a NOTICE.
    Inert,
}

/// The current values of one session. Cloning it is how SET LOCAL and ROLLBACK find their way back.
#[derive(Clone, Debug)]
pub struct Settings {
    values: Vec<Value>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            values: DEFINITIONS.iter().map(|d| default_of(&d.kind)).collect(),
        }
    }
}

fn default_of(kind: &Kind) -> Value {
    match *kind {
        Kind::Bool { default } => Value::Bool(default),
        Kind::Choice { default, .. } => Value::Choice(default),
        Kind::Integer { default, .. } => Value::Integer(default),
        Kind::Real { default } => Value::Real(default),
        Kind::Size { default, .. } => Value::Size(default),
        Kind::Duration { default } => Value::Duration(default),
        Kind::Inert { default } => Value::Text(default.to_string()),
    }
}

impl Settings {
    /// Errors: 42704 for an unknown name, 22023 for a value out of its type or range.
    pub fn set(&mut self, name: &str, value: &str) -> Result<Effect> {
        let at = find(name)?;
        self.values[at] = read(&DEFINITIONS[at], value)?;
        Ok(match DEFINITIONS[at].kind {
            Kind::Inert { .. } => Effect::Inert,
            _ => Effect::Changed,
        })
    }

    pub fn reset(&mut self, name: &str) -> Result<()> {
        let at = find(name)?;
        self.values[at] = default_of(&DEFINITIONS[at].kind);
        Ok(())
    }

    pub fn reset_all(&mut self) {
        *self = Settings::default();
    }

    pub fn show(&self, name: &str) -> Result<String> {
        let at = find(name)?;
        Ok(write(&DEFINITIONS[at].kind, &self.values[at]))
    }

    /// The default, as SHOW would print it.
    pub fn default_text(definition: &Definition) -> String {
        write(&definition.kind, &default_of(&definition.kind))
    }

    /// Definitions whose value is not the default.
    pub fn changed(&self) -> impl Iterator<Item = (&'static Definition, String)> {
        DEFINITIONS
            .iter()
            .zip(&self.values)
            .filter(|(d, value)| default_of(&d.kind) != **value)
            .map(|(d, value)| (d, write(&d.kind, value)))
    }

    pub fn flag(&self, name: Name) -> bool {
        matches!(self.values[name as usize], Value::Bool(true))
    }

    fn choice(&self, name: Name) -> usize {
        match self.values[name as usize] {
            Value::Choice(at) => at,
            _ => 0,
        }
    }

    pub fn real(&self, name: Name) -> f64 {
        match self.values[name as usize] {
            Value::Real(n) => n,
            _ => 0.0,
        }
    }

    fn number(&self, name: Name) -> u64 {
        match self.values[name as usize] {
            Value::Integer(n) => n.max(0) as u64,
            Value::Size(n) | Value::Duration(n) => n,
            _ => 0,
        }
    }

    pub fn driver(&self) -> Driver {
        if self.choice(Name::Executor) == 0 {
            Driver::Push
        } else {
            Driver::Pull
        }
    }

    pub fn recheck(&self) -> Recheck {
        if self.choice(Name::QualsRecheck) == 0 {
            Recheck::Auto
        } else {
            Recheck::Always
        }
    }

    pub fn timing(&self) -> Timing {
        match self.choice(Name::ExplainTiming) {
            0 => Timing::Off,
            1 => Timing::Batch,
            _ => Timing::Full,
        }
    }

    /// By its name in `pg_am`.
    pub fn default_table_access_method(&self) -> &'static str {
        match self.choice(Name::DefaultTableAccessMethod) {
            0 => "heap",
            _ => "columnar",
        }
    }

    pub fn batch_rows(&self) -> usize {
        self.number(Name::BatchRows) as usize
    }

    pub fn join_order_limit(&self) -> usize {
        self.number(Name::JoinOrderLimit) as usize
    }

    pub fn default_statistics_target(&self) -> u64 {
        self.number(Name::DefaultStatisticsTarget)
    }

    pub fn memory_limit(&self) -> u64 {
        self.number(Name::MemoryLimit)
    }

    /// Milliseconds; `None` for no limit.
    pub fn statement_timeout(&self) -> Option<u64> {
        Some(self.number(Name::StatementTimeout)).filter(|&ms| ms > 0)
    }
}

fn find(name: &str) -> Result<usize> {
    DEFINITIONS
        .iter()
        .position(|d| d.name.eq_ignore_ascii_case(name))
        .ok_or_else(|| {
            Error::new(
                sqlstate::UNDEFINED_OBJECT,
                format!("unrecognized configuration parameter \"{name}\""),
            )
        })
}

/// PostgreSQL's `parse_bool`: unambiguous prefixes of true, false, yes, no, on, off, and 1, 0.
pub fn parse_bool(text: &str) -> Option<bool> {
    let text = text.trim().to_ascii_lowercase();
    let prefix_of = |word: &str, least: usize| text.len() >= least && word.starts_with(&text);
    if prefix_of("true", 1) || prefix_of("yes", 1) || text == "on" || text == "1" {
        Some(true)
    } else if prefix_of("false", 1) || prefix_of("no", 1) || prefix_of("off", 2) || text == "0" {
        Some(false)
    } else {
        None
    }
}

fn invalid(name: &str, value: &str) -> Error {
    Error::new(
        sqlstate::INVALID_PARAMETER_VALUE,
        format!("invalid value for parameter \"{name}\": \"{value}\""),
    )
}

fn read(definition: &Definition, text: &str) -> Result<Value> {
    let name = definition.name;
    match &definition.kind {
        Kind::Bool { .. } => parse_bool(text).map(Value::Bool).ok_or_else(|| {
            Error::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                format!("parameter \"{name}\" requires a Boolean value"),
            )
        }),
        Kind::Choice { values, .. } => values
            .iter()
            .position(|v| v.eq_ignore_ascii_case(text.trim()))
            .map(Value::Choice)
            .ok_or_else(|| {
                invalid(name, text).with_hint(format!("Available values: {}.", values.join(", ")))
            }),
        Kind::Integer { min, max, .. } => {
            let n: i64 = text.trim().parse().map_err(|_| invalid(name, text))?;
            if n < *min || n > *max {
                return Err(out_of_range(name, n, *min, *max, ""));
            }
            Ok(Value::Integer(n))
        }
        Kind::Real { .. } => {
            let n: f64 = text.trim().parse().map_err(|_| invalid(name, text))?;
            if n.is_nan() {
                return Err(invalid(name, text));
            }
            if !(0.0..=f64::MAX).contains(&n) {
                let message = format!(
                    "{n} is outside the valid range for parameter \"{name}\" (0 .. 1.79769e+308)"
                );
                return Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message));
            }
            Ok(Value::Real(n))
        }
        Kind::Size { min, max, .. } => {
            let bytes = with_unit(
                text,
                &[
                    ("B", 1),
                    ("kB", 1 << 10),
                    ("MB", 1 << 20),
                    ("GB", 1 << 30),
                    ("TB", 1 << 40),
                ],
                1 << 10,
            )
            .ok_or_else(|| {
                invalid(name, text).with_hint(
                    "Valid units for this parameter are \"B\", \"kB\", \"MB\", \"GB\", and \"TB\".",
                )
            })?;
            if bytes < *min || bytes > *max {
                return Err(out_of_range(name, bytes >> 10, min >> 10, max >> 10, " kB"));
            }
            Ok(Value::Size(bytes))
        }
        Kind::Duration { .. } => {
            let units = [
                ("ms", 1),
                ("s", 1000),
                ("min", 60_000),
                ("h", 3_600_000),
                ("d", 86_400_000),
            ];
            with_unit(text, &units, 1).filter(|&ms| ms <= i32::MAX as u64).map(Value::Duration).ok_or_else(|| {
                invalid(name, text)
                    .with_hint("Valid units for this parameter are \"ms\", \"s\", \"min\", \"h\", and \"d\".")
            })
        }
        Kind::Inert { .. } => Ok(Value::Text(text.to_string())),
    }
}

fn out_of_range(
    name: &str,
    n: impl std::fmt::Display,
    min: impl std::fmt::Display,
    max: impl std::fmt::Display,
    unit: &str,
) -> Error {
    Error::new(
        sqlstate::INVALID_PARAMETER_VALUE,
        format!(
            "{n}{unit} is outside the valid range for parameter \"{name}\" ({min}{unit} .. {max}{unit})"
        ),
    )
}

/// `8GB`, `64 kB`, `1.5MB`: a number and one of the units; without a unit `bare` counts.
fn with_unit(text: &str, units: &[(&str, u64)], bare: u64) -> Option<u64> {
    let text = text.trim();
    let split = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = (text[..split].parse::<f64>().ok()?, text[split..].trim());
    let factor = if unit.is_empty() {
        bare
    } else {
        units.iter().find(|(name, _)| *name == unit)?.1
    };
    let value = number * factor as f64;
    (value >= 0.0 && value <= (1u64 << 53) as f64).then_some(value.round() as u64)
}

fn write(kind: &Kind, value: &Value) -> String {
    match (kind, value) {
        (Kind::Choice { values, .. }, Value::Choice(at)) => values[*at].to_string(),
        (_, Value::Bool(on)) => if *on { "on" } else { "off" }.to_string(),
        (_, Value::Integer(n)) => n.to_string(),
        (_, Value::Real(n)) => n.to_string(),
        (_, Value::Size(bytes)) => size_text(*bytes),
        (_, Value::Duration(ms)) => largest_unit(
            *ms,
            &[
                ("d", 86_400_000),
                ("h", 3_600_000),
                ("min", 60_000),
                ("s", 1000),
                ("ms", 1),
            ],
        ),
        (_, Value::Text(text)) => text.clone(),
        (_, Value::Choice(at)) => at.to_string(),
    }
}

/// A size with PostgreSQL's units: `64MB`.
pub fn size_text(bytes: u64) -> String {
    largest_unit(
        bytes,
        &[
            ("TB", 1 << 40),
            ("GB", 1 << 30),
            ("MB", 1 << 20),
            ("kB", 1 << 10),
            ("B", 1),
        ],
    )
}

/// In the largest unit that divides it, as SHOW prints; 0 has none.
fn largest_unit(value: u64, units: &[(&str, u64)]) -> String {
    match units
        .iter()
        .find(|(_, factor)| value > 0 && value.is_multiple_of(*factor))
    {
        Some((unit, factor)) => format!("{}{unit}", value / factor),
        None => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_shown_as_postgresql_does() {
        let mut s = Settings::default();
        for (name, value, shown) in [
            ("batch_rows", "7", "7"),
            ("EXECUTOR", "pull", "pull"),
            ("quals_push_down", "of", "off"),
            ("memory_limit", "65536", "64MB"),
            ("memory_limit", "1.5GB", "1536MB"),
            ("statement_timeout", "2min", "2min"),
            ("statement_timeout", "0", "0"),
        ] {
            s.set(name, value).unwrap();
            assert_eq!(s.show(name).unwrap(), shown, "{name} = {value}");
        }
        assert_eq!(s.set("shared_buffers", "128GB").unwrap(), Effect::Inert);
        for (name, value, code) in [
            ("batch_rows", "0", "22023"),
            ("batch_rows", "x", "22023"),
            ("executor", "sideways", "22023"),
            ("memory_limit", "1 furlong", "22023"),
            ("no_such", "1", "42704"),
        ] {
            assert_eq!(
                s.set(name, value).unwrap_err().sqlstate,
                code,
                "{name} = {value}"
            );
        }
        s.reset_all();
        assert_eq!(s.changed().count(), 0);
    }

    #[test]
    fn names_and_definitions_stand_in_the_same_order() {
        assert_eq!(DEFINITIONS[Name::BatchRows as usize].name, "batch_rows");
        assert_eq!(
            DEFINITIONS[Name::SynchronousCommit as usize].name,
            "synchronous_commit"
        );
    }
}
