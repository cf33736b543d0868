//! Changes between two runs of a board.

use crate::golden::{Difference, Golden};
use crate::results::Results;

/// Two comparable runs.
#[derive(Clone, Debug)]
pub struct Changes<'a> {
    /// The earlier one.
    pub old: &'a Results,
    /// The later one.
    pub new: &'a Results,
    /// Rows that differ.
    pub differences: Vec<Difference>,
}

impl<'a> Changes<'a> {
    /// Compares all rows of two runs.
    ///
    /// # Errors
    /// A sentence, if the boards, configurations or units differ.
    pub fn between(old: &'a Results, new: &'a Results) -> Result<Self, String> {
        for (what, theirs, ours) in [
            ("board", &old.board, &new.board),
            ("configuration", &old.config, &new.config),
            ("unit", &old.unit, &new.unit),
        ] {
            if theirs != ours {
                return Err(format!(
                    "its {what} is {theirs}, and that of this run {ours}: their figures are not comparable"
                ));
            }
        }
        Ok(Self { old, new, differences: Golden::of(old).differences_above(0, new) })
    }

    /// The changes, one per line.
    #[must_use]
    pub fn to_text(&self) -> String {
        let Self { old, new, differences } = self;
        let (changed, others): (Vec<_>, Vec<_>) =
            differences.iter().partition(|difference| matches!(difference, Difference::Changed { .. }));
        let width = changed.iter().map(|difference| difference.row().len()).max().unwrap_or_default();
        let lines = changed.iter().filter_map(|difference| match difference {
            Difference::Changed { row, from, to } => {
                let percent = percent(*from, *to);
                Some(format!("{row:width$}  {from:>9} -> {to:>9}  {percent}\n"))
            }
            Difference::New { .. } | Difference::Gone { .. } => None,
        });
        let lines: String = lines.collect();
        let others: String = others.iter().map(|difference| format!("{difference}\n")).collect();
        let others_now = differences.iter().filter(|difference| !difference.is_gone()).count();
        let same = Golden::of(new).count() - others_now;
        format!(
            "{} -> {}: {same} rows are the same, {} changed\n{lines}{others}",
            old.release(),
            new.release(),
            changed.len()
        )
    }
}

/// The relative change of a figure, for example `+2.4 %`.
pub(crate) fn percent(from: u64, to: u64) -> String {
    if from == 0 {
        return "from nothing".to_owned();
    }
    format!("{:+.1} %", 100.0 * (to as f64 - from as f64) / from as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::results;

    #[test]
    fn changes_are_listed_by_row() {
        let (mut old, mut new) = (results(), results());
        old.rows[0].median = 400;
        old.rows[2].name = "older".to_owned();
        new.commit = "new".to_owned();
        let text = Changes::between(&old, &new).unwrap().to_text();
        assert_eq!(
            text,
            "0.9.0 (0123456789ab) -> 0.9.0 (new): 1 rows are the same, 1 changed\n\
             ppc_rt server=passive words=0 fpu=off        400 ->       310  -22.5 %\n\
             irq_latency line=<odd> is 7, and not recorded\n\
             older line=<odd> is recorded, but was not measured\n"
        );
    }

    #[test]
    fn runs_of_different_boards_are_not_compared() {
        let (old, mut new) = (results(), results());
        new.board = "another".to_owned();
        let sentence = Changes::between(&old, &new).unwrap_err();
        assert!(
            sentence.starts_with("its board is qemu_virt_aarch64, and that of this run another"),
            "{sentence}"
        );
    }
}
