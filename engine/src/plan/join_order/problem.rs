//! A FROM clause taken apart (`deconstruct_jointree` and `distribute_qual_to_rels` of `initsplan.c`):
//! the items it joins, the joins that are not free to move, and for each condition how many of the
//! items must be joined before it can be tested.

use super::class::{Classes, equals};
use super::clause::{Clause, Equality, equality_of};
use super::set::{ItemSet, MOST_ITEMS};
use super::special::{SpecialJoin, Written, delay};
use crate::bind::{Expr, From, JoinKind};
use crate::error::{Error, Result};
use crate::plan::cost::Cost;
use crate::plan::outer_joins::nonnullable;
use crate::plan::planner::Planner;
use crate::plan::quals::Qual;
use crate::plan::walk::{Rels, is_volatile, rels_of};

/// A FROM clause to be joined.
pub(super) struct Problem {
    /// The range-table entries.
    pub items: Vec<usize>,
    pub specials: Vec<SpecialJoin>,
    pub clauses: Vec<Clause>,
    /// Each item's own conditions.
    pub own: Vec<Vec<Expr>>,
}

/// A condition on its way to its place.
struct Placed {
    expr: Expr,
    required: ItemSet,
    pushed_down: bool,
}

/// What a part of the join tree holds.
#[derive(Clone, Copy)]
struct Part {
    items: ItemSet,
    /// Those below inner joins.
    inner_joined: ItemSet,
}

/// An equality of an outer join's condition that may tell its nullable side a constant.
struct OuterEquality {
    outer: Expr,
    inner: Expr,
    inner_items: ItemSet,
}

struct Deconstruction<'p, 'a> {
    planner: &'p Planner<'a>,
    items: Vec<usize>,
    specials: Vec<SpecialJoin>,
    placed: Vec<Placed>,
    classes: Classes,
    outer_equalities: Vec<OuterEquality>,
}

impl Problem {
    /// Errors: 0A000 for more items than can be joined.
    pub fn new(planner: &Planner<'_>, from: From, conditions: Vec<Qual>) -> Result<Problem> {
        let mut parts = Deconstruction {
            planner,
            items: Vec::new(),
            specials: Vec::new(),
            placed: Vec::new(),
            classes: Classes::default(),
            outer_equalities: Vec::new(),
        };
        list_items(&from, &mut parts.items);
        if parts.items.len() > MOST_ITEMS {
            return Err(Error::unsupported(format!(
                "more than {MOST_ITEMS} relations in one FROM clause"
            )));
        }
        let whole = parts.deconstruct(from, false);
        for qual in conditions {
            parts.place(qual, whole.items, false);
        }
        Ok(parts.finish())
    }
}

fn list_items(from: &From, items: &mut Vec<usize>) {
    match from {
        From::Entry(rel) => items.push(*rel),
        From::Join { left, right, .. } => {
            list_items(left, items);
            list_items(right, items);
        }
    }
}

impl Deconstruction<'_, '_> {
    fn set_of(&self, rels: &Rels) -> ItemSet {
        let mut set = ItemSet::EMPTY;
        for rel in rels.iter() {
            if let Some(item) = self.items.iter().position(|&known| known == rel) {
                set.insert(item);
            }
        }
        set
    }

    /// `nullable`: an outer join above may fill the part's columns with NULLs.
    fn deconstruct(&mut self, from: From, nullable: bool) -> Part {
        let (kind, left, right, on) = match from {
            From::Entry(rel) => {
                return Part {
                    items: self.set_of(&Rels::of(rel)),
                    inner_joined: ItemSet::EMPTY,
                };
            }
            From::Join {
                kind,
                left,
                right,
                on,
            } => (kind, left, right, on),
        };
        let (null_left, null_right) = match kind {
            JoinKind::Inner | JoinKind::Semi => (nullable, nullable),
            JoinKind::Left | JoinKind::Anti => (nullable, true),
            JoinKind::Full => (true, true),
        };
        let below = self.specials.len();
        let left = self.deconstruct(*left, null_left);
        let right = self.deconstruct(*right, null_right);
        let items = left.items.union(right.items);
        let quals = on.map_or_else(Vec::new, |on| self.planner.quals(on));
        if kind == JoinKind::Inner {
            for qual in quals {
                self.place(qual, items, nullable);
            }
            return Part {
                items,
                inner_joined: items,
            };
        }
        let (mut named, mut strict) = (ItemSet::EMPTY, ItemSet::EMPTY);
        for qual in &quals {
            named = named.union(self.set_of(&qual.rels));
            strict = strict.union(self.set_of(&nonnullable(&qual.expr, true)));
        }
        let inner_joined = left.inner_joined.union(right.inner_joined);
        let written = Written {
            kind,
            left: left.items,
            right: right.items,
            inner_joined,
            named,
            strict,
        };
        let special = SpecialJoin::new(written, &self.specials[below..]);
        for qual in quals {
            match kind {
                // What must hold of a match holds of the rows given.
                JoinKind::Semi => self.place(qual, items, nullable),
                _ => self.place_own(qual, &special),
            }
        }
        self.specials.push(special);
        Part {
            items,
            inner_joined,
        }
    }

