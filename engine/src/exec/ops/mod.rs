//! The operators, one a file. None of them knows another, nor a driver.

pub(super) mod aggregate;
pub(super) mod append;
pub(super) mod apply;
pub(super) mod cte_scan;
pub(super) mod filter;
pub(super) mod function_scan;
pub(super) mod hash_join;
pub(super) mod limit;
pub(super) mod material;
pub(super) mod memoize;
pub(super) mod merge_join;
pub(super) mod modify_table;
pub(super) mod nested_loop;
pub(super) mod project;
pub(super) mod project_set;
pub(super) mod recursive_union;
pub(super) mod result;
pub(super) mod seq_scan;
pub(super) mod set_op;
pub(super) mod sort;
pub(super) mod unique;
pub(super) mod values_scan;
pub(super) mod work_table_scan;

mod group_table;
pub(super) mod pairs;
mod quantified;
mod references;
mod row_count;
mod row_keys;
mod row_value;
pub(super) mod scan_keys;
mod selector;
mod series_length;
pub(super) mod shared_rows;
