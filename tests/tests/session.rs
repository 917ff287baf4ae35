//! Sessions: statements are atomic, memory has a limit, work can be cancelled, depth is refused.

use engine::session::{Event, Session};
use tests::database::Database;

fn count(database: &mut Database, table: &str) -> String {
    database.value(&format!("SELECT count(*) FROM {table}"))
}

#[test]
fn a_failed_insert_leaves_nothing_behind() {
    let mut database = Database::after("CREATE TABLE t (i int); INSERT INTO t VALUES (1);");
    let error =
        database.error("INSERT INTO t SELECT 100 / (5000 - i) FROM generate_series(1, 9000) i");
    assert_eq!(error.sqlstate, "22012");
    assert_eq!(count(&mut database, "t"), "1");
    database.execute("INSERT INTO t VALUES (2);");
    assert_eq!(count(&mut database, "t"), "2");
}

#[test]
fn a_failed_update_and_delete_leave_nothing_behind() {
    let mut database =
        Database::after("CREATE TABLE t (i int); INSERT INTO t SELECT generate_series(1, 3000);");
    for sql in [
        "UPDATE t SET i = 1 / (i - 2500)",
        "DELETE FROM t WHERE 1 / (i - 2500) < 5",
    ] {
        assert_eq!(database.error(sql).sqlstate, "22012");
        assert_eq!(database.value("SELECT sum(i) FROM t"), "4501500");
    }
}

#[test]
fn a_failed_create_table_as_creates_no_table() {
    let mut database = Database::new();
    assert_eq!(
        database
            .error("CREATE TABLE t AS SELECT 1 / (5 - i) AS x FROM generate_series(1, 9) i")
            .sqlstate,
        "22012"
    );
    assert_eq!(database.error("SELECT * FROM t").sqlstate, "42P01");
}

#[test]
fn an_update_never_meets_its_own_rows() {
    let mut database =
        Database::after("CREATE TABLE t (i int); INSERT INTO t SELECT generate_series(1, 2000);");
    database.execute("UPDATE t SET i = i + 1; INSERT INTO t SELECT i FROM t;");
    assert_eq!(count(&mut database, "t"), "4000");
    assert_eq!(database.value("SELECT max(i) FROM t"), "2001");
}

#[test]
fn past_the_memory_limit_a_statement_fails_and_the_session_goes_on() {
    let mut database = Database::with_settings(&[("memory_limit", "4MB")]);
    database.execute("CREATE TABLE t (i int); INSERT INTO t SELECT generate_series(1, 1000);");
    for sql in [
        "INSERT INTO t SELECT generate_series(1, 1000000)",
        "SELECT i FROM generate_series(1, 1000000) i ORDER BY i DESC",
        "SELECT i, count(*) FROM generate_series(1, 1000000) i GROUP BY i",
        "SELECT count(*) FROM generate_series(1, 1000000) a JOIN generate_series(1, 1000000) b ON a = b",
        "SELECT array_agg(i) FROM generate_series(1, 10000000) i",
        "SELECT string_agg(md5(i::text), ',') FROM generate_series(1, 1000000) i",
        "SELECT count(DISTINCT i) FROM generate_series(1, 1000000) i",
        "SELECT repeat('x', 100000000)",
        "SELECT count(repeat(i::text, 10000000)) FROM t",
        "SELECT length(repeat('x', 100000000)) FROM t",
        "SELECT lpad('x', 100000000, 'ab')",
        "SELECT rpad(i::text, 100000000, 'ab') FROM t",
        "SELECT replace(repeat('x', 100000), 'x', repeat('y', 100000))",
        "SELECT repeat('x', 900000) || repeat('y', 900000)",
        "SELECT concat(repeat(i::text, 800000), repeat('y', 800000)) FROM t",
        "SELECT format('%100000000s', i) FROM t",
        "SELECT array_to_string(array_agg(i), repeat('x', 100000)) FROM t",
        "SELECT array_replace(array_agg('a'::text), 'a', repeat('x', 100000)) FROM t",
        "SELECT array_append(ARRAY(SELECT generate_series(1, 500000)), 1)",
        "SELECT array_agg(power(10.0, 100000) + i) FROM t",
        "SELECT power(10.0, 100000) + i FROM t ORDER BY 1",
        "SELECT string_agg(repeat(i::text, 10000), ',') FROM t",
        "SELECT i % 2, string_agg(repeat(i::text, 10000), ',') FROM t GROUP BY 1",
        "SELECT max(repeat(i::text, 2000)) FROM t GROUP BY i",
        "SELECT array_agg(DISTINCT i) FROM generate_series(1, 1000000) i",
        "SELECT ARRAY(SELECT i FROM generate_series(1, 10000000) i)",
        "SELECT i, ARRAY(SELECT j + t.i FROM generate_series(1, 10000000) j) FROM t",
        "SELECT ARRAY[repeat('x', 900000), repeat('y', 900000)]",
        "SELECT count(*) FROM t a LEFT JOIN (SELECT repeat(i::text, 10000) w FROM t) b ON a.i < length(w)",
        "SELECT repeat('a', 900000), repeat('b', 900000), repeat('c', 900000), repeat('d', 900000), repeat('e', 900000)",
    ] {
        let error = database.error(sql);
        assert_eq!(error.sqlstate, "53200", "{sql}: {error}");
        assert!(
            error.hint.is_some() || error.detail.is_some(),
            "says what to do: {sql}"
        );
        assert_eq!(count(&mut database, "t"), "1000", "after {sql}");
    }
}

