//! The types a column, an expression or a parameter can have.

/// A type without its array-ness. The order is PostgreSQL's preference order within numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Base {
    Bool,
    Int2,
    Int4,
    Int8,
    Numeric,
    Float4,
    Float8,
    Text,
    Varchar,
    /// `character(n)`, padded with blanks that its comparisons do not see.
    Bpchar,
    Date,
    Timestamp,
    Interval,
    /// An untyped literal that nothing has given a type yet; never the type of a stored column.
    Unknown,
    /// The result of a function that returns nothing.
    Void,
}

/// A type: a base type or a one-dimensional array of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type {
    pub base: Base,
    pub array: bool,
}

macro_rules! scalar_types {
    ($($name:ident = $base:ident),* $(,)?) => {
        impl Type { $(pub const $name: Type = Type::scalar(Base::$base);)* }
    };
}

scalar_types! {
    BOOL = Bool, INT2 = Int2, INT4 = Int4, INT8 = Int8, NUMERIC = Numeric, FLOAT4 = Float4,
    FLOAT8 = Float8, TEXT = Text, VARCHAR = Varchar, BPCHAR = Bpchar, DATE = Date,
    TIMESTAMP = Timestamp, INTERVAL = Interval, UNKNOWN = Unknown, VOID = Void,
}

impl Type {
    pub const fn scalar(base: Base) -> Type {
        Type { base, array: false }
    }

    pub const fn array_of(base: Base) -> Type {
        Type { base, array: true }
    }

    /// The array type over this element type. Arrays of arrays do not exist: an array stays itself.
    pub const fn to_array(self) -> Type {
        Type {
            base: self.base,
            array: true,
        }
    }

    /// The element type of an array type, or the type itself.
    pub const fn element(self) -> Type {
        Type {
            base: self.base,
            array: false,
        }
    }

    /// `format_type(oid, NULL)`: `integer`, `double precision[]`.
    pub fn name(self) -> String {
        let base = self.base.name();
        if self.array {
            format!("{base}[]")
        } else {
            base.to_string()
        }
    }

    /// True for values of at most eight bytes that are compared as machine numbers.
    pub fn is_fixed(self) -> bool {
        !self.array && self.base.fixed_width().is_some_and(|width| width <= 8)
    }

    pub fn is_numeric_category(self) -> bool {
        use Base::*;
        !self.array && matches!(self.base, Int2 | Int4 | Int8 | Numeric | Float4 | Float8)
    }

    /// `text` and `varchar`, which share one representation (varchar is binary-coercible to text).
    /// `character` has the same but for its blanks, which take a cast to lose.
    pub fn is_string(self) -> bool {
        !self.array && matches!(self.base, Base::Text | Base::Varchar | Base::Unknown)
    }
}

impl Base {
    /// PostgreSQL's `format_type` name.
    pub const fn name(self) -> &'static str {
        match self {
            Base::Bool => "boolean",
            Base::Int2 => "smallint",
            Base::Int4 => "integer",
            Base::Int8 => "bigint",
            Base::Numeric => "numeric",
            Base::Float4 => "real",
            Base::Float8 => "double precision",
            Base::Text => "text",
            Base::Varchar => "character varying",
            Base::Bpchar => "character",
            Base::Date => "date",
            Base::Timestamp => "timestamp without time zone",
            Base::Interval => "interval",
            Base::Unknown => "unknown",
            Base::Void => "void",
        }
    }

    /// The name in `pg_type.typname`: `int4`, `float8`.
    pub const fn typname(self) -> &'static str {
        match self {
            Base::Bool => "bool",
            Base::Int2 => "int2",
            Base::Int4 => "int4",
            Base::Int8 => "int8",
            Base::Numeric => "numeric",
            Base::Float4 => "float4",
            Base::Float8 => "float8",
            Base::Text => "text",
            Base::Varchar => "varchar",
            Base::Bpchar => "bpchar",
            Base::Date => "date",
            Base::Timestamp => "timestamp",
            Base::Interval => "interval",
            Base::Unknown => "unknown",
            Base::Void => "void",
        }
    }

    /// Any spelling PostgreSQL knows for the type, lower case, without modifiers.
    pub fn from_name(name: &str) -> Option<Base> {
        Some(match name {
            "bool" | "boolean" => Base::Bool,
            "int2" | "smallint" => Base::Int2,
            "int4" | "int" | "integer" => Base::Int4,
            "int8" | "bigint" => Base::Int8,
            "numeric" | "decimal" | "dec" => Base::Numeric,
            "float4" | "real" => Base::Float4,
            "float8" | "double precision" | "float" => Base::Float8,
            "text" => Base::Text,
            "varchar" | "character varying" => Base::Varchar,
            "bpchar" | "character" => Base::Bpchar,
            "date" => Base::Date,
            "timestamp" | "timestamp without time zone" => Base::Timestamp,
            "interval" => Base::Interval,
            "unknown" => Base::Unknown,
            "void" => Base::Void,
            _ => return None,
        })
    }

    /// Bytes of a fixed-width value on a heap page; `None` for varlena types.
    pub const fn fixed_width(self) -> Option<usize> {
        match self {
            Base::Bool => Some(1),
            Base::Int2 => Some(2),
            Base::Int4 | Base::Float4 | Base::Date => Some(4),
            Base::Int8 | Base::Float8 | Base::Timestamp => Some(8),
            Base::Interval => Some(16),
            Base::Numeric
            | Base::Text
            | Base::Varchar
            | Base::Bpchar
            | Base::Unknown
            | Base::Void => None,
        }
    }

    /// Alignment of a value on a heap page (`pg_type.typalign`); varlena values are int-aligned.
    pub const fn alignment(self) -> usize {
        match self.fixed_width() {
            // An interval is a 64-bit integer and two shorter ones.
            Some(16) => 8,
            Some(w) => w,
            None => 4,
        }
    }
}
