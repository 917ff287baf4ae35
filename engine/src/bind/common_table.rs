//! WITH (`parse_cte.c`). A query that is referred to once stands where it is referred to, as PostgreSQL
//! inlines it (`inline_cte`); all others are computed once and shared.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::binder::{Binder, CommonState, CommonTable, SharedTable};
use super::query_binder::Unknowns;
use super::{CommonQuery, ExprKind, Query, RangeEntry, ResultColumn, Source, walk};
use crate::catalog::Volatility;
use crate::error::{Position, Result, sqlstate};
use crate::sql::ast::{self, Alias};

/// How often a statement's WITH queries may be bound, all together.
const MAX_COPIES: u32 = 1000;

impl Binder<'_> {
    /// A query with its WITH queries.
    pub fn query_with(&mut self, query: &ast::Query, unknowns: Unknowns) -> Result<Query> {
        let Some(with) = &query.with else {
            return self.query_without(query, unknowns);
        };
        let before = self.common_tables.len();
        let mut shared = Vec::new();
        loop {
            let bound = self
                .add_common_tables(with, &shared)
                .and_then(|()| self.query_without(query, unknowns));
            let tables = self.common_tables.split_off(before);
            let mut bound = bound?;
            // Those that turn out to be referred to twice are shared, and everything is bound anew: the
            // later ones first, because each copy of them refers to the earlier ones again.
            let twice = tables.iter().rposition(|table| {
                matches!(table.state, CommonState::Copied)
                    && table.definition.materialized.is_none()
                    && table.references.get() > 1
            });
            if let Some(index) = twice {
                shared.push(index);
                continue;
            }
            let mut own: Vec<CommonQuery> = Vec::new();
            for table in tables {
                if let CommonState::Shared(shared) = &table.state
                    && table.references.get() > 0
                    && let Some(query) = shared.query.take()
                {
                    own.push(CommonQuery {
                        id: shared.id,
                        name: Rc::from(table.definition.name.text.as_str()),
                        query,
                    });
                }
            }
            own.append(&mut bound.with);
            bound.with = own;
            return Ok(bound);
        }
    }

    /// `shared`: those that were found to be referred to more than once.
    fn add_common_tables(&mut self, with: &ast::With, shared: &[usize]) -> Result<()> {
        for (index, table) in with.tables.iter().enumerate() {
            let name = &table.name;
            if with.tables[..index]
                .iter()
                .any(|other| other.name.text == name.text)
            {
                let message = format!("WITH query name \"{}\" specified more than once", name.text);
                return Err(self.error(sqlstate::DUPLICATE_ALIAS, message, name.at));
            }
            // RECURSIVE lets a query see itself, and those that come later.
            let visible = self.common_tables.len();
            if with.recursive {
                for later in with.tables[index + 1..].iter().rev() {
                    let feature = "a reference to a WITH query that comes later";
                    self.add_placeholder(later, CommonState::Unsupported(feature));
                }
            }
            let mut definition = CommonTable {
                definition: Rc::new(table.clone()),
                scopes: self.scopes.len(),
                visible: self.common_tables.len(),
                references: Cell::new(0),
                state: CommonState::Copied,
            };
            let recursive = match with.recursive {
                true => self.recursive_query(&definition)?,
                false => None,
            };
            definition.visible = self.common_tables.len();
            let counts: Vec<u32> = self
                .common_tables
                .iter()
                .map(|table| table.references.get())
                .collect();
            let is_recursive = recursive.is_some();
            let bound = match recursive {
                Some(bound) => bound,
                None => self.common_table(&definition)?,
            };
            self.common_tables.truncate(visible);
            definition.visible = visible;
            definition.references.set(0);
            if is_recursive
                || shared.contains(&index)
                || table.materialized == Some(true)
                || is_volatile(&bound)
            {
                definition.state = CommonState::Shared(Box::new(SharedTable {
                    id: self.new_common(),
                    columns: bound.columns.clone(),
                    query: RefCell::new(Some(bound)),
                }));
            } else {
                // Bound here for its errors only.
                for (table, count) in self.common_tables.iter().zip(counts) {
                    table.references.set(count);
                }
            }
            self.common_tables.push(Rc::new(definition));
        }
        Ok(())
    }

    /// A number for a WITH query that is computed once.
    pub fn new_common(&self) -> usize {
        self.commons.set(self.commons.get() + 1);
        self.commons.get()
    }

    /// A name that stands for itself only: what refers to it is refused.
    pub fn add_placeholder(&mut self, table: &ast::CommonTable, state: CommonState) {
        self.common_tables.push(Rc::new(CommonTable {
            definition: Rc::new(table.clone()),
            scopes: self.scopes.len(),
            visible: self.common_tables.len(),
            references: Cell::new(0),
            state,
        }));
    }

    /// What a reference to a WITH query is. Errors: 42P19, 0A000.
    pub fn common_reference(
        &mut self,
        table: &CommonTable,
        alias: Option<&Alias>,
        at: Position,
    ) -> Result<RangeEntry> {
        let name: Rc<str> = Rc::from(table.definition.name.text.as_str());
        let (columns, source) = match &table.state {
            CommonState::Copied => {
                let query = self.common_table(table)?;
                return self.derived(query, false, alias, &name);
            }
            CommonState::Shared(shared) => {
                let id = shared.id;
                (
                    shared.columns.clone(),
                    Source::Common {
                        id,
                        name: Rc::clone(&name),
                    },
                )
            }
            CommonState::Unsupported(feature) => return Err(self.unsupported(*feature, at)),
            CommonState::Refused(place) => {
                return Err(self.refuse_recursion(*place, &table.definition.name.text, at));
            }
            CommonState::Working { id, columns } => {
                let id = *id;
                (
                    columns.clone(),
                    Source::WorkTable {
                        id,
                        name: Rc::clone(&name),
                    },
                )
            }
        };
        table.references.set(table.references.get() + 1);
        self.entry_of(columns, source, alias, &name)
    }

    /// The query of a WITH table, as it stands where it was defined.
    fn common_table(&mut self, table: &CommonTable) -> Result<Query> {
        self.copies += 1;
        if self.copies > MAX_COPIES {
            let message = "WITH queries refer to one another too often";
            let at = table.definition.name.at;
            return Err(self.error(sqlstate::STATEMENT_TOO_COMPLEX, message, at));
        }
        let inner_scopes = self.scopes.split_off(table.scopes);
        let inner_tables = self.common_tables.split_off(table.visible);
        let bound = self.query(&table.definition.query);
        self.scopes.truncate(table.scopes);
        self.scopes.extend(inner_scopes);
        self.common_tables.truncate(table.visible);
        self.common_tables.extend(inner_tables);
        let mut bound = bound?;
        table.references.set(table.references.get() + 1);
        self.rename_common(&mut bound.columns, &table.definition)?;
        // Its references to outer columns pass over the scopes it is used in.
        let between = self.scopes.len() - table.scopes;
        walk::query_further_in(&mut bound, between);
        Ok(bound)
    }

    pub fn rename_common(
        &self,
        columns: &mut [ResultColumn],
        table: &ast::CommonTable,
    ) -> Result<()> {
        let position = self.at(table.name.at);
        self.rename(
            columns,
            &table.columns,
            format_args!("WITH query \"{}\"", table.name.text),
            position,
        )
    }
}

fn is_volatile(query: &Query) -> bool {
    let mut found = false;
    walk::each_in_query(query, 0, &mut |part, _| {
        if let ExprKind::Call { function, .. } | ExprKind::SqlCall { function, .. } = &part.kind {
            found |= function.volatility == Volatility::Volatile;
        }
    });
    found
}