/// A statement's text becomes a hundred times as much on the way to its plan.
#[test]
fn a_statement_too_long_for_the_memory_is_refused() {
    let mut database = Database::with_settings(&[("memory_limit", "4MB")]);
    let rows: Vec<String> = (1..=100_000).map(|i| format!("({i})")).collect();
    let error = database.error(&format!(
        "SELECT count(*) FROM (VALUES {}) v",
        rows.join(",")
    ));
    assert_eq!(error.sqlstate, "53200");
    database.session.set("memory_limit", "1GB").unwrap();
    assert_eq!(
        database.value(&format!(
            "SELECT count(*) FROM (VALUES {}) v",
            rows.join(",")
        )),
        "100000"
    );
}

/// Values that fit are made, however many of them pass by.
#[test]
fn long_values_that_pass_by_need_little_memory() {
    let mut database = Database::with_settings(&[("memory_limit", "4MB")]);
    database.execute("CREATE TABLE t (i int); INSERT INTO t SELECT generate_series(1, 1000);");
    for (sql, expected) in [
        (
            "SELECT sum(length(repeat(i::text, 100000))) FROM t",
            "289300000",
        ),
        ("SELECT count(repeat('x', 900000)) FROM t", "1000"),
        (
            "SELECT sum(length(w)) FROM (SELECT i, repeat('x', 100000 + i) AS w FROM t) x WHERE i > 500",
            "50375250",
        ),
        (
            "SELECT count(DISTINCT md5(repeat(i::text, 100000))) FROM t",
            "1000",
        ),
    ] {
        assert_eq!(database.value(sql), expected, "{sql}");
    }
}

#[test]
fn memory_is_given_back() {
    let mut database = Database::after("CREATE TABLE t (i int, s text);");
    let before = database.session.memory().used();
    database.execute("INSERT INTO t SELECT i, md5(i::text) FROM generate_series(1, 20000) i;");
    let filled = database.session.memory().used();
    assert!(filled > before + 1_000_000);
    database.query("SELECT s, count(*) FROM t GROUP BY s ORDER BY s");
    database.query("SELECT count(*) FROM t a JOIN t b ON a.i = b.i");
    assert_eq!(
        database.session.memory().used(),
        filled,
        "queries hold nothing once they have ended"
    );
    database.execute("DROP TABLE t;");
    assert_eq!(database.session.memory().used(), before);
}

#[test]
fn vacuum_gives_pages_back_and_keeps_rows() {
    let mut database = Database::after(
        "CREATE TABLE t (i int); INSERT INTO t SELECT generate_series(1, 50000); ANALYZE t; DELETE FROM t WHERE i > 100; ",
    );
    let pages = |database: &mut Database| -> i64 {
        database
            .value("SELECT relpages FROM pg_class WHERE relname = 't'")
            .parse()
            .unwrap()
    };
    let before = pages(&mut database);
    database.execute("VACUUM t;");
    assert!(
        before > 200 && pages(&mut database) < 5,
        "{before} → {}",
        pages(&mut database)
    );
    assert_eq!(database.value("SELECT sum(i) FROM t"), "5050");
}

#[test]
fn vacuum_makes_room_that_inserts_use() {
    let mut database =
        Database::after("CREATE TABLE t (i int); INSERT INTO t SELECT generate_series(1, 50000);");
    let bytes = |database: &Database| database.session.memory().used();
    let full = bytes(&database);
    for _ in 0..5 {
        database
            .execute("DELETE FROM t; VACUUM t; INSERT INTO t SELECT generate_series(1, 50000);");
    }
    assert!(
        bytes(&database) < full * 2,
        "{} after {full}",
        bytes(&database)
    );
}

