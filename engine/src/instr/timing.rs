//! When the clock is read, and to whom the time between two reads goes.

use std::rc::Rc;

use super::{Clock, NodeCounters};
use crate::settings::Timing;

/// Below this many rows a batch, a read at every hand-over would cost more than the work between.
const SAMPLE_BELOW_ROWS: usize = 64;
/// One step of a node in this many is timed then, after as many that all are.
const SAMPLE_EVERY: u64 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Off,
    /// One read after every step; the time since the read before goes to the node that ran.
    Telescoped,
    /// Two reads around one step of a node in [`SAMPLE_EVERY`], scaled by as many.
    /// Counted node by node, so that no rhythm of the plan can favor one of them.
    Sampled,
    /// Two reads a row and node, as PostgreSQL's EXPLAIN ANALYZE does.
    Full,
}

/// Times the steps of one execution.
pub struct Stopwatch {
    clock: Rc<dyn Clock>,
    mode: Mode,
    last: u64,
    reads: u64,
    /// Time inside [`Stopwatch::start`] … [`Stopwatch::stop`]: the gaps between slices do not count.
    running_ns: u64,
    started: u64,
}

/// A step being timed. It says what [`Stopwatch::end`] does.
#[derive(Clone, Copy, Debug)]
pub enum Lap {
    Untimed,
    SinceLast,
    Scaled(u64),
}

impl Stopwatch {
    pub fn new(clock: Rc<dyn Clock>, timing: Timing, batch_rows: usize) -> Self {
        let mode = match timing {
            Timing::Off => Mode::Off,
            Timing::Batch if batch_rows < SAMPLE_BELOW_ROWS => Mode::Sampled,
            Timing::Batch => Mode::Telescoped,
            Timing::Full => Mode::Full,
        };
        Stopwatch {
            clock,
            mode,
            last: 0,
            reads: 0,
            running_ns: 0,
            started: 0,
        }
    }

    #[inline]
    fn read(&mut self) -> u64 {
        self.reads += 1;
        self.clock.now_ns()
    }

    /// A slice begins.
    pub fn start(&mut self) {
        self.started = self.read();
        self.last = self.started;
    }

    /// The slice ends.
    pub fn stop(&mut self) {
        let now = self.read();
        self.running_ns += now.saturating_sub(self.started);
    }

    pub fn is_timing(&self) -> bool {
        self.mode != Mode::Off
    }

    pub fn is_sampled(&self) -> bool {
        self.mode == Mode::Sampled
    }

    pub fn reads(&self) -> u64 {
        self.reads
    }

    pub fn running_ns(&self) -> u64 {
        self.running_ns
    }

    pub fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// Before a step of a node that has made `steps` so far.
    #[inline(always)]
    pub fn begin(&mut self, steps: u64) -> Lap {
        let untimed = match self.mode {
            Mode::Off => true,
            Mode::Sampled => steps >= SAMPLE_EVERY && !steps.is_multiple_of(SAMPLE_EVERY),
            Mode::Telescoped | Mode::Full => false,
        };
        if untimed {
            return Lap::Untimed;
        }
        self.begin_timed(steps)
    }

    #[inline(never)]
    fn begin_timed(&mut self, steps: u64) -> Lap {
        match self.mode {
            Mode::Off => Lap::Untimed,
            Mode::Telescoped => Lap::SinceLast,
            Mode::Sampled | Mode::Full => {
                self.last = self.read();
                Lap::Scaled(if self.mode == Mode::Sampled && steps >= SAMPLE_EVERY {
                    SAMPLE_EVERY
                } else {
                    1
                })
            }
        }
    }

    /// After the step, which gave `rows` rows.
    #[inline(always)]
    pub fn end(&mut self, lap: Lap, rows: usize, counters: &mut NodeCounters) {
        if !matches!(lap, Lap::Untimed) {
            self.end_timed(lap, rows, counters);
        }
    }

    #[inline(never)]
    fn end_timed(&mut self, lap: Lap, rows: usize, counters: &mut NodeCounters) {
        let scale = match lap {
            Lap::Untimed => return,
            Lap::SinceLast => 1,
            Lap::Scaled(scale) => scale,
        };
        if self.mode == Mode::Full {
            for _ in 1..rows {
                self.read();
                self.read();
            }
        }
        let now = self.read();
        counters.own_ns += now.saturating_sub(self.last) * scale;
        self.last = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instr::FakeClock;

    #[test]
    fn telescoped_reads_once_a_step_and_misses_nothing() {
        let mut watch = Stopwatch::new(Rc::new(FakeClock::with_step(10)), Timing::Batch, 1024);
        let mut nodes = [NodeCounters::default(); 2];
        watch.start();
        for node in [0, 1, 0] {
            let lap = watch.begin(0);
            watch.end(lap, 1000, &mut nodes[node]);
        }
        watch.stop();
        assert_eq!((nodes[0].own_ns, nodes[1].own_ns), (20, 10));
        assert_eq!((watch.reads(), watch.running_ns()), (5, 40));
    }

    #[test]
    fn sampled_scales_one_step_in_64_and_full_reads_twice_a_row() {
        let mut watch = Stopwatch::new(Rc::new(FakeClock::with_step(10)), Timing::Batch, 1);
        let mut node = NodeCounters::default();
        for steps in 0..256 {
            let lap = watch.begin(steps);
            watch.end(lap, 1, &mut node);
        }
        assert_eq!((node.own_ns, watch.reads()), (2560, 2 * (64 + 3)));
        let mut watch = Stopwatch::new(Rc::new(FakeClock::with_step(10)), Timing::Full, 1024);
        let lap = watch.begin(0);
        watch.end(lap, 5, &mut NodeCounters::default());
        assert_eq!(watch.reads(), 10);
    }

    #[test]
    fn off_reads_only_around_slices() {
        let mut watch = Stopwatch::new(Rc::new(FakeClock::with_step(10)), Timing::Off, 1);
        watch.start();
        let lap = watch.begin(0);
        watch.end(lap, 5, &mut NodeCounters::default());
        watch.stop();
        assert_eq!(watch.reads(), 2);
    }
}
