//! A figure or condition that EXPLAIN shows.

/// One line of the text format, one key of JSON, or both.
pub(super) enum Property {
    Both(&'static str, Value),
    Json(&'static str, Value),
    Text(String),
}

pub(super) enum Value {
    Text(String),
    List(Vec<String>),
    Integer(u64),
    /// With so many decimals.
    Float(f64, usize),
    Bool(bool),
    /// Keys and values: only PostgreSQL's own `Settings` and `Planning` are such.
    Object(Vec<(&'static str, Value)>),
    /// An array without elements.
    Nothing,
}

impl Property {
    pub fn both(key: &'static str, value: Value) -> Self {
        Property::Both(key, value)
    }

    pub fn json(key: &'static str, value: Value) -> Self {
        Property::Json(key, value)
    }

    /// A figure of our own: JSON's keys are truthy, so that a viewer that knows them not shows no zeros.
    pub fn own(key: &'static str, figure: u64) -> Self {
        match figure {
            0 => Property::Text(format!("{key}: 0")),
            figure => Property::Both(key, Value::Integer(figure)),
        }
    }
}

impl Value {
    pub fn text(text: impl Into<String>) -> Self {
        Value::Text(text.into())
    }

    /// As the text format writes it.
    pub fn plain(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::List(items) => items.join(", "),
            Value::Integer(n) => n.to_string(),
            Value::Float(n, decimals) => format!("{n:.decimals$}"),
            Value::Bool(value) => value.to_string(),
            Value::Object(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| format!("{key} = '{}'", value.plain()));
                entries.collect::<Vec<_>>().join(", ")
            }
            Value::Nothing => String::new(),
        }
    }
}
