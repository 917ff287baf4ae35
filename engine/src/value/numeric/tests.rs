//! Tables whose answers a PostgreSQL 15 gave, and properties checked against integer arithmetic.

use std::cmp::Ordering;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use num_bigint::BigInt;

use super::*;

/// A small generator of reproducible inputs (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// An integer of any length up to 126 bits, so that all paths are taken.
    fn integer(&mut self) -> i128 {
        let wide = (i128::from(self.next()) << 64) | i128::from(self.next());
        wide >> self.below(126).max(1)
    }

    fn numeric(&mut self) -> Numeric {
        Numeric::small(self.integer(), self.below(25) as u16)
    }
}

fn numeric(text: &str) -> Numeric {
    Numeric::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The answer in the tables' form: the text, or `!SQLSTATE message` with its detail.
fn shown<T: std::fmt::Display>(result: Result<T>) -> String {
    match result {
        Ok(value) => value.to_string(),
        Err(error) => {
            let detail = error
                .detail
                .as_deref()
                .map_or(String::new(), |detail| format!(" DETAIL {detail}"));
            format!("!{} {}{detail}", error.sqlstate, error.message)
        }
    }
}

fn hash(value: &Numeric) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn input_is_postgresqls() {
    for line in include_str!("testdata/input.txt").lines() {
        let (input, expected) = line.split_once('|').expect("a table line");
        let input = input.replace("\\t", "\t").replace("\\n", "\n");
        let mut answer = shown(Numeric::parse(&input));
        if expected.starts_with('#') {
            answer = format!("#{} {}", answer.len(), &answer[..20]);
        }
        assert_eq!(answer, expected, "{input:?}");
    }
}

#[test]
fn arithmetic_is_postgresqls() {
    for line in include_str!("testdata/arithmetic.txt").lines() {
        let [operation, a, b, expected] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("not a table line: {line}");
        };
        let x = numeric(a);
        let answer = match operation {
            "+" => shown(x.add(&numeric(b))),
            "-" => shown(x.sub(&numeric(b))),
            "*" => shown(x.mul(&numeric(b))),
            "/" => shown(x.div(&numeric(b))),
            "%" => shown(x.modulo(&numeric(b))),
            "div" => shown(x.div_trunc(&numeric(b))),
            "<=>" => (x.cmp(&numeric(b)) as i8).to_string(),
            "round" => shown(x.round(b.parse().expect("a scale"))),
            "trunc" => shown(x.trunc(b.parse().expect("a scale"))),
            "ceil" => shown(x.ceil()),
            "floor" => shown(x.floor()),
            "abs" => x.abs().to_string(),
            "sign" => x.sign().to_string(),
            "neg" => x.neg().to_string(),
            "int2" => shown(x.to_i16()),
            "int4" => shown(x.to_i32()),
            "int8" => shown(x.to_i64()),
            // The text form of floats is another module's; a number is compared by value.
            "float8" if !expected.starts_with('!') => {
                assert_eq!(
                    x.to_f64().expect(line).to_bits(),
                    float8(expected).to_bits(),
                    "{line}"
                );
                continue;
            }
            "float4" if !expected.starts_with('!') => {
                assert_eq!(
                    x.to_f32().expect(line).to_bits(),
                    float4(expected).to_bits(),
                    "{line}"
                );
                continue;
            }
            "float8" => shown(x.to_f64()),
            "float4" => shown(x.to_f32()),
            _ => panic!("unknown operation: {line}"),
        };
        assert_eq!(answer, expected, "{line}");
    }
}

fn float8(text: &str) -> f64 {
    text.parse()
        .expect("a number that Rust reads as PostgreSQL writes it")
}

fn float4(text: &str) -> f32 {
    text.parse()
        .expect("a number that Rust reads as PostgreSQL writes it")
}

