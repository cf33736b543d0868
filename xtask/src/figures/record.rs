//! Recorded figures by board and row, and the reference's figures.

use std::path::Path;

use limen_nearest::did_you_mean;
use limen_report::floor::Item;
use limen_report::sections::PublishedRow;
use limen_report::{Cold, ColdRecord, Floors, Golden, Reference, Row, Sections};

use crate::failure::{Context, Failure, Outcome};
use crate::shell::files;

/// Boards as headings of tables name them, the titles of their records, and their architectures in the reference.
const BOARDS: [(&str, &str, &str); 3] = [
    ("AArch64", "qemu_virt_aarch64", "aarch64"),
    ("RISC-V", "qemu_virt_riscv64", "riscv64"),
    ("x86_64", "x86_64_generic", "x86_64"),
];

/// The simulated core: latencies of its memory and numbers of harts as headings of tables name them, the titles of their records,
/// and their names in the reference.
const CORES: [(&str, &str, &str); 4] = [
    ("L = 0", "qemu_virt_riscv64-rocket_0", "rocket_0"),
    ("L = 20", "qemu_virt_riscv64-rocket", "rocket"),
    ("L = 40", "qemu_virt_riscv64-rocket_40", "rocket_40"),
    ("four harts", "qemu_virt_riscv64-rocket_4", "rocket_4"),
];

/// The name by which comments select the figures of the developer's machine.
const NATIVE: &str = "native";

/// The name of rows with the cycles that a model predicts.
const MODELLED: &str = "model_cycles";

/// Everything that a table can show.
pub struct Record {
    boards: Vec<Board>,
    in_instructions: Reference,
    in_cycles: Reference,
}

/// The recorded figures of a board.
pub struct Board {
    name: &'static str,
    /// The instruction set, or the variant that is a simulated core.
    machine: &'static str,
    unit: Unit,
    rows: Vec<Row>,
}

/// The unit of a board's figures, which the reference's have as well.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Instructions,
    Cycles,
}

impl Record {
    /// Reads the record of the repository.
    ///
    /// # Errors
    /// When a file is missing or malformed.
    pub fn read(root: &Path) -> Outcome<Self> {
        Self::from_texts(|title| {
            let file = root.join("bench/golden").join(format!("{title}.txt"));
            // A simulated core takes long to measure, so some may have no record yet.
            let is_optional = CORES.iter().any(|(_, core, _)| *core == title);
            if is_optional && !file.exists() { Ok(String::new()) } else { files::read(&file) }
        })
    }

    /// The record whose files have these texts, by title of board.
    ///
    /// # Errors
    /// When a text is missing or malformed.
    pub fn from_texts(text: impl Fn(&str) -> Outcome<String>) -> Outcome<Self> {
        let floors = Floors::built_in().map_err(Failure::new)?;
        let published = published()?;
        let golden = |title: &str| {
            Golden::parse(&text(title)?)
                .context(|| format!("bench/golden/{title}.txt"))
                .map(|golden| golden.rows())
        };
        let board = |(name, title, architecture): (_, &str, _)| {
            let cold = format!("{title}.cold");
            let cold = ColdRecord::parse(&text(&cold)?).context(|| format!("bench/golden/{cold}.txt"))?;
            let mut rows = golden(title)?;
            rows.extend(
                rows.iter()
                    .filter_map(|row| distance(&floors, row, architecture))
                    .flatten()
                    .collect::<Vec<_>>(),
            );
            rows.extend(floors.items.iter().filter_map(|item| step(item, architecture)));
            rows.extend(cold.rows());
            rows.extend(golden(&format!("{title}.model"))?);
            rows.extend(published.clone());
            Ok(Board { name, machine: architecture, unit: Unit::Instructions, rows })
        };
        let core =
            |(name, title, machine)| Ok(Board { name, machine, unit: Unit::Cycles, rows: golden(title)? });
        let mut boards = BOARDS.into_iter().map(board).collect::<Outcome<Vec<_>>>()?;
        boards.extend(CORES.into_iter().map(core).collect::<Outcome<Vec<_>>>()?);
        boards.push(Board { name: NATIVE, machine: "", unit: Unit::Instructions, rows: golden(NATIVE)? });
        Ok(Self {
            boards,
            in_instructions: Reference::built_in().map_err(Failure::new)?,
            in_cycles: Reference::in_cycles().map_err(Failure::new)?,
        })
    }

