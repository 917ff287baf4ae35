//! Joins as the naive evaluator makes them.

use crate::bind::Expr;
use crate::plan::{HashKey, JoinType, MergeKey, PlanNode};

use super::{Failure, Reference, Row, Stream, Value, stream};

/// A join at work: its inner rows, and which of them have a match.
pub struct Join<'a> {
    pub kind: JoinType,
    pub filter: &'a Option<Expr>,
    pub width: usize,
    pub inner: &'a [Row],
    pub matched: Vec<bool>,
}

/// The rows of a table whose keys match; for NOT IN, first those that do, then those that may.
fn matches(kind: JoinType, values: &Row, table: &[Row]) -> Vec<usize> {
    let known = |row: &Row| row.iter().all(Option::is_some);
    let rows =
        |test: &dyn Fn(&Row) -> bool| (0..table.len()).filter(|&at| test(&table[at])).collect();
    let mut found: Vec<usize> = rows(&|theirs| known(values) && theirs == values);
    if kind == JoinType::NullAwareAnti {
        let may = |theirs: &Row| {
            let differs = |(a, b): (&Value, &Value)| a.is_some() && b.is_some() && a != b;
            let matches = known(values) && known(theirs);
            !matches && !values.iter().zip(theirs).any(differs)
        };
        found.extend::<Vec<usize>>(rows(&may));
    }
    found
}

