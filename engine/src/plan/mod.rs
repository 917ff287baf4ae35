//! From bound queries to plans: which node, in which order, with which ScanKeys and why not.

mod node;

pub use node::*;
