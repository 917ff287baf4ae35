//! The binder: what it knows while it resolves one statement.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::recursion::Misplaced;
use super::scope::{Item, Scope};
use super::{Query, ResultColumn};
use crate::catalog::{Catalog, Table, View};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{self, QualifiedName};
use crate::value::Type;

/// How many views and functions may stand in one another.
const MAX_EXPANSIONS: u32 = 30;

/// Where an expression stands, which decides what it may hold and what messages call the place
/// (`ParseExprKind` in `parse_node.h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Target,
    Where,
    On,
    GroupBy,
    Having,
    OrderBy,
    DistinctOn,
    Limit,
    Offset,
    Values,
    InsertTarget,
    UpdateSource,
    Filter,
    FunctionInFrom,
    Default,
    FunctionBody,
    /// An argument of an aggregate.
    Aggregate,
}

impl Place {
    /// How messages name it: "… are not allowed in WHERE".
    pub fn name(self) -> &'static str {
        match self {
            Place::Target => "SELECT",
            Place::Where => "WHERE",
            Place::On => "JOIN conditions",
            Place::GroupBy => "GROUP BY",
            Place::Having => "HAVING",
            Place::OrderBy => "ORDER BY",
            Place::DistinctOn => "DISTINCT ON",
            Place::Limit => "LIMIT",
            Place::Offset => "OFFSET",
            Place::Values | Place::InsertTarget => "VALUES",
            Place::UpdateSource => "UPDATE",
            Place::Filter => "FILTER",
            Place::FunctionInFrom => "functions in FROM",
            Place::Default => "DEFAULT expressions",
            Place::FunctionBody => "SQL functions",
            Place::Aggregate => "aggregate function calls",
        }
    }

    pub fn allows_aggregates(self) -> bool {
        matches!(
            self,
            Place::Target | Place::Having | Place::OrderBy | Place::DistinctOn
        )
    }

    pub fn allows_sets(self) -> bool {
        matches!(
            self,
            Place::Target | Place::GroupBy | Place::OrderBy | Place::DistinctOn | Place::Aggregate
        )
    }
}

/// The parameters of the SQL function whose body is being bound.
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    pub types: Vec<Type>,
    pub names: Vec<Option<String>>,
}

/// A WITH query, waiting to be referred to.
pub(super) struct CommonTable {
    pub definition: Rc<ast::CommonTable>,
    /// How many scopes were open where it was defined: those it may see.
    pub scopes: usize,
    /// How many WITH queries came before it: those it may use.
    pub visible: usize,
    pub references: Cell<u32>,
    pub state: CommonState,
}

/// What a reference to a WITH query becomes.
pub(super) enum CommonState {
    /// The query itself.
    Copied,
    /// A scan of rows that are computed once.
    Shared(Box<SharedTable>),
    /// It stands in its own recursive part: a scan of the work table.
    Working {
        id: usize,
        columns: Vec<ResultColumn>,
    },
    /// It stands in its own query, in a place where it may not.
    Refused(Misplaced),
    /// A reference would be right, but is refused (0A000).
    Unsupported(&'static str),
}

/// A WITH query that is computed once.
pub(super) struct SharedTable {
    pub id: usize,
    pub columns: Vec<ResultColumn>,
    /// Until its statement takes it.
    pub query: RefCell<Option<Query>>,
}

/// Resolves the names and types of one statement.
pub(super) struct Binder<'a> {
    pub catalog: &'a Catalog,
    /// The SELECTs around the expression at hand, outermost first.
    pub scopes: Vec<Scope>,
    pub common_tables: Vec<Rc<CommonTable>>,
    /// How many times a WITH query has been bound.
    pub copies: u32,
    /// How many WITH queries are computed once, those of views and functions included: the last one's
    /// number.
    pub commons: Rc<Cell<usize>>,
    pub parameters: Option<Parameters>,
    /// Depth of views and functions, and whether positions are places in the user's script.
    pub expansions: u32,
    /// The outermost scope that a column reference has reached since it was last reset, by its
    /// index in `scopes`.
    pub reached: usize,
    /// What the SELECT bound last let its expressions name: LIMIT sees it too.
    pub closed_namespace: Vec<Item>,
    /// The tables and views named by the statement itself.
    pub relations: Vec<Rc<str>>,
}