    /// The board with this name in headings.
    ///
    /// # Errors
    /// A sentence, if there is none.
    pub fn board(&self, name: &str) -> Result<&Board, String> {
        let names = || self.boards.iter().map(|board| board.name);
        self.boards.iter().find(|board| board.name == name).ok_or_else(|| {
            let hint = did_you_mean(name, names())
                .unwrap_or_else(|| format!("the boards are {}", names().collect::<Vec<_>>().join(", ")));
            format!("there is no board `{name}`: {hint}")
        })
    }

    /// The board that a heading names; `None` if it names none or several.
    pub fn board_in(&self, heading: &str) -> Option<&Board> {
        let boards = self.boards.iter().filter(|board| board.name != NATIVE);
        let mut named = boards.filter(|board| heading.contains(board.name));
        named.next().filter(|_| named.next().is_none())
    }

    /// The recorded figure of a row; `None` if only other boards have the row.
    ///
    /// # Errors
    /// A sentence, if no board has it.
    pub fn figure(&self, board: &Board, row: &Row) -> Result<Option<u64>, String> {
        if let Some(figure) = board.figure(row) {
            return Ok(Some(figure));
        }
        if self.boards.iter().any(|other| other.figure(row).is_some()) {
            return Ok(None);
        }
        let titles: Vec<_> =
            self.boards.iter().flat_map(|board| &board.rows).filter(|other| other.name == row.name).collect();
        Err(self.unknown(row, &titles))
    }

    /// The largest figure of the rows that have the name and parameters of `row`, and none of the parameters `without`.
    ///
    /// # Errors
    /// A sentence, if there is none.
    pub fn most(&self, board: &Board, row: &Row, without: &[String]) -> Result<u64, String> {
        let counted = |other: &&Row| {
            let params = row.params.iter().map(|(key, value)| (key, value));
            other.name == row.name
                && other.matches(params)
                && other.param(Cold::PARAM) == row.param(Cold::PARAM)
                && without.iter().all(|key| other.param(key).is_none())
        };
        let most = board.rows.iter().filter(counted).map(|row| row.median).max();
        most.ok_or_else(|| self.unknown(row, &[]))
    }

    /// The reference's figure for a row, and the largest part of it that meets the target, if there is one.
    ///
    /// # Errors
    /// A sentence, if the reference has none.
    pub fn reference(&self, board: &Board, row: &Row) -> Result<(f64, Option<f64>), String> {
        let (reference, file) = match board.unit {
            Unit::Instructions => (&self.in_instructions, "reference"),
            Unit::Cycles => (&self.in_cycles, "reference_cycles"),
        };
        let figure = reference.figure(row, board.machine);
        let figure =
            figure.ok_or_else(|| format!("host/report/data/{file}.toml has no row `{}`", row.title()))?;
        Ok((figure.median, figure.target))
    }

    fn unknown(&self, row: &Row, same_name: &[&Row]) -> String {
        let titles: Vec<_> = same_name.iter().map(|row| row.title()).collect();
        let names = self.boards.iter().flat_map(|board| &board.rows).map(|row| row.name.as_str());
        let hint = if titles.is_empty() {
            did_you_mean(&row.name, names)
        } else {
            did_you_mean(&row.title(), titles.iter().map(String::as_str))
                .or_else(|| Some(format!("one of that name is `{}`", titles[0])))
        };
        let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        format!("bench/golden has no row `{}`{hint}", row.title())
    }
}

