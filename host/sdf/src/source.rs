//! Lines and columns of a file.

use crate::diagnostic::Span;

/// Distance in bytes between offsets with a precomputed character count.
const STRIDE: usize = 256;

/// The text of a file with an index of its lines, so that a location costs a binary search and a short count.
pub(crate) struct Source<'a> {
    file: &'a str,
    text: &'a str,
    line_starts: Vec<usize>,
    /// Number of characters that begin before each multiple of [`STRIDE`].
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

    /// The name of the file.
    pub(crate) fn file(&self) -> &'a str {
        self.file
    }

    /// Its contents.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Number of characters that begin before an offset.
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

/// Number of characters that begin in a piece of UTF-8.
fn characters(piece: &[u8]) -> usize {
    piece.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// Lines and columns; saturates at the maximum of `u32`.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
