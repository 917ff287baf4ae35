//! The tables of TPC-H, which `tpch('lineitem', 0.01)` in FROM generates: names and types of their
//! columns as the specification declares them (clause 1.4).

use crate::value::{Base, Type};

/// A column whose values are of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TpchType {
    Integer,
    /// `numeric(15,2)`, or double precision where that is asked for.
    Decimal,
    Date,
    Char(u16),
    Varchar(u16),
}

/// Amounts and quantities as exact or as floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TpchDecimals {
    Numeric,
    Float,
}

impl TpchDecimals {
    /// What a call of the function of this name gives; `None` for any other function.
    pub fn of_function(name: &str) -> Option<TpchDecimals> {
        match name {
            "tpch" => Some(TpchDecimals::Numeric),
            "tpch_float" => Some(TpchDecimals::Float),
            _ => None,
        }
    }
}

impl TpchType {
    pub fn ty(self, decimals: TpchDecimals) -> Type {
        Type::scalar(match (self, decimals) {
            (TpchType::Integer, _) => Base::Int4,
            (TpchType::Decimal, TpchDecimals::Numeric) => Base::Numeric,
            (TpchType::Decimal, TpchDecimals::Float) => Base::Float8,
            (TpchType::Date, _) => Base::Date,
            (TpchType::Char(_), _) => Base::Bpchar,
            (TpchType::Varchar(_), _) => Base::Varchar,
        })
    }

    pub fn typmod(self, decimals: TpchDecimals) -> i32 {
        const HEADER: i32 = 4;
        match (self, decimals) {
            (TpchType::Decimal, TpchDecimals::Numeric) => (15 << 16 | 2) + HEADER,
            (TpchType::Char(length) | TpchType::Varchar(length), _) => i32::from(length) + HEADER,
            _ => -1,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TpchTable {
    Part,
    Supplier,
    Partsupp,
    Customer,
    Orders,
    Lineitem,
    Nation,
    Region,
}

use TpchType::{Char, Date, Decimal, Integer, Varchar};

impl TpchTable {
    pub const ALL: [TpchTable; 8] = [
        TpchTable::Part,
        TpchTable::Supplier,
        TpchTable::Partsupp,
        TpchTable::Customer,
        TpchTable::Orders,
        TpchTable::Lineitem,
        TpchTable::Nation,
        TpchTable::Region,
    ];

    pub fn name(self) -> &'static str {
        match self {
            TpchTable::Part => "part",
            TpchTable::Supplier => "supplier",
            TpchTable::Partsupp => "partsupp",
            TpchTable::Customer => "customer",
            TpchTable::Orders => "orders",
            TpchTable::Lineitem => "lineitem",
            TpchTable::Nation => "nation",
            TpchTable::Region => "region",
        }
    }

    pub fn named(name: &str) -> Option<TpchTable> {
        TpchTable::ALL
            .into_iter()
            .find(|table| table.name() == name)
    }

    /// Rows of the table at a scale factor, about; dbgen's orders have one to seven lines.
    pub fn rows(self, scale: f64) -> f64 {
        match self {
            TpchTable::Part => 200_000.0 * scale,
            TpchTable::Supplier => 10_000.0 * scale,
            TpchTable::Partsupp => 800_000.0 * scale,
            TpchTable::Customer => 150_000.0 * scale,
            TpchTable::Orders => 1_500_000.0 * scale,
            TpchTable::Lineitem => 6_001_215.0 * scale,
            TpchTable::Nation => 25.0,
            TpchTable::Region => 5.0,
        }
    }

    pub fn columns(self) -> &'static [(&'static str, TpchType)] {
        match self {
            TpchTable::Part => &[
                ("p_partkey", Integer),
                ("p_name", Varchar(55)),
                ("p_mfgr", Char(25)),
                ("p_brand", Char(10)),
                ("p_type", Varchar(25)),
                ("p_size", Integer),
                ("p_container", Char(10)),
                ("p_retailprice", Decimal),
                ("p_comment", Varchar(23)),
            ],
            TpchTable::Supplier => &[
                ("s_suppkey", Integer),
                ("s_name", Char(25)),
                ("s_address", Varchar(40)),
                ("s_nationkey", Integer),
                ("s_phone", Char(15)),
                ("s_acctbal", Decimal),
                ("s_comment", Varchar(101)),
            ],
            TpchTable::Partsupp => &[
                ("ps_partkey", Integer),
                ("ps_suppkey", Integer),
                ("ps_availqty", Integer),
                ("ps_supplycost", Decimal),
                ("ps_comment", Varchar(199)),
            ],
            TpchTable::Customer => &[
                ("c_custkey", Integer),
                ("c_name", Varchar(25)),
                ("c_address", Varchar(40)),
                ("c_nationkey", Integer),
                ("c_phone", Char(15)),
                ("c_acctbal", Decimal),
                ("c_mktsegment", Char(10)),
                ("c_comment", Varchar(117)),
            ],
            TpchTable::Orders => &[
                ("o_orderkey", Integer),
                ("o_custkey", Integer),
                ("o_orderstatus", Char(1)),
                ("o_totalprice", Decimal),
                ("o_orderdate", Date),
                ("o_orderpriority", Char(15)),
                ("o_clerk", Char(15)),
                ("o_shippriority", Integer),
                ("o_comment", Varchar(79)),
            ],
            TpchTable::Lineitem => &[
                ("l_orderkey", Integer),
                ("l_partkey", Integer),
                ("l_suppkey", Integer),
                ("l_linenumber", Integer),
                ("l_quantity", Decimal),
                ("l_extendedprice", Decimal),
                ("l_discount", Decimal),
                ("l_tax", Decimal),
                ("l_returnflag", Char(1)),
                ("l_linestatus", Char(1)),
                ("l_shipdate", Date),
                ("l_commitdate", Date),
                ("l_receiptdate", Date),
                ("l_shipinstruct", Char(25)),
                ("l_shipmode", Char(10)),
                ("l_comment", Varchar(44)),
            ],
            TpchTable::Nation => &[
                ("n_nationkey", Integer),
                ("n_name", Char(25)),
                ("n_regionkey", Integer),
                ("n_comment", Varchar(152)),
            ],
            TpchTable::Region => &[
                ("r_regionkey", Integer),
                ("r_name", Char(25)),
                ("r_comment", Varchar(152)),
            ],
        }
    }
}
