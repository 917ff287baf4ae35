//! What a FROM item is an entry of the range table for: a table, a view, a WITH query, a sub-select, a
//! function (`addRangeTableEntry` and its kin in `parse_relation.c`).

use std::rc::Rc;

use super::binder::{Binder, Place, Relation};
use super::system_relations::system_relation;
use super::{Expr, ExprKind, Query, RangeEntry, ResultColumn, Source};
use crate::catalog::{Origin, Table, TpchDecimals, TpchTable, View};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{self, Alias, QualifiedName};
use crate::sql::{Script, parse_statement};
use crate::value::Datum;

impl Binder<'_> {
    /// A table, a view or a WITH query.
    pub fn named_relation(
        &mut self,
        name: &QualifiedName,
        alias: Option<&Alias>,
    ) -> Result<RangeEntry> {
        if let [single] = &name.parts[..] {
            let mut tables = self.common_tables.iter().rev();
            let found = tables.find(|table| table.definition.name.text == single.text);
            if let Some(table) = found.cloned() {
                return self.common_reference(&table, alias, single.at);
            }
        }
        if !self.catalog.has_relation(name.object())
            && let Some(query) = system_relation(self.catalog, name)
        {
            return self.derived(query, false, alias, name.object());
        }
        match self.relation(name)? {
            Relation::Table(table) => self.table_entry(table, alias),
            Relation::View(view) => {
                let query = self.view_query(&view)?;
                let barrier = view.security_barrier;
                self.derived(query, barrier, alias, &view.name)
            }
        }
    }

    pub fn table_entry(&self, table: Rc<Table>, alias: Option<&Alias>) -> Result<RangeEntry> {
        let columns = table.columns.iter().map(|column| ResultColumn {
            name: Rc::clone(&column.name),
            ty: column.ty,
            typmod: column.typmod,
        });
        let columns = columns.collect();
        let name = Rc::clone(&table.name);
        self.entry_of(columns, Source::Table(table), alias, &name)
    }

    pub fn derived(
        &self,
        query: Query,
        barrier: bool,
        alias: Option<&Alias>,
        default: &str,
    ) -> Result<RangeEntry> {
        let columns = query.columns.clone();
        let source = Source::Subquery {
            query: Box::new(query),
            barrier,
        };
        self.entry_of(columns, source, alias, default)
    }

    /// A range-table entry that goes by its alias, if it has one.
    pub fn entry_of(
        &self,
        mut columns: Vec<ResultColumn>,
        source: Source,
        alias: Option<&Alias>,
        default: &str,
    ) -> Result<RangeEntry> {
        let mut name: Rc<str> = Rc::from(default);
        if let Some(alias) = alias {
            name = Rc::from(alias.name.text.as_str());
            self.rename(
                &mut columns,
                &alias.columns,
                format_args!("table \"{name}\""),
                None,
            )?;
        }
        Ok(RangeEntry {
            alias: name,
            columns,
            source,
        })
    }

    /// The query of a view, bound anew from its text.
    pub fn view_query(&mut self, view: &View) -> Result<Query> {
        let mut inner = self.expansion(&view.name)?;
        let broken = || Error::internal(format!("the text of view \"{}\" is no query", view.name));
        let statement = Script::new(&view.definition).next().ok_or_else(broken)?;
        let ast::Statement::Query(parsed) = parse_statement(statement)? else {
            return Err(broken());
        };
        let mut query = inner.query(&parsed)?;
        for (column, name) in query.columns.iter_mut().zip(&view.column_names) {
            column.name = Rc::clone(name);
        }
        Ok(query)
    }

    pub fn function_in_from(
        &mut self,
        call: &ast::Call,
        alias: Option<&Alias>,
        at: Position,
    ) -> Result<RangeEntry> {
        // A function is LATERAL whether it says so or not.
        let bound = self.seeing_the_left(|binder| binder.call(call, at, Place::FunctionInFrom))?;
        // A call of PostgreSQL's own stays one, whatever is in its arguments.
        let is_call = matches!(bound.kind, ExprKind::Call { .. });
        if !is_call && super::sql_query::reads_tables(&bound) {
            let what = format_args!("function {}, which reads tables, in FROM", call.name);
            return Err(self.unsupported(what, at));
        }
        let nested = match &bound.kind {
            ExprKind::Call { args, .. } => args.iter().find(|arg| super::walk::returns_set(arg)),
            _ => None,
        };
        if let Some(arg) = nested {
            let message = "set-returning functions must appear at top level of FROM";
            let error = Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message);
            return Err(error.at(arg.position));
        }
        let function_name: Rc<str> = Rc::from(call.name.object());
        // The only column of a scalar function is called like its table, if that has an alias.
        let name = alias.map_or(Rc::clone(&function_name), |a| {
            Rc::from(a.name.text.as_str())
        });
        let columns = match self.tpch_columns(&bound, at)? {
            Some(columns) => columns,
            None => vec![ResultColumn {
                name: Rc::clone(&name),
                ty: bound.ty,
                typmod: bound.typmod,
            }],
        };
        let source = Source::Function(Box::new(bound));
        self.entry_of(columns, source, alias, &function_name)
    }

    /// The columns of a table that `tpch` or `tpch_float` generates; `None` for any other call. Which
    /// table it is must be known, as the columns depend on it.
    fn tpch_columns(&self, call: &Expr, at: Position) -> Result<Option<Vec<ResultColumn>>> {
        let ExprKind::Call { function, args, .. } = &call.kind else {
            return Ok(None);
        };
        let decimals = match (&function.origin, TpchDecimals::of_function(&function.name)) {
            (Origin::Builtin, Some(decimals)) => decimals,
            _ => return Ok(None),
        };
        let Some(ExprKind::Const(Datum::Text(name))) = args.first().map(|arg| &arg.kind) else {
            let what = format!("{} of a table that is not a literal", function.name);
            return Err(self.unsupported(what, at));
        };
        let Some(table) = TpchTable::named(name) else {
            let message = format!("TPC-H has no table \"{name}\"");
            let tables = TpchTable::ALL.map(TpchTable::name).join(", ");
            return Err(self
                .error(sqlstate::INVALID_PARAMETER_VALUE, message, at)
                .with_hint(format!("Its tables are {tables}.")));
        };
        let columns = table.columns().iter().map(|(name, ty)| ResultColumn {
            name: Rc::from(*name),
            ty: ty.ty(decimals),
            typmod: ty.typmod(decimals),
        });
        Ok(Some(columns.collect()))
    }

    // Joins.
}