#[test]
fn stored_bytes_are_postgresqls() {
    for line in include_str!("testdata/stored.txt").lines() {
        let (text, hex) = line.split_once('|').expect("a table line");
        let value = numeric(text);
        let mut bytes = Vec::new();
        value.encode(&mut bytes);
        let written: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(written, hex, "{text}");
        assert_eq!(shown(Numeric::decode(&bytes)), text, "{hex}");
    }
}

#[test]
fn damaged_bytes_are_errors() {
    for bytes in [
        &[][..],
        &[0x80],
        &[0x00, 0x00],
        &[0x00, 0x00, 0x00],
        &[0x00, 0x80, 0x01],
        &[0x00, 0xE0],
    ] {
        assert_eq!(
            Numeric::decode(bytes).map_err(|e| e.sqlstate),
            Err("XX001"),
            "{bytes:?}"
        );
    }
    // Half a unit of the last place shown.
    let bytes = [0x80, 0x80, 0x01, 0x00, 0x88, 0x13];
    assert!(Numeric::decode(&bytes).is_ok());
    let bytes = [0x80, 0x80, 0x01, 0x00, 0x01, 0x00];
    assert_eq!(
        Numeric::decode(&bytes).map_err(|e| e.sqlstate),
        Err("XX001")
    );
}

#[test]
fn any_bytes_decode_or_fail() {
    let mut random = Random(11);
    for _ in 0..20_000 {
        let mut bytes: Vec<u8> = (0..random.below(14)).map(|_| random.next() as u8).collect();
        // Keep the weight of long headers small, so that the numbers stay printable.
        if let Some(high) = bytes.get_mut(3) {
            *high &= 1;
        }
        if let Ok(value) = Numeric::decode(&bytes) {
            let mut again = Vec::new();
            value.encode(&mut again);
            assert_eq!(Numeric::decode(&again).as_ref(), Ok(&value));
        }
    }
}

#[test]
fn sums_products_and_order_agree_with_big_integers() {
    let mut random = Random(1);
    for _ in 0..20_000 {
        let (a, b) = (random.numeric(), random.numeric());
        let ((x, x_scale), (y, y_scale)) =
            (a.to_big().expect("finite"), b.to_big().expect("finite"));
        let scale = x_scale.max(y_scale);
        let x_aligned = &x * BigInt::from(10).pow(scale - x_scale);
        let y_aligned = &y * BigInt::from(10).pow(scale - y_scale);
        let sum = Numeric::from_big(&x_aligned + &y_aligned, scale).expect("in range");
        let difference = Numeric::from_big(&x_aligned - &y_aligned, scale).expect("in range");
        let product = Numeric::from_big(&x * &y, x_scale + y_scale).expect("in range");
        assert_eq!(a.add(&b).expect("in range").to_string(), sum.to_string());
        assert_eq!(
            a.sub(&b).expect("in range").to_string(),
            difference.to_string()
        );
        assert_eq!(
            a.mul(&b).expect("in range").to_string(),
            product.to_string()
        );
        assert_eq!(a.cmp(&b), x_aligned.cmp(&y_aligned), "{a} {b}");
    }
}

#[test]
fn quotient_and_remainder_make_the_dividend() {
    let mut random = Random(2);
    for _ in 0..10_000 {
        let (a, b) = (random.numeric(), random.numeric());
        if b.is_zero() {
            continue;
        }
        let whole = a.div_trunc(&b).expect("in range");
        let rest = a.modulo(&b).expect("in range");
        assert!(rest.abs() < b.abs(), "{a} % {b}");
        assert_eq!(
            whole.mul(&b).and_then(|product| product.add(&rest)),
            Ok(a.clone()),
            "{a} {b}"
        );
        // Half a unit of the last place is the farthest that a rounded quotient can be off.
        let quotient = a.div(&b).expect("in range");
        let scale = u32::from(quotient.scale().expect("finite"));
        let error = quotient
            .mul(&b)
            .and_then(|product| product.sub(&a))
            .expect("in range")
            .abs();
        let bound = b
            .abs()
            .mul(&Numeric::from_scaled(5, scale + 1).expect("in range"))
            .expect("in range");
        assert!(error <= bound, "{a} / {b} = {quotient}");
    }
}

