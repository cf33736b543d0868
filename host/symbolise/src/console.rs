//! Repairs logs that terminals, editors and collectors of logs have changed: escape sequences, UTF-16, other spaces, texts of
//! JSON or Markdown, and lines that were wrapped.
//!
//! A line about a fault ends with the word `end`. If it does not, the lines behind it without a mark of their own may be its
//! rest, cut anywhere or at a space.

use crate::record::{self, Record};

/// The largest number of lines that one was wrapped to.
const MOST_PIECES: usize = 6;
const MARK: &str = "LIMEN|";

/// Turns the bytes of a log into the lines that the system printed.
#[derive(Clone, Debug, Default)]
pub struct Console {
    /// The pieces of a line whose end is missing.
    pieces: Vec<String>,
    /// Lines about faults that cannot be read.
    damaged: usize,
}

impl Console {
    /// Takes the next line of the log, and returns the lines that are complete with it.
    pub fn take(&mut self, line: &[u8]) -> Vec<String> {
        let text = plain(line);
        if !text.contains(MARK) {
            return self.take_text(text.replace('\n', " "));
        }
        // A line of JSON may have several texts, and a text several lines.
        let texts = text.split(['"', '\n']).filter(|text| text.contains(MARK));
        texts.flat_map(|text| self.take_text(text.to_owned())).collect()
    }

    fn take_text(&mut self, text: String) -> Vec<String> {
        if text.contains(MARK) || self.pieces.is_empty() {
            let mut lines = self.finish();
            if is_open(&text) {
                self.pieces.push(text);
            } else {
                lines.push(text);
            }
            return lines;
        }
        if text.trim().is_empty() {
            return Vec::new();
        }
        let is_rest =
            self.pieces.len() < MOST_PIECES && (!self.is_stack() || text.split_whitespace().all(is_part));
        if !is_rest {
            return self.finish().into_iter().chain([text]).collect();
        }
        self.pieces.push(text);
        match self.joined().filter(|line| !is_open(line)) {
            Some(line) => {
                self.pieces.clear();
                vec![line]
            }
            None => Vec::new(),
        }
    }

    /// The lines that are incomplete at the end of the log.
    pub fn finish(&mut self) -> Vec<String> {
        if let Some(line) = self.joined() {
            self.pieces.clear();
            return vec![line];
        }
        self.damaged += usize::from(self.pieces.first().is_some_and(|piece| piece.contains("LIMEN|FAULT")));
        std::mem::take(&mut self.pieces)
    }

    /// The number of lines about faults that could not be read.
    #[must_use]
    pub fn damaged(&self) -> usize {
        self.damaged
    }

    fn is_stack(&self) -> bool {
        after_mark(&self.pieces.concat()).is_some_and(|rest| rest.starts_with("STACK "))
    }

    /// The line of the pieces, if it can be read.
    fn joined(&self) -> Option<String> {
        let (first, rest) = self.pieces.split_first()?;
        if self.is_stack() {
            return Some(rest.iter().fold(first.clone(), |line, piece| with_rest(&line, piece)));
        }
        // A bit for each seam: whether a space was lost there.
        (0..1_u32 << rest.len()).find_map(|spaces| {
            let mut line = first.clone();
            for (seam, piece) in rest.iter().enumerate() {
                line += if spaces >> seam & 1 == 0 { "" } else { " " };
                line += piece;
            }
            matches!(record::parse(&line), Some(Record::Fault(_))).then_some(line)
        })
    }
}

/// The rest of a line about words of a stack.
fn with_rest(line: &str, piece: &str) -> String {
    let is_word = |word: Option<&str>| word.is_some_and(is_whole);
    let is_cut = !is_word(line.split_whitespace().next_back()) || !is_word(piece.split_whitespace().next());
    let space = if is_cut && !line.ends_with(' ') { "" } else { " " };
    format!("{line}{space}{piece}")
}

/// Whether a word of such a line is complete.
fn is_whole(word: &str) -> bool {
    let is_number = |text: &str| text.strip_prefix("0x").is_some_and(|digits| !digits.is_empty());
    word == "end"
        || word.split_once(':').is_some_and(|(address, value)| is_number(address) && is_number(value))
        || word.split_once('=').is_some_and(|(name, value)| !name.is_empty() && !value.is_empty())
}

/// Whether a word can be a part of such a line.
fn is_part(word: &str) -> bool {
    word.chars().all(|character| character.is_ascii_hexdigit() || "xnp:=program".contains(character))
}

fn after_mark(line: &str) -> Option<&str> {
    line.split_once(MARK).map(|(_, rest)| rest)
}

/// Whether a line begins as one about a fault or a stack, and its end is missing.
fn is_open(line: &str) -> bool {
    let Some(rest) = after_mark(line) else { return false };
    let kind = rest.split(' ').next().unwrap_or(rest);
    let is_meant = ["FAULT", "STACK"]
        .iter()
        .any(|known| if kind == rest { known.starts_with(kind) } else { *known == kind });
    is_meant && !rest.split_whitespace().any(|word| word == "end")
}

/// The text of a line without escape sequences and the zero bytes of UTF-16. The system itself prints neither backslashes nor
/// quotes in lines about faults.
fn plain(line: &[u8]) -> String {
    let text = line.iter().copied().filter(|byte| *byte != 0).collect::<Vec<_>>();
    let text = String::from_utf8_lossy(&text);
    let (mut plain, mut characters) = (String::new(), text.chars());
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => skip_sequence(&mut characters),
            '\r' | '\n' => {}
            '\\' => match characters.next() {
                Some('n' | 'r') => plain.push('\n'),
                Some('t') => plain.push(' '),
                Some('u') => match escaped(&mut characters) {
                    Some('\u{1b}') => skip_sequence(&mut characters),
                    other => plain.extend(other),
                },
                other => plain.extend(other),
            },
            other if other.is_whitespace() => plain.push(' '),
            other => plain.push(other),
        }
    }
    plain
}