/// Resumes until the statement has made some progress.
fn run_for(session: &mut Session, steps: usize) {
    for step in 0..steps {
        if let Event::Finished(finished) = session.resume() {
            panic!(
                "{} ended at step {step}: {:?}",
                finished.sql, finished.error
            );
        }
    }
}

#[test]
fn a_cancelled_load_leaves_an_empty_table_and_a_working_session() {
    let mut database = Database::after("CREATE TABLE t (i int);");
    database
        .session
        .start("INSERT INTO t SELECT generate_series(1, 10000000)");
    run_for(&mut database.session, 20);
    let live = database.session.live().expect("it is running");
    assert!(
        live.progress.is_some_and(|done| done > 0.0 && done < 0.5),
        "{:?}",
        live.progress
    );
    database.session.cancel();
    let Event::Finished(finished) = database.session.resume() else {
        panic!("not cancelled at once")
    };
    let error = finished.error.expect("an error");
    assert_eq!(
        (error.sqlstate, error.message.as_str()),
        ("57014", "canceling statement due to user request")
    );
    assert_eq!(count(&mut database, "t"), "0");
    database.execute("INSERT INTO t VALUES (1);");
    assert_eq!(count(&mut database, "t"), "1");
}

/// Every kind of long work yields again and again, so that it can be cancelled.
#[test]
fn long_work_of_every_kind_can_be_cancelled() {
    let mut database = Database::after(
        "CREATE TABLE t (i int, s text); INSERT INTO t SELECT i, md5(i::text) FROM generate_series(1, 30000) i;",
    );
    for sql in [
        "SELECT count(*) FROM t a, t b WHERE a.i + b.i = 7",
        "SELECT count(*) FROM t a LEFT JOIN t b ON a.i < b.i",
        "SELECT count(*) FROM generate_series(1, 1000000000)",
        "SELECT s FROM (SELECT s || i AS s FROM t, generate_series(1, 20)) x ORDER BY s",
        "SELECT s, count(*) FROM t, generate_series(1, 50) GROUP BY s",
        "SELECT i, (SELECT count(*) FROM t u WHERE u.i < t.i) FROM t",
        "SELECT count(md5(repeat(s, 20000))) FROM t",
        "UPDATE t SET s = md5(s || (SELECT count(*) FROM t u WHERE u.i < t.i)::text)",
    ] {
        database.session.start(sql);
        run_for(&mut database.session, 40);
        database.session.cancel();
        let Event::Finished(finished) = database.session.resume() else {
            panic!("{sql}: not cancelled")
        };
        assert_eq!(finished.error.expect("an error").sqlstate, "57014", "{sql}");
        assert_eq!(count(&mut database, "t"), "30000", "{sql}");
    }
}

#[test]
fn a_statement_timeout_cancels() {
    let mut database = Database::with_settings(&[("statement_timeout", "1ms")]);
    let error = database.error("SELECT count(*) FROM generate_series(1, 1000000000)");
    assert_eq!(
        (error.sqlstate, error.message.as_str()),
        ("57014", "canceling statement due to statement timeout")
    );
    database.session.set("statement_timeout", "0").unwrap();
    assert_eq!(database.value("SELECT 1"), "1");
}

