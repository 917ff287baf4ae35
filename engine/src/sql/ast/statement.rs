//! Statements as parsed.

use super::{
    Alias, Expr, FromItem, Name, OperatorName, QualifiedName, Query, SelectItem, TypeName,
};
use crate::error::Position;

#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    Query(Box<Query>),
    Insert(Box<Insert>),
    Update(Box<Update>),
    Delete(Box<Delete>),
    CreateTable(Box<CreateTable>),
    CreateTableAs(Box<CreateTableAs>),
    AlterTable(Box<AlterTable>),
    CreateView(Box<CreateView>),
    CreateFunction(Box<CreateFunction>),
    CreateOperator(Box<CreateOperator>),
    Drop(Drop),
    DropFunctions(DropFunctions),
    DropOperators(DropOperators),
    Truncate(Truncate),
    Vacuum(Vacuum),
    Explain(Box<Explain>),
    Set(Set),
    /// `None` is ALL.
    Reset(Option<Name>),
    Show(Option<Name>),
    Transaction(Transaction),
    /// A statement of PostgreSQL that this engine does not run; the name of the command.
    Unsupported {
        command: String,
        at: Position,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    pub table: QualifiedName,
    pub alias: Option<Name>,
    pub columns: Vec<Name>,
    /// `None` is DEFAULT VALUES.
    pub source: Option<Query>,
    pub overriding: Option<Position>,
    pub on_conflict: Option<Position>,
    pub returning: Option<Returning>,
    pub with: Option<super::With>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Returning {
    pub items: Vec<SelectItem>,
    pub at: Position,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    pub table: QualifiedName,
    pub alias: Option<Alias>,
    pub assignments: Vec<Assignment>,
    pub from: Vec<FromItem>,
    pub filter: Option<Expr>,
    pub returning: Option<Returning>,
    pub with: Option<super::With>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Assignment {
    Column {
        column: Name,
        value: Expr,
    },
    /// `(a, b) = …`, `a[1] = …`, `a.b = …`: what it is called in messages.
    Unsupported {
        feature: &'static str,
        at: Position,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    pub table: QualifiedName,
    pub alias: Option<Alias>,
    pub using: Vec<FromItem>,
    pub filter: Option<Expr>,
    pub returning: Option<Returning>,
    pub with: Option<super::With>,
}

/// `name [= value]` in WITH (…) of a table or view.
#[derive(Clone, Debug, PartialEq)]
pub struct RelOption {
    pub name: Name,
    pub value: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CreateTable {
    pub name: QualifiedName,
    pub temporary: Option<Position>,
    pub if_not_exists: bool,
    pub columns: Vec<ColumnDefinition>,
    /// Constraints of the table and other elements, by what they are called.
    pub constraints: Vec<(&'static str, Position)>,
    pub access_method: Option<Name>,
    pub options: Vec<RelOption>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDefinition {
    pub name: Name,
    pub ty: TypeName,
    pub not_null: bool,
    /// The expression and its text, which the catalog keeps.
    pub default: Option<(Expr, String)>,
    /// Constraints and clauses beyond NULL, NOT NULL and DEFAULT.
    pub others: Vec<(&'static str, Position)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CreateTableAs {
    pub name: QualifiedName,
    pub temporary: Option<Position>,
    pub if_not_exists: bool,
    pub columns: Vec<Name>,
    pub access_method: Option<Name>,
    pub options: Vec<RelOption>,
    pub query: Query,
    pub with_data: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AlterTable {
    pub name: QualifiedName,
    pub if_exists: bool,
    pub actions: Vec<AlterAction>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AlterAction {
    SetOptions(Vec<RelOption>),
    ResetOptions(Vec<Name>),
    /// An action of PostgreSQL that this engine has not, by its name.
    Unsupported {
        action: String,
        at: Position,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct CreateView {
    pub name: QualifiedName,
    pub or_replace: bool,
    pub temporary: Option<Position>,
    pub columns: Vec<Name>,
    pub options: Vec<RelOption>,
    pub query: Query,
    /// The query as written, to be parsed again when the view is used.
    pub text: String,
    pub check_option: Option<Position>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CreateFunction {
    pub name: QualifiedName,
    pub or_replace: bool,
    pub parameters: Vec<Parameter>,
    pub returns: Option<TypeName>,
    pub returns_table: Option<Position>,
    pub language: Option<Name>,
    pub volatility: Option<Volatility>,
    pub strict: Option<bool>,
    pub leakproof: Option<bool>,
    pub body: Option<FunctionBody>,
    /// Clauses that change what the function does and that this engine has not.
    pub others: Vec<(&'static str, Position)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volatility {
    Immutable,
    Stable,
    Volatile,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: Option<Name>,
    pub ty: TypeName,
    /// OUT, INOUT, VARIADIC or a default.
    pub unsupported: Option<(&'static str, Position)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FunctionBody {
    /// `AS 'text'`
    Text { text: String, at: Position },
    /// `RETURN expression`, with the text of the expression.
    Return { text: String, at: Position },
}

#[derive(Clone, Debug, PartialEq)]
pub struct CreateOperator {
    pub name: OperatorName,
    pub at: Position,
    pub options: Vec<OperatorOption>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct OperatorOption {
    pub name: Name,
    pub value: OperatorOptionValue,
}

#[derive(Clone, Debug, PartialEq)]
pub enum OperatorOptionValue {
    None,
    /// A type or a function, which look alike.
    Type(TypeName),
    Operator(OperatorName),
}

/// DROP TABLE, VIEW, …
#[derive(Clone, Debug, PartialEq)]
pub struct Drop {
    pub kind: DropKind,
    pub names: Vec<QualifiedName>,
    pub if_exists: bool,
    pub cascade: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropKind {
    Table,
    View,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DropFunctions {
    /// The argument types are absent when no list was given.
    pub functions: Vec<(QualifiedName, Option<Vec<TypeName>>)>,
    pub if_exists: bool,
    pub cascade: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DropOperators {
    pub operators: Vec<DropOperator>,
    pub if_exists: bool,
    pub cascade: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DropOperator {
    pub name: OperatorName,
    pub at: Position,
    /// `None` is NONE: a prefix operator.
    pub left: Option<TypeName>,
    pub right: TypeName,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Truncate {
    pub tables: Vec<QualifiedName>,
    pub restart_identity: Option<Position>,
    pub cascade: bool,
}

/// VACUUM and ANALYZE.
#[derive(Clone, Debug, PartialEq)]
pub struct Vacuum {
    pub vacuum: bool,
    pub analyze: bool,
    pub full: bool,
    pub verbose: bool,
    /// Options this engine has not.
    pub unsupported: Option<(String, Position)>,
    /// None means every table.
    pub tables: Vec<(QualifiedName, Vec<Name>)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Explain {
    pub options: Vec<ExplainOption>,
    pub statement: Statement,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ExplainOption {
    pub name: Name,
    pub value: Option<String>,
}

/// `SET [SESSION|LOCAL] name TO value, …`
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    pub name: Name,
    pub local: bool,
    /// `None` is DEFAULT.
    pub values: Option<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Transaction {
    Begin { modes: Option<(String, Position)> },
    Commit { chain: Option<Position> },
    Rollback { chain: Option<Position> },
    Savepoint(Name),
    RollbackTo(Name),
    Release(Name),
}