#[test]
fn equal_values_hash_alike_and_text_and_bytes_round_trip() {
    let mut random = Random(3);
    for _ in 0..5_000 {
        let a = random.numeric();
        let longer = a
            .with_scale_at_least(random.below(70) as u16)
            .expect("in range");
        assert_eq!(a, longer);
        assert_eq!(hash(&a), hash(&longer), "{a} {longer}");
        assert_eq!(numeric(&longer.to_string()).to_string(), longer.to_string());
        let mut bytes = Vec::new();
        longer.encode(&mut bytes);
        assert_eq!(shown(Numeric::decode(&bytes)), longer.to_string());
    }
    assert_eq!(hash(&numeric("0.000")), hash(&Numeric::ZERO));
    assert_ne!(hash(&numeric("10")), hash(&Numeric::ONE));
}

#[test]
fn order_of_the_special_values() {
    let ascending = [
        "-Infinity",
        "-1e500",
        "-1",
        "-0.001",
        "0.00",
        "1e-500",
        "1",
        "1e38",
        "1e39",
        "Infinity",
        "NaN",
    ];
    for (i, a) in ascending.iter().enumerate() {
        for (j, b) in ascending.iter().enumerate() {
            assert_eq!(numeric(a).cmp(&numeric(b)), i.cmp(&j), "{a} {b}");
        }
    }
    assert_eq!(Numeric::NAN.cmp(&Numeric::NAN), Ordering::Equal);
}

#[test]
fn limits_of_results() {
    let most = numeric("9e131071");
    assert_eq!(
        shown(most.add(&most)),
        "!22003 value overflows numeric format"
    );
    assert_eq!(
        shown(most.mul(&numeric("10"))),
        "!22003 value overflows numeric format"
    );
    let least = numeric("1e-16383");
    assert_eq!(
        shown(
            least
                .mul(&numeric("0.5"))
                .map(|p| p.scale().expect("finite"))
        ),
        "16383"
    );
    assert_eq!(
        shown(Numeric::from_scaled(1, 16_384)),
        "!22003 value overflows numeric format"
    );
}

#[test]
fn sums_do_not_depend_on_order_or_partition() {
    let mut random = Random(4);
    for _ in 0..300 {
        let values: Vec<Numeric> = (0..random.below(20) + 1)
            .map(|_| random.numeric())
            .collect();
        let mut expected = Numeric::ZERO;
        for value in &values {
            expected = expected.add(value).expect("in range");
        }
        let mut forward = NumericSum::new();
        let (mut even, mut odd) = (NumericSum::new(), NumericSum::new());
        for (i, value) in values.iter().enumerate() {
            forward.add(value);
            if i % 2 == 0 {
                even.add(value)
            } else {
                odd.add(value)
            }
        }
        even.merge(&odd);
        for sum in [&forward, &even] {
            let total = sum.sum().expect("in range").expect("not empty");
            assert_eq!(total.to_string(), expected.to_string());
            assert_eq!(sum.count(), values.len() as u64);
            let average = expected
                .div(&Numeric::from(values.len() as u64))
                .expect("in range");
            assert_eq!(
                shown(sum.avg().map(|avg| avg.expect("not empty"))),
                average.to_string()
            );
        }
    }
}

