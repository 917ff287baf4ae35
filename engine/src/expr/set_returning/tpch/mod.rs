//! `tpch('lineitem', 0.01)`: the tables of TPC-H, value by value as dbgen writes them.
//!
//! Rows come from the crate `tpchgen`, but for their comments: the crate would take them from a text
//! pool of 300 MiB that is made at once. It is given a small one, and the comments are taken from a
//! pool of our own ([`text_pool`]) by the same random numbers.

mod checkpoints;
mod comment;
mod grammar;
mod rows;
mod text_pool;

#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::OnceLock;

use comment::Comments;
use grammar::Grammar;
use rows::Rows;
use text_pool::TextPool;
use tpchgen::distribution::Distributions;
use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator,
    PartSuppGenerator, RegionGenerator, SupplierGenerator,
};

use super::SetFunction;
use crate::catalog::{TpchDecimals, TpchTable};
use crate::error::{Error, Result, sqlstate};
use crate::memory::Memory;
use crate::value::Column;
use crate::work::Work;

/// Below it there would be no four suppliers a part; above it keys would leave `integer`.
const SCALES: std::ops::RangeInclusive<f64> = 0.001..=300.0;

/// Work of making one row, its comment from a segment that is there included.
const ROW: u32 = 60;

/// A running generator.
pub(super) struct Tpch {
    rows: Rows,
    comments: Comments,
    pool: TextPool,
    decimals: TpchDecimals,
}

/// Starts to generate a table. Errors: 22023 for a table that TPC-H does not have and for a scale
/// factor out of range.
pub(super) fn start(
    table: &str,
    scale: f64,
    decimals: TpchDecimals,
    memory: &Memory,
) -> Result<Box<dyn SetFunction>> {
    let invalid = |message: String| Error::new(sqlstate::INVALID_PARAMETER_VALUE, message);
    let Some(table) = TpchTable::named(table) else {
        return Err(invalid(format!("TPC-H has no table \"{table}\"")));
    };
    if !SCALES.contains(&scale) {
        return Err(invalid(format!(
            "a scale factor must be between {} and {}",
            SCALES.start(),
            SCALES.end()
        )));
    }
    let distributions = Distributions::static_default();
    let grammar = Rc::new(Grammar::new(distributions));
    Ok(Box::new(Tpch {
        rows: rows_of(table, scale, distributions),
        comments: Comments::of(table),
        pool: TextPool::new(grammar, memory),
        decimals,
    }))
}

fn rows_of(table: TpchTable, scale: f64, words: &'static Distributions) -> Rows {
    /// What the crate takes comments from that nobody sees.
    static UNSEEN: OnceLock<tpchgen::text::TextPool> = OnceLock::new();
    const UNSEEN_SIZE: i32 = 4096;
    let pool = UNSEEN.get_or_init(|| tpchgen::text::TextPool::new(UNSEEN_SIZE, words));
    macro_rules! generator {
        ($generator:ident) => {
            $generator::new_with_distributions_and_text_pool(scale, 1, 1, words, pool).iter()
        };
    }
    match table {
        TpchTable::Part => Rows::Part(generator!(PartGenerator)),
        TpchTable::Supplier => Rows::Supplier(generator!(SupplierGenerator)),
        TpchTable::Partsupp => {
            Rows::Partsupp(PartSuppGenerator::new_with_text_pool(scale, 1, 1, pool).iter())
        }
        TpchTable::Customer => Rows::Customer(generator!(CustomerGenerator)),
        TpchTable::Orders => Rows::Orders(generator!(OrderGenerator)),
        TpchTable::Lineitem => Rows::Lineitem(Box::new(generator!(LineItemGenerator))),
        TpchTable::Nation => {
            Rows::Nation(NationGenerator::new_with_distributions_and_text_pool(words, pool).iter())
        }
        TpchTable::Region => {
            Rows::Region(RegionGenerator::new_with_distributions_and_text_pool(words, pool).iter())
        }
    }
}

impl SetFunction for Tpch {
    fn next(&mut self, out: &mut [Column], want: usize, work: &mut Work) -> Result<bool> {
        for _ in 0..want {
            let mut piece = |row: &mut rows::Writer<'_>, unseen: &str, starts_anew: bool| {
                let at = self.comments.next(starts_anew);
                row.comment(|text| {
                    self.pool.append(at.start, at.length, work, text)?;
                    comment::keep_remarks(unseen, text);
                    Ok(())
                })
            };
            match self.rows.next(out, self.decimals, &mut piece) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) => {
                    let complete = out.iter().map(Column::len).min().unwrap_or(0);
                    out.iter_mut().for_each(|column| column.truncate(complete));
                    return Err(error);
                }
            }
            work.spend(ROW);
            if work.is_exhausted() {
                break;
            }
        }
        Ok(true)
    }
}
