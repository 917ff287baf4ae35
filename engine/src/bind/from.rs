//! FROM: the range table, the join tree and what can be named (`transformFromClause` in
//! `parse_clause.c`).

use std::rc::Rc;

use super::binder::{Binder, Place};
use super::coerce::implicitly;
use super::scope::{Item, ItemColumn};
use super::{Expr, ExprKind, From, JoinKind, RangeEntry};
use crate::catalog::common_type;
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{self, Alias, FromItem, JoinCondition};

/// A FROM item: its part of the join tree, and what it lets expressions name.
struct BoundItem {
    tree: From,
    items: Vec<Item>,
}

/// Which side's value a column of USING has.
#[derive(Clone, Copy)]
enum Shown {
    Left,
    Right,
    /// The one that is there.
    Either,
}

impl Binder<'_> {
    /// Fills the innermost scope.
    pub fn bind_from(&mut self, from: &[FromItem]) -> Result<Option<From>> {
        let mut tree: Option<From> = None;
        for item in from {
            self.scope()?.hidden = true;
            let bound = self.bind_item(item);
            self.scope()?.hidden = false;
            let bound = bound?;
            self.check_names(&bound.items)?;
            self.scope()?.namespace.extend(bound.items);
            tree = Some(match tree {
                None => bound.tree,
                Some(left) => From::Join {
                    kind: JoinKind::Inner,
                    left: Box::new(left),
                    right: Box::new(bound.tree),
                    on: None,
                },
            });
        }
        Ok(tree)
    }

    /// A name may stand for one relation only (`checkNameSpaceConflicts`).
    fn check_names(&mut self, items: &[Item]) -> Result<()> {
        let names = |item: &Item| item.qualifies.then(|| item.name.clone()).flatten();
        let known: Vec<Rc<str>> = self.scope()?.namespace.iter().filter_map(names).collect();
        match items
            .iter()
            .filter_map(names)
            .find(|name| known.contains(name))
        {
            Some(name) => Err(self.specified_twice(&name)),
            None => Ok(()),
        }
    }

    fn specified_twice(&self, name: &str) -> Error {
        let message = format!("table name \"{name}\" specified more than once");
        Error::new(sqlstate::DUPLICATE_ALIAS, message)
    }

    fn bind_item(&mut self, item: &FromItem) -> Result<BoundItem> {
        match item {
            FromItem::Table {
                name,
                alias,
                sample,
            } => {
                if let Some(at) = sample {
                    return Err(self.unsupported("TABLESAMPLE", *at));
                }
                let entry = self.named_relation(name, alias.as_ref())?;
                self.add_entry(entry)
            }
            FromItem::Query {
                query,
                lateral,
                alias,
                at: _,
            } => {
                let query = match *lateral {
                    true => self.seeing_the_left(|binder| binder.query(query))?,
                    false => self.query(query)?,
                };
                let entry = self.derived(query, false, alias.as_ref(), "subquery")?;
                self.add_entry(entry)
            }
            FromItem::Function {
                call,
                lateral: _,
                ordinality,
                alias,
                definitions,
                at,
            } => {
                if *ordinality {
                    return Err(self.unsupported("WITH ORDINALITY", *at));
                }
                if let Some((name, _)) = definitions.first() {
                    return Err(self.unsupported("a column definition list", name.at));
                }
                let entry = self.function_in_from(call, alias.as_ref(), *at)?;
                self.add_entry(entry)
            }
            FromItem::Join(join) => self.join(join),
        }
    }

    /// Binds a LATERAL item: what is in FROM to its left can be named in it.
    pub fn seeing_the_left<T>(&mut self, bind: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let depth = self.scopes.len();
        self.scope()?.hidden = false;
        let bound = bind(self);
        self.scopes.truncate(depth);
        self.scope()?.hidden = true;
        bound
    }

    fn add_entry(&mut self, entry: RangeEntry) -> Result<BoundItem> {
        let range = &mut self.scope()?.range;
        let rel = range.len();
        let item = Item::of_entry(rel, &entry);
        range.push(entry);
        Ok(BoundItem {
            tree: From::Entry(rel),
            items: vec![item],
        })
    }

    fn join(&mut self, join: &ast::Join) -> Result<BoundItem> {
        let ast::Join {
            kind,
            left,
            right,
            condition,
            alias,
            at,
            depth: _,
        } = join;
        let left = self.bind_item(left)?;
        let before = self.scope()?.namespace.len();
        let lateral = left.items.iter().cloned().map(|item| Item {
            lateral_ok: matches!(
                kind,
                ast::JoinKind::Inner | ast::JoinKind::Cross | ast::JoinKind::Left
            ),
            ..item
        });
        self.scope()?.namespace.extend(lateral);
        let right = self.bind_item(right);
        self.scope()?.namespace.truncate(before);
        let right = right?;
        let (left_names, right_names) = (names(&left.items), names(&right.items));
        if let Some(name) = right_names.iter().find(|name| left_names.contains(name)) {
            return Err(self.specified_twice(name));
        }
        // RIGHT JOIN is LEFT JOIN with its sides exchanged.
        let (join_kind, shown) = match kind {
            ast::JoinKind::Inner | ast::JoinKind::Cross => (JoinKind::Inner, Shown::Left),
            ast::JoinKind::Left => (JoinKind::Left, Shown::Left),
            ast::JoinKind::Right => (JoinKind::Left, Shown::Right),
            ast::JoinKind::Full => (JoinKind::Full, Shown::Either),
        };
        let mut items: Vec<Item> = left.items.iter().chain(&right.items).cloned().collect();
        let mut merged: Vec<ItemColumn> = Vec::new();
        let on = match condition {
            JoinCondition::None => None,
            JoinCondition::On(on) => {
                let namespace = std::mem::replace(&mut self.scope()?.namespace, items.clone());
                let hidden = std::mem::replace(&mut self.scope()?.hidden, false);
                let bound = self.condition(on, "JOIN/ON", Place::On);
                let scope = self.scope()?;
                scope.namespace = namespace;
                scope.hidden = hidden;
                Some(bound?)
            }
            JoinCondition::Using { columns, alias } => {
                if let Some(alias) = alias {
                    return Err(self.unsupported("an alias of USING", alias.at));
                }
                let names: Vec<(Rc<str>, Position)> = columns
                    .iter()
                    .map(|c| (Rc::from(c.text.as_str()), c.at))
                    .collect();
                self.using(&names, &left.items, &right.items, shown, &mut merged)?
            }
            JoinCondition::Natural => {
                let names = common_columns(&left.items, &right.items, *at);
                self.using(&names, &left.items, &right.items, shown, &mut merged)?
            }
        };
        if !merged.is_empty() || alias.is_some() {
            items = self.joined_items(items, merged, alias.as_ref(), *at)?;
        }
        let (outer, inner) = if matches!(kind, ast::JoinKind::Right) {
            (right, left)
        } else {
            (left, right)
        };
        let tree = From::Join {
            kind: join_kind,
            left: Box::new(outer.tree),
            right: Box::new(inner.tree),
            on,
        };
        Ok(BoundItem { tree, items })
    }

    /// The items of a join that merges columns or has an alias: the join itself carries the
    /// columns, those of both sides stay reachable by qualified names unless it has an alias.
    fn joined_items(
        &self,
        mut items: Vec<Item>,
        merged: Vec<ItemColumn>,
        alias: Option<&Alias>,
        at: Position,
    ) -> Result<Vec<Item>> {
        let visible = items.iter().filter(|item| item.unqualified);
        let rest = visible.flat_map(|item| &item.columns);
        let rest = rest
            .filter(|column| !merged.iter().any(|m| m.name == column.name))
            .cloned();
        let mut columns: Vec<ItemColumn> = merged.clone();
        columns.extend(rest);
        for item in &mut items {
            item.unqualified = false;
            item.qualifies &= alias.is_none();
        }
        let mut name = None;
        if let Some(alias) = alias {
            let text = &alias.name.text;
            if alias.columns.len() > columns.len() {
                let message = format!(
                    "join expression \"{text}\" has {} columns available but {} columns specified",
                    columns.len(),
                    alias.columns.len()
                );
                return Err(self.error(sqlstate::INVALID_COLUMN_REFERENCE, message, at));
            }
            for (column, alias) in columns.iter_mut().zip(&alias.columns) {
                column.name = Rc::from(alias.text.as_str());
            }
            name = Some(Rc::from(text.as_str()));
        }
        let qualifies = name.is_some();
        items.push(Item {
            name,
            columns,
            qualifies,
            unqualified: true,
            lateral_ok: true,
        });
        Ok(items)
    }

    /// `USING (a, b)`: one equality a column. What the join shows of the two columns is that of
    /// the side whose rows are all kept, or of either.
    fn using(
        &mut self,
        names: &[(Rc<str>, Position)],
        left: &[Item],
        right: &[Item],
        shown: Shown,
        merged: &mut Vec<ItemColumn>,
    ) -> Result<Option<Expr>> {
        let mut terms = Vec::with_capacity(names.len());
        for (index, (name, at)) in names.iter().enumerate() {
            if names[..index].iter().any(|(other, _)| other == name) {
                let message =
                    format!("column name \"{name}\" appears more than once in USING clause");
                return Err(self.error(sqlstate::DUPLICATE_COLUMN, message, *at));
            }
            let l = self.using_column(name, left, "left", *at)?;
            let r = self.using_column(name, right, "right", *at)?;
            let ty = common_type(&[l.ty, r.ty]).map_err(|clash| {
                let message = format!(
                    "JOIN/USING types {} and {} cannot be matched",
                    clash.settled.name(),
                    clash.other.name()
                );
                self.error(sqlstate::DATATYPE_MISMATCH, message, *at)
            })?;
            let cast = |side: &Expr| {
                implicitly(side.clone(), ty)?
                    .ok_or_else(|| Error::internal("a USING column cannot have its common type"))
            };
            let expr = match shown {
                Shown::Left => cast(&l)?,
                Shown::Right => cast(&r)?,
                Shown::Either => ExprKind::Coalesce(vec![cast(&l)?, cast(&r)?]).of(ty),
            };
            merged.push(ItemColumn {
                name: Rc::clone(name),
                expr,
            });
            let term = self.operator_call("=", l, r, *at)?;
            terms.push(self.boolean(term, "JOIN/USING")?);
        }
        Ok(match terms.len() {
            0 => None,
            1 => terms.pop(),
            _ => Some(ExprKind::And(terms).of(crate::value::Type::BOOL)),
        })
    }

    fn using_column(&self, name: &str, items: &[Item], side: &str, at: Position) -> Result<Expr> {
        let visible = items.iter().filter(|item| item.unqualified);
        let columns = visible.flat_map(|item| &item.columns);
        let mut found = columns.filter(|column| &*column.name == name);
        let Some(first) = found.next() else {
            let message = format!(
                "column \"{name}\" specified in USING clause does not exist in {side} table"
            );
            return Err(Error::new(sqlstate::UNDEFINED_COLUMN, message));
        };
        if found.next().is_some() {
            let message =
                format!("common column name \"{name}\" appears more than once in {side} table");
            return Err(Error::new(sqlstate::AMBIGUOUS_COLUMN, message));
        }
        Ok(first.expr.clone().at(self.at(at)))
    }
}

/// The names that may qualify columns.
fn names(items: &[Item]) -> Vec<Rc<str>> {
    items
        .iter()
        .filter(|item| item.qualifies)
        .filter_map(|item| item.name.clone())
        .collect()
}

/// The columns of NATURAL: those that both sides have, in the order of the left.
fn common_columns(left: &[Item], right: &[Item], at: Position) -> Vec<(Rc<str>, Position)> {
    let visible = |items: &[Item]| -> Vec<Rc<str>> {
        let items = items.iter().filter(|item| item.unqualified);
        items
            .flat_map(|item| &item.columns)
            .map(|column| Rc::clone(&column.name))
            .collect()
    };
    let right = visible(right);
    visible(left)
        .into_iter()
        .filter(|name| right.contains(name))
        .map(|name| (name, at))
        .collect()
}
