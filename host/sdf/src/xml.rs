//! XML with positions: the only place that knows the XML library.

use roxmltree::Node;

use crate::diagnostic::{Diagnostic, Span};
use crate::{code, limits};

/// A well-formed document.
pub(crate) struct Document<'a> {
    source: Source<'a>,
    tree: roxmltree::Document<'a>,
}

impl<'a> Document<'a> {
    /// Reads `text`. Document type declarations are refused, so entities cannot expand without bound.
    pub(crate) fn parse(file: &'a str, text: &'a str) -> Result<Self, Diagnostic> {
        limits::check(file, text)?;
        match roxmltree::Document::parse(text) {
            Ok(tree) => Ok(Self { source: Source::new(file, text), tree }),
            Err(error) => Err(syntax_error(file, &error)),
        }
    }

    /// The outermost element.
    pub(crate) fn root(&'a self) -> Element<'a> {
        Element { source: &self.source, node: self.tree.root_element() }
    }
}

fn syntax_error(file: &str, error: &roxmltree::Error) -> Diagnostic {
    let position = error.pos();
    let span = Span { file: file.to_owned(), line: position.row, column: position.col };
    Diagnostic::new(
        code::XML_SYNTAX,
        &span,
        format!("Could not parse '{file}': {error}: {span}"),
        "The file must be well-formed XML 1.0 without a document type declaration.",
    )
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

    /// Where the start tag begins.
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

    /// All attributes: names as they are looked up, values and places. Names in a name space keep its address in braces, so
    /// that they never pass for a known attribute.
    pub(crate) fn attributes(self) -> impl Iterator<Item = (String, &'a str, Span)> {
        self.node.attributes().map(move |attribute| {
            let name = match attribute.namespace() {
                Some(namespace) => format!("{{{namespace}}}{}", attribute.name()),
                None => attribute.name().to_owned(),
            };
            (name, attribute.value(), self.source.span(attribute.range().start))
        })
    }

    /// Where an attribute begins; the start tag if the element does not have it.
    pub(crate) fn attribute_span(&self, name: &str) -> Span {
        match self.node.attribute_node(name) {
            Some(attribute) => self.source.span(attribute.range().start),
            None => self.span(),
        }
    }

    /// Text that is not white space anywhere inside, in document order.
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
    /// The element before it, with the same parent.
    pub(crate) after: Option<Element<'a>>,
    /// The element around it.
    pub(crate) inside: Element<'a>,
    /// The first character that is not white space.
    pub(crate) span: Span,
}

/// Bytes between two places of a text up to which its characters are counted in advance.
const STRIDE: usize = 256;

/// The text of a file with the offsets of its lines, so that a location costs a binary search and a few bytes to count.
pub(crate) struct Source<'a> {
    file: &'a str,
    text: &'a str,
    line_starts: Vec<usize>,
    /// How many characters begin before every multiple of [`STRIDE`].
    characters: Vec<usize>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(file: &'a str, text: &'a str) -> Self {
        let after_newlines = text.match_indices('\n').map(|(offset, _)| offset + 1);
        let strides = text.as_bytes().chunks(STRIDE).scan(0, |before, stride| {
            *before += characters(stride);
            Some(*before)
        });
        Self {
            file,
            text,
            line_starts: std::iter::once(0).chain(after_newlines).collect(),
            characters: std::iter::once(0).chain(strides).collect(),
        }
    }

    /// How many characters begin before an offset.
    fn characters_before(&self, offset: usize) -> usize {
        let stride = offset / STRIDE;
        let rest = self.text.as_bytes().get(stride * STRIDE..offset).map_or(0, characters);
        self.characters.get(stride).map_or(0, |before| before + rest)
    }

    pub(crate) fn span(&self, offset: usize) -> Span {
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|index| self.line_starts.get(index)).copied().unwrap_or(0);
        let before = self.characters_before(offset).saturating_sub(self.characters_before(start));
        Span { file: self.file.to_owned(), line: count(line), column: count(before + 1) }
    }
}

/// How many characters begin in a piece of UTF-8.
fn characters(piece: &[u8]) -> usize {
    piece.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// Lines and columns; a file with more than four thousand million of them shows the last number that there is.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
