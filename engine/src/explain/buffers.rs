//! BUFFERS: pages read are hits, since tables live in memory.

use super::property::{Property, Value};
use crate::bind::{ExplainOptions, Format};

/// PostgreSQL's ten keys, all of them on every node.
const KEYS: [&str; 10] = [
    "Shared Hit Blocks",
    "Shared Read Blocks",
    "Shared Dirtied Blocks",
    "Shared Written Blocks",
    "Local Hit Blocks",
    "Local Read Blocks",
    "Local Dirtied Blocks",
    "Local Written Blocks",
    "Temp Read Blocks",
    "Temp Written Blocks",
];

pub(super) fn properties(hits: u64, options: &ExplainOptions, properties: &mut Vec<Property>) {
    if options.format == Format::Text {
        if hits > 0 {
            properties.push(Property::Text(format!("Buffers: shared hit={hits}")));
        }
        return;
    }
    for (key, value) in keys(hits) {
        properties.push(Property::json(key, value));
    }
}

pub(super) fn keys(hits: u64) -> impl Iterator<Item = (&'static str, Value)> {
    KEYS.into_iter()
        .map(move |key| (key, Value::Integer(if key == KEYS[0] { hits } else { 0 })))
}
