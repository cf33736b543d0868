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
