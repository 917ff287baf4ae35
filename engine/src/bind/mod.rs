//! Names and types resolved: from parsed SQL to [`Statement`]s the planner can work on.
//!
//! [`bind`] follows PostgreSQL's parse analysis (`parser/analyze.c` and its neighbors) step by
//! step: scopes and correlated references, overloads, implicit casts written out, grouping rules,
//! and its errors with their places. Views and SQL functions are bound anew from their text
//! wherever they are used, and simple SQL functions are inlined.
//!
//! Every syntax node is taken apart completely, so that a clause without meaning here is refused by
//! name (0A000) and never passed over.

mod binder;
mod call;
mod coerce;
mod column_name;
mod common_table;
mod comparison;
mod define;
mod expr;
mod expression;
mod from;
mod grouping;
mod modify;
mod operator;
mod pattern;
mod query;
mod query_binder;
mod range_entry;
mod recursion;
mod routine;
pub(crate) mod same;
mod same_query;
mod scope;
mod select;
mod set_operation;
mod sql_function;
mod sql_query;
mod statement;
mod sublink;
mod system_relations;
mod types;
mod utility;
pub(crate) mod walk;

pub use expr::*;
pub use query::*;
pub use statement::*;

use crate::catalog::Catalog;
use crate::error::Result;
use crate::sql::ast;
use binder::Binder;

/// Binds one parsed statement to the objects of a catalog.
///
/// # Errors
/// PostgreSQL's for names and types that do not fit (42…), with their places in the script; 0A000
/// for what PostgreSQL has and this engine has not.
pub fn bind(catalog: &Catalog, statement: &ast::Statement) -> Result<Statement> {
    Binder::new(catalog).statement(statement)
}

impl Binder<'_> {
    fn statement(&mut self, statement: &ast::Statement) -> Result<Statement> {
        match statement {
            ast::Statement::Query(query) => Ok(Statement::Query(self.query(query)?)),
            ast::Statement::Insert(insert) => self.insert(insert),
            ast::Statement::Update(update) => self.update(update),
            ast::Statement::Delete(delete) => self.delete(delete),
            ast::Statement::CreateTable(create) => self.create_table(create),
            ast::Statement::CreateTableAs(create) => self.create_table_as(create),
            ast::Statement::AlterTable(alter) => self.alter_table(alter),
            ast::Statement::CreateView(create) => self.create_view(create),
            ast::Statement::CreateFunction(create) => self.create_function(create),
            ast::Statement::CreateOperator(create) => self.create_operator(create),
            ast::Statement::Drop(drop) => self.drop(drop),
            ast::Statement::DropFunctions(drop) => self.drop_functions(drop),
            ast::Statement::DropOperators(drop) => self.drop_operators(drop),
            ast::Statement::Truncate(truncate) => self.truncate(truncate),
            ast::Statement::Vacuum(vacuum) => self.vacuum(vacuum),
            ast::Statement::Explain(explain) => self.explain(explain),
            ast::Statement::Set(ast::Set {
                name,
                local,
                values,
            }) => Ok(Statement::Set {
                name: name.text.clone(),
                value: values.as_ref().map(|values| values.join(", ")),
                local: *local,
            }),
            ast::Statement::Reset(None) => Ok(Statement::ResetAll),
            ast::Statement::Reset(Some(name)) => Ok(Statement::Set {
                name: name.text.clone(),
                value: None,
                local: false,
            }),
            ast::Statement::Show(None) => Ok(Statement::ShowAll),
            ast::Statement::Show(Some(name)) => Ok(Statement::Show(name.text.clone())),
            ast::Statement::Transaction(transaction) => self.transaction(transaction),
            ast::Statement::Unsupported { command, at } => Err(self.unsupported(command, *at)),
        }
    }
}

#[cfg(test)]
mod tests;
