//! XML with positions. Only this file uses the XML library.

use roxmltree::Node;

use crate::diagnostic::{Diagnostic, Span};
use crate::source::Source;
use crate::{code, limits};

/// A well-formed document.
pub(crate) struct Document<'a> {
    source: Source<'a>,
    tree: roxmltree::Document<'a>,
}

impl<'a> Document<'a> {
    /// Parses `text`. Document type declarations are refused, so that entities cannot expand without bound.
    pub(crate) fn parse(file: &'a str, text: &'a str) -> Result<Self, Diagnostic> {
        limits::check(file, text)?;
        match roxmltree::Document::parse(text) {
            Ok(tree) => Ok(Self { source: Source::new(file, text), tree }),
            Err(error) => Err(syntax_error(&Source::new(file, text), &error)),
        }
    }

    /// The outermost element.
    pub(crate) fn root(&'a self) -> Element<'a> {
        Element { source: &self.source, node: self.tree.root_element() }
    }
}

fn syntax_error(source: &Source<'_>, error: &roxmltree::Error) -> Diagnostic {
    let (position, file) = (error.pos(), source.file());
    let span = Span { file: file.to_owned(), line: position.row, column: position.col };
    let help = help(source, error).unwrap_or_else(|| {
        "The file must be well-formed XML 1.0 without a document type declaration.".to_owned()
    });
    Diagnostic::new(code::XML_SYNTAX, &span, format!("Could not parse '{file}': {error}: {span}"), help)
}

/// The way out of errors whose cause is far from the place that the library names.
fn help(source: &Source<'_>, error: &roxmltree::Error) -> Option<String> {
    let place = |offset| {
        let Span { line, column, .. } = source.span(offset);
        format!("{line}:{column}")
    };
    let tags = Tags::read(source.text());
    match error {
        roxmltree::Error::UnexpectedEndOfStream => {
            Some(format!("The tag or comment that begins at {} has no end.", place(tags.last?)))
        }
        roxmltree::Error::UnexpectedCloseTag(..) | roxmltree::Error::UnclosedRootNode => {
            let (name, start) = *tags.open.last()?;
            let start = place(start);
            match tags.wrong_end {
                Some(wrong) if tags.open.iter().all(|(name, _)| *name != wrong) => {
                    Some(format!("The <{name}> at {start} and this </{wrong}> must have the same name."))
                }
                _ => Some(format!(
                    "Close the <{name}> at {start}: end it with '/>', or add </{name}> after its contents."
                )),
            }
        }
        _ => None,
    }
}

/// The tags of a text up to the first end tag that fits no open element, or up to its end.
#[derive(Default)]
struct Tags<'a> {
    /// Names and offsets of the open elements, the innermost last.
    open: Vec<(&'a str, usize)>,
    /// The name in that end tag.
    wrong_end: Option<&'a str>,
    /// Offset of the last tag.
    last: Option<usize>,
}

impl<'a> Tags<'a> {
    fn read(text: &'a str) -> Self {
        let mut tags = Self::default();
        let mut rest = text;
        while let Some(from_tag) = rest.find('<').and_then(|start| rest.get(start..)) {
            let start = text.len() - from_tag.len();
            let (tag, after) =
                from_tag.split_at_checked(limits::tag_bytes(from_tag)).unwrap_or((from_tag, ""));
            rest = after;
            tags.last = Some(start);
            let inside = tag.trim_start_matches('<').trim_end_matches('>');
            if let Some(name) = inside.strip_prefix('/').map(str::trim_end) {
                if tags.open.last().is_none_or(|(last, _)| *last != name) {
                    tags.wrong_end = Some(name);
                    break;
                }
                tags.open.pop();
            } else if !inside.starts_with(['!', '?']) && !inside.ends_with('/') {
                let name = inside.split(char::is_whitespace).next().unwrap_or_default();
                tags.open.push((name, start));
            }
        }
        tags
    }
}

/// An element of a document.
#[derive(Clone, Copy)]
pub(crate) struct Element<'a> {
    source: &'a Source<'a>,
    node: Node<'a, 'a>,
}

impl<'a> Element<'a> {
    /// Name of the tag.
    pub(crate) fn name(&self) -> &'a str {
        self.node.tag_name().name()
    }

    /// The position of the start tag.
    pub(crate) fn span(&self) -> Span {
        self.source.span(self.node.range().start)
    }

    /// Elements directly inside, in document order.
    pub(crate) fn children(self) -> impl Iterator<Item = Element<'a>> {
        self.node.children().filter(Node::is_element).map(move |node| Element { node, ..self })
    }

    /// This element and all elements inside, in document order.
    pub(crate) fn descendants(self) -> impl Iterator<Item = Element<'a>> {
        self.node.descendants().filter(Node::is_element).map(move |node| Element { node, ..self })
    }

    /// Value of an attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'a str> {
        self.node.attribute(name)
    }

    /// All attributes: names for lookup, values and locations. A name in a name space includes the name space in
    /// braces, so that it never matches a known attribute.
    pub(crate) fn attributes(self) -> impl Iterator<Item = (String, &'a str, Span)> {
        self.node.attributes().map(move |attribute| {
            let name = match attribute.namespace() {
                Some(namespace) => format!("{{{namespace}}}{}", attribute.name()),
                None => attribute.name().to_owned(),
            };
            (name, attribute.value(), self.source.span(attribute.range().start))
        })
    }

    /// Start of an attribute, or of the start tag if the element lacks it.
    pub(crate) fn attribute_span(&self, name: &str) -> Span {
        match self.node.attribute_node(name) {
            Some(attribute) => self.source.span(attribute.range().start),
            None => self.span(),
        }
    }

    /// All text inside that is not white space, in document order.
    pub(crate) fn texts(self) -> Vec<StrayText<'a>> {
        let mut found = Vec::new();
        for inside in self.descendants() {
            let mut after = None;
            for node in inside.node.children() {
                if node.is_element() {
                    after = Some(Element { node, ..self });
                } else if let Some(text) = node.text()
                    && node.is_text()
                    && !text.trim().is_empty()
                {
                    let start = node.range().start + (text.len() - text.trim_start().len());
                    found.push((start, StrayText { after, inside, span: self.source.span(start) }));
                }
            }
        }
        found.sort_by_key(|(start, _)| *start);
        found.into_iter().map(|(_, text)| text).collect()
    }
}

/// Text between elements.
pub(crate) struct StrayText<'a> {
    /// The previous sibling element.
    pub(crate) after: Option<Element<'a>>,
    /// The parent element.
    pub(crate) inside: Element<'a>,
    /// The first character that is not white space.
    pub(crate) span: Span,
}
