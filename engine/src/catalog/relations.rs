//! The catalog itself: names to objects. Cloning it is cheap enough for a transaction's way back.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{FunctionRef, OperatorRef, Table, View};
use crate::am::TableAm;
use crate::error::{Error, Result, sqlstate};

/// PostgreSQL's `FirstNormalObjectId`.
const FIRST_OID: u32 = 16384;

#[derive(Clone)]
pub struct Catalog {
    tables: BTreeMap<Rc<str>, Rc<Table>>,
    views: BTreeMap<Rc<str>, Rc<View>>,
    functions: Vec<FunctionRef>,
    operators: Vec<OperatorRef>,
    access_methods: Vec<Rc<dyn TableAm>>,
    next_oid: u32,
}

impl Catalog {
    /// The first access method is the default one.
    pub fn new(access_methods: Vec<Rc<dyn TableAm>>) -> Self {
        Catalog {
            tables: BTreeMap::new(),
            views: BTreeMap::new(),
            functions: Vec::new(),
            operators: Vec::new(),
            access_methods,
            next_oid: FIRST_OID,
        }
    }

    /// Goes back to an earlier state. Object ids are never given out twice.
    pub fn restore(&mut self, earlier: Catalog) {
        let next_oid = self.next_oid;
        *self = earlier;
        self.next_oid = next_oid;
    }

    pub fn new_oid(&mut self) -> u32 {
        self.next_oid += 1;
        self.next_oid - 1
    }

    pub fn access_methods(&self) -> &[Rc<dyn TableAm>] {
        &self.access_methods
    }

    /// Errors: 42704 for a name that is none.
    pub fn access_method(&self, name: &str) -> Result<Rc<dyn TableAm>> {
        self.access_methods
            .iter()
            .find(|am| am.name() == name)
            .cloned()
            .ok_or_else(|| {
                Error::new(
                    sqlstate::UNDEFINED_OBJECT,
                    format!("access method \"{name}\" does not exist"),
                )
            })
    }

    pub fn table(&self, name: &str) -> Option<&Rc<Table>> {
        self.tables.get(name)
    }

    pub fn view(&self, name: &str) -> Option<&Rc<View>> {
        self.views.get(name)
    }

    pub fn tables(&self) -> impl Iterator<Item = &Rc<Table>> {
        self.tables.values()
    }

    pub fn views(&self) -> impl Iterator<Item = &Rc<View>> {
        self.views.values()
    }

    pub fn has_relation(&self, name: &str) -> bool {
        self.tables.contains_key(name) || self.views.contains_key(name)
    }

    /// Adds a table, or puts a changed one in its place.
    pub fn put_table(&mut self, table: Rc<Table>) {
        self.tables.insert(Rc::clone(&table.name), table);
    }

    pub fn put_view(&mut self, view: Rc<View>) {
        self.views.insert(Rc::clone(&view.name), view);
    }

    pub fn remove_table(&mut self, name: &str) -> Option<Rc<Table>> {
        self.tables.remove(name)
    }

    pub fn remove_view(&mut self, name: &str) -> Option<Rc<View>> {
        self.views.remove(name)
    }

    /// The functions users made.
    pub fn functions(&self) -> &[FunctionRef] {
        &self.functions
    }

    pub fn operators(&self) -> &[OperatorRef] {
        &self.operators
    }

    /// Adds a function, or replaces the one of the same name and arguments.
    pub fn put_function(&mut self, function: FunctionRef) {
        self.functions
            .retain(|f| f.name != function.name || f.args != function.args);
        self.functions.push(function);
    }

    pub fn put_operator(&mut self, operator: OperatorRef) {
        self.operators.retain(|o| {
            o.name != operator.name || o.left != operator.left || o.right != operator.right
        });
        self.operators.push(operator);
    }

    /// True if there was one.
    pub fn remove_function(&mut self, name: &str, args: &[crate::value::Type]) -> bool {
        let before = self.functions.len();
        self.functions
            .retain(|f| &*f.name != name || f.args != args);
        self.functions.len() < before
    }

    pub fn remove_operator(&mut self, operator: &super::OperatorFacts) -> bool {
        let before = self.operators.len();
        self.operators.retain(|o| {
            o.name != operator.name || o.left != operator.left || o.right != operator.right
        });
        self.operators.len() < before
    }
}
