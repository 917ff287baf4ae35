//! The executor: one copy of operator logic ([`operator`]), two drivers.

mod build;
mod context;
mod driver;
mod execution;
mod operator;
mod ops;
mod params;
mod pipelines;
mod producer;
mod pull;
mod push;
mod tree;

#[cfg(test)]
mod property_tests;

pub use context::ExecCx;
pub use driver::Flow;
pub use execution::Execution;
pub use operator::{Changed, Input, Operator, Port, PortKind, Progress, Restart, Step};
pub use params::ParamSet;
pub use tree::{OpId, Tree};
