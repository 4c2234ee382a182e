//! What people and programs get to see of kernels.

use crate::kernels::outcome::Outcome;
use crate::report::machine::Machine;
use crate::report::table::aligned;
use crate::report::units::time;
use crate::statistics::Samples;

/// All runs of a kernel; at least one.
pub struct Row<'a> {
    /// Its name.
    pub kernel: &'a str,
    /// What it was run with.
    pub parameters: &'a str,
    /// What came of it.
    pub outcomes: &'a [Outcome],
}

impl Row<'_> {
    fn rates(&self) -> Samples {
        self.outcomes.iter().map(|outcome| outcome.rate).collect()
    }

    /// Times of an iteration in nanoseconds.
    fn times(&self) -> Samples {
        let times = self.outcomes.iter().map(|outcome| outcome.seconds * 1e9);
        times.collect()
    }

    fn best(&self) -> f64 {
        let rates = self.outcomes.iter().map(|outcome| outcome.rate);
        rates.fold(f64::NAN, f64::max)
    }

    fn unit(&self) -> &str {
        self.outcomes.first().map_or("", |outcome| &outcome.unit)
    }
}

/// Prints a JSON object a line.
pub fn json(rows: &[Row], images: usize) {
    for row in rows {
        println!("{}", json_line(row, images));
    }
}

// What is not valid has ended the program before it comes here.
pub fn json_line(row: &Row, images: usize) -> String {
    format!(
        r#"{{"op":"{}","images":{images},"parameters":"{}","rate":{:.6},"best":{:.6},"unit":"{}","ns":{:.0},"min":{:.0},"validated":true}}"#,
        row.kernel,
        row.parameters,
        row.rates().median(),
        row.best(),
        row.unit(),
        row.times().median(),
        row.times().min(),
    )
}

/// Prints a table, headed by what was measured where.
pub fn table(rows: &[Row], machine: &Machine) {
    print!("{}", machine.heading(&[]));
    print!("{}", aligned(&lines(rows)));
}

fn lines(rows: &[Row]) -> Vec<Vec<String>> {
    let titles = ["kernel", "parameters", "rate", "best", "", "time", "min"];
    let mut lines = vec![titles.map(str::to_owned).into()];
    for row in rows {
        lines.push(vec![
            row.kernel.into(),
            row.parameters.into(),
            number(row.rates().median()),
            number(row.best()),
            row.unit().into(),
            time(row.times().median()),
            time(row.times().min()),
        ]);
    }
    lines
}

/// A rate with four digits that count.
pub fn number(value: f64) -> String {
    let decimals = 3 - (value.log10().floor() as i32).clamp(-6, 3);
    format!("{value:.*}", decimals as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes() -> [Outcome; 2] {
        [(1000.0, 0.002), (2000.0, 0.001)].map(|(rate, seconds)| Outcome {
            rate,
            unit: "MB/s".into(),
            seconds,
        })
    }

    fn row(outcomes: &[Outcome]) -> Row<'_> {
        Row {
            kernel: "transpose",
            parameters: "5 240",
            outcomes,
        }
    }

    #[test]
    fn a_row_is_one_json_object() {
        assert_eq!(
            json_line(&row(&outcomes()), 2),
            r#"{"op":"transpose","images":2,"parameters":"5 240","rate":1500.000000,"best":2000.000000,"unit":"MB/s","ns":1500000,"min":1000000,"validated":true}"#
        );
    }

    #[test]
    fn a_row_has_median_and_best() {
        let lines = lines(&[row(&outcomes())]);
        assert_eq!(
            lines[1],
            [
                "transpose",
                "5 240",
                "1500",
                "2000",
                "MB/s",
                "1.50 ms",
                "1.00 ms"
            ]
        );
    }

    #[test]
    fn small_and_large_rates_have_four_digits() {
        let numbers = [0.0612345, 1.23456, 20500.14, 999.96];
        assert_eq!(numbers.map(number), ["0.06123", "1.235", "20500", "1000.0"]);
    }
}
