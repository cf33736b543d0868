//! A measured figure with its statistics, as a program on the target prints it.
//!
//! ```text
//! ROW name=ppc_rt server=passive words=0 n=1000 min=301 median=301 p99=310 max=320 mean=301.4 stddev=0.9
//! ```
//!
//! The name comes first, the seven statistics last and in this order; the fields between are parameters. A
//! distribution may follow: `distribution=301:990,310:9,320:1`.
//!
//! Programs that do not compute statistics print the samples instead of all these fields, in any order:
//!
//! ```text
//! ROW name=copy bytes=64 samples=120,118,118
//! ```

use crate::cold::Cold;

/// A measured figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the measurement.
    pub name: String,
    /// Conditions, in printed order.
    pub params: Vec<(String, String)>,
    /// Number of samples, at least 1.
    pub n: u64,
    /// Smallest sample.
    pub min: u64,
    /// Middle sample.
    pub median: u64,
    /// 99th percentile.
    pub p99: u64,
    /// Largest sample.
    pub max: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation.
    pub stddev: f64,
    /// Values and their counts, ascending; empty if the line has none.
    pub distribution: Vec<(u64, u64)>,
    /// The kernel's memory that one operation touches, if it was counted. No line of a console has it.
    pub cold: Option<Cold>,
}

/// The statistics in the order of a line.
const STATISTICS: [&str; 7] = ["n", "min", "median", "p99", "max", "mean", "stddev"];

impl Row {
    /// Parses a console line; `None` if it is not a row.
    ///
    /// # Errors
    /// A sentence, if it is a malformed row.
    pub fn parse(line: &str) -> Option<Result<Self, String>> {
        let fields = line.strip_prefix("ROW ")?;
        Some(read(fields).map_err(|reason| format!("the row '{line}' is malformed: {reason}")))
    }

    /// A constant figure.
    #[must_use]
    pub fn single(name: &str, params: Vec<(String, String)>, value: u64) -> Self {
        Self::of_samples(name, params, vec![value])
    }

    /// The row of these samples; without samples, the row of a single 0.
    #[must_use]
    pub fn of_samples(name: &str, params: Vec<(String, String)>, mut samples: Vec<u64>) -> Self {
        samples.sort_unstable();
        let count = samples.len().max(1);
        let at = |index: usize| samples.get(index).copied().unwrap_or_default();
        let average = |values: &dyn Fn(f64) -> f64| {
            samples.iter().map(|sample| values(*sample as f64)).sum::<f64>() / count as f64
        };
        let mean = average(&|sample| sample);
        Self {
            name: name.to_owned(),
            params,
            n: count as u64,
            min: at(0),
            median: at(count / 2),
            p99: at(count * 99 / 100),
            max: at(count - 1),
            mean,
            stddev: average(&|sample| (sample - mean).powi(2)).sqrt(),
            distribution: Vec::new(),
            cold: None,
        }
    }

    /// A constant figure of a row with this name and these conditions: `notify fpu=off`.
    #[must_use]
    pub fn titled(title: &str, value: u64) -> Self {
        let (name, conditions) = title.split_once(' ').unwrap_or((title, ""));
        let params = conditions.split_whitespace().filter_map(|param| param.split_once('='));
        Self::single(name, params.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(), value)
    }

    /// Whether the figure depends on the host machine. Such rows are in microseconds or measure the tool, and their
    /// names say so.
    #[must_use]
    pub fn is_native(&self) -> bool {
        self.name.ends_with("_us") || self.name.starts_with("tool_")
    }

    /// The value of a parameter.
    #[must_use]
    pub fn param(&self, key: &str) -> Option<&str> {
        self.params.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Name and conditions, which identify a row of a run.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{} {}", self.name, self.conditions()).trim_end().to_owned()
    }

    /// Whether it has all of these parameters.
    pub fn matches<'a>(&self, params: impl IntoIterator<Item = (&'a String, &'a String)>) -> bool {
        params.into_iter().all(|(key, value)| self.param(key) == Some(value))
    }

    /// The parameters as text: `server=passive words=0`.
    #[must_use]
    pub fn conditions(&self) -> String {
        self.params.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
    }
}

fn read(fields: &str) -> Result<Row, String> {
    let pairs: Option<Vec<_>> = fields.split_whitespace().map(|field| field.split_once('=')).collect();
    let pairs = pairs.ok_or("every field must be KEY=VALUE")?;
    let Some((("name", name), rest)) = pairs.split_first().map(|(first, rest)| (*first, rest)) else {
        return Err("the first field must be the name".to_owned());
    };
    if let Some((("samples", text), params)) = rest.split_last() {
        let samples: Result<Vec<u64>, _> = text.split(',').map(str::parse).collect();
        let samples = samples.map_err(|_| "samples is not NUMBER,NUMBER,...")?;
        return Ok(Row::of_samples(name, owned(params), samples));
    }
    let (rest, distribution) = match rest.split_last() {
        Some((("distribution", text), rest)) => {
            (rest, distribution(text).ok_or("distribution is not VALUE:COUNT,...")?)
        }
        _ => (rest, Vec::new()),
    };
    let (params, statistics) = rest.split_at(rest.len().saturating_sub(STATISTICS.len()));
    if !statistics.iter().map(|(key, _)| *key).eq(STATISTICS) {
        return Err(format!("the last fields must be {}", STATISTICS.join(", ")));
    }
    let row = Row {
        name: name.to_owned(),
        params: owned(params),
        n: number(statistics[0])?,
        min: number(statistics[1])?,
        median: number(statistics[2])?,
        p99: number(statistics[3])?,
        max: number(statistics[4])?,
        mean: number(statistics[5])?,
        stddev: number(statistics[6])?,
        distribution,
        cold: None,
    };
    consistent(&row).then_some(row).ok_or_else(|| "the statistics contradict each other".to_owned())
}