#[test]
fn sums_of_special_values() {
    let sum = |values: &[&str]| {
        let mut sum = NumericSum::new();
        values.iter().for_each(|value| sum.add(&numeric(value)));
        sum.sum().expect("in range").map(|total| total.to_string())
    };
    assert_eq!(sum(&[]), None);
    assert_eq!(sum(&["1", "NaN"]).as_deref(), Some("NaN"));
    assert_eq!(sum(&["1", "Infinity"]).as_deref(), Some("Infinity"));
    assert_eq!(sum(&["-Infinity", "5"]).as_deref(), Some("-Infinity"));
    assert_eq!(sum(&["-Infinity", "Infinity"]).as_deref(), Some("NaN"));
    assert_eq!(sum(&["1.50", "2", "-3.5000"]).as_deref(), Some("0.0000"));
    assert_eq!(sum(&["1e50", "-1e50", "0.1"]).as_deref(), Some("0.1"));
    let mut integers = NumericSum::new();
    (0..4).for_each(|_| integers.add_i64(i64::MAX));
    assert_eq!(
        shown(integers.sum().map(|s| s.expect("not empty"))),
        "36893488147419103228"
    );
}

#[test]
fn declared_precision_is_postgresqls() {
    for line in include_str!("testdata/typmod.txt").lines() {
        let [value, precision, scale, expected] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("not a table line: {line}");
        };
        let (precision, scale) = (
            precision.parse().expect("precision"),
            scale.parse().expect("scale"),
        );
        assert_eq!(
            shown(numeric(value).apply_typmod(precision, scale)),
            expected,
            "{line}"
        );
    }
}

#[test]
fn floats_become_postgresqls_numerics() {
    for line in include_str!("testdata/from_float.txt").lines() {
        let [kind, value, expected] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("not a table line: {line}");
        };
        let answer = match kind {
            "float8" => Numeric::from_f64(float8(value)),
            _ => Numeric::from_f32(float4(value)),
        };
        assert_eq!(answer.to_string(), expected, "{line}");
    }
}

#[test]
fn roots_exponentials_logarithms_and_powers_are_postgresqls() {
    for line in include_str!("testdata/transcendental.txt").lines() {
        let [function, a, b, expected] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("not a table line: {line}");
        };
        let x = numeric(a);
        let mut answer = match function {
            "sqrt" => shown(x.sqrt()),
            "exp" => shown(x.exp()),
            "ln" => shown(x.ln()),
            "log" => shown(numeric(b).log(&x)),
            "power" => shown(x.power(&numeric(b))),
            _ => panic!("unknown function: {line}"),
        };
        // Of long answers the table has the length and both ends.
        if expected.starts_with('#') {
            let (start, end) = (&answer[..300], &answer[answer.len() - 300..]);
            answer = format!("#{} {start} {end}", answer.len());
        }
        assert_eq!(answer, expected, "{line}");
    }
}

#[test]
fn aggregates_are_postgresqls() {
    for line in include_str!("testdata/aggregates.txt").lines() {
        let [values, var_samp, var_pop, stddev_samp, stddev_pop, sum, avg] =
            line.split('|').collect::<Vec<_>>()[..]
        else {
            panic!("not a table line: {line}");
        };
        let (mut moments, mut total) = (NumericMoments::new(), NumericSum::new());
        let (mut left, mut right) = (NumericMoments::new(), NumericMoments::new());
        for (i, value) in values.split_ascii_whitespace().map(numeric).enumerate() {
            moments.add(&value);
            total.add(&value);
            if i % 3 == 0 {
                left.add(&value)
            } else {
                right.add(&value)
            }
        }
        left.merge(&right);
        let text = |result: Result<Option<Numeric>>| {
            shown(result.map(|value| value.map_or("NULL".to_string(), |value| value.to_string())))
        };
        assert_eq!(text(total.sum()), sum, "{line}");
        assert_eq!(text(total.avg()), avg, "{line}");
        for moments in [&moments, &left] {
            assert_eq!(
                text(moments.variance(Population::Sample)),
                var_samp,
                "{line}"
            );
            assert_eq!(text(moments.variance(Population::Whole)), var_pop, "{line}");
            assert_eq!(
                text(moments.standard_deviation(Population::Sample)),
                stddev_samp,
                "{line}"
            );
            assert_eq!(
                text(moments.standard_deviation(Population::Whole)),
                stddev_pop,
                "{line}"
            );
        }
    }
}