impl Reference<'_> {
    /// Joins one outer row with inner rows, in their order.
    pub fn join(
        &self,
        outer: &Row,
        candidates: Vec<usize>,
        failure: Option<Failure>,
        join: &mut Join<'_>,
        out: &mut Vec<Row>,
    ) -> Result<(), Failure> {
        let kind = join.kind;
        let mut matched = false;
        for at in candidates {
            if matches!(kind, JoinType::RightSemi | JoinType::RightAnti) && join.matched[at] {
                continue;
            }
            let joined: Row = outer.iter().chain(&join.inner[at]).copied().collect();
            let passes = match join.filter {
                Some(filter) => self.passes(filter, &joined)?,
                None => true,
            };
            if !passes {
                continue;
            }
            matched = true;
            join.matched[at] = true;
            match kind {
                JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => {
                    out.push(joined);
                }
                JoinType::Semi => {
                    out.push(outer.clone());
                    return Ok(());
                }
                JoinType::Anti | JoinType::NullAwareAnti => return Ok(()),
                JoinType::RightSemi => out.push(join.inner[at].clone()),
                JoinType::RightAnti => {}
            }
        }
        failure.map_or(Ok(()), Err)?;
        if kind.keeps_outer() && !matched {
            let nulls = if kind.gives_inner() { join.width } else { 0 };
            let nulls = std::iter::repeat_n(None, nulls);
            out.push(outer.iter().copied().chain(nulls).collect());
        }
        Ok(())
    }

    pub fn hash_join(
        &self,
        node: &PlanNode,
        kind: JoinType,
        keys: &[HashKey],
        join_filter: &Option<Expr>,
    ) -> Stream {
        let hash = &node.children[1].children[0];
        let inner = self.node(hash);
        // The build side's keys are computed, row by row, before its own failure shows.
        let (mut table, mut kept): (Vec<Row>, Vec<Row>) = Default::default();
        for row in inner.rows {
            match keys
                .iter()
                .map(|key| self.eval(&key.inner, &row))
                .collect::<Result<Row, _>>()
            {
                Ok(values) => {
                    table.push(values);
                    kept.push(row);
                }
                Err(failure) => {
                    return Stream {
                        rows: Vec::new(),
                        failure: Some(failure),
                    };
                }
            }
        }
        if inner.failure.is_some() {
            return Stream {
                rows: Vec::new(),
                failure: inner.failure,
            };
        }
        // A row with a NULL key makes an inner join no less empty.
        let counts = |values: &Row| kind.keeps_inner() || values.iter().all(Option::is_some);
        if !kind.keeps_outer() && !table.iter().any(counts) {
            return Stream {
                rows: Vec::new(),
                failure: None,
            };
        }
        let mut join = Join {
            kind,
            filter: join_filter,
            width: hash.output.len(),
            inner: &kept,
            matched: vec![false; kept.len()],
        };
        let outer_width = node.children[0].output.len();
        let mut joined = self.each(self.node(&node.children[0]), |outer, out| {
            let values = keys
                .iter()
                .map(|key| self.eval(&key.outer, &outer))
                .collect::<Result<Row, _>>()?;
            let candidates = matches(kind, &values, &table);
            self.join(&outer, candidates, None, &mut join, out)
        });
        if kind.keeps_inner() && joined.failure.is_none() {
            for (row, matched) in kept.iter().zip(&join.matched) {
                let outer = match kind.gives_outer() {
                    true => vec![None; outer_width],
                    false => Vec::new(),
                };
                if !matched {
                    joined
                        .rows
                        .push(outer.into_iter().chain(row.clone()).collect());
                }
            }
        }
        joined
    }

    /// Row by row on both sides, each read no further than is needed.
    pub fn merge_join(
        &self,
        node: &PlanNode,
        kind: JoinType,
        keys: &[MergeKey],
        filter: &Option<Expr>,
    ) -> Stream {
        let [outer, inner] = [0, 1].map(|side| self.node(&node.children[side]));
        let width = node.children[1].output.len();
        let read = |at: usize| -> Result<Option<Row>, Failure> {
            match (inner.rows.get(at), &inner.failure) {
                (Some(row), _) => keys
                    .iter()
                    .map(|key| self.eval(&key.inner, row))
                    .collect::<Result<Row, _>>()
                    .map(Some),
                (None, Some(failure)) => Err(failure.clone()),
                (None, None) => Ok(None),
            }
        };
        // `None`: nothing behind it matches either.
        let joinable = |values: &Row, keeps: bool| match values[0] {
            None if !keys[0].nulls_first && !keeps => None,
            _ => Some(values.iter().all(Option::is_some)),
        };
        let below = |a: &Row, b: &Row| {
            let differing = a.iter().zip(b).zip(keys).find(|((a, b), _)| a != b);
            differing.is_some_and(|((a, b), key)| (a < b) != key.descending)
        };
        let padded = |row: &Row| {
            let nulls = vec![None; node.children[0].output.len()];
            nulls
                .into_iter()
                .chain(row.iter().copied())
                .collect::<Row>()
        };
        stream(|out| {
            let mut join = Join {
                kind,
                filter,
                width,
                inner: &inner.rows,
                matched: vec![false; inner.rows.len()],
            };
            let (mut next, mut group, mut group_key) = (0, 0..0, Row::new());
            let mut all_read = true;
            for row in &outer.rows {
                let values = keys
                    .iter()
                    .map(|key| self.eval(&key.outer, row))
                    .collect::<Result<Row, _>>()?;
                match joinable(&values, kind.keeps_outer()) {
                    None if kind.keeps_inner() => {
                        all_read = false;
                        break;
                    }
                    None => return Ok(()),
                    Some(false) => {
                        self.join(row, Vec::new(), None, &mut join, out)?;
                        continue;
                    }
                    Some(true) => {}
                }
                if group.is_empty() || group_key != values {
                    for at in group.clone() {
                        if kind.keeps_inner() && !join.matched[at] {
                            out.push(padded(&inner.rows[at]));
                        }
                    }
                    group = 0..0;
                    loop {
                        let Some(theirs) = read(next)? else {
                            match kind.keeps_outer() {
                                true => break,
                                false => return Ok(()),
                            }
                        };
                        let skipped = match joinable(&theirs, kind.keeps_inner()) {
                            None if kind.keeps_outer() => break,
                            None => return Ok(()),
                            Some(joinable) => !joinable || below(&theirs, &values),
                        };
                        if skipped {
                            if kind.keeps_inner() {
                                out.push(padded(&inner.rows[next]));
                            }
                            next += 1;
                            continue;
                        }
                        if theirs == values {
                            let first = next;
                            next += 1;
                            while read(next)?.as_ref() == Some(&values) {
                                next += 1;
                            }
                            (group, group_key) = (first..next, values);
                        }
                        break;
                    }
                }
                self.join(row, group.clone().collect(), None, &mut join, out)?;
            }
            if let (true, Some(failure)) = (all_read, &outer.failure) {
                return Err(failure.clone());
            }
            if kind.keeps_inner() {
                for at in group {
                    if !join.matched[at] {
                        out.push(padded(&inner.rows[at]));
                    }
                }
                while read(next)?.is_some() {
                    out.push(padded(&inner.rows[next]));
                    next += 1;
                }
            }
            Ok(())
        })
    }
}
