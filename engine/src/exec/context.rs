//! What operators work with, besides their input: lent by the session for one execution.

use std::rc::Rc;

use crate::am::{AmCtx, ScanCounters};
use crate::expr::{EvalCounters, EvalCx, Params, Random};
use crate::memory::Memory;
use crate::settings::{Driver, Settings, Timing};
use crate::storage::{Snapshot, Transactions};
use crate::work::Work;

/// A setting's value as text.
type SettingLookup = dyn Fn(&str) -> Option<String>;

/// The context of an execution.
pub struct ExecCx {
    /// Rows handed from node to node at most (`batch_rows`).
    pub batch_rows: usize,
    pub driver: Driver,
    pub timing: Timing,
    pub params: Params,
    /// Of the current slice; operators spend it, the driver renews it.
    pub work: Work,
    pub memory: Memory,
    pub snapshot: Snapshot,
    pub transactions: Rc<Transactions>,
    /// The statement's timestamp: microseconds since 2000-01-01.
    pub now: i64,
    pub random: Random,
    /// `current_setting(name)`
    setting: Box<SettingLookup>,
}

impl ExecCx {
    /// The settings are those of now: a later SET does not reach a running statement.
    pub fn new(
        settings: &Settings,
        memory: &Memory,
        snapshot: Snapshot,
        transactions: Rc<Transactions>,
    ) -> Self {
        let kept = settings.clone();
        ExecCx {
            batch_rows: settings.batch_rows(),
            driver: settings.driver(),
            timing: settings.timing(),
            params: Params::default(),
            work: Work::default(),
            memory: memory.clone(),
            snapshot,
            transactions,
            now: 0,
            random: Random::from_seed(0),
            setting: Box::new(move |name| kept.show(name).ok()),
        }
    }

    /// The statement's timestamp (microseconds since 2000-01-01) and the session's random state,
    /// which the caller takes back from `random` afterwards.
    pub fn with_host(mut self, now: i64, random: Random) -> Self {
        self.now = now;
        self.random = random;
        self
    }

    /// What expressions are evaluated with.
    #[inline]
    pub fn eval<'a>(&'a mut self, counters: &'a mut EvalCounters) -> EvalCx<'a> {
        EvalCx {
            params: &self.params,
            counters,
            now: self.now,
            random: &mut self.random,
            setting: &*self.setting,
            work: &mut self.work,
            memory: &self.memory,
        }
    }

    /// What an access method is called with.
    #[inline]
    pub fn am<'a>(&'a mut self, counters: &'a mut ScanCounters) -> AmCtx<'a> {
        AmCtx {
            snapshot: self.snapshot,
            transactions: &self.transactions,
            counters,
            work: &mut self.work,
        }
    }
}
