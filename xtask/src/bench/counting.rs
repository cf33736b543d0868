//! Which runs count the cache lines and pages of the kernel.

use limen_report::{ColdRecord, Row};

/// Whether a run counts the kernel's memory that its operations touch.
#[derive(Clone, Copy, Debug, Default)]
pub enum Counting<'a> {
    /// It does not.
    #[default]
    Off,
    /// It does.
    Cold,
    /// It does in systems with rows in this record.
    AsRecorded(&'a ColdRecord),
}

impl Counting<'_> {
    /// Whether it counts anything.
    pub fn is_on(self) -> bool {
        !matches!(self, Self::Off)
    }

    /// Whether it counts the operations of a system with these rows. Single figures are not of operations.
    pub fn counts(self, rows: &[Row]) -> bool {
        match self {
            Self::Off => false,
            Self::Cold => rows.iter().any(|row| row.n > 1),
            Self::AsRecorded(record) => rows.iter().any(|row| record.has(&row.title())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(n: u64) -> Row {
        Row { n, ..Row::single("x", Vec::new(), 4) }
    }

    #[test]
    fn a_system_is_counted_if_the_record_has_one_of_its_rows() {
        let record = ColdRecord::parse("x = 1 1 1 1 1 1\n").unwrap();
        let other = Row { n: 9, ..Row::single("y", Vec::new(), 4) };
        let counts = |rows: &[Row]| {
            [Counting::Off, Counting::Cold, Counting::AsRecorded(&record)]
                .map(|counting| counting.counts(rows))
        };
        assert_eq!(counts(&[row(9), other.clone()]), [false, true, true]);
        assert_eq!(counts(&[other]), [false, true, false]);
        assert_eq!(counts(&[row(1)]), [false, false, true]);
    }
}