/// A relation found by its name.
pub(super) enum Relation {
    Table(Rc<Table>),
    View(Rc<View>),
}

impl<'a> Binder<'a> {
    pub fn new(catalog: &'a Catalog) -> Self {
        Binder {
            catalog,
            scopes: Vec::new(),
            common_tables: Vec::new(),
            copies: 0,
            commons: Rc::default(),
            parameters: None,
            expansions: 0,
            reached: usize::MAX,
            closed_namespace: Vec::new(),
            relations: Vec::new(),
        }
    }

    /// A binder for the text of a view or a function: it sees nothing of the statement around it.
    pub fn expansion(&self, name: &str) -> Result<Binder<'a>> {
        if self.expansions >= MAX_EXPANSIONS {
            let message = format!("views and functions nest too deeply at \"{name}\"");
            return Err(Error::new(sqlstate::STATEMENT_TOO_COMPLEX, message));
        }
        let mut inner = Binder::new(self.catalog);
        inner.expansions = self.expansions + 1;
        inner.commons = Rc::clone(&self.commons);
        Ok(inner)
    }

    /// A place in the user's script; none inside the text of a view or a function.
    pub fn at(&self, position: Position) -> Option<Position> {
        (self.expansions == 0).then_some(position)
    }

    pub fn error(
        &self,
        sqlstate: &'static str,
        message: impl Into<String>,
        position: Position,
    ) -> Error {
        Error::new(sqlstate, message).at(self.at(position))
    }

    pub fn unsupported(&self, feature: impl std::fmt::Display, position: Position) -> Error {
        Error::unsupported(feature).at(self.at(position))
    }

    /// The innermost scope.
    pub fn scope(&mut self) -> Result<&mut Scope> {
        self.scopes
            .last_mut()
            .ok_or_else(|| Error::internal("an expression outside of a query"))
    }

    /// The object's own name. There is one schema, `public`, beside PostgreSQL's own.
    pub fn object_name<'n>(&self, name: &'n QualifiedName) -> Option<&'n str> {
        match &name.parts[..] {
            [object] => Some(&object.text),
            [schema, object] if is_schema(&schema.text) => Some(&object.text),
            _ => None,
        }
    }

    /// # Errors
    /// 42P01
    pub fn relation(&mut self, name: &QualifiedName) -> Result<Relation> {
        let found = self.object_name(name).and_then(|object| {
            let table = self.catalog.table(object).cloned().map(Relation::Table);
            table.or_else(|| self.catalog.view(object).cloned().map(Relation::View))
        });
        match found {
            Some(relation) => {
                let name = match &relation {
                    Relation::Table(table) => &table.name,
                    Relation::View(view) => &view.name,
                };
                if !self.relations.contains(name) {
                    self.relations.push(Rc::clone(name));
                }
                Ok(relation)
            }
            None => Err(self.no_relation(name)),
        }
    }

    pub fn no_relation(&self, name: &QualifiedName) -> Error {
        let message = format!("relation \"{name}\" does not exist");
        self.error(sqlstate::UNDEFINED_TABLE, message, name.at())
    }

    /// A table that is to be changed.
    ///
    /// # Errors
    /// 42P01; 0A000 for a view.
    pub fn target_table(&mut self, name: &QualifiedName, command: &str) -> Result<Rc<Table>> {
        match self.relation(name)? {
            Relation::Table(table) => Ok(table),
            Relation::View(_) => Err(self.unsupported(format!("{command} of a view"), name.at())),
        }
    }

    /// The name of a new object.
    pub fn new_name(&self, name: &QualifiedName) -> Result<String> {
        match &name.parts[..] {
            [object] => Ok(object.text.clone()),
            [schema, object] if schema.text == "public" => Ok(object.text.clone()),
            _ => {
                let schema = &name.parts[0].text;
                let message = format!("schema \"{schema}\" does not exist");
                Err(self.error(sqlstate::UNDEFINED_SCHEMA, message, name.at()))
            }
        }
    }
}

/// The schemas whose objects are found here.
pub(super) fn is_schema(name: &str) -> bool {
    name == "public" || name == "pg_catalog"
}
