//! Size limits of a description. They are checked before the XML library parses it, because the library compares
//! every attribute of a tag with all others and copies name spaces into nested elements.

use crate::code;
use crate::diagnostic::Diagnostic;
use crate::source::Source;

/// Most bytes of a description: four times the need of the maximum number of memory regions and maps.
pub const DESCRIPTION_BYTES: usize = 32 << 20;
/// Most attributes of an element.
pub const ATTRIBUTES: usize = 32;
/// Most bytes of an attribute's value in the file: the longest path of most systems.
pub const VALUE_BYTES: usize = 4096;
/// Most declarations of name spaces in a description.
pub const NAME_SPACES: usize = 32;

/// Checks that a description is within the limits.
pub(crate) fn check(file: &str, text: &str) -> Result<(), Diagnostic> {
    let refuse = |offset, what: String, help: String| {
        let span = Source::new(file, text).span(offset);
        let message = format!("Could not parse '{file}': {what}: {span}");
        Err(Diagnostic::new(code::XML_LIMIT, &span, message, help))
    };
    if text.len() > DESCRIPTION_BYTES {
        let what = format!("the description has {} bytes", text.len());
        return refuse(0, what, format!("A description can have at most {DESCRIPTION_BYTES} bytes."));
    }
    if let Some((offset, _)) = text.match_indices("xmlns").nth(NAME_SPACES) {
        let help = format!("A description can declare at most {NAME_SPACES} name spaces; it needs none.");
        return refuse(offset, "too many name spaces".to_owned(), help);
    }
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        rest = rest.get(start..).unwrap_or_default();
        let offset = text.len() - rest.len();
        let tag = Tag::read(rest);
        if tag.values > ATTRIBUTES {
            let help = format!("An element can have at most {ATTRIBUTES} attributes.");
            return refuse(offset, "too many attributes".to_owned(), help);
        }
        if tag.longest > VALUE_BYTES {
            let help = format!("An attribute value can have at most {VALUE_BYTES} bytes.");
            return refuse(offset, "an attribute is too long".to_owned(), help);
        }
        rest = rest.get(tag.bytes..).unwrap_or_default();
    }
    Ok(())
}

/// Length in bytes of the tag, comment, character data or processing instruction that `text` starts with.
pub(crate) fn tag_bytes(text: &str) -> usize {
    Tag::read(text).bytes
}

/// The contents of angle brackets.
#[derive(Default)]
struct Tag {
    bytes: usize,
    /// Number of quoted values.
    values: usize,
    /// Length in bytes of the longest value.
    longest: usize,
}

impl Tag {
    /// Reads the tag that `text` starts with. Comments, character data and processing instructions have no values.
    /// The XML library reports an unterminated tag.
    fn read(text: &str) -> Self {
        for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")] {
            if let Some(inside) = text.strip_prefix(start) {
                let bytes = inside.find(end).map_or(text.len(), |at| start.len() + at + end.len());
                return Self { bytes, ..Self::default() };
            }
        }
        let mut tag = Self::default();
        while let Some(at) = text.get(tag.bytes..).and_then(|rest| rest.find(['"', '\'', '>'])) {
            tag.bytes += at + 1;
            let (before, rest) = text.split_at(tag.bytes);
            let Some(quote) = before.chars().last().filter(|last| *last != '>') else { return tag };
            let Some(length) = rest.find(quote) else { break };
            tag.values += 1;
            tag.longest = tag.longest.max(length);
            tag.bytes += length + 1;
        }
        Self { bytes: text.len(), ..tag }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_refused(text: &str) -> bool {
        check("t", text).is_err()
    }

    fn repeated(count: usize, text: &str) -> String {
        text.repeat(count)
    }

    #[test]
    fn descriptions_up_to_the_limits_are_accepted() {
        for (most, text) in [
            (DESCRIPTION_BYTES, (|count| repeated(count, " ")) as fn(usize) -> String),
            (ATTRIBUTES, |count| format!("<a {}/>", repeated(count, "b='>' "))),
            (VALUE_BYTES, |count| format!("<a b=\"{}\"/>", repeated(count, "'"))),
            (NAME_SPACES, |count| repeated(count, "<a xmlns='b'/>")),
        ] {
            assert!(!is_refused(&text(most)));
            assert!(is_refused(&text(most + 1)));
        }
    }

    #[test]
    fn only_tags_have_attributes() {
        let quotes = repeated(2 * ATTRIBUTES + 2, "\"'<");
        for text in [format!("<!--{quotes}-->"), format!("<![CDATA[{quotes}]]>"), format!("<?{quotes}?>")] {
            assert!(!is_refused(&text), "{text}");
        }
        assert!(!is_refused(&format!("<a>{}</a>", repeated(2 * ATTRIBUTES + 2, "\""))));
        assert!(!is_refused(&repeated(ATTRIBUTES + 1, "<a b=''/>")));
    }

    #[test]
    fn the_location_is_that_of_the_tag() {
        let text = format!("<a>\n  <b {}/></a>", repeated(ATTRIBUTES + 1, "c='' "));
        let span = check("t", &text).unwrap_err().span.unwrap();
        assert_eq!((span.line, span.column), (2, 3));
    }
}
