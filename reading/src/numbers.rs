//! Numbers as people write them and as JavaScript prints them.
//!
//! ```text
//! read:   +1.5   .5   5.   007   1e3        not: NaN   Infinity   1e999   0x10   1_000
//! shown:  1.0 -> 1   0.1 -> 0.1   1e21 -> 1e+21   1e-7 -> 1e-7   -0.0 -> 0
//! ```
//!
//! Both go through JSON, whose reading and printing is in the module anyway: the standard library's own ways with
//! floating point numbers take 37 KB of it.

use serde_json::{Number, Value};

/// A finite decimal number.
pub fn read(text: &str) -> Option<f64> {
    let (sign, size) = match text.strip_prefix('-') {
        Some(size) => ("-", size),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = size.split_once(['e', 'E']).unwrap_or((size, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    // JSON wants a digit on either side of the point, and no zeros in front.
    let json = [sign, or_zero(whole.trim_start_matches('0')), ".", or_zero(fraction), "e", exponent].concat();
    serde_json::from_str::<Value>(&json).ok()?.as_f64()
}

fn or_zero(digits: &str) -> &str {
    if digits.is_empty() {
        "0"
    } else {
        digits
    }
}

/// A number as JavaScript prints it (`Number::toString`).
pub fn shown(number: f64) -> String {
    match Number::from_f64(number.abs()) {
        Some(size) if number < 0.0 => ["-", &from_json(&size.to_string())].concat(),
        Some(size) => from_json(&size.to_string()),
        None if number.is_nan() => "NaN".to_string(),
        None if number < 0.0 => "-Infinity".to_string(),
        None => "Infinity".to_string(),
    }
}

/// JSON has the shortest digits that read back as the same number. Of two that are as near, serde_json takes the
/// even one as JavaScript does; Rust's own formatting does not.
fn from_json(number: &str) -> String {
    let (mantissa, exponent) = number.split_once('e').unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    let significant = digits.trim_start_matches('0');
    let first = whole.len() as i32 - 1 - (digits.len() - significant.len()) as i32;
    let exponent: i32 = exponent.parse().unwrap_or_default();
    place_point(significant.trim_end_matches('0'), first + exponent)
}

/// Digits of which the first stands for as many tens as the exponent says.
fn place_point(digits: &str, exponent: i32) -> String {
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let split = |at: i32| {
        let at = usize::try_from(at).unwrap_or_default();
        digits.split_at_checked(at).unwrap_or((digits, ""))
    };
    match exponent {
        _ if digits.is_empty() => "0".to_string(),
        -6..0 => format!("0.{}{digits}", zeros(-1 - exponent)),
        0..21 if count <= exponent + 1 => format!("{digits}{}", zeros(exponent + 1 - count)),
        0..21 => {
            let (whole, fraction) = split(exponent + 1);
            format!("{whole}.{fraction}")
        }
        _ => {
            let (first, others) = split(1);
            let point = if others.is_empty() { "" } else { "." };
            format!("{first}{point}{others}e{exponent:+}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_javascript_prints_them() {
        for (number, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-7.0, "-7"),
            (0.1, "0.1"),
            (-2.5, "-2.5"),
            (10.0, "10"),
            (1000.0, "1000"),
            (123456.789, "123456.789"),
            (238688753934064.0 + 0.625, "238688753934064.62"),
            (1000000.5, "1000000.5"),
            (0.05, "0.05"),
            (0.000001, "0.000001"),
            (0.0000001, "1e-7"),
            (1.5e-9, "1.5e-9"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (-1.25e22, "-1.25e+22"),
            (9007199254740993_u64 as f64, "9007199254740992"),
            (u64::MAX as f64, "18446744073709552000"),
            (i64::MIN as f64, "-9223372036854776000"),
            (f64::EPSILON, "2.220446049250313e-16"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(shown(number), expected);
        }
    }

    #[test]
    fn what_people_write_as_a_number_is_read() {
        for (text, expected) in [
            ("0", 0.0),
            ("12", 12.0),
            ("-12", -12.0),
            ("+1.5", 1.5),
            (".5", 0.5),
            ("-.5", -0.5),
            ("5.", 5.0),
            ("007.250", 7.25),
            ("0.55", 0.55),
            ("1e3", 1000.0),
            ("1E+3", 1000.0),
            ("5.e-1", 0.5),
            ("0.3333333333333333", 0.3333333333333333),
            ("1e-999", 0.0),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_finite_number_is_not_read() {
        let texts = "+|-|.|-.|e|e3|1e|1e+|.e3|+-1|--1|- 1|1 2| 1|1.2.3|1e2e3|1e1.5|0x10|1_000|1,5|NaN|inf|Infinity|1e999|-1e999|\u{664}";
        for text in texts.split('|').chain(["", "one", "1e0,1"]) {
            assert_eq!(read(text), None, "{text:?}");
        }
    }
}