#[test]
fn too_deep_or_too_long_is_refused() {
    let depths = [
        format!("SELECT {}1{}", "(".repeat(20000), ")".repeat(20000)),
        format!("SELECT 1{}", " + 1".repeat(100_000)),
        format!("SELECT {}true", "NOT ".repeat(50000)),
        format!("SELECT 1{}", "::int".repeat(50000)),
        format!("SELECT 1{}", " UNION ALL SELECT 1".repeat(20000)),
        format!("SELECT {}1", "- ".repeat(50000)),
        format!(
            "SELECT {}1{}",
            "CASE WHEN true THEN ".repeat(5000),
            " END".repeat(5000)
        ),
        format!("SELECT {}1{}", "(SELECT ".repeat(5000), ")".repeat(5000)),
        format!("SELECT true{}", " AND true".repeat(100_000)),
    ];
    let body = move || {
        let mut database = Database::new();
        for sql in &depths {
            let outcome = database.run(sql).pop().unwrap();
            if let Some(error) = outcome.finished.error {
                assert_eq!(error.sqlstate, "54001", "{}…: {error}", &sql[..40]);
            }
            assert_eq!(database.value("SELECT 1"), "1");
        }
    };
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(body)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn long_lists_are_not_deep() {
    let mut database = Database::after("CREATE TABLE t (i int);");
    let list: Vec<String> = (1..=10_000).map(|i| i.to_string()).collect();
    assert_eq!(
        database.value(&format!(
            "SELECT count(*) FROM generate_series(1, 20000) i WHERE i IN ({})",
            list.join(",")
        )),
        "10000"
    );
    let rows: Vec<String> = (1..=10_000).map(|i| format!("({i})")).collect();
    database.execute(&format!("INSERT INTO t VALUES {};", rows.join(",")));
    assert_eq!(count(&mut database, "t"), "10000");
    let columns: Vec<String> = (1..=1600).map(|i| format!("c{i} int")).collect();
    database.execute(&format!(
        "CREATE TABLE wide ({}); INSERT INTO wide DEFAULT VALUES;",
        columns.join(",")
    ));
    assert_eq!(database.query("SELECT * FROM wide").rows[0].len(), 1600);
    let error = database.error(&format!(
        "CREATE TABLE wider ({}, x int)",
        columns.join(",")
    ));
    assert_eq!(error.sqlstate, "54011");
}

#[test]
fn a_script_goes_on_after_an_error_and_says_where_it_was() {
    let mut database = Database::new();
    let outcomes = database.run("SELECT 1;\nSELECT 1 / 0;\n\n  SELEC 2;\nSELECT nope;\nSELECT 3");
    let errors: Vec<_> = outcomes
        .iter()
        .map(|outcome| {
            outcome
                .finished
                .error
                .as_ref()
                .map(|e| (e.sqlstate, e.position.map(|p| (p.line, p.column))))
        })
        .collect();
    assert_eq!(errors[0], None);
    assert_eq!(errors[1].map(|e| e.0), Some("22012"));
    assert_eq!(errors[2], Some(("42601", Some((4, 3)))));
    assert_eq!(errors[3], Some(("42703", Some((5, 8)))));
    assert_eq!(errors[4], None);
    assert_eq!(outcomes[4].rows, [[Some("3".to_string())]]);
}

#[test]
fn rows_before_an_error_are_delivered() {
    for (executor, batch_rows) in [
        ("push", "1024"),
        ("push", "1"),
        ("pull", "1024"),
        ("pull", "3"),
    ] {
        let mut database =
            Database::with_settings(&[("executor", executor), ("batch_rows", batch_rows)]);
        let outcome = database
            .run("SELECT 10 / (5 - i) FROM generate_series(1, 9) i")
            .pop()
            .unwrap();
        assert_eq!(outcome.rows.len(), 4, "{executor} {batch_rows}");
        assert_eq!(outcome.finished.error.unwrap().sqlstate, "22012");
        assert!(
            outcome.finished.executed.is_some(),
            "the plan shows how far it came"
        );
    }
}

#[test]
fn settings_without_effect_say_so() {
    let mut database = Database::new();
    let outcome = database.query("SET max_parallel_workers_per_gather = 0");
    assert_eq!(
        outcome.finished.notices,
        ["NOTICE:  setting \"max_parallel_workers_per_gather\" has no effect here"]
    );
    assert_eq!(database.value("SHOW max_parallel_workers_per_gather"), "0");
    assert_eq!(database.error("SET nope = 1").sqlstate, "42704");
    assert_eq!(database.error("SET batch_rows = 0").sqlstate, "22023");
}

#[test]
fn pg_am_knows_the_heap_and_pg_class_the_reloptions() {
    let mut database = Database::after(
        "CREATE TABLE t (i int) USING heap WITH (quals_push_down = off, fillfactor = 70);",
    );
    assert_eq!(database.value("SELECT amname FROM pg_am"), "heap");
    assert_eq!(
        database.value("SELECT reloptions FROM pg_class WHERE relname = 't'"),
        "{fillfactor=70,quals_push_down=off}"
    );
    assert_eq!(
        database.value("SELECT data_type FROM information_schema.columns WHERE table_name = 't'"),
        "integer"
    );
}

#[test]
fn a_function_that_reads_tables_is_refused_where_it_would_run_otherwise_than_in_postgresql() {
    let mut database = Database::after(
        "CREATE TABLE t (i int);
         INSERT INTO t VALUES (1), (2);
         CREATE FUNCTION f(int) RETURNS bigint LANGUAGE sql AS 'SELECT sum(i) FROM t WHERE i >= $1';
         CREATE FUNCTION any_of(int) RETURNS int LANGUAGE sql AS 'SELECT i FROM t ORDER BY random()';",
    );
    assert_eq!(database.value("SELECT f(2)"), "2");
    for sql in [
        "SELECT * FROM f(1)",
        "SELECT f(max(i)) FROM t",
        "SELECT f((random() * 2)::int)",
        "SELECT any_of(1)",
    ] {
        assert_eq!(database.error(sql).sqlstate, "0A000", "{sql}");
    }
}
