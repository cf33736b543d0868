//! The sections of the report after the targets: `data/sections.toml`, whose head explains its parts.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::row::Row;

/// The data file, embedded in the program.
const DATA: &str = include_str!("../data/sections.toml");

/// Parameters that a row must have.
pub type Params = BTreeMap<String, String>;

/// All sections, and display names of rows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sections {
    /// Display names of rows.
    pub names: BTreeMap<String, String>,
    /// Display names of parameters, by `KEY=VALUE`.
    pub words: BTreeMap<String, String>,
    /// In page order.
    #[serde(rename = "section")]
    pub all: Vec<Section>,
}

/// A section.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// The fragment of its URL.
    pub id: String,
    /// The heading.
    pub title: String,
    /// The text: what is comparable and what is not.
    pub text: String,
    /// Published tables.
    #[serde(default)]
    pub published: Vec<Published>,
    /// Tables of measured rows.
    #[serde(default)]
    pub table: Vec<Table>,
    /// Measured rows with any parameters.
    #[serde(default)]
    pub list: Vec<List>,
    /// Measured rows against a parameter.
    #[serde(default)]
    pub plot: Vec<Plot>,
}

/// A published table, with our rows in its lines.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Origin and machine.
    pub caption: String,
    /// The instruction set of the machine: boards with others are left out. All are shown without it.
    pub architecture: Option<String>,
    /// The columns of figures.
    pub columns: Vec<Column>,
    /// The lines.
    pub rows: Vec<PublishedRow>,
    /// Whether each number is also shown as a multiple of the first line's from the same source.
    #[serde(default)]
    pub relative: bool,
}

/// A column of a published table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its heading.
    pub title: String,
    /// The statistic of our rows.
    #[serde(default)]
    pub show: Statistic,
}

/// A line of a published table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedRow {
    /// Its name.
    pub title: String,
    /// A number for each column, as text; empty where there is none.
    pub figures: Vec<String>,
    /// Our rows, each a name and parameters: one for each column, or one for all. Empty if we have none.
    #[serde(default)]
    pub ours: Vec<String>,
    /// Whether ours measure the same.
    pub experiment: Experiment,
    /// The conditions that are equal, and those that differ; machine and unit always do.
    pub note: String,
}

/// How a row of ours compares with a published one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Experiment {
    /// The same work is measured in the same way, on another machine.
    Same,
    /// Something else is measured.
    Different,
    /// There is none of ours.
    Missing,
}

impl PublishedRow {
    /// The name and the parameters of our row in a column.
    #[must_use]
    pub fn ours(&self, column: usize) -> Option<(&str, Params)> {
        let title = if let [one] = self.ours.as_slice() { one } else { self.ours.get(column)? };
        let mut words = title.split_whitespace();
        let name = words.next()?;
        let params = words.filter_map(|word| word.split_once('='));
        Some((name, params.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()))
    }
}

/// Measured rows in lines and columns.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The caption.
    pub caption: String,
    /// Common properties of a column's fields.
    pub columns: Vec<Axis>,
    /// Common properties of a line's fields.
    pub rows: Vec<Axis>,
    /// Whether each number is also shown as a multiple of the first line's.
    #[serde(default)]
    pub relative: bool,
}

/// A line or a column.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Its heading.
    pub title: String,
    /// Name of the rows, unless the other axis has it.
    pub name: Option<String>,
    /// Parameters of the rows.
    #[serde(default)]
    pub params: Params,
    /// The statistic, unless the other axis has it.
    pub show: Option<Statistic>,
}

/// A statistic of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Statistic {
    /// The median.
    #[default]
    Median,
    /// The arithmetic mean.
    Mean,
    /// The standard deviation.
    Deviation,
    /// The standard deviation in percent of the mean.
    Percent,
}

/// Rows by name.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// The caption.
    pub caption: String,
    /// Names of the rows.
    pub names: Vec<String>,
}

/// Rows against one of their parameters.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    /// The title.
    pub title: String,
    /// Name of the rows.
    pub name: String,
    /// Their other parameters, exactly.
    #[serde(default)]
    pub params: Params,
    /// The parameter, a whole number.
    pub x: String,
    /// Another parameter: each board has a plot with a line for each value of it.
    pub by: Option<String>,
    /// Unit of the parameter.
    pub unit: String,
}

impl Sections {
    /// The sections embedded in this crate.
    ///
    /// # Errors
    /// A sentence, if the data file is malformed, which a test excludes.
    pub fn built_in() -> Result<Self, String> {
        toml::from_str(DATA).map_err(|error| error.to_string())
    }

    /// The display name of rows.
    #[must_use]
    pub fn name<'a>(&'a self, row: &'a str) -> &'a str {
        self.names.get(row).map_or(row, String::as_str)
    }