/// The row `published ...` of each published figure beside modelled cycles, with the parameters of ours.
fn published() -> Outcome<Vec<Row>> {
    let sections = Sections::built_in().map_err(Failure::new)?;
    let lines = sections.all.iter().flat_map(|section| &section.published).flat_map(|table| &table.rows);
    let of_line = |line: &PublishedRow| {
        let cells = line.figures.iter().enumerate();
        let rows = cells.filter_map(|(column, text)| match line.ours(column)? {
            (MODELLED, params) => {
                Some(Row::single("published", params.into_iter().collect(), text.parse().ok()?))
            }
            _ => None,
        });
        rows.collect::<Vec<_>>()
    };
    Ok(lines.flat_map(of_line).collect())
}

/// The row `floor_step id=ID` of an item of floors.
fn step(item: &Item, architecture: &str) -> Option<Row> {
    let count = item.instructions.get(architecture)?;
    Some(Row::single("floor_step", vec![("id".to_owned(), item.id.clone())], *count))
}

/// The rows `kernel of=NAME ...` and `floor of=NAME ...` of a row with a floor.
fn distance(floors: &Floors, row: &Row, architecture: &str) -> Option<[Row; 2]> {
    let distance = floors.distance(row, architecture)?;
    let of = ("of".to_owned(), row.name.clone());
    let params: Vec<_> = std::iter::once(of).chain(row.params.clone()).collect();
    Some([
        Row::single("kernel", params.clone(), distance.kernel),
        Row::single("floor", params, distance.floor),
    ])
}

impl Board {
    /// The figure of the row with the same name and parameters, in any order.
    fn figure(&self, row: &Row) -> Option<u64> {
        let is_same = |other: &&Row| {
            other.name == row.name
                && other.params.len() == row.params.len()
                && other.matches(row.params.iter().map(|(key, value)| (key, value)))
        };
        self.rows.iter().find(is_same).map(|row| row.median)
    }
}

