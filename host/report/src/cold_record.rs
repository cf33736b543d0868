//! The recorded cold costs of a board: a line of counts for each row.
//!
//! ```text
//! # code_lines data_lines read_lines written_lines code_pages data_pages
//! notify fpu=off = 10 14 13 9 2 4
//! ```

use crate::cold::Cold;
use crate::results::Results;
use crate::row::Row;

/// The row whose samples differ in length, so that an operation of the median's length may be missing.
const UNSTEADY: &str = "slice_switch";

/// The recorded counts of a board, by name and conditions of their rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColdRecord(Vec<(String, Cold)>);

impl ColdRecord {
    /// The counts of a run.
    #[must_use]
    pub fn of(results: &Results) -> Self {
        let counted = results.rows.iter().filter_map(|row| Some((row.title(), row.cold?)));
        Self(counted.collect())
    }

    /// Records the counts of a run of some systems: those of the others stay.
    pub fn update(&mut self, results: &Results) {
        for (title, cold) in Self::of(results).0 {
            match self.0.iter_mut().find(|(other, _)| *other == title) {
                Some((_, recorded)) => *recorded = cold,
                None => self.0.push((title, cold)),
            }
        }
    }

    /// Whether it has no counts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it has counts of the row with this title.
    #[must_use]
    pub fn has(&self, title: &str) -> bool {
        self.0.iter().any(|(recorded, _)| recorded == title)
    }

    /// Each count as the figure of a row with a further parameter, as in `notify fpu=off cold=code_lines`.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        let row = |title: &str, (name, count): (&&str, u64)| {
            Row::titled(&format!("{title} {}={name}", Cold::PARAM), count)
        };
        let of = |(title, cold): &(String, Cold)| {
            Cold::NAMES.iter().zip(cold.counts()).map(|count| row(title, count)).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of).collect()
    }

    /// The record as text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let line = |(title, cold): &(String, Cold)| {
            format!("{title} = {}\n", cold.counts().map(|c| c.to_string()).join(" "))
        };
        format!("# {}\n", Cold::NAMES.join(" ")) + &self.0.iter().map(line).collect::<String>()
    }

    /// Parses a record.
    ///
    /// # Errors
    /// A sentence with the number of the first line that is not `ROW = COUNTS`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let line = |(index, line): (usize, &str)| {
            let read = || {
                let (title, counts) = line.rsplit_once(" = ")?;
                let counts: Vec<u64> =
                    counts.split(' ').map(|count| count.parse().ok()).collect::<Option<_>>()?;
                Some((title.to_owned(), Cold::of_counts(counts.try_into().ok()?)))
            };
            read().ok_or_else(|| {
                format!("line {}: '{line}' is not 'ROW = {} counts'", index + 1, Cold::NAMES.len())
            })
        };
        let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
        lines.map(line).collect::<Result<_, _>>().map(Self)
    }

    /// A sentence for each row of a run whose counts differ from the record's, and for each that only one of them counts,
    /// except of slices, whose samples differ in length.
    #[must_use]
    pub fn differences(&self, results: &Results) -> Vec<String> {
        let measured = Self::of(results);
        let find = |record: &Self, title: &str| {
            record.0.iter().find(|(other, _)| other == title).map(|(_, cold)| *cold)
        };
        let gone = self.0.iter().filter(|(title, _)| find(&measured, title).is_none() && !is_unsteady(title));
        let gone = gone.map(|(title, _)| format!("{title}: its cold cost is recorded, but was not counted"));
        let others = measured.0.iter().filter_map(|(title, cold)| match find(self, title) {
            None if is_unsteady(title) => None,
            None => Some(format!("{title}: its cold cost is counted, but not recorded")),
            Some(recorded) => difference(title, &recorded, cold),
        });
        others.chain(gone).collect()
    }
}

fn is_unsteady(title: &str) -> bool {
    title.split(' ').next() == Some(UNSTEADY)
}

