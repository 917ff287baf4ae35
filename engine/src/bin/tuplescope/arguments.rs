//! The command line.

use std::path::PathBuf;

pub const USAGE: &str = "\
Usage: tuplescope [OPTIONS] [FILE.sql ...]

Runs SQL scripts from files or standard input; on a terminal, statement by statement.

  -c, --command SQL   run this (may be given several times)
      --null STRING   how NULL is shown (default: nothing)
      --header        column names above the rows
      --json          a JSON object a statement: columns, rows, tag, error, plan
      --timing        elapsed time after each statement
      --on-error-stop end with status 3 at the first error
      --set NAME=VALUE  a setting for the session
  -h, --help
";

#[derive(Clone, Debug, Default)]
pub struct Options {
    pub null: String,
    pub header: bool,
    pub json: bool,
    pub timing: bool,
    pub stop_on_error: bool,
    pub settings: Vec<(String, String)>,
}

#[derive(Debug)]
pub enum Input {
    File(PathBuf),
    Command(String),
}

#[derive(Debug, Default)]
pub struct Arguments {
    pub options: Options,
    pub inputs: Vec<Input>,
}

impl Arguments {
    /// `None`: help was asked for.
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Option<Arguments>, String> {
        let mut parsed = Arguments::default();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "-h" | "--help" => return Ok(None),
                "-c" | "--command" => parsed.inputs.push(Input::Command(value()?)),
                "--null" => parsed.options.null = value()?,
                "--header" => parsed.options.header = true,
                "--json" => parsed.options.json = true,
                "--timing" => parsed.options.timing = true,
                "--on-error-stop" => parsed.options.stop_on_error = true,
                "--set" => {
                    let pair = value()?;
                    let (name, value) = pair.split_once('=').ok_or("--set takes NAME=VALUE")?;
                    parsed
                        .options
                        .settings
                        .push((name.to_string(), value.to_string()));
                }
                "--" => {}
                _ if word.starts_with('-') && word.len() > 1 => {
                    return Err(format!("unknown option {word}"));
                }
                _ => parsed.inputs.push(Input::File(word.into())),
            }
        }
        Ok(Some(parsed))
    }
}
