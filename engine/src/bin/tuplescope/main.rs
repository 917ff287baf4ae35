//! The native shell: the engine without a browser, for tests, benchmarks and people.
//!
//! Scripts come from files, `-c`, standard input or, on a terminal, line by line. Statements run as
//! they arrive and both streams are flushed after each, so that a program can drive it by pipes.

mod arguments;
mod host;
mod interactive;
mod output;
mod reader;
mod run;

use std::io::IsTerminal;
use std::process::ExitCode;

use arguments::{Arguments, Input};
use run::Shell;

/// psql's exit status for an error in a script with `--on-error-stop`.
const SCRIPT_ERROR: u8 = 3;

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            print!("{}", arguments::USAGE);
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("tuplescope: {message}\n{}", arguments::USAGE);
            return ExitCode::from(2);
        }
    };
    let interactive = arguments.inputs.is_empty() && std::io::stdin().is_terminal();
    let mut shell = Shell::new(arguments.options.clone(), interactive);
    let ended = if interactive {
        interactive::run(&mut shell)
    } else {
        run_inputs(&mut shell, &arguments.inputs)
    };
    match ended {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(SCRIPT_ERROR),
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("tuplescope: {e}");
            ExitCode::FAILURE
        }
    }
}

/// False: an error ended it.
fn run_inputs(shell: &mut Shell, inputs: &[Input]) -> std::io::Result<bool> {
    if inputs.is_empty() {
        return reader::run_stream(shell, std::io::stdin().lock());
    }
    for input in inputs {
        let go_on = match input {
            Input::Command(sql) => shell.run(sql)?,
            Input::File(path) => {
                let file = std::fs::File::open(path).map_err(|e| {
                    std::io::Error::new(e.kind(), format!("{}: {e}", path.display()))
                })?;
                reader::run_stream(shell, std::io::BufReader::new(file))?
            }
        };
        if !go_on {
            return Ok(false);
        }
    }
    Ok(true)
}
