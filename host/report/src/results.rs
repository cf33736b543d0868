//! The rows of one run and its environment, and their JSON form.

use crate::cold::Cold;
use crate::row::Row;

/// Version of the JSON format of a run.
pub const SCHEMA: u64 = 1;

/// A finished run.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// The board.
    pub board: String,
    /// The SDK configuration, for example `release`.
    pub config: String,
    /// Unit of the figures, for example `instructions`.
    pub unit: String,
    /// The version of Limen, for example `0.2.0`; empty in runs of versions that did not record it.
    pub version: String,
    /// The commit of Limen.
    pub commit: String,
    /// The environment: tools and their versions, as text for people.
    pub environment: Vec<(String, String)>,
    /// The figures, in order of measurement.
    pub rows: Vec<Row>,
}

impl Results {
    /// Version and commit as text.
    #[must_use]
    pub fn release(&self) -> String {
        match self.version.as_str() {
            "" => self.commit.clone(),
            version => format!("{version} ({})", self.commit),
        }
    }

    /// The run in JSON, schema 1.
    #[must_use]
    pub fn to_json(&self) -> String {
        let head = [
            ("board", &self.board),
            ("config", &self.config),
            ("unit", &self.unit),
            ("version", &self.version),
            ("commit", &self.commit),
        ];
        let head: String = head.iter().map(|(key, value)| format!(",\"{key}\":{}", quoted(value))).collect();
        let environment: Vec<_> = self
            .environment
            .iter()
            .map(|(what, version)| format!("{}:{}", quoted(what), quoted(version)))
            .collect();
        let environment = environment.join(",");
        let rows: Vec<_> = self.rows.iter().map(row_json).collect();
        let rows = rows.join(",\n");
        format!("{{\"schema\":{SCHEMA}{head},\"environment\":{{{environment}}},\"rows\":[\n{rows}\n]}}\n")
    }
}

fn row_json(row: &Row) -> String {
    let params: Vec<_> =
        row.params.iter().map(|(key, value)| format!("{}:{}", quoted(key), param(value))).collect();
    format!(
        "{{\"name\":{},\"params\":{{{}}},\"n\":{},\"min\":{},\"median\":{},\"p99\":{},\"max\":{},\"mean\":{},\"stddev\":{}{}{}}}",
        quoted(&row.name),
        params.join(","),
        row.n,
        row.min,
        row.median,
        row.p99,
        row.max,
        row.mean,
        row.stddev,
        distribution(row),
        cold(row)
    )
}

/// An optional member: pairs of a value and its count.
fn distribution(row: &Row) -> String {
    let pairs: Vec<_> = row.distribution.iter().map(|(value, count)| format!("[{value},{count}]")).collect();
    if pairs.is_empty() { String::new() } else { format!(",\"distribution\":[{}]", pairs.join(",")) }
}

/// The optional last member: the counts of the kernel's memory.
fn cold(row: &Row) -> String {
    let member = |(name, count): (&&str, u64)| format!("{}:{count}", quoted(name));
    let members =
        |cold: Cold| Cold::NAMES.iter().zip(cold.counts()).map(member).collect::<Vec<_>>().join(",");
    row.cold.map_or_else(String::new, |cold| format!(",\"cold\":{{{}}}", members(cold)))
}

/// Whole numbers stay numbers, so that readers can sort by them.
fn param(value: &str) -> String {
    match value.parse::<u64>() {
        Ok(number) if number.to_string() == value => value.to_owned(),
        _ => quoted(value),
    }
}

fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            c if u32::from(c) < 0x20 => format!("\\u{:04x}", u32::from(c)),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_written_in_schema_1() {
        let line =
            "ROW name=ppc_rt server=passive words=0 n=2 min=1 median=1 p99=2 max=2 mean=1.5 stddev=0.5";
        let results = Results {
            board: "b".into(),
            config: "release".into(),
            unit: "instructions".into(),
            version: "1.2.3".into(),
            commit: "c\"1".into(),
            environment: vec![("emulator".into(), "q".into())],
            rows: vec![Row::parse(line).unwrap().unwrap()],
        };
        let expected = "{\"schema\":1,\"board\":\"b\",\"config\":\"release\",\"unit\":\"instructions\",\
            \"version\":\"1.2.3\",\"commit\":\"c\\\"1\",\"environment\":{\"emulator\":\"q\"},\"rows\":[\n\
            {\"name\":\"ppc_rt\",\"params\":{\"server\":\"passive\",\"words\":0},\"n\":2,\"min\":1,\"median\":1,\
            \"p99\":2,\"max\":2,\"mean\":1.5,\"stddev\":0.5}\n]}\n";
        assert_eq!(results.to_json(), expected);
    }

    #[test]
    fn a_distribution_is_the_last_member_of_its_row() {
        let line = "ROW name=cross n=3 min=1 median=1 p99=2 max=2 mean=1.5 stddev=0.5 distribution=1:2,2:1";
        let json = row_json(&Row::parse(line).unwrap().unwrap());
        assert!(json.ends_with(",\"stddev\":0.5,\"distribution\":[[1,2],[2,1]]}"), "{json}");
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(quoted("a\n\\"), "\"a\\u000a\\\\\"");
    }
}
