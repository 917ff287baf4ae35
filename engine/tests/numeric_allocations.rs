//! Numerics of everyday size live inline: what queries do to them a million times allocates nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::hint::black_box;

use engine::value::{Numeric, NumericSum};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting the calls of each thread.
struct Counting;

// SAFETY: every call is passed on unchanged to the system's allocator; counting touches only a
// thread-local cell that needs neither allocation nor destruction.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above, that is, from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

fn numeric(text: &str) -> Numeric {
    Numeric::parse(text).expect("a number")
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(black_box(Box::new(1)))), 1);
}

#[test]
fn arithmetic_and_comparison_allocate_nothing() {
    let values = [
        "0",
        "1.50",
        "-0.07",
        "104949.50",
        "99999999999999.9999",
        "-1234567890123456.78",
    ]
    .map(numeric);
    let count = allocations(|| {
        for a in &values {
            for b in &values {
                black_box(a.add(b).expect("in range"));
                black_box(a.sub(b).expect("in range"));
                black_box(a.mul(b).expect("in range"));
                black_box(a.cmp(b));
                black_box(a == b);
                if !b.is_zero() {
                    black_box(a.modulo(b).expect("in range"));
                }
            }
            black_box(a.neg());
            black_box(a.round(1).expect("in range"));
            black_box(a.to_f64()).expect("in range");
            black_box(Numeric::from_f64(1.25));
            let mut hasher = DefaultHasher::new();
            a.hash(&mut hasher);
            black_box(hasher.finish());
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn quotients_of_prices_allocate_nothing() {
    let values = ["1.50", "-0.07", "104949.50", "3", "25", "0.0625"].map(numeric);
    let count = allocations(|| {
        for a in &values {
            for b in &values {
                black_box(a.div(b).expect("in range"));
            }
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn sums_allocate_nothing() {
    let values = ["0", "1.50", "-0.07", "104949.50", "99999999999999.9999"].map(numeric);
    let mut sum = NumericSum::new();
    let count = allocations(|| {
        for i in 0..1_000 {
            values.iter().for_each(|value| sum.add(value));
            sum.add_i64(i64::MAX - i);
        }
        black_box(sum.sum().expect("in range"));
    });
    assert_eq!(count, 0);
}

#[test]
fn stored_forms_allocate_nothing() {
    let values = ["0", "1.50", "-0.07", "104949.50", "99999999999999.9999"].map(numeric);
    let mut bytes = Vec::with_capacity(64);
    let mut text = String::with_capacity(64);
    let count = allocations(|| {
        for value in &values {
            bytes.clear();
            value.encode(&mut bytes);
            assert_eq!(Numeric::decode(&bytes).as_ref(), Ok(value));
            text.clear();
            value.write_to(&mut text);
            assert_eq!(Numeric::parse(&text).as_ref(), Ok(value));
        }
    });
    assert_eq!(count, 0);
}
