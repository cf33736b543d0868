//! The text of a cell, with figures in braces: `{fpu=on} / {fpu=off}`.

use limen_nearest::did_you_mean;
use limen_report::Row;

use super::record::{Board, Record};

/// The text of a cell for a board and a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Figure { form: Form, of: Selection, over: Selection },
}

/// The forms in which a figure is shown, in the order of [`FORMS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Plain,
    Thousands,
    Millions,
    Kib,
    Nanoseconds,
    Times,
    Most,
    Reference,
    Ratio,
    Target,
    Met,
}

/// The words in front of the colon, as in `{thousands: ...}`.
const FORMS: [(&str, Form); 10] = [
    ("thousands", Form::Thousands),
    ("millions", Form::Millions),
    ("KiB", Form::Kib),
    ("ns", Form::Nanoseconds),
    ("times", Form::Times),
    ("most", Form::Most),
    ("reference", Form::Reference),
    ("ratio", Form::Ratio),
    ("target", Form::Target),
    ("met", Form::Met),
];

/// A row, or a part of its name and parameters: `notify fpu=on`, `fpu=on`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    name: Option<String>,
    params: Vec<(String, String)>,
    /// Parameters that the row must not have: `without kib`.
    without: Vec<String>,
}

impl Default for Template {
    /// The figure of the row.
    fn default() -> Self {
        let of = Selection::default();
        Self { pieces: vec![Piece::Figure { form: Form::Plain, over: of.clone(), of }] }
    }
}

impl Template {
    /// Parses the text of a cell.
    ///
    /// # Errors
    /// A sentence that says what is malformed.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (mut pieces, mut rest) = (Vec::new(), text);
        while let Some((before, after)) = rest.split_once('{') {
            let (inside, after) =
                after.split_once('}').ok_or_else(|| format!("`{text}` has a `{{` without its `}}`"))?;
            pieces.push(Piece::Text(before.to_owned()));
            pieces.push(figure(inside)?);
            rest = after;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        pieces.retain(|piece| *piece != Piece::Text(String::new()));
        Ok(Self { pieces })
    }

    /// The text for a row of a board.
    ///
    /// # Errors
    /// A sentence, if a figure is not in the record.
    pub fn fill(&self, record: &Record, board: &Board, row: &Selection) -> Result<String, String> {
        let show = |piece: &Piece| match piece {
            Piece::Text(text) => Ok(text.clone()),
            Piece::Figure { form, of, over } => {
                let (of, over) = (row.with(of), row.with(over));
                form.show(record, board, (&of.row()?, &over.row()?), &of.without)
            }
        };
        self.pieces.iter().map(show).collect()
    }
}

/// The figure in a pair of braces.
fn figure(inside: &str) -> Result<Piece, String> {
    let (form, words) = match inside.split_once(':') {
        None => (Form::Plain, inside),
        Some((form, words)) => (form_named(form.trim())?, words),
    };
    let (of, over) = match words.split_once(" over ") {
        Some((of, over)) if form == Form::Times => (of, over),
        None if form != Form::Times => (words, words),
        Some(_) => return Err(format!("`over` in `{{{inside}}}` needs `times: ` at the beginning")),
        None => return Err(format!("`{{{inside}}}` lacks the second row: `{{times: ROW over ROW}}`")),
    };
    let (of, over) = (Selection::parse(of)?, Selection::parse(over)?);
    if form != Form::Most && !of.without.is_empty() {
        return Err(format!("`without` in `{{{inside}}}` needs `most: ` at the beginning"));
    }
    Ok(Piece::Figure { form, of, over })
}

fn form_named(name: &str) -> Result<Form, String> {
    let known = FORMS.iter().find(|(known, _)| *known == name);
    known.map(|(_, form)| *form).ok_or_else(|| {
        let names = FORMS.map(|(name, _)| name);
        let hint = did_you_mean(name, names).unwrap_or_else(|| format!("write one of {}", names.join(", ")));
        format!("`{name}` says nothing about a figure: {hint}")
    })
}

impl Selection {
    /// Parses `NAME KEY=VALUE... without KEY...`, each part of which may be missing.
    ///
    /// # Errors
    /// A sentence that says which word is malformed.
    pub fn parse(words: &str) -> Result<Self, String> {
        let (present, without) = words.split_once("without ").unwrap_or((words, ""));
        let without = without.split_whitespace().map(str::to_owned).collect();
        let mut selection = Self { without, ..Self::default() };
        for (place, word) in present.split_whitespace().enumerate() {
            match word.split_once('=') {
                Some((key, value)) => selection.params.push((key.to_owned(), value.to_owned())),
                None if place == 0 => selection.name = Some(word.to_owned()),
                None => {
                    return Err(format!("`{word}` is not KEY=VALUE; only a row's first word is its name"));
                }
            }
        }
        Ok(selection)
    }

    /// The selection with the name and parameters of `other` where it has them.
    fn with(&self, other: &Self) -> Self {
        let kept = self.params.iter().filter(|(key, _)| !other.params.iter().any(|(new, _)| new == key));
        Self {
            name: other.name.clone().or_else(|| self.name.clone()),
            params: kept.chain(&other.params).cloned().collect(),
            without: other.without.clone(),
        }
    }

    fn row(&self) -> Result<Row, String> {
        match &self.name {
            Some(name) => Ok(Row::single(name, self.params.clone(), 0)),
            None => Err("the row has no name: write one, as in `notify fpu=on`".to_owned()),
        }
    }
}

