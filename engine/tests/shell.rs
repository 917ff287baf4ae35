//! The native shell as a program sees it: what goes in by arguments and pipes, what comes out.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

fn shell(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tuplescope"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the shell starts");
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn rows_are_unaligned_and_commands_answer_with_their_tag() {
    let output = shell(
        &[],
        "CREATE TABLE t (i int, s text); INSERT INTO t VALUES (1, 'a'), (2, NULL);\nSELECT * FROM t ORDER BY i; UPDATE t SET i = i + 1; SELECT '';",
    );
    assert_eq!(
        text(&output.stdout),
        "CREATE TABLE\nINSERT 0 2\n1|a\n2|\nUPDATE 2\n\n"
    );
    assert_eq!(text(&output.stderr), "");
    assert!(output.status.success());
}

#[test]
fn options_shape_the_output() {
    let output = shell(
        &[
            "--null",
            "NULL",
            "--header",
            "-c",
            "SELECT 1 AS a, NULL AS b",
        ],
        "",
    );
    assert_eq!(text(&output.stdout), "a|b\n1|NULL\n");
    let output = shell(&["--timing", "-c", "SELECT 1"], "");
    assert!(
        text(&output.stdout).contains("\nTime: "),
        "{}",
        text(&output.stdout)
    );
    let output = shell(&["--set", "batch_rows=7", "-c", "SHOW batch_rows"], "");
    assert_eq!(text(&output.stdout), "7\n");
    assert_eq!(shell(&["--nope"], "").status.code(), Some(2));
}

#[test]
fn an_error_is_one_line_with_its_state_and_place_and_the_script_goes_on() {
    let output = shell(&[], "SELECT 1;\nSELECT nope;\nSELECT 1 / 0;\nSELECT 2;");
    assert_eq!(text(&output.stdout), "1\n2\n");
    assert_eq!(
        text(&output.stderr),
        "ERROR:  42703: column \"nope\" does not exist\nLINE 1: SELECT nope;\n               ^\nERROR:  22012: division by zero\nLINE 1: SELECT 1 / 0;\n                 ^\n"
    );
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn on_error_stop_ends_with_status_3() {
    let output = shell(&["--on-error-stop"], "SELECT 1; SELECT 1 / 0; SELECT 2;");
    assert_eq!(text(&output.stdout), "1\n");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn files_run_in_one_session() {
    let folder = std::env::temp_dir().join(format!("tuplescope-shell-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (a, b) = (folder.join("a.sql"), folder.join("b.sql"));
    std::fs::write(&a, "CREATE TABLE t (i int); INSERT INTO t VALUES (7);").unwrap();
    std::fs::write(&b, "SELECT i FROM t").unwrap();
    let output = shell(&[a.to_str().unwrap(), b.to_str().unwrap()], "");
    assert_eq!(text(&output.stdout), "CREATE TABLE\nINSERT 0 1\n7\n");
    assert!(!shell(&["/no/such/file.sql"], "").status.success());
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A program can drive the shell through pipes: each answer comes before the next statement is sent.
#[test]
fn statements_run_as_they_arrive() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tuplescope"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for (statement, answer) in [
        ("SELECT 1;", "1"),
        ("SELECT 'a;b';", "a;b"),
        ("SELECT 2\n;", "2"),
    ] {
        writeln!(stdin, "{statement}").unwrap();
        stdin.flush().unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), answer);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn json_gives_a_line_a_statement_with_rows_error_and_plan() {
    let output = shell(&["--json"], "SELECT 1 AS a, 'x\"y' AS b; SELECT 1 / 0;");
    let out = text(&output.stdout);
    let lines: Vec<&str> = out.lines().collect();
    assert!(
        lines[0].starts_with("{\"sql\":\"SELECT 1 AS a, 'x\\\"y' AS b\",\"tag\":\"SELECT 1\""),
        "{}",
        lines[0]
    );
    assert!(out.contains("\"rows\":[[\"1\",\"x\\\"y\"]]"), "{out}");
    assert!(out.contains("\"sqlstate\":\"22012\""), "{out}");
    assert!(out.contains("\"Node Type\": \"Result\""), "{out}");
}

/// The example that the mail's author would try first.
#[test]
fn mail_1_through_the_shell() {
    let script = |option: &str| {
        format!(
            "CREATE TABLE t (i INTEGER) WITH (quals_push_down = {option}); INSERT INTO t SELECT generate_series(1, 100000); VACUUM t; EXPLAIN (ANALYZE, FORMAT JSON) SELECT COUNT(*) FROM t WHERE i = 50000;"
        )
    };
    let on = text(&shell(&[], &script("on")).stdout);
    assert_eq!(on.matches("\"Node Type\": \"Seq Scan\"").count(), 1, "{on}");
    assert!(
        on.contains("\"Scan Keys\": \"(i = 50000) [exact]\""),
        "{on}"
    );
    assert!(on.contains("\"Rows Removed by Scan Keys\": 99999"), "{on}");
    let off = text(&shell(&[], &script("off")).stdout);
    assert!(off.contains("\"Rows Removed by Filter\": 99999"), "{off}");
    assert!(!off.contains("Rows Removed by Scan Keys"), "{off}");
}
