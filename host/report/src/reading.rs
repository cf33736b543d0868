//! The JSON reader for runs.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};

use crate::cold::Cold;
use crate::results::{Results, SCHEMA};
use crate::row::{Row, consistent};

/// The part that all schemas share.
#[derive(Deserialize)]
struct Head {
    schema: u64,
}

/// A run in schema 1. Unknown fields are ignored.
#[derive(Deserialize)]
struct Run {
    board: String,
    config: String,
    unit: String,
    #[serde(default)]
    version: String,
    commit: String,
    #[serde(default)]
    environment: Pairs,
    rows: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    params: Pairs,
    n: u64,
    min: u64,
    median: u64,
    p99: u64,
    max: u64,
    mean: f64,
    stddev: f64,
    #[serde(default)]
    distribution: Vec<(u64, u64)>,
    cold: Option<Cold>,
}

/// A JSON object of strings and whole numbers, in order.
#[derive(Default)]
struct Pairs(Vec<(String, String)>);

impl Results {
    /// Parses the output of [`Results::to_json`].
    ///
    /// # Errors
    /// A sentence with the location of the syntax error, or the row that contradicts itself.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let head: Head = serde_json::from_str(text).map_err(located)?;
        if head.schema != SCHEMA {
            return Err(format!(
                "it is written in schema {}, and only schema {SCHEMA} can be read; measure again with this version",
                head.schema
            ));
        }
        let Run { board, config, unit, version, commit, environment: Pairs(environment), rows } =
            serde_json::from_str(text).map_err(located)?;
        let rows = rows.into_iter().map(row).collect::<Result<_, _>>()?;
        Ok(Self { board, config, unit, version, commit, environment, rows })
    }
}

fn located(error: serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default();
    format!("line {line}, column {column}: {reason}; a run is what ./x bench --json FILE writes")
}

fn row(entry: Entry) -> Result<Row, String> {
    let Entry { name, params: Pairs(params), n, min, median, p99, max, mean, stddev, distribution, cold } =
        entry;
    let row = Row { name, params, n, min, median, p99, max, mean, stddev, distribution, cold };
    if consistent(&row) {
        return Ok(row);
    }
    Err(format!("the statistics of the row '{}' contradict each other", row.title()))
}

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PairsVisitor)
    }
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Pairs;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of strings and whole numbers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
        let mut pairs = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, serde_json::Value>()? {
            let value = match value {
                serde_json::Value::String(text) => text,
                serde_json::Value::Number(number) => number.to_string(),
                other => return Err(A::Error::custom(format!("'{key}' cannot be {other}"))),
            };
            pairs.push((key, value));
        }
        Ok(Pairs(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::results;

    #[test]
    fn a_written_run_reads_back() {
        let mut run = results();
        run.environment.push(("emulator".into(), "QEMU 7.2".into()));
        run.rows[0].distribution = vec![(310, 1)];
        run.rows[1].cold = Some(Cold::of_counts([1, 2, 3, 4, 5, 6]));
        assert_eq!(Results::from_json(&run.to_json()), Ok(run));
    }

    #[test]
    fn a_run_without_a_version_has_its_commit() {
        let json = results().to_json();
        assert_eq!(Results::from_json(&json).unwrap().release(), "0.9.0 (0123456789ab)");
        let older = json.replace("\"version\":\"0.9.0\",", "");
        assert_eq!(Results::from_json(&older).unwrap().release(), "0123456789ab");
    }

    #[test]
    fn malformed_files_are_reported_with_a_location() {
        let json = results().to_json();
        for (text, sentence) in [
            (String::new(), "line 1, column 0: EOF while parsing a value"),
            (json[..json.len() - 8].to_owned(), "line 4, column "),
            ("[1]".to_owned(), "line 1, column 2: invalid type"),
            (json.replace("\"schema\":1", "\"schema\":2"), "it is written in schema 2"),
            (json.replace("\"schema\":1,", ""), "missing field `schema`"),
            (json.replace("\"median\":310,", ""), "line 2, column "),
            (json.replace("\"words\":0", "\"words\":null"), "'words' cannot be null"),
            (
                json.replace("\"min\":310", "\"min\":311"),
                "row 'ppc_rt server=passive words=0 fpu=off' contradict",
            ),
        ] {
            let message = Results::from_json(&text).unwrap_err();
            assert!(message.contains(sentence), "{message}");
        }
    }
}
