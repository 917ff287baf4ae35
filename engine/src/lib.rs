//! Tuplescope's engine.

pub mod error;
pub mod value;
