//! What a join gives (PostgreSQL's `JoinType` in `nodes.h`).

use crate::bind::JoinKind;

/// Which rows a join node gives, and of which side.
///
/// The right kinds are their left twins with the sides exchanged. A node's own rows are the outer
/// side's columns, then the inner side's, but for the semi and anti kinds, which give those of one
/// side only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JoinType {
    /// Pairs that match.
    Inner,
    /// Pairs that match, and outer rows without a match.
    Left,
    /// Pairs that match, and inner rows without a match.
    Right,
    /// Pairs that match, and rows of either side without a match.
    Full,
    /// Outer rows that have a match, each once.
    Semi,
    /// Outer rows that have no match.
    Anti,
    /// Inner rows that have a match, each once.
    RightSemi,
    /// Inner rows that have no match.
    RightAnti,
    /// Outer rows for which every comparison with an inner row is false, not merely NULL (NOT IN).
    NullAwareAnti,
}

#[cfg(test)]
impl JoinType {
    pub(crate) const ALL: [JoinType; 9] = {
        use JoinType::*;
        [
            Inner,
            Left,
            Right,
            Full,
            Semi,
            Anti,
            RightSemi,
            RightAnti,
            NullAwareAnti,
        ]
    };
}

impl JoinType {
    /// The outer side's columns are among the node's own.
    pub fn gives_outer(self) -> bool {
        !matches!(self, JoinType::RightSemi | JoinType::RightAnti)
    }

    /// The inner side's columns are among the node's own.
    pub fn gives_inner(self) -> bool {
        !matches!(
            self,
            JoinType::Semi | JoinType::Anti | JoinType::NullAwareAnti
        )
    }

    /// Outer rows without a match are given.
    pub fn keeps_outer(self) -> bool {
        matches!(
            self,
            JoinType::Left | JoinType::Full | JoinType::Anti | JoinType::NullAwareAnti
        )
    }

    /// Inner rows without a match are given.
    pub fn keeps_inner(self) -> bool {
        matches!(self, JoinType::Right | JoinType::Full | JoinType::RightAnti)
    }

    /// An outer row's first match decides about it; no further one is looked for.
    pub fn first_match_decides(self) -> bool {
        matches!(
            self,
            JoinType::Semi | JoinType::Anti | JoinType::NullAwareAnti
        )
    }

    /// As JSON's `Join Type` names it.
    pub fn name(self) -> &'static str {
        match self {
            JoinType::Inner => "Inner",
            JoinType::Left => "Left",
            JoinType::Right => "Right",
            JoinType::Full => "Full",
            JoinType::Semi => "Semi",
            JoinType::Anti => "Anti",
            JoinType::RightSemi => "Right Semi",
            JoinType::RightAnti => "Right Anti",
            JoinType::NullAwareAnti => "Null-Aware Anti",
        }
    }
}

impl From<JoinKind> for JoinType {
    fn from(kind: JoinKind) -> Self {
        match kind {
            JoinKind::Inner => JoinType::Inner,
            JoinKind::Left => JoinType::Left,
            JoinKind::Full => JoinType::Full,
            JoinKind::Semi => JoinType::Semi,
            JoinKind::Anti => JoinType::Anti,
        }
    }
}
