//! Reloptions: `WITH (quals_push_down = on, fillfactor = 70)` read and checked.

use crate::am::TableAm;
use crate::catalog::TableOptions;
use crate::error::{Error, Result, sqlstate};
use crate::settings::parse_bool;

/// Sets (`Some`) or resets (`None`) one option. Errors: 22023 for an unknown option or a bad value.
pub(super) fn apply(
    am: &dyn TableAm,
    options: &mut TableOptions,
    name: &str,
    value: Option<&str>,
) -> Result<()> {
    match name {
        "quals_push_down" => {
            options.quals_push_down = value.map(|value| boolean(name, value)).transpose()?
        }
        "fillfactor" if am.has_fill_factor() => {
            options.fillfactor = value.map(|value| percent(name, value, 10)).transpose()?
        }
        _ => return Err(invalid(format!("unrecognized parameter \"{name}\""))),
    }
    Ok(())
}

pub(super) fn parse(am: &dyn TableAm, given: &[(String, String)]) -> Result<TableOptions> {
    let mut options = TableOptions::default();
    for (at, (name, value)) in given.iter().enumerate() {
        if given[..at].iter().any(|(earlier, _)| earlier == name) {
            return Err(invalid(format!(
                "parameter \"{name}\" specified more than once"
            )));
        }
        apply(am, &mut options, name, Some(value))?;
    }
    Ok(options)
}

fn boolean(name: &str, value: &str) -> Result<bool> {
    parse_bool(value).ok_or_else(|| {
        invalid(format!(
            "invalid value for boolean option \"{name}\": {value}"
        ))
    })
}

fn percent(name: &str, value: &str, min: u8) -> Result<u8> {
    let number: i64 = value.trim().parse().map_err(|_| {
        invalid(format!(
            "invalid value for integer option \"{name}\": {value}"
        ))
    })?;
    if number < i64::from(min) || number > 100 {
        return Err(invalid(format!(
            "value {number} out of bounds for option \"{name}\""
        ))
        .with_detail(format!("Valid values are between \"{min}\" and \"100\".")));
    }
    Ok(number as u8)
}

fn invalid(message: String) -> Error {
    Error::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::am::columnar::Columnar;
    use crate::am::heap::Heap;

    #[test]
    fn options_are_read_as_postgresql_does() {
        let on = |pairs: &[(&str, &str)]| {
            parse(
                &Heap,
                &pairs
                    .iter()
                    .map(|(n, v)| (n.to_string(), v.to_string()))
                    .collect::<Vec<_>>(),
            )
        };
        let options = on(&[("quals_push_down", "on"), ("fillfactor", "70")]).unwrap();
        assert_eq!(
            (options.quals_push_down, options.fillfactor),
            (Some(true), Some(70))
        );
        for (pairs, message) in [
            (&[("nope", "1")][..], "unrecognized parameter \"nope\""),
            (
                &[("fillfactor", "5")],
                "value 5 out of bounds for option \"fillfactor\"",
            ),
            (
                &[("fillfactor", "x")],
                "invalid value for integer option \"fillfactor\": x",
            ),
            (
                &[("quals_push_down", "maybe")],
                "invalid value for boolean option \"quals_push_down\": maybe",
            ),
            (
                &[("fillfactor", "50"), ("fillfactor", "60")],
                "parameter \"fillfactor\" specified more than once",
            ),
        ] {
            let error = on(pairs).unwrap_err();
            assert_eq!((error.sqlstate, error.message.as_str()), ("22023", message));
        }
    }

    #[test]
    fn an_access_method_without_pages_to_fill_has_no_fillfactor() {
        let given = [("fillfactor".to_string(), "70".to_string())];
        let error = parse(&Columnar, &given).unwrap_err();
        assert_eq!(error.message, "unrecognized parameter \"fillfactor\"");
    }
}
