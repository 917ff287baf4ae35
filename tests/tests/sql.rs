//! Every case under `tests/sql`, its answers written by PostgreSQL, under both drivers and several
//! batch sizes, and with push-down off and with every key checked again.

use std::path::{Path, PathBuf};

use sqllogictest::{Record, Runner, strict_column_validator};
use tests::Letter;
use tests::engine::Engine;

type Configuration = &'static [(&'static str, &'static str)];

const CONFIGURATIONS: &[Configuration] = &[
    &[("executor", "push"), ("batch_rows", "1024")],
    &[("executor", "push"), ("batch_rows", "7")],
    &[("executor", "push"), ("batch_rows", "1")],
    &[("executor", "pull"), ("batch_rows", "1024")],
    &[("executor", "pull"), ("batch_rows", "7")],
    &[("executor", "pull"), ("batch_rows", "1")],
    &[("quals_push_down", "off"), ("batch_rows", "64")],
    &[
        ("quals_recheck", "always"),
        ("batch_rows", "2"),
        ("executor", "pull"),
    ],
    &[("quals_require_leakproof", "off"), ("batch_rows", "3")],
    &[
        ("enable_hashjoin", "off"),
        ("enable_hashagg", "off"),
        ("batch_rows", "5"),
    ],
    &[
        ("enable_hashjoin", "off"),
        ("enable_mergejoin", "off"),
        ("batch_rows", "64"),
        ("executor", "pull"),
    ],
    &[("default_table_access_method", "columnar")],
    &[
        ("default_table_access_method", "columnar"),
        ("executor", "pull"),
        ("batch_rows", "1"),
    ],
    // Other plans, the same rows.
    &[("enable_hashjoin", "off"), ("enable_material", "off")],
    &[
        ("enable_nestloop", "off"),
        ("enable_hashagg", "off"),
        ("join_order_limit", "1"),
        ("enable_decorrelation", "off"),
    ],
];

#[test]
fn answers_are_postgresqls_under_every_configuration() {
    let only = std::env::var("SQL_FILE").ok();
    let mut failures = Vec::new();
    let mut answers = 0;
    for file in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sql")) {
        if only
            .as_ref()
            .is_some_and(|only| !file.to_string_lossy().contains(only.as_str()))
        {
            continue;
        }
        let records =
            sqllogictest::parse_file::<Letter>(&file).expect("the case files are well formed");
        for configuration in CONFIGURATIONS {
            let mut runner = Runner::new(|| async { Ok(Engine::with_settings(configuration)) });
            runner.with_column_validator(strict_column_validator);
            runner.add_label("tuplescope");
            for record in &records {
                answers += usize::from(matches!(
                    record,
                    Record::Statement { .. } | Record::Query { .. }
                ));
                if let Err(error) = runner.run(record.clone()) {
                    failures.push(format!("{configuration:?}\n{}", error.display(false)));
                }
            }
        }
    }
    println!("{answers} answers checked");
    assert!(only.is_some() || answers > 5000, "cases went missing");
    let shown = failures
        .len()
        .min(std::env::var("SQL_SHOW").map_or(20, |n| n.parse().unwrap_or(20)));
    assert!(
        failures.is_empty(),
        "{} of {answers} answers differ:\n\n{}",
        failures.len(),
        failures[..shown].join("\n\n")
    );
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the case folder is there")
        .map(|entry| entry.expect("its entries can be read").path())
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .filter(|path| path.extension().is_some_and(|e| e == "slt"))
        .collect();
    found.sort();
    found
}
