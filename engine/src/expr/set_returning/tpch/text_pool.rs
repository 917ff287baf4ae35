//! TPC-H's text pool: 300 MiB of sentences, of which every comment is a piece.
//!
//! dbgen makes the pool before the first row. Here the pool is cut into segments of 1 MiB whose
//! first random number is known (`checkpoints.rs`): a segment is made when a comment first needs it,
//! which takes about a millisecond, and kept as one byte a word, a seventh of its text. So no step
//! is long, small tables need little of the pool, and all of it takes 45 MB; it is given back with
//! the pool.

use std::rc::Rc;

use super::checkpoints::CHECKPOINTS;
use super::grammar::{Grammar, Lehmer, Word};
use crate::error::Result;
use crate::memory::{Holding, Memory};
use crate::work::Work;

/// Bytes of the whole pool.
pub(super) const POOL_SIZE: i32 = 300 << 20;
pub(super) const SEGMENT_SIZE: u32 = 1 << 20;
/// Words between two places that the index of a segment knows.
const STRIDE: usize = 64;
/// Words made for one unit of work.
const WORDS_A_UNIT: usize = 2;

/// Where the first sentence of a segment begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Checkpoint {
    /// The random number before it.
    pub seed: u32,
    /// Bytes from the segment's start.
    pub offset: u16,
}

struct Segment {
    words: Vec<Word>,
    /// Where every 64th word begins, in bytes from the segment's first sentence.
    index: Vec<u32>,
}

pub(super) struct TextPool {
    grammar: Rc<Grammar>,
    segments: Vec<Option<Segment>>,
    holding: Holding,
}

impl TextPool {
    pub fn new(grammar: Rc<Grammar>, memory: &Memory) -> TextPool {
        let mut segments = Vec::new();
        segments.resize_with(CHECKPOINTS.len(), || None);
        TextPool {
            grammar,
            segments,
            holding: memory.holding(),
        }
    }

    /// Appends the pool's bytes from `start` on. Errors: 53200.
    pub fn append(
        &mut self,
        start: u32,
        length: u32,
        work: &mut Work,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        // Words have their blanks before them, which moves all by one.
        let (mut at, end) = (start + 1, start + 1 + length);
        while at < end {
            let number = segment_of(at);
            let segment = self.segment(number, work)?;
            let base = start_of(number);
            let wanted = (at - base)..(end - base);
            let before = out.len();
            append_from(segment.0, &segment.1, wanted, out);
            at += (out.len() - before) as u32;
        }
        Ok(())
    }

    fn segment(&mut self, number: usize, work: &mut Work) -> Result<(&Segment, Rc<Grammar>)> {
        let grammar = Rc::clone(&self.grammar);
        if self.segments[number].is_none() {
            let made = make_segment(&grammar, number);
            work.spend((made.words.len() / WORDS_A_UNIT) as u32);
            let bytes = made.words.len() as u64 + made.index.len() as u64 * 4;
            self.holding.grow(bytes)?;
            self.segments[number] = Some(made);
        }
        match &self.segments[number] {
            Some(segment) => Ok((segment, grammar)),
            None => unreachable!("made above"),
        }
    }
}

/// Where a segment's first sentence begins, in bytes of the pool.
fn start_of(number: usize) -> u32 {
    number as u32 * SEGMENT_SIZE + u32::from(CHECKPOINTS[number].offset)
}

/// The segment whose sentences a byte belongs to.
fn segment_of(at: u32) -> usize {
    let number = ((at / SEGMENT_SIZE) as usize).min(CHECKPOINTS.len() - 1);
    // The last sentence of a segment may reach into the next one.
    if at < start_of(number) {
        number - 1
    } else {
        number
    }
}

fn make_segment(grammar: &Grammar, number: usize) -> Segment {
    let mut random = Lehmer::new(CHECKPOINTS[number].seed);
    let end = match CHECKPOINTS.get(number + 1) {
        Some(_) => start_of(number + 1),
        // A comment may begin at the pool's last bytes, and its words lie one byte further.
        None => POOL_SIZE as u32 + 1,
    };
    let length = end - start_of(number);
    let mut words = Vec::with_capacity((SEGMENT_SIZE / 6) as usize);
    let mut made = 0;
    while made < length {
        made += grammar.sentence(&mut random, &mut words);
    }
    words.shrink_to_fit();
    let mut at = 0;
    let mut index = Vec::with_capacity(words.len() / STRIDE + 1);
    for stride in words.chunks(STRIDE) {
        index.push(at);
        at += stride.iter().map(|&word| grammar.length(word)).sum::<u32>();
    }
    Segment { words, index }
}

/// Appends the wanted bytes, as far as the segment has them.
fn append_from(
    segment: &Segment,
    grammar: &Grammar,
    wanted: std::ops::Range<u32>,
    out: &mut Vec<u8>,
) {
    let place = segment.index.partition_point(|&at| at <= wanted.start) - 1;
    let mut at = segment.index[place];
    for &word in &segment.words[place * STRIDE..] {
        if at >= wanted.end {
            break;
        }
        let text = grammar.text(word);
        let end = at + text.len() as u32;
        if end > wanted.start {
            let from = wanted.start.saturating_sub(at) as usize;
            let to = (wanted.end.min(end) - at) as usize;
            out.extend_from_slice(&text[from..to]);
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tpchgen::distribution::Distributions;

    /// Makes the whole pool as dbgen does, one sentence after the other. Where the table is not what
    /// this gives, the failure shows what it should be.
    #[test]
    fn checkpoints_are_where_the_pool_passes() {
        let grammar = Grammar::new(Distributions::static_default());
        let (mut random, mut words) = (Lehmer::new(933_588_178), Vec::new());
        let mut found = Vec::new();
        let mut at = 0u32;
        while at < POOL_SIZE as u32 {
            if at >= found.len() as u32 * SEGMENT_SIZE {
                found.push(Checkpoint {
                    seed: random.seed(),
                    offset: (at - found.len() as u32 * SEGMENT_SIZE) as u16,
                });
            }
            words.clear();
            at += grammar.sentence(&mut random, &mut words);
        }
        let shown: Vec<String> = found
            .iter()
            .map(|point| format!("    ({}, {}),", point.seed, point.offset))
            .collect();
        assert!(found[..] == CHECKPOINTS[..], "{}", shown.join("\n"));
    }

    #[test]
    fn memory_is_asked_for_and_given_back() {
        let grammar = Rc::new(Grammar::new(Distributions::static_default()));
        let memory = Memory::with_limit(400_000);
        let mut pool = TextPool::new(grammar, &memory);
        let (mut work, mut out) = (Work::default(), Vec::new());
        pool.append(5_000, 20, &mut work, &mut out).unwrap();
        assert!(out.len() == 20 && memory.used() > 100_000);
        assert!(work.left() < Work::DEFAULT_ALLOWANCE);
        pool.append(5_000_000, 20, &mut work, &mut out).unwrap();
        let error = pool
            .append(15_000_000, 20, &mut work, &mut out)
            .expect_err("too much");
        assert_eq!(error.sqlstate, "53200");
        drop(pool);
        assert_eq!(memory.used(), 0);
    }
}
