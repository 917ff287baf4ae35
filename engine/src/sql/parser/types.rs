//! Type names and literals that begin with one (`Typename`, `AexprConst` in `gram.y`).

use super::{Parser, is_type_or_function_name};
use crate::error::{Error, Position, Result, sqlstate};
use crate::sql::ast::{Expr, ExprKind, Name, QualifiedName, TypeName};
use crate::sql::keywords::Keyword;
use crate::sql::token::Token;
use crate::value::IntervalFields;

impl Parser<'_> {
    pub(super) fn plain_type(name: QualifiedName) -> TypeName {
        TypeName {
            name,
            modifiers: Vec::new(),
            dimensions: 0,
            set_of: false,
        }
    }

    /// `Typename`: a type, perhaps of arrays, perhaps SETOF.
    pub(super) fn type_name(&mut self) -> Result<TypeName> {
        let set_of = self.eat_word("setof");
        let mut ty = self.simple_type()?;
        ty.set_of = set_of;
        if self.eat_word("array") {
            ty.dimensions = 1;
            if self.eat_char(b'[') {
                self.integer()?;
                self.expect_char(b']')?;
            }
            return Ok(ty);
        }
        while self.eat_char(b'[') {
            if !self.is_char(b']') {
                self.integer()?;
            }
            self.expect_char(b']')?;
            ty.dimensions += 1;
        }
        Ok(ty)
    }

    fn simple_type(&mut self) -> Result<TypeName> {
        let at = self.at();
        if let Token::Keyword(keyword) = self.peek() {
            let keyword = *keyword;
            if let Some(mut ty) = self.sql_type(at, keyword)? {
                // Before a literal, `char` without a length is of any length (`ConstCharacter`).
                if ty.modifiers.is_empty() && ty.name.object() == "bpchar" {
                    ty.modifiers.push(1);
                }
                return Ok(ty);
            }
        }
        let Some(first) = self.name_if(is_type_or_function_name) else {
            return self.unexpected();
        };
        let name = self.more_parts(first)?;
        let mut ty = Self::plain_type(name);
        ty.modifiers = self.type_modifiers()?;
        Ok(ty)
    }

    /// Modifiers are expressions by the grammar, but only constants mean something.
    fn type_modifiers(&mut self) -> Result<Vec<i64>> {
        if !self.is_char(b'(') {
            return Ok(Vec::new());
        }
        self.parenthesized(|parser| {
            let expr = parser.expr()?;
            let value = match &expr.kind {
                ExprKind::Number(text) => text.parse().ok(),
                _ => None,
            };
            value.ok_or_else(|| {
                let message = "type modifiers must be simple constants or identifiers";
                Error::new(sqlstate::SYNTAX_ERROR, message).at(Some(expr.at))
            })
        })
    }

    pub(super) fn signed_integer(&mut self) -> Result<i64> {
        let negative = self.eat_op("-");
        let value = self.integer()?;
        Ok(if negative { -value } else { value })
    }

    fn integer(&mut self) -> Result<i64> {
        let value = match self.peek() {
            Token::Number(text) => text.parse().ok(),
            _ => None,
        };
        match value {
            Some(value) => {
                self.bump();
                Ok(value)
            }
            None => self.unexpected(),
        }
    }

    /// The types SQL spells with keywords, under PostgreSQL's own names.
    #[inline(never)]
    fn sql_type(&mut self, at: Position, keyword: Keyword) -> Result<Option<TypeName>> {
        let mut modifiers = Vec::new();
        let name = match keyword.word {
            "int" | "integer" => self.taking("int4"),
            "smallint" => self.taking("int2"),
            "bigint" => self.taking("int8"),
            "real" => self.taking("float4"),
            "boolean" => self.taking("bool"),
            "double" if self.is_word_at(1, "precision") => {
                self.bump();
                self.taking("float8")
            }
            "float" => {
                self.bump();
                self.float_type()?
            }
            "decimal" | "dec" | "numeric" => {
                self.bump();
                modifiers = self.type_modifiers()?;
                "numeric"
            }
            "bit" => {
                self.bump();
                let varying = self.eat_word("varying");
                modifiers = self.type_modifiers()?;
                if varying { "varbit" } else { "bit" }
            }
            "character" | "char" | "nchar" | "national" | "varchar" => {
                let varying = self.character_type(keyword.word)?;
                if self.is_char(b'(') {
                    self.bump();
                    modifiers.push(self.integer()?);
                    self.expect_char(b')')?;
                }
                if varying { "varchar" } else { "bpchar" }
            }
            "timestamp" | "time" => {
                self.bump();
                modifiers = self.type_modifiers()?;
                let mut zoned = false;
                if self.is_word("with") && self.is_word_at(1, "time") {
                    self.eat_words(&["with", "time"]);
                    self.expect_word("zone")?;
                    zoned = true;
                } else if self.is_word("without") && self.is_word_at(1, "time") {
                    self.eat_words(&["without", "time"]);
                    self.expect_word("zone")?;
                }
                match (keyword.word, zoned) {
                    ("timestamp", false) => "timestamp",
                    ("timestamp", true) => "timestamptz",
                    (_, false) => "time",
                    (_, true) => "timetz",
                }
            }
            "interval" => {
                self.bump();
                modifiers = if self.is_char(b'(') {
                    let precision = self.precision()?;
                    vec![IntervalFields::ALL.bits(), precision]
                } else {
                    self.interval_fields()?
                };
                "interval"
            }
            _ => return Ok(None),
        };
        let name = QualifiedName {
            parts: vec![Name {
                text: name.to_string(),
                at,
            }],
        };
        Ok(Some(TypeName {
            name,
            modifiers,
            dimensions: 0,
            set_of: false,
        }))
    }

    fn taking(&mut self, name: &'static str) -> &'static str {
        self.bump();
        name
    }

    fn float_type(&mut self) -> Result<&'static str> {
        if !self.eat_char(b'(') {
            return Ok("float8");
        }
        let at = self.at();
        let bits = self.integer()?;
        self.expect_char(b')')?;
        match bits {
            1..=24 => Ok("float4"),
            25..=53 => Ok("float8"),
            _ => {
                let limit = if bits < 1 {
                    "at least 1 bit"
                } else {
                    "less than 54 bits"
                };
                let message = format!("precision for type float must be {limit}");
                let sqlstate = sqlstate::INVALID_PARAMETER_VALUE;
                Err(Error::new(sqlstate, message).at(Some(at)))
            }
        }
    }

    /// `character [varying]` and its spellings; true if it varies.
    fn character_type(&mut self, word: &str) -> Result<bool> {
        self.bump();
        match word {
            "varchar" => Ok(true),
            "national" => {
                if !self.eat_word("character") {
                    self.expect_word("char")?;
                }
                Ok(self.eat_word("varying"))
            }
            _ => Ok(self.eat_word("varying")),
        }
    }

    /// `opt_interval`: the modifiers that fields stand for; none without fields.
    fn interval_fields(&mut self) -> Result<Vec<i64>> {
        let first = match self.peek() {
            Token::Keyword(keyword) => keyword.word,
            _ => return Ok(Vec::new()),
        };
        let Some(mut fields) = IntervalFields::between(first, None) else {
            return Ok(Vec::new());
        };
        self.bump();
        let mut last = first;
        if self.is_word("to") {
            self.bump();
            let both = match self.peek() {
                Token::Keyword(keyword) => {
                    last = keyword.word;
                    IntervalFields::between(first, Some(last))
                }
                _ => None,
            };
            match both {
                Some(both) => fields = both,
                None => return self.unexpected(),
            }
            self.bump();
        }
        let mut modifiers = vec![fields.bits()];
        if last == "second" && self.is_char(b'(') {
            modifiers.push(self.precision()?);
        }
        Ok(modifiers)
    }

    /// `(3)`
    fn precision(&mut self) -> Result<i64> {
        self.expect_char(b'(')?;
        let precision = self.integer()?;
        self.expect_char(b')')?;
        Ok(precision)
    }

    /// `int '5'`, `timestamp '2020-01-01'`, `interval '1 day'`; `None` if the keyword starts a
    /// column's name instead.
    #[inline(never)]
    pub(super) fn typed_literal(&mut self, at: Position, keyword: Keyword) -> Result<Option<Expr>> {
        let starts = match keyword.word {
            "int" | "integer" | "smallint" | "bigint" | "real" | "boolean" => {
                matches!(self.peek_at(1), Token::String(_))
            }
            "double" => {
                self.is_word_at(1, "precision") && matches!(self.peek_at(2), Token::String(_))
            }
            "float" | "decimal" | "dec" | "numeric" | "bit" | "character" | "char" | "nchar"
            | "national" | "varchar" | "timestamp" | "time" | "interval" => {
                matches!(self.peek_at(1), Token::String(_))
                    || self.peek_at(1).is_char(b'(')
                    || ["varying", "with", "without", "character", "char"]
                        .iter()
                        .any(|word| self.is_word_at(1, word))
            }
            _ => false,
        };
        if !starts {
            return Ok(None);
        }
        let Some(mut ty) = self.sql_type(at, keyword)? else {
            return Ok(None);
        };
        let text = match self.peek() {
            Token::String(text) => text.clone(),
            _ => return self.unexpected(),
        };
        self.bump();
        if keyword.word == "interval" && ty.modifiers.is_empty() {
            ty.modifiers = self.interval_fields()?;
        }
        self.node(at, ExprKind::TypedString { ty, text }).map(Some)
    }
}
