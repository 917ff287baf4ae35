//! Line editing and history on a terminal.

use std::io;

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use crate::reader::is_complete;
use crate::run::Shell;

/// Reads and runs until `\q` or the end of input.
pub fn run(shell: &mut Shell) -> io::Result<bool> {
    let mut editor = DefaultEditor::new().map_err(io::Error::other)?;
    let mut text = String::new();
    loop {
        let prompt = if text.is_empty() {
            "tuplescope=# "
        } else {
            "tuplescope-# "
        };
        match editor.readline(prompt) {
            Ok(line) => {
                if text.is_empty() && line.starts_with('\\') {
                    if !shell.backslash(line.trim())? {
                        return Ok(true);
                    }
                    continue;
                }
                text.push_str(&line);
                text.push('\n');
                if line.contains(';') && is_complete(&text) {
                    editor
                        .add_history_entry(text.trim())
                        .map_err(io::Error::other)?;
                    shell.run(&text)?;
                    text.clear();
                } else if text.trim().is_empty() {
                    text.clear();
                }
            }
            Err(ReadlineError::Interrupted) => text.clear(),
            Err(ReadlineError::Eof) => return Ok(true),
            Err(e) => return Err(io::Error::other(e)),
        }
    }
}
