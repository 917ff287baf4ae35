//! Tuplescope's engine.


pub mod am;
pub mod bind;
pub mod catalog;
pub mod error;
pub mod explain;
pub mod instr;
pub mod exec;
pub mod expr;
pub mod memory;
pub mod plan;
pub mod session;
pub mod settings;
pub mod sql;
pub mod storage;
pub mod value;
pub mod work;
