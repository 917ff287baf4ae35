//! WITH (`parse_cte.c`): each reference gets a copy of the query.

use std::cell::Cell;
use std::rc::Rc;

use super::binder::{Binder, CommonTable};
use super::{ExprKind, Query, walk};
use crate::catalog::Volatility;
use crate::error::{Result, sqlstate};
use crate::sql::ast;

/// How often a statement's WITH queries may be put where they are referred to, all together.
const MAX_COPIES: u32 = 1000;

impl Binder<'_> {
    pub fn add_common_tables(&mut self, with: &ast::With) -> Result<()> {
        if with.recursive {
            return Err(self.unsupported("WITH RECURSIVE", with.at));
        }
        for (index, table) in with.tables.iter().enumerate() {
            let name = &table.name;
            if with.tables[..index]
                .iter()
                .any(|other| other.name.text == name.text)
            {
                let message = format!("WITH query name \"{}\" specified more than once", name.text);
                return Err(self.error(sqlstate::DUPLICATE_ALIAS, message, name.at));
            }
            if table.materialized == Some(true) {
                return Err(self.unsupported("MATERIALIZED", name.at));
            }
            // Bound once here for its errors, and again wherever it is referred to.
            let definition = CommonTable {
                definition: Rc::new(table.clone()),
                scopes: self.scopes.len(),
                visible: self.common_tables.len(),
                references: Cell::new(0),
            };
            self.common_table(&definition)?;
            definition.references.set(0);
            self.common_tables.push(Rc::new(definition));
        }
        Ok(())
    }

    /// The query of a WITH table, as it stands where it was defined.
    pub fn common_table(&mut self, table: &CommonTable) -> Result<Query> {
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
        let name = &table.definition.name;
        if table.references.get() > 1 && is_volatile(&bound) {
            let feature = "a WITH query with a volatile function that is referred to twice";
            return Err(self.unsupported(feature, name.at));
        }
        let position = self.at(name.at);
        self.rename(
            &mut bound.columns,
            &table.definition.columns,
            format_args!("WITH query \"{}\"", name.text),
            position,
        )?;
        // Its references to outer columns pass over the scopes it is used in.
        let between = self.scopes.len() - table.scopes;
        if between > 0 {
            walk::each_in_query_mut(&mut bound, 0, &mut |part, depth| {
                if let ExprKind::Var(var) = &mut part.kind
                    && var.up >= depth
                {
                    var.up += between;
                }
            });
        }
        Ok(bound)
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
