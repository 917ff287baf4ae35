//! `sqlparser`'s tokens of a text, made a window at a time.
//!
//! The crate's tokenizer takes a whole text and gives a vector of all its tokens, 80 bytes each: a
//! gigabyte for the INSERT of a data set, and all of it for the first statement of a script. So it
//! is given a piece of the text that grows with what is read from it. What the end of the window
//! may have cut is tokenized again in the next one.

use super::dialect::TuplescopeDialect;
use crate::error::Position;
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

/// The first window at a place, in bytes. A script is entered anew for each of its statements, and
/// after a lexeme that the crate cuts otherwise than PostgreSQL.
const FIRST_WINDOW: usize = 32;

/// The most bytes of a window, unless a single token is longer.
const LARGEST_WINDOW: usize = 4096;

/// Tokens at the end of a window that more text might change. The crate looks at most three
/// characters beyond a token (`1` and `e+5`), and a token has at least one.
const UNSURE_TOKENS: usize = 3;

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Byte offset into the text.
    pub offset: usize,
    /// Line and column in the script, in characters.
    pub position: Position,
}

impl Place {
    /// Moves over the character that starts with `byte`.
    fn step(&mut self, byte: u8) {
        self.offset += match byte {
            0..0xC0 => 1,
            0xC0..0xE0 => 2,
            0xE0..0xF0 => 3,
            _ => 4,
        };
        if byte == b'\n' {
            self.position.line += 1;
            self.position.column = 1;
        } else {
            self.position.column += 1;
        }
    }
}

/// What stands at a place.
#[derive(Debug)]
pub enum Piece {
    Token(Token),
    /// A string, comment or quoted identifier that never ends, or `._`, which the crate refuses
    /// behind anything but a word.
    Refused,
    End,
}

/// A cursor over the crate's tokens of a text.
#[derive(Debug)]
pub struct Pieces<'a> {
    text: &'a str,
    here: Place,
    /// Where the piece that was taken last ends; what is taken next starts there.
    taken: Place,
    /// The tokens of the window, those before `next` taken out.
    tokens: Vec<TokenWithSpan>,
    next: usize,
    window_start: Position,
    window: usize,
}

impl<'a> Pieces<'a> {
    pub fn new(text: &'a str, start: Position) -> Self {
        let here = Place {
            offset: 0,
            position: start,
        };
        Pieces {
            text,
            here,
            taken: here,
            tokens: Vec::new(),
            next: 0,
            window_start: start,
            window: FIRST_WINDOW,
        }
    }

    /// Where the lexeme that is being read starts.
    pub fn here(&self) -> Place {
        self.here
    }

    /// The byte offset behind the piece that was taken last.
    pub fn taken(&self) -> usize {
        self.taken.offset
    }

    /// Takes the next piece. The cursor stays in front of it until [`Self::go_to`].
    pub fn take(&mut self) -> Piece {
        self.take_string(false)
    }

    /// Takes the next piece, known to be a string with backslash escapes or without.
    pub fn take_string(&mut self, escapes: bool) -> Piece {
        if self.next == self.tokens.len() {
            if self.taken.offset == self.text.len() {
                return Piece::End;
            }
            if !self.fill(escapes) {
                return Piece::Refused;
            }
        }
        let taken = &mut self.tokens[self.next];
        let token = std::mem::replace(&mut taken.token, Token::EOF);
        let end = taken.span.end;
        self.next += 1;
        self.taken = self.place_of(end);
        Piece::Token(token)
    }

    /// Moves the cursor to `end`, which lies behind it: as a rule where the last piece ends, else
    /// before or behind that, where PostgreSQL ends the lexeme.
    pub fn go_to(&mut self, end: usize) {
        while self.taken.offset < end && self.next < self.tokens.len() {
            self.taken = self.place_of(self.tokens[self.next].span.end);
            self.next += 1;
        }
        if self.taken.offset == end {
            self.here = self.taken;
            return;
        }
        if self.taken.offset < end {
            self.here = self.taken;
        }
        let bytes = self.text.as_bytes();
        while self.here.offset < end {
            self.here.step(bytes[self.here.offset]);
        }
        self.restart();
    }

    /// Forgets the window: what follows the cursor is tokenized anew.
    pub fn restart(&mut self) {
        self.taken = self.here;
        self.tokens.clear();
        self.next = 0;
        self.window = FIRST_WINDOW;
    }

    /// Tokenizes the next window; `false` when there is no token at its start.
    fn fill(&mut self, escapes: bool) -> bool {
        self.tokens.clear();
        self.next = 0;
        self.window_start = self.taken.position;
        let rest = &self.text[self.taken.offset..];
        let mut length = self.window;
        self.window = LARGEST_WINDOW.min(2 * length);
        loop {
            let window = &rest[..rest.floor_char_boundary(length)];
            let dialect = TuplescopeDialect::new(escapes);
            let mut tokenizer = Tokenizer::new(&dialect, window).with_unescape(false);
            let notice = |token: TokenWithSpan| {
                dialect.notice(&token.token);
                token
            };
            let tokens = &mut self.tokens;
            let read = tokenizer.tokenize_with_location_into_buf_with_mapper(tokens, notice);
            let whole = window.len() == rest.len();
            if !whole && read.is_ok() {
                tokens.truncate(tokens.len().saturating_sub(UNSURE_TOKENS));
            }
            if !tokens.is_empty() {
                return true;
            }
            if whole || (read.is_err() && rest.starts_with('.')) {
                return false;
            }
            length *= 2;
        }
    }

    /// The place of a location in the window that lies behind the last taken piece.
    fn place_of(&self, location: Location) -> Place {
        let start = self.window_start;
        let line = start.line + location.line as u32 - 1;
        let column = match location.line {
            1 => start.column + location.column as u32 - 1,
            _ => location.column as u32,
        };
        let target = Position { line, column };
        let mut place = self.taken;
        let bytes = self.text.as_bytes();
        if place.position.line == line {
            let length = (column - place.position.column) as usize;
            let end = place.offset + length;
            if bytes.get(place.offset..end).is_some_and(<[u8]>::is_ascii) {
                return Place {
                    offset: end,
                    position: target,
                };
            }
        }
        while place.position != target && place.offset < bytes.len() {
            place.step(bytes[place.offset]);
        }
        place
    }
}
