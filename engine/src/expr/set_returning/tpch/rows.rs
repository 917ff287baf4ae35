//! Rows of `tpchgen` written to columns.

use std::fmt::{self, Display, Write};

use tpchgen::dates::TPCHDate;
use tpchgen::decimal::TPCHDecimal;
use tpchgen::generators::{
    CustomerGeneratorIterator, LineItemGeneratorIterator, NationGeneratorIterator,
    OrderGeneratorIterator, PartGeneratorIterator, PartSuppGeneratorIterator,
    RegionGeneratorIterator, SupplierGeneratorIterator,
};

use crate::catalog::TpchDecimals;
use crate::error::Result;
use crate::value::{Column, Numeric, Vector};

/// The table's rows still to come.
pub(super) enum Rows {
    Part(PartGeneratorIterator<'static>),
    Supplier(SupplierGeneratorIterator<'static>),
    Partsupp(PartSuppGeneratorIterator<'static>),
    Customer(CustomerGeneratorIterator<'static>),
    Orders(OrderGeneratorIterator<'static>),
    Lineitem(Box<LineItemGeneratorIterator<'static>>),
    Nation(NationGeneratorIterator<'static>),
    Region(RegionGeneratorIterator<'static>),
}

/// Days from 1970-01-01 to 2000-01-01.
const UNIX_EPOCH_TO_OURS: i32 = 10_957;

/// Writes the comment that belongs where the crate has written one from its small pool; the last
/// argument is true for the first line of an order but the very first.
pub(super) type Comment<'c> = dyn FnMut(&mut Writer<'_>, &str, bool) -> Result<()> + 'c;

impl Rows {
    /// Appends the next row. False: there is none. Errors: those of the comment; the row is then
    /// incomplete.
    pub fn next(
        &mut self,
        out: &mut [Column],
        decimals: TpchDecimals,
        comment: &mut Comment<'_>,
    ) -> Result<bool> {
        let mut row = Writer {
            columns: out.iter_mut(),
            decimals,
        };
        macro_rules! row {
            ($rows:expr, $item:ident => $($method:ident $args:tt),* ; $text:expr) => {{
                let Some($item) = $rows.next() else {
                    return Ok(false);
                };
                $(row.$method $args;)*
                comment(&mut row, $text, false)?;
            }};
        }
        match self {
            Rows::Part(rows) => row!(rows, part =>
                integer(part.p_partkey),
                text(&part.p_name),
                padded(&part.p_mfgr, 25),
                padded(&part.p_brand, 10),
                string(part.p_type),
                integer(part.p_size.into()),
                padded(&part.p_container, 10),
                decimal(part.p_retailprice)
                ; part.p_comment),
            Rows::Supplier(rows) => row!(rows, supplier =>
                integer(supplier.s_suppkey),
                padded(&supplier.s_name, 25),
                text(&supplier.s_address),
                integer(supplier.s_nationkey),
                padded(&supplier.s_phone, 15),
                decimal(supplier.s_acctbal)
                ; &supplier.s_comment),
            Rows::Partsupp(rows) => row!(rows, partsupp =>
                integer(partsupp.ps_partkey),
                integer(partsupp.ps_suppkey),
                integer(partsupp.ps_availqty.into()),
                decimal(partsupp.ps_supplycost)
                ; partsupp.ps_comment),
            Rows::Customer(rows) => row!(rows, customer =>
                integer(customer.c_custkey),
                text(&customer.c_name),
                text(&customer.c_address),
                integer(customer.c_nationkey),
                padded(&customer.c_phone, 15),
                decimal(customer.c_acctbal),
                padded(&customer.c_mktsegment, 10)
                ; customer.c_comment),
            Rows::Orders(rows) => row!(rows, order =>
                integer(order.o_orderkey),
                integer(order.o_custkey),
                padded(&order.o_orderstatus, 1),
                decimal(order.o_totalprice),
                date(order.o_orderdate),
                padded(&order.o_orderpriority, 15),
                padded(&order.o_clerk, 15),
                integer(order.o_shippriority.into())
                ; order.o_comment),
            Rows::Lineitem(rows) => {
                let Some(line) = rows.next() else {
                    return Ok(false);
                };
                row.integer(line.l_orderkey);
                row.integer(line.l_partkey);
                row.integer(line.l_suppkey);
                row.integer(line.l_linenumber.into());
                row.decimal(TPCHDecimal(line.l_quantity * 100));
                row.decimal(line.l_extendedprice);
                row.decimal(line.l_discount);
                row.decimal(line.l_tax);
                row.string(line.l_returnflag);
                row.string(line.l_linestatus);
                row.date(line.l_shipdate);
                row.date(line.l_commitdate);
                row.date(line.l_receiptdate);
                row.padded(&line.l_shipinstruct, 25);
                row.padded(&line.l_shipmode, 10);
                let anew = line.l_linenumber == 1 && line.l_orderkey != 1;
                comment(&mut row, line.l_comment, anew)?;
            }
            Rows::Nation(rows) => row!(rows, nation =>
                integer(nation.n_nationkey),
                padded(&nation.n_name, 25),
                integer(nation.n_regionkey)
                ; nation.n_comment),
            Rows::Region(rows) => row!(rows, region =>
                integer(region.r_regionkey),
                padded(&region.r_name, 25)
                ; region.r_comment),
        }
        Ok(true)
    }
}

/// Appends one value to each column, from left to right.
pub(super) struct Writer<'a> {
    columns: std::slice::IterMut<'a, Column>,
    decimals: TpchDecimals,
}

/// A column's bytes as a target of `write!`.
struct Ascii<'a>(&'a mut Vec<u8>);

impl Write for Ascii<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

impl Writer<'_> {
    fn column(&mut self) -> Option<&mut Vector> {
        self.columns.next().map(|column| &mut column.data)
    }

    fn integer(&mut self, value: i64) {
        if let Some(Vector::Int4(values)) = self.column() {
            values.push(value as i32);
        }
    }

    fn decimal(&mut self, value: TPCHDecimal) {
        let decimals = self.decimals;
        match (self.column(), decimals) {
            (Some(Vector::Numeric(values)), TpchDecimals::Numeric) => {
                values.push(Numeric::from_cents(value.into_inner()));
            }
            (Some(Vector::Float8(values)), TpchDecimals::Float) => {
                values.push(value.as_f64());
            }
            _ => {}
        }
    }

    fn date(&mut self, value: TPCHDate) {
        if let Some(Vector::Int4(values)) = self.column() {
            values.push(value.to_unix_epoch() - UNIX_EPOCH_TO_OURS);
        }
    }

    fn string(&mut self, value: &str) {
        if let Some(Vector::Text(texts)) = self.column() {
            texts.push(value);
        }
    }

    /// Writing to memory cannot fail.
    fn text(&mut self, value: &impl Display) {
        if let Some(Vector::Text(texts)) = self.column() {
            texts.push_with(|bytes| {
                let _ = write!(Ascii(bytes), "{value}");
            });
        }
    }

    fn padded(&mut self, value: &impl Display, length: usize) {
        if let Some(Vector::Text(texts)) = self.column() {
            texts.push_with(|bytes| {
                let end = bytes.len() + length;
                let _ = write!(Ascii(bytes), "{value}");
                bytes.resize(end.max(bytes.len()), b' ');
            });
        }
    }

    /// Appends the text that `write` leaves in an empty vector. Errors: those of `write`.
    pub fn comment(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
        let mut text = Vec::new();
        write(&mut text)?;
        if let Some(Vector::Text(texts)) = self.column() {
            texts.push_bytes(&text);
        }
        Ok(())
    }
}
