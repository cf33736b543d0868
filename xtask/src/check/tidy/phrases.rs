//! Rule *plain-english*: phrases, headings and openings of doc comments that hide the actor or avoid the term of the
//! field.
//!
//! Documents and comments are examined, not code: a program may print what it likes. CONTRIBUTING.md quotes some of
//! the phrases, with better ones beside them.

use super::{Objection, Rule, SourceFile};

pub(super) const RULES: &[Rule] = &[phrases, headings, openings];

/// Phrases that came back too often, and better ones.
const PHRASES: [(&str, &str); 40] = [
    ("whoever", ACTOR),
    ("somebody", ACTOR),
    ("anybody", ACTOR),
    ("nobody", ACTOR),
    ("short way", "fast path"),
    ("short ways", "fast paths"),
    ("general way", "slow path"),
    ("general path", "slow path"),
    ("give way", YIELD),
    ("gives way", YIELD),
    ("gave way", YIELD),
    ("put aside", SAVE),
    ("puts aside", SAVE),
    ("putting aside", SAVE),
    ("set aside", SAVE),
    ("sets aside", SAVE),
    ("setting aside", SAVE),
    ("lets run", "switches to"),
    ("of its own accord", "by itself"),
    ("is told", RECEIVE),
    ("are told", RECEIVE),
    ("be told", RECEIVE),
    ("was told", RECEIVE),
    ("were told", RECEIVE),
    ("take along", "map, unmap or move"),
    ("takes along", "maps, unmaps or moves"),
    ("take away", REMOVE),
    ("takes away", REMOVE),
    ("taken away", REMOVE),
    ("hand over", DELIVER),
    ("hands over", DELIVER),
    ("handed over", DELIVER),
    ("write down", RECORD),
    ("writes down", RECORD),
    ("written down", RECORD),
    ("nothing but", "only"),
    ("more important", "higher-priority"),
    ("most important", "highest-priority"),
    ("less important", "lower-priority"),
    ("that is what", "name the subject first"),
];

const ACTOR: &str = "the actor: the caller, the thread, no thread, another program";
const YIELD: &str = "yield, or: is preempted";
const SAVE: &str = "save, preempt, postpone or enqueue";
const RECEIVE: &str = "receive, learn or read";
const REMOVE: &str = "remove, revoke or unmap";
const DELIVER: &str = "deliver, transfer, pass or donate";
const RECORD: &str = "record, or: store";

/// Words with which a clause starts that is not a sentence.
const CLAUSES: [&str; 5] = ["What", "Who", "Whose", "Where", "Whoever"];
/// Words with which a heading starts that is a question or a clause.
const QUESTIONS: [&str; 10] =
    ["What", "Who", "Whose", "Where", "Whoever", "How", "When", "Why", "Which", "Whether"];

fn phrases(files: &[SourceFile]) -> Vec<Objection> {
    files.iter().filter(|file| !quotes(file)).flat_map(phrases_of).collect()
}

/// Whether a file quotes phrases that are to be avoided.
fn quotes(file: &SourceFile) -> bool {
    file.path == "CONTRIBUTING.md"
        || file.path.ends_with("/phrases.rs")
        || file.path.split('/').any(|part| part == "golden")
}

fn phrases_of(file: &SourceFile) -> Vec<Objection> {
    let Some(prose) = Prose::of(file) else { return Vec::new() };
    let find = |(phrase, better): &(&str, &str)| {
        let message = format!("do not write `{phrase}`; better: {better}");
        prose
            .lines_with(phrase)
            .into_iter()
            .map(|line| file.object(line, message.clone()))
            .collect::<Vec<_>>()
    };
    PHRASES.iter().flat_map(find).collect()
}

/// The words of a file's sentences in lower case, with one space between them. Sentences go on over line ends; code and
/// empty lines end them.
struct Prose {
    text: String,
    /// The start of each line in the text, and its number.
    lines: Vec<(usize, usize)>,
}

impl Prose {
    fn of(file: &SourceFile) -> Option<Self> {
        let of_line: fn(&str, &mut bool) -> Option<String> = match () {
            () if file.has_ending(&["md"]) => document,
            () if file.has_ending(&["rs", "c", "h", "cpp", "S"]) => comment,
            () => return None,
        };
        let mut prose = Self { text: String::new(), lines: Vec::new() };
        let mut inside = false;
        for (index, line) in file.text.lines().enumerate() {
            prose.lines.push((prose.text.len(), index + 1));
            match of_line(line, &mut inside) {
                Some(words) if !words.trim().is_empty() => {
                    prose.text.extend(words.split_whitespace().flat_map(|word| [word, " "]));
                }
                _ => prose.text.push_str(". "),
            }
        }
        prose.text.make_ascii_lowercase();
        Some(prose)
    }

    /// The lines in which a phrase starts, as whole words.
    fn lines_with(&self, phrase: &str) -> Vec<usize> {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let is_whole = |start: &usize| {
            let (before, after) = (&self.text[..*start], &self.text[start + phrase.len()..]);
            !before.ends_with(is_word) && !after.starts_with(is_word)
        };
        let found = self.text.match_indices(phrase).map(|(start, _)| start).filter(is_whole);
        found.map(|start| self.line_at(start)).collect()
    }