    /// A condition that rows must meet. `whole`: the items around the place where it is written.
    fn place(&mut self, qual: Qual, whole: ItemSet, nullable: bool) {
        let Qual { expr, rels } = qual;
        let mut required = self.set_of(&rels);
        if required.is_empty() {
            required = whole;
        }
        let delayed = delay(&mut required, &mut self.specials, true);
        if !delayed && !nullable && self.becomes_class(&expr) {
            return;
        }
        self.placed.push(Placed {
            expr,
            required,
            pushed_down: true,
        });
    }

    /// A condition of an outer join's ON.
    fn place_own(&mut self, qual: Qual, special: &SpecialJoin) {
        let Qual { expr, rels } = qual;
        let mut required = self.set_of(&rels);
        let decides = required.overlaps(special.written_left) || special.kind == JoinKind::Full;
        if required.is_empty() || decides {
            self.note_outer_equality(&expr, special);
            self.placed.push(Placed {
                expr,
                required: special.both(),
                pushed_down: false,
            });
            return;
        }
        // It names the nullable side only, and decides which of its rows there are to match.
        delay(&mut required, &mut self.specials, true);
        self.placed.push(Placed {
            expr,
            required,
            pushed_down: true,
        });
    }

    fn becomes_class(&mut self, expr: &Expr) -> bool {
        if self.planner.has_pending(expr) || is_volatile(expr) {
            return false;
        }
        let mut classes = std::mem::take(&mut self.classes);
        let items = |expr: &Expr| Some(self.set_of(&rels_of(expr)));
        let added = classes.add(self.planner, expr, &items);
        self.classes = classes;
        added
    }

    fn note_outer_equality(&mut self, expr: &Expr, special: &SpecialJoin) {
        if self.planner.has_pending(expr) || special.kind == JoinKind::Full {
            return;
        }
        let Some((left, right, _)) = equality_of(expr) else {
            return;
        };
        for (outer, inner) in [(left, right), (right, left)] {
            let (o, i) = (self.set_of(&rels_of(outer)), self.set_of(&rels_of(inner)));
            if !o.is_empty()
                && o.is_subset(special.written_left)
                && i.len() == 1
                && i.is_subset(special.written_right)
            {
                self.outer_equalities.push(OuterEquality {
                    outer: outer.clone(),
                    inner: inner.clone(),
                    inner_items: i,
                });
            }
        }
    }

    /// `reconsider_outer_join_clauses`: rows of the nullable side that do not have the constant that
    /// the other side must have match nothing.
    fn tell_constants(&mut self) {
        for OuterEquality {
            outer,
            inner,
            inner_items,
        } in std::mem::take(&mut self.outer_equalities)
        {
            let derived = self
                .classes
                .constant_of(&outer)
                .and_then(|constant| equals(self.planner, &inner, constant));
            if let Some(expr) = derived {
                // The side's own outer joins are below; only what is not nullable there is told.
                if self.is_plain_in_side(inner_items) {
                    self.placed.push(Placed {
                        expr,
                        required: inner_items,
                        pushed_down: true,
                    });
                }
            }
        }
    }

    /// No more than one outer join may fill the item with NULLs.
    fn is_plain_in_side(&self, item: ItemSet) -> bool {
        let over = |join: &&SpecialJoin| item.overlaps(join.written_right);
        self.specials.iter().filter(over).count() == 1
    }

    /// The semi joins on whose right side one of the two is, and the other is not.
    fn hiding(&self, left: ItemSet, right: ItemSet) -> Vec<usize> {
        let hides = |join: &SpecialJoin| {
            let within = |side: ItemSet| side.overlaps(join.written_right);
            join.kind == JoinKind::Semi && within(left) != within(right)
        };
        let joins = self.specials.iter().enumerate();
        joins
            .filter(|(_, join)| hides(join))
            .map(|(number, _)| number)
            .collect()
    }

    fn finish(mut self) -> Problem {
        self.tell_constants();
        let derived = self.classes.derive(self.planner);
        let mut own: Vec<Vec<Expr>> = self.items.iter().map(|_| Vec::new()).collect();
        let mut clauses = Vec::new();
        for derived in derived {
            let required = derived.left.union(derived.right);
            match required.only() {
                Some(item) => own[item].push(derived.expr),
                None => clauses.push(Clause {
                    cost: Cost::of(&derived.expr, self.planner),
                    expr: derived.expr,
                    required,
                    pushed_down: true,
                    pending: false,
                    equality: Some(Equality {
                        left: derived.left,
                        right: derived.right,
                    }),
                    class: Some(derived.class),
                    hidden_after: self.hiding(derived.left, derived.right),
                    selectivity: 1.0,
                }),
            }
        }
        for Placed {
            expr,
            required,
            pushed_down,
        } in std::mem::take(&mut self.placed)
        {
            if pushed_down && let Some(item) = required.only() {
                own[item].push(expr);
                continue;
            }
            let pending = self.planner.has_pending(&expr);
            let sides = if pending { None } else { equality_of(&expr) };
            let equality = sides.and_then(|(left, right, _)| {
                let (left, right) = (self.set_of(&rels_of(left)), self.set_of(&rels_of(right)));
                let usable = !left.is_empty() && !right.is_empty() && !left.overlaps(right);
                usable.then_some(Equality { left, right })
            });
            clauses.push(Clause {
                cost: Cost::of(&expr, self.planner),
                expr,
                required,
                pushed_down,
                pending,
                equality,
                class: None,
                hidden_after: Vec::new(),
                selectivity: 1.0,
            });
        }
        Problem {
            items: self.items,
            specials: self.specials,
            clauses,
            own,
        }
    }
}