    /// The display name of a parameter.
    #[must_use]
    pub fn parameter(&self, key: &str, value: &str) -> String {
        self.words.get(&format!("{key}={value}")).cloned().unwrap_or_else(|| format!("{value} {key}"))
    }

    /// The display name of a row's parameters.
    #[must_use]
    pub fn conditions(&self, row: &Row) -> String {
        row.params.iter().map(|(key, value)| self.parameter(key, value)).collect::<Vec<_>>().join(", ")
    }
}

impl Section {
    /// Whether the section shows the row.
    #[must_use]
    pub fn shows(&self, row: &Row) -> bool {
        let listed = self.list.iter().any(|list| list.names.contains(&row.name));
        listed
            || self.table.iter().any(|table| table.shows(row))
            || self.plot.iter().any(|plot| plot.x_of(row).is_some())
    }
}

impl Table {
    fn shows(&self, row: &Row) -> bool {
        self.rows.iter().any(|line| self.columns.iter().any(|column| line.crosses(column, row)))
    }
}

impl Axis {
    /// Whether a row belongs into the field of this line and a column.
    #[must_use]
    pub fn crosses(&self, column: &Self, row: &Row) -> bool {
        let named = self.name.as_ref().or(column.name.as_ref()).is_none_or(|name| *name == row.name);
        named && row.matches(&self.params) && row.matches(&column.params)
    }
}

impl Plot {
    /// The position of a row in the plot, if it belongs there.
    #[must_use]
    pub fn x_of(&self, row: &Row) -> Option<u64> {
        let others = self.params.len() + usize::from(self.by.is_some());
        let belongs = row.name == self.name && row.params.len() == others + 1 && row.matches(&self.params);
        let has_line = self.by.is_none() || self.line_of(row).is_some();
        row.param(&self.x).filter(|_| belongs && has_line)?.parse().ok()
    }

    /// The line that a row is on, if a parameter determines it.
    #[must_use]
    pub fn line_of<'r>(&self, row: &'r Row) -> Option<&'r str> {
        row.param(self.by.as_deref()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(title: &str) -> Row {
        let line = format!("ROW name={title} n=1 min=1 median=1 p99=1 max=1 mean=1 stddev=0");
        Row::parse(&line).unwrap().unwrap()
    }

    #[test]
    fn the_embedded_tables_are_complete() {
        let sections = Sections::built_in().unwrap();
        for table in sections.all.iter().flat_map(|section| &section.published) {
            for row in &table.rows {
                let place = format!("{}: {}", table.caption, row.title);
                assert_eq!(row.figures.len(), table.columns.len(), "{place}");
                assert!(row.ours.len() < 2 || row.ours.len() == row.figures.len(), "{place}");
                assert_eq!(row.ours.is_empty(), row.experiment == Experiment::Missing, "{place}");
                assert!(row.note.ends_with('.'), "{place}");
            }
        }
        for table in sections.all.iter().flat_map(|section| &section.table) {
            let named = |axes: &[Axis]| axes.iter().all(|axis| axis.name.is_some() || axis.show.is_some());
            assert!(named(&table.rows) || named(&table.columns), "{}", table.caption);
        }
    }

    #[test]
    fn a_field_has_the_name_and_parameters_of_its_line_and_column() {
        let sections = Sections::built_in().unwrap();
        let table = &sections.all[0].table[0];
        let lazy = row("fpu_call policy=fault_lazy fpu=on build=no_fp");
        assert!(table.rows[0].crosses(&table.columns[0], &lazy));
        assert!(!table.rows[1].crosses(&table.columns[0], &lazy));
        assert!(!table.rows[0].crosses(&table.columns[1], &lazy));
        assert!(sections.all[0].shows(&lazy) && !sections.all[1].shows(&lazy));
    }

    #[test]
    fn a_plot_takes_rows_of_its_parameters_only() {
        let plot: Plot =
            toml::from_str("title = 't'\nname = 'n'\nparams = { a = '1' }\nx = 'x'\nunit = 'u'").unwrap();
        assert_eq!(plot.x_of(&row("n a=1 x=7")), Some(7));
        for other in ["m a=1 x=7", "n a=2 x=7", "n a=1 x=7 b=2", "n a=1 x=many", "n a=1 y=7"] {
            assert_eq!(plot.x_of(&row(other)), None, "{other}");
        }
    }

    #[test]
    fn a_plot_by_a_parameter_has_a_line_for_each_value() {
        let plot: Plot = toml::from_str("title = 't'\nname = 'n'\nx = 'x'\nunit = 'u'\nby = 'mode'").unwrap();
        let (point, other) = (row("n mode=a x=7"), row("n x=7"));
        assert_eq!((plot.x_of(&point), plot.line_of(&point)), (Some(7), Some("a")));
        assert_eq!((plot.x_of(&other), plot.x_of(&row("n mode=a x=7 y=1"))), (None, None));
    }
}