    fn line_at(&self, place: usize) -> usize {
        let after = self.lines.partition_point(|(start, _)| *start <= place);
        self.lines[after - 1].1
    }
}

/// The words of a document's line, without code. `in_code` says whether a block of code is open.
fn document(line: &str, in_code: &mut bool) -> Option<String> {
    if line.trim_start().starts_with("```") {
        *in_code = !*in_code;
        return None;
    }
    (!*in_code).then(|| line.split('`').step_by(2).collect::<Vec<_>>().join("code"))
}

/// The words of the comment in a line of source, without code. `in_block` says whether a `/*` is open.
fn comment(line: &str, in_block: &mut bool) -> Option<String> {
    let trimmed = line.trim_start();
    let words = if *in_block {
        trimmed.trim_start_matches('*')
    } else if let Some((_, rest)) = trimmed.split_once("/*") {
        rest
    } else {
        let (before, rest) = trimmed.split_once("//")?;
        // An address in a string.
        if before.ends_with(':') {
            return None;
        }
        rest.trim_start_matches(['/', '!'])
    };
    *in_block = (*in_block || trimmed.contains("/*")) && !trimmed.contains("*/");
    let words = words.split("*/").next().unwrap_or(words);
    Some(words.split('`').step_by(2).collect::<Vec<_>>().join("code"))
}

/// Checks that no heading of a document is a clause.
fn headings(files: &[SourceFile]) -> Vec<Objection> {
    let documents = files.iter().filter(|file| file.has_ending(&["md"]));
    let of_document = |file: &SourceFile| {
        let mut in_code = false;
        let lines = file.text.lines().enumerate();
        let prose = lines.filter(|(_, line)| document(line, &mut in_code).is_some()).collect::<Vec<_>>();
        let wrong = prose.into_iter().filter_map(|(index, line)| {
            let heading = line.trim_start_matches('#');
            let word = first_word(heading).filter(|_| heading.len() < line.len())?;
            QUESTIONS.contains(&word).then(|| {
                file.object(
                    index + 1,
                    format!("a heading is a noun or an imperative; it starts with `{word}`"),
                )
            })
        });
        wrong.collect::<Vec<_>>()
    };
    documents.flat_map(of_document).collect()
}

/// Checks that no doc comment starts with a clause.
fn openings(files: &[SourceFile]) -> Vec<Objection> {
    let of_file = |file: &SourceFile| {
        let mut before = "";
        let mut found = Vec::new();
        for (index, line) in file.text.lines().enumerate() {
            let marker = ["///", "//!"].into_iter().find(|marker| line.trim_start().starts_with(marker));
            let word = marker.and_then(|marker| first_word(line.trim_start().trim_start_matches(marker)));
            if let Some(word) = word.filter(|word| marker != Some(before) && CLAUSES.contains(word)) {
                let message = format!("a doc comment starts with a noun or a verb, not with `{word}`");
                found.push(file.object(index + 1, message));
            }
            before = marker.unwrap_or("");
        }
        found
    };
    files.iter().filter(|file| file.has_ending(&["rs"])).flat_map(of_file).collect()
}

fn first_word(text: &str) -> Option<&str> {
    text.split_whitespace().next().map(|word| word.trim_end_matches(|letter: char| !letter.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::super::{file, shown};
    use super::*;

    #[test]
    fn a_phrase_in_a_document_is_found_across_lines() {
        let text = "The kernel puts\naside what `nobody` needs.\n\n```\nnobody\n```\nputs\n\naside\n";
        let found = phrases(&[file("docs/a.md", text)]);
        assert_eq!(
            shown(&found),
            ["docs/a.md:1: do not write `puts aside`; better: save, preempt, postpone or enqueue"]
        );
    }

    #[test]
    fn a_phrase_in_a_comment_is_found_and_one_in_code_is_not() {
        let rust = "//! Fine.\n/// Nobody\nlet nobody = \"somebody\"; // whoever\nnobody_waits();\n";
        let c = "/* Is\n * told. */\nint nobody; /* anybody */\nsay(\"http://nobody\");\n";
        let found = phrases(&[file("a.rs", rust), file("b.c", c)]);
        let places: Vec<_> = found.iter().map(|found| (found.path.as_str(), found.line)).collect();
        assert_eq!(places, [("a.rs", 3), ("a.rs", 2), ("b.c", 3), ("b.c", 1)]);
    }

    #[test]
    fn the_page_that_quotes_phrases_may() {
        assert!(phrases(&[file("CONTRIBUTING.md", "| Nobody may |\n")]).is_empty());
    }

    #[test]
    fn a_heading_that_is_a_clause_is_found() {
        let text = "# Threads\n\nWhat is left.\n\n## Who runs?\n\n```\n# What a shell says\n```\n";
        let found = headings(&[file("a.md", text)]);
        assert_eq!(shown(&found), ["a.md:5: a heading is a noun or an imperative; it starts with `Who`"]);
    }

    #[test]
    fn a_doc_comment_that_starts_with_a_clause_is_found() {
        let text = "//! Threads.\n//! What they do is here.\n\n/// What it does.\nfn a() {}\n/// Whether it does.\n// Where.\n";
        let found = openings(&[file("a.rs", text)]);
        assert_eq!(shown(&found), ["a.rs:4: a doc comment starts with a noun or a verb, not with `What`"]);
    }
}