impl Form {
    fn show(
        self,
        record: &Record,
        board: &Board,
        (row, over): (&Row, &Row),
        without: &[String],
    ) -> Result<String, String> {
        if self == Self::Most {
            return record.most(board, row, without).map(grouped);
        }
        let Some(figure) = record.figure(board, row)? else {
            // Ours may be missing where the reference was measured.
            let reference = record.reference(board, row).ok().filter(|_| self == Self::Reference);
            return Ok(reference.map_or_else(|| "-".to_owned(), |(median, _)| grouped(median.round() as u64)));
        };
        let float = figure as f64;
        let reference = || record.reference(board, row);
        Ok(match self {
            Self::Plain | Self::Most => grouped(figure),
            Self::Thousands => grouped(rounded(figure, 1000)),
            Self::Millions => format!("{:.2}", float / 1e6),
            Self::Kib => grouped(rounded(figure, 1024)),
            Self::Nanoseconds => nanoseconds(figure),
            Self::Times => match record.figure(board, over)? {
                Some(other) if other != 0 => times(float / other as f64),
                _ => "-".to_owned(),
            },
            Self::Reference => grouped(reference()?.0.round() as u64),
            Self::Ratio => match float / reference()?.0 {
                small if small < 0.1 => format!("{small:.3}"),
                ratio => format!("{ratio:.2}"),
            },
            Self::Target => reference()?.1.map_or_else(|| "-".to_owned(), |target| target.to_string()),
            Self::Met => match reference()? {
                (median, Some(target)) if float / median <= target => "yes".to_owned(),
                (_, Some(_)) => "no".to_owned(),
                (_, None) => "-".to_owned(),
            },
        })
    }
}

fn rounded(figure: u64, unit: u64) -> u64 {
    figure.saturating_add(unit / 2) / unit
}

/// The number, in groups of three digits if it has more than four.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place != 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Picoseconds in nanoseconds, with three significant digits.
fn nanoseconds(picoseconds: u64) -> String {
    let time = picoseconds as f64 / 1000.0;
    match time {
        ..10.0 => format!("{time:.2}"),
        ..100.0 => format!("{time:.1}"),
        _ => format!("{time:.0}"),
    }
}

/// Two digits after the point where one would hide a difference.
fn times(factor: f64) -> String {
    if factor < 2.0 { format!("{factor:.2}") } else { format!("{factor:.1}") }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::record;
    use super::*;

    fn filled(template: &str, board: &str, row: &str) -> Result<String, String> {
        let record = record();
        let row = Selection::parse(row)?;
        Template::parse(template)?.fill(&record, record.board(board)?, &row)
    }

    #[test]
    fn figures_replace_braces() {
        for (template, row, text) in [
            ("{}", "notify fpu=off", "113"),
            ("{fpu=off} / {fpu=on}", "notify", "113 / 140 512"),
            ("{fpu=on}", "notify fpu=off", "140 512"),
            ("{thousands: notify fpu=on} and {here a=1 b=2}", "", "141 and 9"),
            ("{millions: fpu=on}", "notify", "0.14"),
            ("{KiB: fpu=on}", "notify", "137"),
            ("({times: fpu=on over fpu=off})", "notify", "(1243.5)"),
            ("{most: notify}, {most: fpu=off}", "notify", "140 512, 113"),
            ("{most: without fpu}", "here", "9"),
            ("{reference:}, {ratio: fpu=off}, {target:}", "notify fpu=on", "465, 0.24, 0.25"),
            ("{met: fpu=off} / {met: fpu=on}", "notify", "yes / no"),
            ("{ratio: boot}, {reference: boot}", "", "0.022, 7 200 000"),
            ("{cold=code_lines}/{cold=data_lines}", "notify fpu=off", "10/14"),
            ("", "notify fpu=off", ""),
        ] {
            assert_eq!(filled(template, "AArch64", row).as_deref(), Ok(text), "{template}");
        }
    }

    #[test]
    fn figures_of_the_developers_machine_are_picoseconds() {
        for (template, text) in
            [("{ns: of=bare}, {ns: of=pth}", "1.80, 174"), ("{times: of=pth over of=bare}", "96.6")]
        {
            assert_eq!(filled(template, "native", "switch").as_deref(), Ok(text), "{template}");
        }
    }

    #[test]
    fn modelled_cycles_have_published_ones_beside_them() {
        let row = "model_cycles path=call server=passive fpu=off processor=sifive-u74";
        let template = "{} ({published}, {times: over published})";
        assert_eq!(filled(template, "RISC-V", row).as_deref(), Ok("143 (715, 0.20)"));
    }

    #[test]
    fn a_row_that_only_other_boards_have_is_a_dash() {
        assert_eq!(filled("{}", "RISC-V", "here a=1 b=2").as_deref(), Ok("-"));
    }

    #[test]
    fn malformed_templates_are_reported() {
        for (template, row, sentence) in [
            ("{fpu=on", "notify", "has a `{` without its `}`"),
            ("{fpu on}", "notify", "`on` is not KEY=VALUE"),
            ("{thousand: fpu=on}", "notify", "says nothing about a figure: did you mean `thousands`?"),
            ("{in words: fpu=on}", "notify", "write one of thousands, millions, KiB"),
            ("{times: fpu=on}", "notify", "lacks the second row"),
            ("{fpu=on over fpu=off}", "notify", "`over` in `{fpu=on over fpu=off}` needs `times: `"),
            ("{fpu=on without kib}", "notify", "needs `most: `"),
            ("{fpu=on}", "", "the row has no name"),
        ] {
            let message = filled(template, "AArch64", row).unwrap_err();
            assert!(message.contains(sentence), "{template}: {message}");
        }
    }

    #[test]
    fn long_numbers_are_grouped() {
        for (number, text) in [(0, "0"), (9999, "9999"), (10_000, "10 000"), (1_323_008, "1 323 008")] {
            assert_eq!(grouped(number), text);
        }
    }
}
