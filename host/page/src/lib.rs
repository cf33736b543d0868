//! HTML pages in one file: the frame with the common style, and markup that all pages use.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![forbid(unsafe_code)]

/// The colours of the common style, as variables: for light and dark screens, and for paper.
pub const COLOURS: &str = include_str!("../data/colours.css");

/// The rest of the common style.
pub const STYLE: &str = include_str!("../data/style.css");

/// A complete page, which after its first line is also well-formed XML if `body` is. `style` follows the common style; `style` and `body` are markup, `title` is text.
#[must_use]
pub fn page(title: &str, style: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{title}</title>\n<style>\n{COLOURS}{STYLE}{style}</style>\n<main>\n{body}</main>\n</html>\n"
    )
}

/// Text with markup characters escaped.
#[must_use]
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A table; `head` and `body` are markup of rows.
#[must_use]
pub fn table(caption: &str, head: &str, body: &str) -> String {
    format!(
        "<div class=\"table\"><table>\n<caption>{caption}</caption>\n<thead>{head}</thead>\n<tbody>\n{body}</tbody>\n</table></div>\n"
    )
}

/// Column headings of a table.
#[must_use]
pub fn headings<'a>(titles: impl IntoIterator<Item = &'a str>) -> String {
    let cells: String =
        titles.into_iter().map(|title| format!("<th scope=\"col\">{}</th>", breakable(title))).collect();
    format!("<tr>{cells}</tr>")
}

/// Text with line-break opportunities between joined words.
#[must_use]
pub fn breakable(text: &str) -> String {
    escaped(text).replace('_', "_<wbr/>")
}

/// A row with a name, and fields that are markup.
#[must_use]
pub fn line(name: &str, fields: impl IntoIterator<Item = String>) -> String {
    let fields: String = fields.into_iter().map(|field| format!("<td>{field}</td>")).collect();
    format!("<tr><th scope=\"row\">{name}</th>{fields}</tr>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("a<b>&\"c"), "a&lt;b&gt;&amp;&quot;c");
        assert_eq!(headings(["a_b"]), "<tr><th scope=\"col\">a_<wbr/>b</th></tr>");
        assert_eq!(line("n", ["1".to_owned()]), "<tr><th scope=\"row\">n</th><td>1</td></tr>\n");
    }

    #[test]
    fn the_style_loads_nothing() {
        for style in [COLOURS, STYLE] {
            assert!(!style.contains("url(") && !style.contains("@import"));
        }
    }
}
