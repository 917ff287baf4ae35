//! Writes the expected answers of TPC-H's queries, `tests/tpch/answers/*.txt`, by a real PostgreSQL
//! over the rows that the engine's `tpch` function generates. Run it by `./build.sh pg`.

use std::process::ExitCode;

use engine::catalog::TpchTable;
use sqllogictest::DB;
use tests::Output;
use tests::database::Database;
use tests::postgres::Postgres;
use tests::tpch;

fn main() -> ExitCode {
    match write_answers() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

fn write_answers() -> Result<(), Box<dyn std::error::Error>> {
    let mut postgres = Postgres::fresh_database("tpch")?;
    postgres.execute(&std::fs::read_to_string(tpch::folder().join("schema.sql"))?)?;
    for table in TpchTable::ALL {
        load(&mut postgres, table)?;
    }
    // Without statistics and indexes some queries take minutes.
    postgres.execute(
        "CREATE INDEX ON lineitem (l_partkey, l_suppkey); CREATE INDEX ON lineitem (l_orderkey); ANALYZE",
    )?;
    for number in tpch::QUERIES {
        let Output::Rows { rows, .. } = postgres.run(&tpch::query(number)?)? else {
            return Err(format!("query {number} gave no rows").into());
        };
        std::fs::write(tpch::answer_file(number), tpch::text(rows.into_iter()))?;
    }
    Ok(())
}

/// Copies a table from the engine.
fn load(postgres: &mut Postgres, table: TpchTable) -> Result<(), Box<dyn std::error::Error>> {
    let name = table.name();
    let select = format!("SELECT * FROM tpch('{name}', {})", tpch::SCALE);
    let mut text = String::new();
    for row in Database::new().query(&select).rows {
        let values: Vec<String> = row.into_iter().map(Option::unwrap_or_default).collect();
        // No value has a character that COPY would escape.
        text.push_str(&values.join("\t"));
        text.push('\n');
    }
    postgres.copy_in(&format!("COPY {name} FROM STDIN"), &text)?;
    Ok(())
}
