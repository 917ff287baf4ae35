//! Statements without a tree in `sqlparser` or with clauses it cannot express: they are read from
//! the tokens, and hand over to [`lower`](super::lower) for the queries and expressions in them.

mod create;
mod options;
mod routine;
mod session;
mod statement;
