//! EXPLAIN's text format: PostgreSQL's words and indentation.

use super::describe::Described;
use super::property::{Property, Value};

/// A node and those below it. `indent` counts as PostgreSQL's `ExplainState` does.
pub(super) fn write_node(node: &Described, indent: usize, out: &mut String) {
    let mut indent = indent;
    let sub_plan = node.identity.iter().find(|(key, _)| *key == "Subplan Name");
    if let Some((_, Value::Text(name))) = sub_plan {
        write_line(indent, name, out);
        indent += 1;
    }
    if indent > 0 {
        write_spaces(indent, out);
        out.push_str("->  ");
        indent += 2;
    }
    indent += 1;
    out.push_str(&node.title);
    out.push_str(&node.figures);
    out.push('\n');
    for property in &node.properties {
        write_property(property, indent, out);
    }
    for child in &node.children {
        write_node(child, indent, out);
    }
}

pub(super) fn write_property(property: &Property, indent: usize, out: &mut String) {
    match property {
        Property::Both(key, value) => write_line(indent, &format!("{key}: {}", value.plain()), out),
        Property::Text(line) => write_line(indent, line, out),
        Property::Json(..) => {}
    }
}

fn write_line(indent: usize, line: &str, out: &mut String) {
    write_spaces(indent, out);
    out.push_str(line);
    out.push('\n');
}

fn write_spaces(indent: usize, out: &mut String) {
    for _ in 0..indent * 2 {
        out.push(' ');
    }
}
