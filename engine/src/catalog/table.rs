//! Tables and views as the catalog knows them.

use std::rc::Rc;

use super::TableStatistics;
use crate::am::{Relation, TableAm};
use crate::value::Type;

/// A table. Immutable: ALTER and TRUNCATE put a new one in its place, so that ROLLBACK can bring the old one back.
#[derive(Clone)]
pub struct Table {
    pub oid: u32,
    pub name: Rc<str>,
    pub columns: Vec<ColumnDef>,
    pub am: Rc<dyn TableAm>,
    pub options: TableOptions,
    pub storage: Rc<dyn Relation>,
    /// `None`: neither VACUUM nor ANALYZE has looked at it.
    pub statistics: Option<Rc<TableStatistics>>,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table({} {})", self.oid, self.name)
    }
}

#[derive(Clone, Debug)]
pub struct ColumnDef {
    pub name: Rc<str>,
    pub ty: Type,
    pub typmod: i32,
    pub not_null: bool,
    /// The DEFAULT's text, bound anew where it is used.
    pub default: Option<Rc<str>>,
}

/// Reloptions; `None` is "not set".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// Wins over the setting of the same name (mail 1).
    pub quals_push_down: Option<bool>,
    pub fillfactor: Option<u8>,
}

#[derive(Clone, Debug)]
pub struct View {
    pub name: Rc<str>,
    /// The text of the query after AS; bound anew where the view is used.
    pub definition: Rc<str>,
    /// Column names given in `CREATE VIEW v (a, b)`; may be fewer than the columns.
    pub column_names: Vec<Rc<str>>,
    pub security_barrier: bool,
    /// The tables and views it names directly; they cannot be dropped before it.
    pub uses: Vec<Rc<str>>,
}
