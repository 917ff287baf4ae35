//! The counters of one operator, and what it tells of its inner life.

/// Kept by the driver, one for each operator of the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeCounters {
    /// How often it was started: once, and once more for each rescan after which it was stepped.
    pub loops: u64,
    pub steps: u64,
    pub rows_in: u64,
    pub batches_in: u64,
    pub rows_out: u64,
    pub batches_out: u64,
    /// Time spent in its steps; children run outside of them.
    pub own_ns: u64,
    /// Time spent in it and below it when its first row came out; `None` before that, and untimed.
    pub startup_ns: Option<u64>,
}

/// What an operator says of itself when asked; several operators of one plan node add up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperatorFacts {
    /// Rows that did not satisfy the node's filter.
    pub removed_by_filter: u64,
    /// Pairs of rows that satisfied a join's keys but not its join filter.
    pub removed_by_join_filter: u64,
    /// Conjuncts of filters evaluated, one a conjunct and row.
    pub qual_evaluations: u64,
    /// Rows on which a condition already tested by the access method was evaluated again.
    pub rows_rechecked: u64,
    /// For a table scan.
    pub scan: Option<ScanFacts>,
    /// Accounted bytes at the highest.
    pub peak_memory: u64,
    pub hash: Option<HashFacts>,
    pub sort: Option<SortFacts>,
    pub aggregate: Option<AggregateFacts>,
    pub memoize: Option<MemoizeFacts>,
    /// For an operator that hands its rows on by other means than batches (Hash): how many it got.
    pub kept_rows: Option<u64>,
    /// Rows changed, for ModifyTable.
    pub modified_rows: Option<u64>,
}

/// What a table's access method counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScanFacts {
    pub pages_read: u64,
    /// Pages not looked at because their summary or a NULL key rules them out.
    pub pages_skipped: u64,
    /// Tuples the snapshot sees.
    pub visible: u64,
    pub removed_by_keys: u64,
    /// Key tests made, one a key and tuple.
    pub key_evaluations: u64,
}

/// How far a table scan has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScanPages {
    pub done: u32,
    pub total: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HashFacts {
    pub buckets: u64,
    pub rows: u64,
    pub distinct_chains: u64,
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortMethod {
    /// In runs, then merged.
    Quicksort,
    TopN,
}

impl SortMethod {
    /// EXPLAIN's `Sort Method`.
    pub const fn name(self) -> &'static str {
        match self {
            SortMethod::Quicksort => "quicksort",
            SortMethod::TopN => "top-N heapsort",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortFacts {
    pub method: SortMethod,
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AggregateFacts {
    pub groups: u64,
    pub bytes: u64,
}

/// What a Memoize counted: PostgreSQL's `MemoizeInstrumentation`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoizeFacts {
    pub hits: u64,
    pub misses: u64,
    pub evictions: u64,
    /// Runs whose rows alone were past the limit.
    pub overflows: u64,
}

impl OperatorFacts {
    /// Adds what another operator of the same plan node says.
    pub fn merge(&mut self, other: OperatorFacts) {
        self.removed_by_filter += other.removed_by_filter;
        self.removed_by_join_filter += other.removed_by_join_filter;
        self.qual_evaluations += other.qual_evaluations;
        self.rows_rechecked += other.rows_rechecked;
        self.peak_memory += other.peak_memory;
        self.scan = self.scan.or(other.scan);
        self.hash = self.hash.or(other.hash);
        self.sort = self.sort.or(other.sort);
        self.aggregate = self.aggregate.or(other.aggregate);
        self.memoize = self.memoize.or(other.memoize);
        self.kept_rows = self.kept_rows.or(other.kept_rows);
        self.modified_rows = self.modified_rows.or(other.modified_rows);
    }
}
