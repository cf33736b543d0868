//! The figures of each system as soon as it is measured, so that `./x bench --resume` continues a run that ended early.

use std::path::PathBuf;

use limen_report::{Results, Row};

use crate::bench::counting::Counting;
use crate::failure::{Failure, Outcome};
use crate::shell::files;
use crate::workspace::Workspace;

/// Whether a run measures everything, or only what an earlier one did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// Everything.
    #[default]
    Anew,
    /// The rest.
    Resumed,
}

/// The kept figures of one board, with as many samples as this run takes.
#[derive(Debug)]
pub struct Kept {
    folder: PathBuf,
    /// The run without rows: figures of other sources or tools do not count.
    run: Results,
    start: Start,
}

impl Kept {
    /// The kept figures for a run.
    ///
    /// # Errors
    /// When the run is resumed with uncommitted changes, because nothing tells which sources were measured.
    pub fn new(
        workspace: &Workspace,
        run: Results,
        quick: bool,
        counting: Counting<'_>,
        start: Start,
    ) -> Outcome<Self> {
        if start == Start::Resumed && !is_committed(&run.commit) {
            return Err(Failure::new(format!(
                "--resume needs committed sources, but these are {}: commit the changes, or omit --resume",
                run.commit
            )));
        }
        let samples = if quick { "quick" } else { "all" };
        let counts = if counting.is_on() { "cold" } else { "" };
        let folder = workspace.path("build/bench/kept").join(&run.board).join(samples).join(counts);
        Ok(Self { folder, run, start })
    }

    /// The rows of a system: those that are kept, or those that `measure` returns, which are then kept.
    ///
    /// # Errors
    /// When they cannot be measured or written.
    pub fn rows(&self, title: &str, measure: impl FnOnce() -> Outcome<Vec<Row>>) -> Outcome<Vec<Row>> {
        let file = self.folder.join(title.replace(['/', ' '], "+") + ".json");
        if self.start == Start::Resumed
            && let Some(results) = files::read(&file).ok().and_then(|text| Results::from_json(&text).ok())
            && (Results { rows: Vec::new(), ..results.clone() }) == self.run
        {
            return Ok(results.rows);
        }
        let rows = measure()?;
        if is_committed(&self.run.commit) {
            files::write(&file, Results { rows: rows.clone(), ..self.run.clone() }.to_json())?;
        }
        Ok(rows)
    }
}

/// Whether the name of a commit identifies the sources.
fn is_committed(commit: &str) -> bool {
    commit != "unknown" && !commit.ends_with("-dirty")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(commit: &str) -> Results {
        let text = |text: &str| text.to_owned();
        let environment = vec![(text("emulator"), text("QEMU 7"))];
        let (board, config, unit) = (text("board"), text("release"), text("instructions"));
        Results {
            board,
            config,
            unit,
            version: text("1"),
            commit: text(commit),
            environment,
            rows: Vec::new(),
        }
    }

    fn kept(name: &str, run: Results, start: Start) -> Kept {
        let folder = std::env::temp_dir().join(format!("limen-kept-{name}-{}", std::process::id()));
        Kept { folder, run, start }
    }

    fn row(value: u64) -> Vec<Row> {
        vec![Row::of_samples("notify", vec![("server".to_owned(), "passive".to_owned())], vec![value, 7])]
    }

    #[test]
    fn a_resumed_run_measures_what_is_not_kept() {
        let first = kept("rest", run("abc"), Start::Anew);
        assert_eq!(first.rows("bench/a X=1", || Ok(row(1))).unwrap(), row(1));
        assert!(first.rows("bench/b", || Err(Failure::new("it ended"))).is_err());
        let second = kept("rest", run("abc"), Start::Resumed);
        assert_eq!(second.rows("bench/a X=1", || Ok(row(2))).unwrap(), row(1));
        assert_eq!(second.rows("bench/b", || Ok(row(3))).unwrap(), row(3));
        assert_eq!(kept("rest", run("abc"), Start::Anew).rows("bench/b", || Ok(row(4))).unwrap(), row(4));
        std::fs::remove_dir_all(first.folder).unwrap();
    }

    #[test]
    fn figures_of_other_sources_or_tools_are_measured_again() {
        let first = kept("others", run("abc"), Start::Anew);
        first.rows("bench/a", || Ok(row(1))).unwrap();
        let mut tools = run("abc");
        tools.environment[0].1 = "QEMU 8".to_owned();
        for other in [run("abd"), tools] {
            let resumed = kept("others", other, Start::Resumed);
            assert_eq!(
                resumed.rows("bench/a", || Err(Failure::new("measured"))).unwrap_err().to_string(),
                "measured"
            );
        }
        std::fs::write(first.folder.join("bench+a.json"), "{").unwrap();
        let resumed = kept("others", run("abc"), Start::Resumed);
        assert_eq!(resumed.rows("bench/a", || Ok(row(5))).unwrap(), row(5));
        std::fs::remove_dir_all(first.folder).unwrap();
    }

    #[test]
    fn uncommitted_sources_are_not_kept() {
        let first = kept("dirty", run("abc-dirty"), Start::Anew);
        first.rows("bench/a", || Ok(row(1))).unwrap();
        assert!(!first.folder.exists());
    }
}
