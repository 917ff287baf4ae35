//! What PostgreSQL 15 says to a statement, and what this parser says.

use super::*;
use crate::error::{Error, Position};
use ast::{Expr, ExprKind, Statement};

fn parse_one(sql: &str) -> Result<Statement, Error> {
    match Script::new(sql).next() {
        Some(statement) => parse_statement(statement),
        None => Err(Error::internal("no statement")),
    }
}

/// Statements with PostgreSQL's answer: accepted, or the error and its column.
const ACCEPTANCE: &str = include_str!("tests/acceptance.txt");

#[test]
fn accepts_and_rejects_what_postgresql_does() {
    let mut wrong = Vec::new();
    let mut lines = ACCEPTANCE.lines();
    while let (Some(sql), Some(expected)) = (lines.next(), lines.next()) {
        let expected = expected.trim_start_matches("=> ");
        let found = match parse_one(sql) {
            Ok(_) => "ok".to_string(),
            // Refused by name, which is no syntax error.
            Err(error) if error.sqlstate == crate::error::sqlstate::FEATURE_NOT_SUPPORTED => {
                "ok".to_string()
            }
            Err(error) => {
                let column = error.position.map(|at| format!(" at {}", at.column));
                format!(
                    "{}: {}{}",
                    error.sqlstate,
                    error.message,
                    column.unwrap_or_default()
                )
            }
        };
        if found != expected {
            wrong.push(format!("{sql}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An expression with every operator in parentheses.
fn shape(expr: &Expr) -> String {
    let list = |list: &[Expr], by: &str| list.iter().map(shape).collect::<Vec<_>>().join(by);
    match &expr.kind {
        ExprKind::Column(name) => name.to_string(),
        ExprKind::Number(text) => text.clone(),
        ExprKind::String(text) => format!("'{text}'"),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Null => "null".to_string(),
        ExprKind::Unary { op, arg } => format!("({} {})", op.symbol, shape(arg)),
        ExprKind::Binary { op, left, right } => {
            format!("({} {} {})", shape(left), op.symbol, shape(right))
        }
        ExprKind::And(terms) => format!("({})", list(terms, " and ")),
        ExprKind::Or(terms) => format!("({})", list(terms, " or ")),
        ExprKind::Not(arg) => format!("(not {})", shape(arg)),
        ExprKind::Is { arg, .. } => format!("({} is)", shape(arg)),
        ExprKind::IsDistinct { left, right, .. } => {
            format!("({} distinct {})", shape(left), shape(right))
        }
        ExprKind::Like { arg, pattern, .. } => {
            format!("({} like {})", shape(arg), shape(pattern))
        }
        ExprKind::Between { arg, low, high, .. } => {
            format!("({} between {} {})", shape(arg), shape(low), shape(high))
        }
        ExprKind::InList {
            arg, list: items, ..
        } => {
            format!("({} in {})", shape(arg), list(items, ", "))
        }
        ExprKind::Cast { arg, ty } => format!("({}::{})", shape(arg), ty.name),
        ExprKind::Subscript { arg, .. } => format!("({}[])", shape(arg)),
        ExprKind::Collate { arg, .. } => format!("({} collate)", shape(arg)),
        ExprKind::AtTimeZone { arg, zone } => format!("({} at {})", shape(arg), shape(zone)),
        other => format!("{other:?}"),
    }
}

#[test]
fn operators_bind_as_in_postgresql() {
    let cases = [
        ("-2 ^ 2", "(-2 ^ 2)"),
        ("- a ^ 2", "((- a) ^ 2)"),
        ("2 ^ 3 ^ 2", "((2 ^ 3) ^ 2)"),
        ("2 ^ - 1", "(2 ^ -1)"),
        ("-a::int", "(- (a::int4))"),
        ("-a[1]", "(- (a[]))"),
        ("not a = b", "(not (a = b))"),
        ("not a and b", "((not a) and b)"),
        ("a or b and c or d", "(a or (b and c) or d)"),
        ("a and b and c", "(a and b and c)"),
        ("a and (b and c)", "(a and (b and c))"),
        ("a || b = c", "((a || b) = c)"),
        ("a + b || c", "((a + b) || c)"),
        ("a || b || c", "((a || b) || c)"),
        ("a - b - c", "((a - b) - c)"),
        ("a - b * c", "(a - (b * c))"),
        ("a % b * c", "((a % b) * c)"),
        ("a = b is null", "((a = b) is)"),
        ("a is null = b", "((a is) = b)"),
        ("a like b = c", "((a like b) = c)"),
        ("a = b like c", "(a = (b like c))"),
        ("a like b || c", "(a like (b || c))"),
        (
            "a between 1 + 1 and 2 + 2 and c",
            "((a between (1 + 1) (2 + 2)) and c)",
        ),
        ("a between b < c and d", "(a between (b < c) d)"),
        ("a + 1 in (2)", "((a + 1) in 2)"),
        ("not a in (1)", "(not (a in 1))"),
        ("not a is null", "(not (a is))"),
        ("a is distinct from b or c", "((a distinct b) or c)"),
        ("a is distinct from b = c", "(a distinct (b = c))"),
        ("a === b + c", "(a === (b + c))"),
        ("a ~ b = c", "((a ~ b) = c)"),
        ("@ a + b", "(@ (a + b))"),
        ("a operator(pg_catalog.+) b * c", "(a + (b * c))"),
        ("a at time zone 'x' + b", "((a at 'x') + b)"),
        ("a collate \"C\" || b", "((a collate) || b)"),
        ("a <> b and c != d", "((a <> b) and (c <> d))"),
        ("2*-1", "(2 * -1)"),
        ("a=-1", "(a = -1)"),
        ("- -1", "1"),
        ("a = not b = c", "(a = (not (b = c)))"),
    ];
    for (text, expected) in cases {
        let parsed = parse_expression(text, Position { line: 1, column: 1 });
        let found = parsed.map_or_else(|error| error.to_string(), |expr| shape(&expr));
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn a_script_is_cut_at_its_own_semicolons_only() {
    let script = "select ';', \"a;b\", $$;$$, $x$;$$;$x$, E'\\';' -- ;\n; /* ; /* ; */ ; */\n\
                  select 2;;\n  ; create function f() returns int begin atomic select 1; \
                  select case when true then 2 end; end; select 3";
    let found: Vec<(String, u32, u32)> = Script::new(script)
        .map(|s| (s.text.to_string(), s.start.line, s.start.column))
        .collect();
    let expected = [
        ("select ';', \"a;b\", $$;$$, $x$;$$;$x$, E'\\';'", 1, 1),
        ("select 2", 3, 1),
        (
            "create function f() returns int begin atomic select 1; select case when true then \
             2 end; end",
            4,
            5,
        ),
        ("select 3", 4, 99),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(s, l, c)| (s.to_string(), *l, *c))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn an_error_names_its_line_and_column_in_the_script() {
    let script = "select 1;\n  select\n    é, a b c;\nselect 2";
    let results: Vec<_> = Script::new(script).map(parse_statement).collect();
    assert!(results[0].is_ok() && results[2].is_ok());
    let error = results[1].as_ref().map(|_| ()).map_err(Clone::clone);
    let error = error.expect_err("`a b c` is no target");
    assert_eq!(error.message, "syntax error at or near \"c\"");
    assert_eq!(
        error.position,
        Some(Position {
            line: 3,
            column: 12
        })
    );
}

#[test]
fn literals_are_unescaped() {
    let cases = [
        ("'it''s'", "it's"),
        (r"E'a\tb\\\x41\101\u00e9\''", "a\tb\\AAé'"),
        (r"'a\tb'", r"a\tb"),
        ("'a'\n  'b'", "ab"),
        ("$$it's$$", "it's"),
        ("$a$ $$ $a$", " $$ "),
        (r"U&'\0041\+000042'", "AB"),
    ];
    for (text, expected) in cases {
        let parsed = parse_expression(text, Position { line: 1, column: 1 });
        let kind = parsed.map(|expr| expr.kind);
        assert_eq!(kind, Ok(ExprKind::String(expected.to_string())), "{text}");
    }
}

#[test]
fn names_are_folded_and_cut() {
    let long = "x".repeat(70);
    for (text, expected) in [
        ("AbC", "abc"),
        ("\"AbC\"", "AbC"),
        ("\"a\"\"b\"", "a\"b"),
        (long.as_str(), &long[..63]),
    ] {
        let parsed = parse_expression(text, Position { line: 1, column: 1 });
        assert_eq!(parsed.map(|expr| shape(&expr)), Ok(expected.to_string()));
    }
}

/// Runs `test` with the stack a browser gives a thread.
fn with_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(test);
    thread.expect("a thread").join().expect("no overflow");
}

/// Statements that nest `n` levels in every way there is.
fn nesting(n: usize) -> Vec<String> {
    let times = |part: &str| part.repeat(n);
    vec![
        format!("select 1{}", times(" + 1")),
        format!("select {}1{}", times("("), times(")")),
        format!("select {}true", times("not ")),
        format!("select {}a", times("- ")),
        format!("select {}a", times("@ ")),
        format!("select a{}", times("::int")),
        format!("select {}1{}", times("case when a then "), times(" end")),
        format!("select {}1{}", times("array["), times("]")),
        format!("select {}1{}", times("f("), times(")")),
        format!("select {}1{}", times("(select "), times(")")),
        format!(
            "select * from {}(select 1) x{}",
            times("(select * from "),
            times(") x")
        ),
        format!("{}select 1{}", times("("), times(")")),
        format!("select 1{}", times(" union all select 1")),
        format!("select 1{}", times(" intersect select 1")),
        format!("select * from t{}", times(" cross join t")),
        format!(
            "select * from {}t x{}",
            times("("),
            times(" cross join t y)")
        ),
        format!("select * from t{}{}", times(" join t"), times(" on true")),
        format!("select {}true{}", times("a and (b or "), times(")")),
        format!("select a{}", times(" is null")),
        format!("select a{}", times(" in (1)")),
        format!("{}select 1", times("explain ")),
        format!("select {}a{}", times("("), times(")[1]")),
    ]
}

#[test]
fn deep_statements_are_refused_without_running_out_of_stack() {
    with_small_stack(|| {
        for sql in nesting(50_000) {
            let error = parse_one(&sql).expect_err("far too deep");
            let shown = &sql[..40];
            let syntax = sql.starts_with("explain");
            let expected = if syntax { "42601" } else { "54001" };
            assert_eq!(error.sqlstate, expected, "{shown}");
        }
    });
}

#[test]
fn reasonable_nesting_is_parsed() {
    with_small_stack(|| {
        for sql in nesting(25) {
            if let Err(error) = parse_one(&sql) {
                assert!(sql.starts_with("explain"), "{error} {sql}");
            }
        }
    });
}

/// Around every limit: whatever the answer, there is one.
#[test]
fn statements_near_the_limit_are_parsed_and_dropped() {
    with_small_stack(|| {
        for n in (30..usize::from(MAX_DEPTH) + 5).step_by(5) {
            for sql in nesting(n) {
                match parse_one(&sql) {
                    Ok(_) => {}
                    Err(error) => assert!(["54001", "42601"].contains(&error.sqlstate)),
                }
            }
        }
    });
}

#[test]
fn long_lists_and_boolean_chains_are_not_depth() {
    with_small_stack(|| {
        let n = 10_000;
        for sql in [
            format!("select a in (0{})", ", 1".repeat(n)),
            format!("values (1){}", ", (1)".repeat(n)),
            format!("select a{}", " and a".repeat(n)),
            format!("select a{}", " or a".repeat(n)),
            format!("select 1{}", ", 1".repeat(n)),
            format!("select f(1{})", ", 1".repeat(n)),
        ] {
            assert!(parse_one(&sql).is_ok(), "{}", &sql[..30]);
        }
    });
}
