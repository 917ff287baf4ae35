//! Statements out of a stream, each run as soon as its semicolon has arrived.

use std::io::BufRead;

use engine::sql::Script;

use crate::run::Shell;

/// Runs the stream to its end. False: an error ended it.
pub fn run_stream(shell: &mut Shell, mut input: impl BufRead) -> std::io::Result<bool> {
    let mut text = String::new();
    let mut line = String::new();
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 {
            return Ok(text.trim().is_empty() || shell.run(&text)?);
        }
        if text.trim().is_empty() && line.starts_with('\\') {
            if !shell.backslash(line.trim())? {
                return Ok(true);
            }
            continue;
        }
        text.push_str(&line);
        if line.contains(';') && is_complete(&text) {
            if !shell.run(&text)? {
                return Ok(false);
            }
            text.clear();
        }
    }
}

/// Does the text end with a finished statement: nothing but white space or comments behind the last semicolon?
pub fn is_complete(text: &str) -> bool {
    let mut script = Script::new(text);
    let mut end = None;
    while let Some(statement) = script.next() {
        end = Some((statement.offset + statement.text.len(), script.consumed()));
    }
    // The scanner steps over the semicolon that ends a statement, and only over that.
    end.is_none_or(|(end, consumed)| text[end..consumed].contains(';'))
}