fn difference(title: &str, recorded: &Cold, counted: &Cold) -> Option<String> {
    let pairs = Cold::NAMES.iter().zip(recorded.counts()).zip(counted.counts());
    let changed = pairs.filter(|((_, from), to)| from != to);
    let changed: Vec<_> = changed.map(|((name, from), to)| format!("{name} from {from} to {to}")).collect();
    (!changed.is_empty()).then(|| format!("{title} has changed {}", changed.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::results;

    fn counted(counts: &[Option<[u64; 6]>]) -> Results {
        let mut results = results();
        for (row, counts) in results.rows.iter_mut().zip(counts) {
            row.cold = counts.map(Cold::of_counts);
        }
        results
    }

    #[test]
    fn a_record_reads_back() {
        let record = ColdRecord::of(&counted(&[None, Some([10, 14, 13, 9, 2, 4])]));
        let text = "# code_lines data_lines read_lines written_lines code_pages data_pages\n\
                    notify = 10 14 13 9 2 4\n";
        assert_eq!(record.to_text(), text);
        assert_eq!(ColdRecord::parse(text), Ok(record.clone()));
        let rows: Vec<_> = record.rows().iter().map(|row| (row.title(), row.median)).collect();
        assert_eq!(
            rows[..2],
            [("notify cold=code_lines".to_owned(), 10), ("notify cold=data_lines".to_owned(), 14)]
        );
        assert_eq!((rows.len(), record.is_empty()), (6, false));
        for bad in ["notify", "notify = 1 2 3 4 5", "notify = 1 2 3 4 5 x", "notify = 1 2 3 4 5 6 7"] {
            let sentence = ColdRecord::parse(&format!("# names\n{bad}\n")).unwrap_err();
            assert_eq!(sentence, format!("line 2: '{bad}' is not 'ROW = 6 counts'"));
        }
    }

    #[test]
    fn a_run_of_some_systems_replaces_their_counts() {
        let mut record = ColdRecord::of(&counted(&[Some([1; 6]), Some([2; 6]), None]));
        record.update(&counted(&[None, Some([4; 6]), Some([3; 6])]));
        assert_eq!(record, ColdRecord::of(&counted(&[Some([1; 6]), Some([4; 6]), Some([3; 6])])));
    }

    #[test]
    fn every_change_is_reported() {
        let record = ColdRecord::of(&counted(&[Some([1; 6]), Some([2; 6]), Some([3; 6])]));
        assert_eq!(record.differences(&counted(&[Some([1; 6]), Some([2; 6]), Some([3; 6])])), [""; 0]);
        let changed = counted(&[None, Some([2, 3, 2, 2, 1, 2]), Some([3; 6])]);
        assert_eq!(
            record.differences(&changed),
            [
                "notify has changed data_lines from 2 to 3, code_pages from 2 to 1",
                "ppc_rt server=passive words=0 fpu=off: its cold cost is recorded, but was not counted"
            ]
        );
        let nothing = ColdRecord::default();
        let sentences = nothing.differences(&counted(&[Some([1; 6])]));
        assert_eq!(
            sentences,
            ["ppc_rt server=passive words=0 fpu=off: its cold cost is counted, but not recorded"]
        );
    }

    #[test]
    fn an_unsteady_row_may_be_missing_but_not_change() {
        let line = "slice_switch fpu=on = 59 38 29 23 4 9\n";
        let mut with = results();
        with.rows.truncate(1);
        with.rows[0] = Row::titled("slice_switch fpu=on", 662);
        let without = with.clone();
        with.rows[0].cold = Some(Cold::of_counts([59, 38, 29, 23, 4, 9]));
        assert_eq!(ColdRecord::parse(line).unwrap().differences(&without), [""; 0]);
        assert_eq!(ColdRecord::default().differences(&with), [""; 0]);
        with.rows[0].cold = Some(Cold::of_counts([60, 38, 29, 23, 4, 9]));
        let change = "slice_switch fpu=on has changed code_lines from 59 to 60";
        assert_eq!(ColdRecord::parse(line).unwrap().differences(&with), [change]);
    }
}