#[cfg(test)]
pub mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// A record of a few rows, two of which RISC-V and x86_64 lack.
    pub fn record() -> Record {
        let text = |title: &str| {
            Ok(match title {
                "qemu_virt_aarch64" => {
                    "# emulator 7.2\nnotify fpu=off = 113\nnotify fpu=on = 140512\nhere a=1 b=2 = 9\nboot = 159488\n"
                }
                "qemu_virt_riscv64" => "notify fpu=off = 133\nnotify fpu=on = 1500\n",
                "qemu_virt_aarch64.cold" => "# counts\nnotify fpu=off = 10 14 13 9 2 4\n",
                "qemu_virt_riscv64.model" => "model_cycles path=call server=passive fpu=off processor=sifive-u74 = 143\n",
                "qemu_virt_riscv64-rocket" => "notify fpu=off = 246\n",
                core if core.contains("rocket") => "notify fpu=off = 200\n",
                "native" => "# machine a PC\nswitch of=pth = 174321\nswitch of=bare = 1804\n",
                other if other.ends_with(".cold") || other.ends_with(".model") => "",
                _ => "notify fpu=off = 124\nnotify fpu=on = 125\n",
            }
            .to_owned())
        };
        Record::from_texts(text).unwrap()
    }

    #[test]
    fn the_rows_beside_published_ones_are_recorded() {
        let record = Record::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
        let sections = Sections::built_in().unwrap();
        let tables = sections.all.iter().flat_map(|section| &section.published);
        let rows = tables.flat_map(|table| &table.rows);
        let ours: Vec<_> =
            rows.flat_map(|row| (0..row.figures.len()).filter_map(|column| row.ours(column))).collect();
        assert!(!ours.is_empty());
        // A trace on x86_64 cannot tell switches of cothreads apart.
        let is_traced = |params: &BTreeMap<String, String>| {
            ["path", "processor"].map(|key| params.get(key).map(String::as_str))
                != [Some("cothread"), Some("skylake")]
        };
        for (name, params) in ours.iter().filter(|(_, params)| is_traced(params)) {
            let mut recorded = record.boards.iter().flat_map(|board| &board.rows);
            assert!(recorded.any(|row| row.name == *name && row.matches(params)), "{name} {params:?}");
        }
    }

    #[test]
    fn lists_of_the_report_have_names_for_people() {
        let record = Record::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
        let sections = Sections::built_in().unwrap();
        let lists = sections.all.iter().flat_map(|section| &section.list);
        for name in lists.flat_map(|list| &list.names) {
            assert!(sections.names.contains_key(name), "{name}");
            let rows = record.boards.iter().flat_map(|board| &board.rows).filter(|row| row.name == *name);
            let rows = rows.filter(|row| row.param(Cold::PARAM).is_none());
            for (key, value) in rows.flat_map(|row| &row.params) {
                // As in "63 domains" or "tour example".
                let is_readable = value.parse::<u64>().is_ok() || key == "example";
                assert!(
                    is_readable || sections.words.contains_key(&format!("{key}={value}")),
                    "{key}={value}"
                );
            }
        }
    }

    fn row(name: &str, params: &[(&str, &str)]) -> Row {
        let params = params.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        Row::single(name, params.collect(), 0)
    }

    #[test]
    fn a_row_is_found_with_its_parameters_in_any_order() {
        let record = record();
        let [arm, risc] = ["AArch64", "RISC-V"].map(|name| record.board(name).unwrap());
        let here = row("here", &[("b", "2"), ("a", "1")]);
        assert_eq!(record.figure(arm, &here), Ok(Some(9)));
        assert_eq!(record.figure(risc, &here), Ok(None));
        assert_eq!(record.most(arm, &row("notify", &[]), &[]), Ok(140_512));
        assert_eq!(record.most(arm, &row("notify", &[("fpu", "off")]), &[]), Ok(113));
        assert_eq!(record.most(arm, &row("here", &[]), &["c".to_owned()]), Ok(9));
        assert_eq!(record.most(arm, &row("notify", &[("cold", "code_lines")]), &[]), Ok(10));
        assert!(record.most(arm, &row("here", &[]), &["a".to_owned()]).is_err());
    }

    #[test]
    fn unknown_names_are_reported_with_similar_ones() {
        let record = record();
        let arm = record.board("AArch64").unwrap();
        for (row, sentence) in [
            (row("notfy", &[("fpu", "on")]), "no row `notfy fpu=on`; did you mean `notify`?"),
            (row("notify", &[("fpu", "of")]), "no row `notify fpu=of`; did you mean `notify fpu=off`"),
            (row("here", &[]), "bench/golden has no row `here`; "),
        ] {
            let message = record.figure(arm, &row).unwrap_err();
            assert!(message.contains(sentence), "{message}");
        }
        let message = record.board("Arch64").err().unwrap();
        assert_eq!(message, "there is no board `Arch64`: did you mean `AArch64`?");
        let message = record.reference(arm, &row("here", &[])).unwrap_err();
        assert_eq!(message, "host/report/data/reference.toml has no row `here`");
    }

    #[test]
    fn figures_in_cycles_have_a_reference_in_cycles() {
        let record = record();
        let core = record.board("L = 20").unwrap();
        let signal = row("notify", &[("fpu", "off")]);
        assert_eq!(record.figure(core, &signal), Ok(Some(246)));
        assert_eq!(record.reference(core, &signal).unwrap().0, 984.0);
        let message = record.reference(core, &row("here", &[])).unwrap_err();
        assert_eq!(message, "host/report/data/reference_cycles.toml has no row `here`");
    }

    #[test]
    fn a_row_with_a_floor_has_the_kernels_part_too() {
        let record = record();
        let arm = record.board("AArch64").unwrap();
        let of = |name| record.figure(arm, &row(name, &[("of", "notify"), ("fpu", "off")])).unwrap().unwrap();
        assert!(0 < of("floor") && of("floor") < of("kernel") && of("kernel") < 113);
        assert!(record.figure(arm, &row("floor", &[("of", "boot")])).is_err());
    }

    #[test]
    fn a_heading_names_one_board_or_none() {
        let record = record();
        let named = |heading| record.board_in(heading).map(|board| board.name);
        assert_eq!(named("AArch64: program + interrupts"), Some("AArch64"));
        assert_eq!(named("cycles (AArch64 / RISC-V)"), None);
        assert_eq!(named("FPU on, L = 20"), Some("L = 20"));
        assert_eq!(named("why"), None);
    }
}
