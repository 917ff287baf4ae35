//! EXPLAIN's JSON format: PostgreSQL's keys, order and layout.

use super::describe::Described;
use super::property::{Property, Value};

/// The whole document: an array of one object, its first key `Plan`.
pub(super) fn write_document(plan: &Described, summary: &[Property], out: &mut String) {
    out.push_str("[\n  {\n    \"Plan\": {");
    write_plan(plan, 3, out);
    out.push_str("\n    }");
    for property in summary {
        if let Property::Both(key, value) | Property::Json(key, value) = property {
            out.push(',');
            write_entry(key, value, 2, out);
        }
    }
    out.push_str("\n  }\n]");
}

fn write_plan(node: &Described, indent: usize, out: &mut String) {
    let mut first = true;
    let mut comma = |out: &mut String| {
        if !std::mem::take(&mut first) {
            out.push(',');
        }
    };
    for (key, value) in &node.identity {
        comma(out);
        write_entry(key, value, indent, out);
    }
    for property in &node.properties {
        if let Property::Both(key, value) | Property::Json(key, value) = property {
            comma(out);
            write_entry(key, value, indent, out);
        }
    }
    if node.children.is_empty() {
        return;
    }
    comma(out);
    new_line(indent, out);
    out.push_str("\"Plans\": [");
    for (i, child) in node.children.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        new_line(indent + 1, out);
        out.push('{');
        write_plan(child, indent + 2, out);
        new_line(indent + 1, out);
        out.push('}');
    }
    new_line(indent, out);
    out.push(']');
}

fn write_entry(key: &str, value: &Value, indent: usize, out: &mut String) {
    new_line(indent, out);
    write_string(key, out);
    out.push_str(": ");
    match value {
        Value::Text(text) => write_string(text, out),
        Value::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write_string(item, out);
            }
            out.push(']');
        }
        Value::Integer(_) | Value::Float(..) | Value::Bool(_) => out.push_str(&value.plain()),
        Value::Object(entries) => {
            out.push('{');
            for (i, (key, value)) in entries.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_entry(key, value, indent + 1, out);
            }
            new_line(indent, out);
            out.push('}');
        }
        Value::Nothing => {
            out.push('[');
            new_line(indent, out);
            out.push(']');
        }
    }
}

fn new_line(indent: usize, out: &mut String) {
    out.push('\n');
    for _ in 0..indent {
        out.push_str("  ");
    }
}

/// `escape_json`.
fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}
