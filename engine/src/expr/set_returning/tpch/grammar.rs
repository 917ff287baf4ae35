//! The sentences of TPC-H's text pool (specification clause 4.2.2.14, dbgen's `text.c`): a grammar
//! with weighted choices, drawn from one stream of random numbers.
//!
//! A sentence is kept as one byte a word. Words are written with the blank before them, so that
//! texts are words one after the other; the pool's first word has a blank too many.

use tpchgen::distribution::{Distribution, Distributions};

/// A word's number in the vocabulary.
pub(super) type Word = u8;

/// The random numbers of dbgen: a multiplicative congruential generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lehmer(u32);

impl Lehmer {
    const MULTIPLIER: u64 = 16_807;
    const MODULUS: u32 = 0x7FFF_FFFF;

    pub fn new(seed: u32) -> Self {
        Lehmer(seed)
    }

    /// The number that the next one is made from.
    #[cfg(test)]
    pub fn seed(self) -> u32 {
        self.0
    }

    fn next(&mut self) -> u32 {
        // The modulus is 2^31 - 1: what is above 31 bits is worth as much below them.
        let product = u64::from(self.0) * Self::MULTIPLIER;
        let folded = (product & u64::from(Self::MODULUS)) as u32 + (product >> 31) as u32;
        self.0 = if folded >= Self::MODULUS {
            folded - Self::MODULUS
        } else {
            folded
        };
        self.0
    }
}

/// A weighted choice: as many places as weights in all, each with the number that is drawn.
struct Choice {
    places: Vec<u8>,
    range: f64,
}

impl Choice {
    /// Numbers the values from `first` on.
    fn new(distribution: &Distribution, first: usize) -> Choice {
        let mut places = Vec::new();
        for index in 0..distribution.size() {
            let end = usize::try_from(distribution.get_weight(index)).unwrap_or(0);
            places.resize(end.max(places.len()), (first + index) as u8);
        }
        Choice {
            range: places.len() as f64,
            places,
        }
    }

    #[inline]
    fn draw(&self, random: &mut Lehmer) -> u8 {
        let place = f64::from(random.next()) / f64::from(Lehmer::MODULUS) * self.range;
        self.places[(place as usize).min(self.places.len() - 1)]
    }
}

/// A part of a phrase.
#[derive(Clone, Copy)]
enum Part {
    Draw(usize),
    Comma,
}

/// Kinds of words, as places in [`Grammar::words`].
const NOUNS: usize = 0;
const VERBS: usize = 1;
const ADJECTIVES: usize = 2;
const ADVERBS: usize = 3;
const ARTICLES: usize = 4;
const PREPOSITIONS: usize = 5;
const AUXILIARIES: usize = 6;
const TERMINATORS: usize = 7;

/// A part of a sentence.
#[derive(Clone, Copy)]
enum Clause {
    Noun,
    Verb,
    Preposition,
    Terminator,
}

/// A drawn phrase structure, as `J, J N`.
struct Phrases {
    choice: Choice,
    forms: Vec<Vec<Part>>,
}

impl Phrases {
    fn new(distribution: &Distribution) -> Phrases {
        let form = |text: &&str| {
            let parts = text.bytes().filter_map(|letter| {
                Some(match letter {
                    b'N' => Part::Draw(NOUNS),
                    b'V' => Part::Draw(VERBS),
                    b'J' => Part::Draw(ADJECTIVES),
                    b'D' => Part::Draw(ADVERBS),
                    b'A' => Part::Draw(ARTICLES),
                    b'X' => Part::Draw(AUXILIARIES),
                    b',' => Part::Comma,
                    _ => return None,
                })
            });
            parts.collect()
        };
        Phrases {
            choice: Choice::new(distribution, 0),
            forms: distribution.get_values().iter().map(form).collect(),
        }
    }
}

pub(super) struct Grammar {
    sentences: Choice,
    clauses: Vec<Vec<Clause>>,
    noun_phrases: Phrases,
    verb_phrases: Phrases,
    words: Vec<Choice>,
    comma: Word,
    /// All words, one after the other, and where each begins.
    vocabulary: Vec<u8>,
    starts: Vec<u16>,
}

impl Grammar {
    pub fn new(distributions: &Distributions) -> Grammar {
        let kinds = [
            distributions.nouns(),
            distributions.verbs(),
            distributions.adjectives(),
            distributions.adverbs(),
            distributions.articles(),
            distributions.prepositions(),
            distributions.auxiliaries(),
            distributions.terminators(),
        ];
        let (mut vocabulary, mut starts, mut words) = (Vec::new(), vec![0u16], Vec::new());
        for (kind, distribution) in kinds.iter().enumerate() {
            words.push(Choice::new(distribution, starts.len() - 1));
            for word in distribution.get_values() {
                // A sentence's end follows its last word at once.
                if kind != TERMINATORS {
                    vocabulary.push(b' ');
                }
                vocabulary.extend_from_slice(word.as_bytes());
                if kind == PREPOSITIONS {
                    vocabulary.extend_from_slice(b" the");
                }
                starts.push(vocabulary.len() as u16);
            }
        }
        let comma = (starts.len() - 1) as Word;
        vocabulary.push(b',');
        starts.push(vocabulary.len() as u16);
        let clauses = |text: &&str| {
            let clauses = text.bytes().filter_map(|letter| {
                Some(match letter {
                    b'N' => Clause::Noun,
                    b'V' => Clause::Verb,
                    b'P' => Clause::Preposition,
                    b'T' => Clause::Terminator,
                    _ => return None,
                })
            });
            clauses.collect()
        };
        let grammar = distributions.grammar();
        Grammar {
            sentences: Choice::new(grammar, 0),
            clauses: grammar.get_values().iter().map(clauses).collect(),
            noun_phrases: Phrases::new(distributions.noun_phrase()),
            verb_phrases: Phrases::new(distributions.verb_phrase()),
            words,
            comma,
            vocabulary,
            starts,
        }
    }

    /// A word with the blank before it.
    #[inline]
    pub fn text(&self, word: Word) -> &[u8] {
        let word = usize::from(word);
        &self.vocabulary[usize::from(self.starts[word])..usize::from(self.starts[word + 1])]
    }

    #[inline]
    pub fn length(&self, word: Word) -> u32 {
        let word = usize::from(word);
        u32::from(self.starts[word + 1] - self.starts[word])
    }

    /// Appends the next sentence; answers its length in bytes of text.
    pub fn sentence(&self, random: &mut Lehmer, out: &mut Vec<Word>) -> u32 {
        let first = out.len();
        let sentence = usize::from(self.sentences.draw(random));
        for clause in &self.clauses[sentence] {
            match clause {
                Clause::Noun => self.phrase(&self.noun_phrases, random, out),
                Clause::Verb => self.phrase(&self.verb_phrases, random, out),
                Clause::Preposition => {
                    out.push(self.words[PREPOSITIONS].draw(random));
                    self.phrase(&self.noun_phrases, random, out);
                }
                Clause::Terminator => out.push(self.words[TERMINATORS].draw(random)),
            }
        }
        out[first..].iter().map(|&word| self.length(word)).sum()
    }

    fn phrase(&self, phrases: &Phrases, random: &mut Lehmer, out: &mut Vec<Word>) {
        let form = usize::from(phrases.choice.draw(random));
        for part in &phrases.forms[form] {
            out.push(match *part {
                Part::Draw(kind) => self.words[kind].draw(random),
                Part::Comma => self.comma,
            });
        }
    }
}
