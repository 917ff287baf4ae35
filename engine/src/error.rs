//! Errors as PostgreSQL reports them: a SQLSTATE, a primary message, and what helps to mend it.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// Where in the script an error stands; both count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// One error of a statement, in PostgreSQL's wording. One pointer, so that the answers of steps and
/// scans, which hardly ever are errors, fit in registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<ErrorData>);

/// What an error says (PostgreSQL's `ErrorData`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorData {
    /// The five characters of the SQLSTATE; see [`sqlstate`].
    pub sqlstate: &'static str,
    pub message: String,
    pub detail: Option<String>,
    pub hint: Option<String>,
    pub position: Option<Position>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    #[cold]
    pub fn new(sqlstate: &'static str, message: impl Into<String>) -> Self {
        Error(Box::new(ErrorData {
            sqlstate,
            message: message.into(),
            detail: None,
            hint: None,
            position: None,
        }))
    }

    /// `0A000`: a feature that PostgreSQL has and this engine has not (yet). `feature` starts the sentence.
    #[cold]
    pub fn unsupported(feature: impl fmt::Display) -> Self {
        Error::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!("{feature} is not supported"),
        )
    }

    /// `XX000`: an invariant of the engine itself is broken. Never a user's fault, never a panic.
    #[cold]
    pub fn internal(what: impl Into<String>) -> Self {
        Error::new(sqlstate::INTERNAL_ERROR, what)
    }

    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn at(mut self, position: Option<Position>) -> Self {
        if self.position.is_none() {
            self.position = position;
        }
        self
    }

    /// What it says, to be taken apart.
    pub fn into_data(self) -> ErrorData {
        *self.0
    }

    /// For an error that is about the whole statement.
    pub fn without_position(mut self) -> Self {
        self.position = None;
        self
    }
}

impl Deref for Error {
    type Target = ErrorData;

    fn deref(&self) -> &ErrorData {
        &self.0
    }
}

impl DerefMut for Error {
    fn deref_mut(&mut self) -> &mut ErrorData {
        &mut self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ERROR:  {}: {}", self.sqlstate, self.message)
    }
}

impl std::error::Error for Error {}

/// The SQLSTATEs in use, by PostgreSQL's condition names (`errcodes.txt`).
pub mod sqlstate {
    pub const INVALID_RECURSION: &str = "42P19";
    pub const FEATURE_NOT_SUPPORTED: &str = "0A000";
    pub const CARDINALITY_VIOLATION: &str = "21000";
    pub const STRING_DATA_RIGHT_TRUNCATION: &str = "22001";
    pub const NULL_VALUE_NOT_ALLOWED: &str = "22004";
    pub const NUMERIC_VALUE_OUT_OF_RANGE: &str = "22003";
    pub const INVALID_DATETIME_FORMAT: &str = "22007";
    pub const DATETIME_FIELD_OVERFLOW: &str = "22008";
    pub const INTERVAL_FIELD_OVERFLOW: &str = "22015";
    pub const INVALID_TIME_ZONE_DISPLACEMENT_VALUE: &str = "22009";
    pub const SUBSTRING_ERROR: &str = "22011";
    pub const DIVISION_BY_ZERO: &str = "22012";
    pub const INVALID_ARGUMENT_FOR_LOG: &str = "2201E";
    pub const INVALID_ARGUMENT_FOR_POWER: &str = "2201F";
    pub const INVALID_ARGUMENT_FOR_WIDTH_BUCKET: &str = "2201G";
    pub const INVALID_ROW_COUNT_IN_LIMIT: &str = "2201W";
    pub const INVALID_ROW_COUNT_IN_OFFSET: &str = "2201X";
    pub const CHARACTER_NOT_IN_REPERTOIRE: &str = "22021";
    pub const INVALID_PARAMETER_VALUE: &str = "22023";
    pub const INVALID_ESCAPE_SEQUENCE: &str = "22025";
    pub const ARRAY_SUBSCRIPT_ERROR: &str = "2202E";
    pub const INVALID_TEXT_REPRESENTATION: &str = "22P02";
    pub const NOT_NULL_VIOLATION: &str = "23502";
    pub const ACTIVE_SQL_TRANSACTION: &str = "25001";
    pub const NO_ACTIVE_SQL_TRANSACTION: &str = "25P01";
    pub const IN_FAILED_SQL_TRANSACTION: &str = "25P02";
    pub const DEPENDENT_OBJECTS_STILL_EXIST: &str = "2BP01";
    pub const UNDEFINED_SCHEMA: &str = "3F000";
    pub const SYNTAX_ERROR: &str = "42601";
    pub const AMBIGUOUS_COLUMN: &str = "42702";
    pub const UNDEFINED_COLUMN: &str = "42703";
    pub const UNDEFINED_OBJECT: &str = "42704";
    pub const DUPLICATE_OBJECT: &str = "42710";
    pub const DUPLICATE_ALIAS: &str = "42712";
    pub const DUPLICATE_FUNCTION: &str = "42723";
    pub const AMBIGUOUS_FUNCTION: &str = "42725";
    pub const DUPLICATE_COLUMN: &str = "42701";
    pub const GROUPING_ERROR: &str = "42803";
    pub const DATATYPE_MISMATCH: &str = "42804";
    pub const WRONG_OBJECT_TYPE: &str = "42809";
    pub const CANNOT_COERCE: &str = "42846";
    pub const UNDEFINED_FUNCTION: &str = "42883";
    pub const INDETERMINATE_DATATYPE: &str = "42P18";
    pub const UNDEFINED_TABLE: &str = "42P01";
    pub const UNDEFINED_PARAMETER: &str = "42P02";
    pub const DUPLICATE_TABLE: &str = "42P07";
    pub const INVALID_COLUMN_REFERENCE: &str = "42P10";
    pub const INVALID_TABLE_DEFINITION: &str = "42P16";
    pub const INVALID_FUNCTION_DEFINITION: &str = "42P13";
    pub const DISK_FULL: &str = "53100";
    pub const OUT_OF_MEMORY: &str = "53200";
    pub const STATEMENT_TOO_COMPLEX: &str = "54001";
    pub const TOO_MANY_COLUMNS: &str = "54011";
    pub const PROGRAM_LIMIT_EXCEEDED: &str = "54000";
    pub const CANT_CHANGE_RUNTIME_PARAM: &str = "55P02";
    pub const QUERY_CANCELED: &str = "57014";
    pub const INTERNAL_ERROR: &str = "XX000";
    pub const DATA_CORRUPTED: &str = "XX001";
}