fn owned(params: &[(&str, &str)]) -> Vec<(String, String)> {
    params.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn number<T: std::str::FromStr>((key, value): (&str, &str)) -> Result<T, String> {
    value.parse().map_err(|_| format!("{key} is not a number"))
}

fn distribution(text: &str) -> Option<Vec<(u64, u64)>> {
    let pair = |pair: &str| {
        let (value, count) = pair.split_once(':')?;
        Some((value.parse().ok()?, count.parse().ok()?))
    };
    text.split(',').map(pair).collect()
}

/// Whether a set of samples can have these statistics.
pub(crate) fn consistent(row: &Row) -> bool {
    let ascending = row.min <= row.median && row.median <= row.p99 && row.p99 <= row.max;
    row.n > 0 && ascending && row.mean.is_finite() && row.stddev.is_finite() && is_distributed(row)
}

fn is_distributed(row: &Row) -> bool {
    let [values @ .., _] = row.distribution.as_slice() else { return true };
    let ascending = values.iter().zip(&row.distribution[1..]).all(|(one, next)| one.0 < next.0);
    let seen = row.distribution.iter().try_fold(0_u64, |sum, (_, count)| sum.checked_add(*count));
    ascending && seen == Some(row.n)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str =
        "ROW name=ppc_rt server=passive words=0 n=10 min=1 median=2 p99=3 max=4 mean=2.5 stddev=0";

    #[test]
    fn a_row_keeps_its_parameters_and_statistics() {
        let row = Row::parse(LINE).unwrap().unwrap();
        assert_eq!((row.name.as_str(), row.n, row.median, row.mean), ("ppc_rt", 10, 2, 2.5));
        assert_eq!((row.param("words"), row.param("fpu")), (Some("0"), None));
        assert_eq!(row.conditions(), "server=passive words=0");
    }

    #[test]
    fn a_row_may_have_a_distribution() {
        let row = Row::parse(&format!("{LINE} distribution=1:3,2:6,4:1")).unwrap().unwrap();
        assert_eq!((row.distribution, row.stddev), (vec![(1, 3), (2, 6), (4, 1)], 0.0));
        for (distribution, reason) in
            [("1:3,4", "VALUE:COUNT"), ("1:3,4:6", "contradict"), ("4:5,1:5", "contradict"), ("", "VALUE")]
        {
            let line = format!("{LINE} distribution={distribution}");
            let message = Row::parse(&line).unwrap().unwrap_err();
            assert!(message.contains(reason), "{message}");
        }
    }

    #[test]
    fn samples_become_statistics() {
        let row = Row::of_samples("tool_us", Vec::new(), vec![3, 1, 2, 6]);
        assert_eq!((row.n, row.min, row.median, row.p99, row.max, row.mean), (4, 1, 3, 6, 6, 3.0));
        assert!(consistent(&row) && row.is_native() && (row.stddev - 1.87).abs() < 0.01);
        assert!(consistent(&Row::of_samples("x_bytes", Vec::new(), Vec::new())));
    }

    #[test]
    fn a_row_may_have_samples_instead_of_statistics() {
        let row = Row::parse("ROW name=copy bytes=64 samples=120,118,119").unwrap().unwrap();
        assert_eq!(
            (row.title().as_str(), row.n, row.min, row.median, row.max),
            ("copy bytes=64", 3, 118, 119, 120)
        );
        for samples in ["", "1,", "1,x", "-1", "18446744073709551616"] {
            let message = Row::parse(&format!("ROW name=copy samples={samples}")).unwrap().unwrap_err();
            assert!(message.contains("samples is not NUMBER,NUMBER"), "{message}");
        }
    }

    #[test]
    fn other_lines_are_not_rows() {
        assert_eq!(Row::parse("Booting"), None);
    }

    #[test]
    fn malformed_rows_are_reported_with_the_reason() {
        for (from, to, reason) in [
            ("name=ppc_rt ", "", "first field"),
            ("words=0", "words", "KEY=VALUE"),
            (" p99=3", "", "last fields"),
            ("max=4", "max=many", "max is not a number"),
            ("min=1", "min=3", "contradict"),
            ("n=10", "n=0", "contradict"),
        ] {
            let message = Row::parse(&LINE.replacen(from, to, 1)).unwrap().unwrap_err();
            assert!(message.contains(reason), "{message}");
        }
        assert!(Row::parse("ROW ").unwrap().is_err());
    }
}
