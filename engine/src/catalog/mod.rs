//! Tables, views, functions and operators, with the facts the planner's rules need.

mod casts;
mod facts;
mod overloads;
mod polymorphic;
mod relations;
mod signatures;
mod statistics;
mod table;
mod tpch;

pub use casts::{
    CastPath, Category, Coercion, Unmatched, can_coerce, cast_path, category, common_type,
    is_preferred,
};
pub use facts::{
    FunctionFacts, FunctionKind, FunctionRef, OperatorFacts, OperatorRef, Origin, SqlBody,
    Volatility,
};
pub use overloads::Resolution;
pub use relations::Catalog;
pub use signatures::Builtins;
pub use statistics::{
    ColumnStatistics, CommonValues, Reservoir, SAMPLE_ROWS_A_TARGET, SampleSort, SampledColumn,
    TableStatistics,
};
pub use table::{ColumnDef, Table, TableOptions, View};
pub use tpch::{TpchDecimals, TpchTable, TpchType};

#[cfg(test)]
mod tests;
