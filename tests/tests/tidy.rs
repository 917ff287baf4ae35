//! The house rules that a compiler does not check: which folder may import which (ARCHITECTURE.md).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Each part of `engine/src` and the parts it may name. `error`, `memory` and `work` are below everything.
const MAY_IMPORT: &[(&str, &str)] = &[
    ("error", ""),
    ("memory", "error"),
    ("work", ""),
    ("settings", "error"),
    ("value", "error"),
    ("storage", "error memory work value"),
    ("am", "error memory work value storage"),
    ("catalog", "error work value am"),
    ("sql", "error value"),
    ("bind", "error value catalog sql settings"),
    ("expr", "error memory work value catalog bind"),
    (
        "plan",
        "error memory work value catalog am bind expr settings",
    ),
    ("instr", "error value settings"),
    (
        "exec",
        "error memory work settings value storage am catalog bind expr plan instr",
    ),
    ("explain", "error value catalog am bind settings plan instr"),
];

#[test]
fn folders_import_only_what_is_below_them() {
    let rules: BTreeMap<&str, BTreeSet<&str>> = MAY_IMPORT
        .iter()
        .map(|(part, may)| (*part, may.split(' ').collect()))
        .collect();
    let root = repository().join("engine/src");
    let mut broken = Vec::new();
    let mut seen = BTreeSet::new();
    for file in rust_files(&root) {
        let inside = file.strip_prefix(&root).unwrap();
        let part = inside
            .iter()
            .next()
            .unwrap()
            .to_str()
            .unwrap()
            .trim_end_matches(".rs");
        let Some(allowed) = rules.get(part) else {
            continue;
        };
        seen.insert(part.to_string());
        let text = std::fs::read_to_string(&file).unwrap();
        let test_only = inside.iter().any(|part| {
            let part = part.to_str().unwrap().trim_end_matches(".rs");
            matches!(part, "tests" | "property_tests")
        });
        for (number, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            if line.contains("#[cfg(test)]") || test_only {
                break;
            }
            for named in parts_named(line) {
                if named != part && !allowed.contains(named.as_str()) {
                    broken.push(format!(
                        "{}:{}: {part} → {named}",
                        inside.display(),
                        number + 1
                    ));
                }
            }
        }
    }
    assert!(
        seen.len() >= 14,
        "the rules name folders that are gone: {seen:?}"
    );
    assert!(
        broken.is_empty(),
        "imports against the rules:\n{}",
        broken.join("\n")
    );
}

/// The engine is pure: what the host gives, it gives through traits.
#[test]
fn the_engine_knows_no_host() {
    let root = repository().join("engine/src");
    let forbidden = [
        "std::time",
        "std::fs",
        "std::env",
        "std::thread",
        "std::net",
        "wasm_bindgen",
        "web_sys",
    ];
    let mut broken = Vec::new();
    for file in rust_files(&root) {
        if file.starts_with(root.join("bin")) {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let production = text.split("#[cfg(test)]").next().unwrap();
        if file.to_str().unwrap().contains("test") {
            continue;
        }
        for word in forbidden {
            if production.contains(word) {
                broken.push(format!("{}: {word}", file.display()));
            }
        }
    }
    assert!(
        broken.is_empty(),
        "the engine reaches for its host:\n{}",
        broken.join("\n")
    );
}

/// No operator names another one, nor a driver; families (folders) may share among themselves, and what
/// is no operator (a selector, a table of rows) serves all.
#[test]
fn operators_know_neither_drivers_nor_each_other() {
    let root = repository().join("engine/src/exec/ops");
    let text_of = |file: &PathBuf| std::fs::read_to_string(file).unwrap();
    let files: Vec<PathBuf> = rust_files(&root)
        .into_iter()
        .filter(|file| *file != root.join("mod.rs"))
        .collect();
    let family_of = |file: &PathBuf| {
        let first = file
            .strip_prefix(&root)
            .unwrap()
            .iter()
            .next()
            .unwrap()
            .to_str()
            .unwrap();
        first.trim_end_matches(".rs").to_string()
    };
    let operators: BTreeSet<String> = files
        .iter()
        .filter(|file| text_of(file).contains("impl Operator for"))
        .map(family_of)
        .collect();
    assert!(operators.len() > 10, "{operators:?}");
    let mut broken = Vec::new();
    for file in &files {
        let family = family_of(file);
        let text = text_of(file);
        let production = text
            .lines()
            .take_while(|line| !line.contains("#[cfg(test)]"));
        for line in production.filter(|line| line.trim_start().starts_with("use ")) {
            let foreign = operators.iter().any(|other| {
                *other != family
                    && (line.contains(&format!("ops::{other}::"))
                        || line.contains(&format!("super::{other}::")))
            });
            let driver = ["::pull::", "::push::", "::pipelines::", "::driver::"]
                .iter()
                .any(|d| line.contains(d));
            if foreign || driver {
                broken.push(format!("{}: {line}", file.display()));
            }
        }
    }
    assert!(
        broken.is_empty(),
        "operators that know too much:\n{}",
        broken.join("\n")
    );
}

/// Files stay readable at one sitting.
#[test]
fn no_file_outgrows_its_job() {
    let long: Vec<String> = ["engine/src", "web/src", "tests/src"]
        .iter()
        .flat_map(|folder| rust_files(&repository().join(folder)))
        .filter_map(|file| {
            let lines = std::fs::read_to_string(&file).unwrap().lines().count();
            let most = if file.to_str().unwrap().contains("test") {
                900
            } else {
                620
            };
            (lines > most).then(|| format!("{}: {lines}", file.display()))
        })
        .collect();
    assert!(
        long.is_empty(),
        "files that outgrew their job:\n{}",
        long.join("\n")
    );
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_path_buf()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The parts that a line names by `crate::part`.
fn parts_named(line: &str) -> Vec<String> {
    line.split("crate::")
        .skip(1)
        .map(|rest| {
            rest.chars()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect::<String>()
        })
        .filter(|part| !part.is_empty() && part.chars().next().is_some_and(char::is_lowercase))
        .collect()
}
