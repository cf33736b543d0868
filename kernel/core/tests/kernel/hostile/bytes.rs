//! The random choices of a system, read from bytes: a fuzzer that changes one byte changes one choice.

/// The bytes that are left. After the last one, every choice is the first.
pub(super) struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    /// Choices from these bytes.
    pub(super) const fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// Returns whether no byte is left.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next byte.
    pub(super) fn byte(&mut self) -> u8 {
        self.0.split_off_first().copied().unwrap_or(0)
    }

    /// A number below `limit`, which is at most 256.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        u64::from(self.byte()) % limit
    }

    /// One of these.
    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::from(self.byte()) % from.len()]
    }

    /// Mostly small, sometimes any number.
    pub(super) fn word(&mut self) -> u64 {
        match self.byte() {
            small @ 0..240 => u64::from(small) % 120,
            _ => u64::from_le_bytes([0; 8].map(|_: u8| self.byte())),
        }
    }
}