/// The character of four hexadecimal digits.
fn escaped(characters: &mut std::str::Chars<'_>) -> Option<char> {
    let digits = characters.as_str().get(..4)?;
    let code = u32::from_str_radix(digits, 16).ok()?;
    *characters = characters.as_str().get(4..)?.chars();
    char::from_u32(code)
}

/// Skips the rest of an escape sequence (ECMA-48).
fn skip_sequence(characters: &mut std::str::Chars<'_>) {
    match characters.next() {
        // A control sequence, up to its final byte.
        Some('[') => _ = characters.find(|character| matches!(character, '@'..='~')),
        // A command of the operating system, such as a title, up to a bell or an escaped backslash.
        Some(']') => {
            let end = characters.find(|character| matches!(character, '\u{7}' | '\u{1b}'));
            if end == Some('\u{1b}') {
                characters.next();
            }
        }
        // A sequence with intermediate bytes, such as the choice of a character set.
        Some(' '..='/') => _ = characters.find(|character| matches!(character, '0'..='~')),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FAULT: &str = "LIMEN|FAULT program=3 pc=0x20012c sp=0xffffffbfd0 lr=0x200144 to=monitor vm address=0x8 fetch=0 \
                         status=0x92000006 end";
    const STACK: &str = "LIMEN|STACK program=3 0xffffffbfd8:0x2001ac 0xffffffbfe8:0x200018 0xffffffbff0:0x20 0xffffffbff8:0x212345";
    const LAST: &str = "LIMEN|STACK program=3 end";

    fn read<'l>(lines: impl IntoIterator<Item = &'l [u8]>) -> (Vec<String>, usize) {
        let mut console = Console::default();
        let mut read: Vec<_> = lines.into_iter().flat_map(|line| console.take(line)).collect();
        read.extend(console.finish());
        (read, console.damaged())
    }

    fn records(lines: &[String]) -> Vec<Record> {
        lines.iter().filter_map(|line| record::parse(line)).collect()
    }

    fn wrapped(line: &str, width: usize) -> impl Iterator<Item = &[u8]> {
        line.as_bytes().chunks(width)
    }

    #[test]
    fn lines_are_joined_at_any_width() {
        let whole = [FAULT, STACK, LAST].map(str::to_owned);
        for width in 24..200 {
            let (lines, damaged) = read(whole.iter().flat_map(|line| wrapped(line, width)));
            assert_eq!((records(&lines), damaged), (records(&whole), 0), "{width}: {lines:#?}");
        }
    }

    #[test]
    fn lines_are_joined_where_a_space_was_lost() {
        for line in [FAULT, STACK] {
            let spaces = line.char_indices().filter(|(at, c)| *c == ' ' && *at > 12);
            for (at, _) in spaces {
                let (lines, _) = read([&line.as_bytes()[..at], &line.as_bytes()[at + 1..]]);
                assert_eq!(records(&lines), [record::parse(line).unwrap()], "{at}");
            }
        }
    }

    #[test]
    fn colours_and_utf_16_are_read() {
        let coloured =
            format!("\u{1b}]0;title\u{7}\u{1b}[1;31m{}\u{1b}[0m{}\u{1b}(B", &FAULT[..40], &FAULT[40..]);
        assert_eq!(read([coloured.as_bytes()]).0, [FAULT]);
        let little: Vec<u8> = FAULT.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = FAULT.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(read([&little[..], &big[..]]).0, [FAULT, FAULT]);
    }

    #[test]
    fn texts_of_json_and_markdown_are_read() {
        let json = format!(r#"{{"log":"{FAULT}\r\n","stream":"stdout"}}"#);
        let coloured = format!(r#"{{"log":"\u001b[31m{FAULT}\u001b[0m\n"}}"#);
        let markdown = FAULT.replace('|', "\\|");
        let spaces = FAULT.replace(' ', "\u{a0}");
        for line in [json, coloured, markdown, spaces] {
            let (lines, damaged) = read([line.as_bytes()]);
            assert_eq!((records(&lines), damaged), (records(&[FAULT.to_owned()]), 0), "{line}");
        }
    }

    #[test]
    fn texts_of_json_may_end_with_the_line_and_have_several() {
        let ends_with_it = format!(r#"{{"stream":"stdout","log":"{FAULT}"}}"#);
        let escaped = format!(r#"{{"log":"{}\u000a"}}"#, FAULT.replace('=', "\\u003d"));
        for line in [ends_with_it, escaped] {
            assert_eq!(records(&read([line.as_bytes()]).0), [record::parse(FAULT).unwrap()], "{line}");
        }
        let all = [FAULT, STACK, LAST, FAULT];
        let one_text = format!(r#"{{"log":"{}\n"}}"#, all.join("\\n"));
        let texts = all.map(|line| format!(r#"{{"log": "{line}"}}"#)).join(", ");
        for line in [one_text, texts] {
            let (lines, damaged) = read([line.as_bytes()]);
            assert_eq!((records(&lines), damaged), (records(&all.map(str::to_owned)), 0), "{line}");
        }
    }

    #[test]
    fn a_line_that_was_cut_is_counted() {
        let (lines, damaged) = read([&FAULT.as_bytes()[..60], b"TEST one PASS", LAST.as_bytes()]);
        assert_eq!((lines.len(), damaged), (3, 1));
        // Lines of other programs follow lines about a stack.
        assert_eq!(read([STACK.as_bytes(), b"hello", LAST.as_bytes()]).0, [STACK, "hello", LAST]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..20)) {
            read(lines.iter().map(Vec::as_slice));
        }
    }
}
