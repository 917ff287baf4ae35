//! One `resume` is short and holds little, however long the values are. Counted, not timed: what
//! the execution's work counter says of bytes read and written, and the rows handed to the host.

use super::{Event, Host, Session};
use crate::value::Batch;

/// Rows of the table; each has a text of 32 bytes.
const ROWS: usize = 40;
/// What one resume may handle: some milliseconds' worth.
const MOST_BYTES: u64 = 4 << 20;

fn session() -> Session {
    let mut session = Session::new(Host::still());
    run(
        &mut session,
        &format!(
            "CREATE TABLE t (i int, s text); CREATE TABLE u (s text);
             INSERT INTO t SELECT i, md5(i::text) FROM generate_series(1, {ROWS}) i;"
        ),
    );
    session
}

/// Runs a script. Answers the bytes handled in all, and the most in one resume.
fn run(session: &mut Session, sql: &str) -> (u64, u64) {
    let (mut all, mut most) = (0, 0);
    session.start(sql);
    loop {
        match session.resume() {
            Event::End => return (all, most),
            Event::Finished(finished) => assert_eq!(finished.error, None, "{sql}"),
            Event::Rows => {
                let bytes = session.rows().accounted_bytes();
                let narrow = 3 * Batch::FULL_BYTES;
                assert!(bytes <= narrow, "{sql}: a batch of {bytes} bytes");
            }
            Event::Started(_) | Event::Yielded => {}
        }
        let running = session
            .script
            .as_ref()
            .and_then(|script| script.running.as_ref());
        if let Some(execution) = running.and_then(|running| running.execution()) {
            let bytes = execution.context().work.bytes();
            (all, most) = (all + bytes, u64::max(most, bytes));
        }
    }
}

#[test]
fn one_resume_handles_a_bounded_amount_of_text() {
    let mut wrong: Vec<String> = Vec::new();
    for (executor, batch_rows) in [
        ("push", "1024"),
        ("push", "1"),
        ("pull", "1024"),
        ("pull", "3"),
    ] {
        for sql in [
            "SELECT count(*) FROM t WHERE md5(repeat(s, 20000)) > '8'",
            "SELECT count(*) FROM t WHERE i > 3 AND repeat(s, 20000) LIKE '%x%y%' OR length(repeat(s, 20000)) = 1",
            "SELECT md5(repeat(s, 20000)), length(repeat(s, 10000)) FROM t",
            "SELECT repeat(s, 20000), upper(repeat(s, 20000)) FROM t",
            "SELECT count(md5(repeat(s, 20000))), max(repeat(s, 10000)) FROM t",
            "SELECT count(*) FILTER (WHERE md5(repeat(s, 10000)) > '8'), count(md5(repeat(s, 10000))) FROM t",
            "SELECT i % 3, string_agg(md5(repeat(s, 20000)), ',') FROM t GROUP BY 1",
            "SELECT md5(repeat(s, 20000)), count(*) FROM t GROUP BY 1",
            "SELECT repeat(s, 20000), count(*) FROM t GROUP BY 1",
            "SELECT i, max(repeat(s, 20000)) FROM t GROUP BY 1",
            "SELECT DISTINCT repeat(s, 20000) FROM t ORDER BY 1",
            "SELECT i FROM t ORDER BY md5(repeat(s, 20000))",
            "SELECT repeat(s, 20000) FROM t ORDER BY 1",
            "SELECT count(*) FROM t a JOIN t b ON md5(repeat(a.s, 20000)) = md5(repeat(b.s, 20000))",
            "SELECT count(*) FROM t a LEFT JOIN t b ON repeat(a.s, 20000) = repeat(b.s, 20000)",
            "SELECT a.w, b.w FROM (SELECT i, repeat(s, 20000) w FROM t) a JOIN (SELECT i, repeat(s, 9000) w FROM t) b ON a.i = b.i",
            "SELECT w, b.i FROM (SELECT repeat(s, 20000) w FROM t WHERE i < 4) a, t b",
            "SELECT count(*) FROM t a, t b WHERE length(repeat(a.s || b.s, 5000)) = 1",
            "SELECT (SELECT repeat(v.s, 20000) FROM t v WHERE v.i = t.i) FROM t",
            "SELECT repeat(s, 20000) || 'x' = ANY (SELECT s FROM t v WHERE v.i <> t.i) FROM t",
            "SELECT repeat(s, 20000), generate_series(1, 30) FROM t WHERE i < 4",
            "SELECT repeat(random()::text, 40000), generate_series(1, 3) FROM t",
            "SELECT length(repeat(random()::text, 40000)) FROM t WHERE length(repeat(random()::text, 40000)) > 7",
            "SELECT repeat('x', 700000) FROM t",
            "SELECT CASE WHEN i > 3 THEN repeat('x', 700000) ELSE s END, coalesce(repeat(s, 20000), s) FROM t",
            "SELECT ARRAY[s, repeat('x', 700000)] FROM t",
            "SELECT length(array_to_string(string_to_array(repeat(s || ',', 10000), ','), '--')) FROM t",
            "SELECT power(10.0, 20000 + i)::text FROM t",
            "INSERT INTO u SELECT md5(repeat(s, 20000)) FROM t",
            "UPDATE t SET s = md5(repeat(s, 20000))",
            "DELETE FROM u WHERE md5(repeat(s, 20000)) > '8'",
        ] {
            let mut session = session();
            session.set("executor", executor).unwrap();
            session.set("batch_rows", batch_rows).unwrap();
            if sql.contains("FROM u") {
                run(&mut session, "INSERT INTO u SELECT s FROM t");
            }
            let (all, most) = run(&mut session, sql);
            if most > MOST_BYTES {
                wrong.push(format!(
                    "{sql}, {executor} {batch_rows}: {most} bytes at once"
                ));
            }
            if all < 2 * MOST_BYTES {
                wrong.push(format!("{sql}: long values are counted, but only {all}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
