//! Messages: the message-info word and the layout of the IPC buffer.

/// Maximum message length in words.
pub const MAX_LENGTH: usize = 120;
/// Maximum number of capability arguments of an invocation.
pub const MAX_EXTRA_CAPS: usize = 3;
/// Leading words of a message that travel in registers, on every architecture.
pub const REGISTER_WORDS: usize = 4;

/// Describes a message: label in bits 63..12, capsUnwrapped in 11..9, extraCaps in 8..7, length in 6..0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub struct MessageInfo(u64);

impl MessageInfo {
    /// Bits of the length field.
    pub const LENGTH_BITS: u32 = 7;
    /// Bits of the extraCaps field.
    pub const EXTRA_CAPS_BITS: u32 = 2;
    /// Bits of the capsUnwrapped field.
    pub const CAPS_UNWRAPPED_BITS: u32 = 3;
    const LENGTH_MASK: u64 = (1 << Self::LENGTH_BITS) - 1;
    const LABEL_MASK: u64 = u64::MAX << Self::LABEL_SHIFT;
    /// Position of the label.
    pub const LABEL_SHIFT: u32 = Self::LENGTH_BITS + Self::EXTRA_CAPS_BITS + Self::CAPS_UNWRAPPED_BITS;

    /// A message without capabilities. `length` is limited to [`MAX_LENGTH`] words.
    #[must_use]
    #[inline]
    pub const fn new(label: u64, length: usize) -> Self {
        let length = if length > MAX_LENGTH { MAX_LENGTH } else { length };
        Self(label << Self::LABEL_SHIFT | length as u64)
    }

    /// The word as a program wrote it.
    #[must_use]
    #[inline]
    pub const fn from_raw(raw: u64) -> Self {
        Self(raw)
    }

    /// The word as a program reads it.
    #[must_use]
    #[inline]
    pub const fn as_raw(self) -> u64 {
        self.0
    }

    /// The label.
    #[must_use]
    #[inline]
    pub const fn label(self) -> u64 {
        self.0 >> Self::LABEL_SHIFT
    }

    /// Words in the message; a longer length from the sender is clamped to [`MAX_LENGTH`].
    #[must_use]
    #[inline]
    pub const fn length(self) -> usize {
        let length = self.claimed_length();
        if length > MAX_LENGTH { MAX_LENGTH } else { length }
    }

    /// Length field as the sender wrote it, not clamped.
    #[must_use]
    #[inline]
    pub const fn claimed_length(self) -> usize {
        (self.0 & Self::LENGTH_MASK) as usize
    }

    /// Whether the message has no words.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 & Self::LENGTH_MASK == 0
    }

    /// Capability arguments.
    #[must_use]
    #[inline]
    pub const fn extra_caps(self) -> usize {
        (self.0 >> Self::LENGTH_BITS & ((1 << Self::EXTRA_CAPS_BITS) - 1)) as usize
    }

    /// The message info that the receiver sees: same label and length, no capability transferred.
    #[must_use]
    #[inline]
    pub const fn delivered(self) -> Self {
        match self.0 & Self::LENGTH_MASK {
            length if length <= MAX_LENGTH as u64 => self.without_caps(),
            _ => Self::new(self.label(), MAX_LENGTH),
        }
    }

    /// Same as [`Self::delivered`] for a message whose length is known to be at most [`MAX_LENGTH`].
    #[must_use]
    #[inline]
    pub const fn without_caps(self) -> Self {
        Self(self.0 & (Self::LABEL_MASK | Self::LENGTH_MASK))
    }
}

/// Word offsets in the IPC buffer, a page that a thread shares with the kernel.
#[derive(Debug)]
pub struct BufferWord;
impl BufferWord {
    /// The message-info word.
    pub const TAG: usize = 0;
    /// First message word; word `n` of a message is at `MESSAGE + n`.
    pub const MESSAGE: usize = 1;
    /// One word for the program's own use.
    pub const USER_DATA: usize = Self::MESSAGE + MAX_LENGTH;
    /// Capability arguments of an invocation, or badges of unwrapped capabilities.
    pub const CAPS_OR_BADGES: usize = Self::USER_DATA + 1;
    /// Words in the buffer (1 KiB).
    pub const COUNT: usize = 128;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_is_always_clamped() {
        assert_eq!(MessageInfo::new(1, 500).length(), MAX_LENGTH);
        assert_eq!(MessageInfo::from_raw(127).length(), MAX_LENGTH);
        assert_eq!(MessageInfo::from_raw(5).length(), 5);
    }

    #[test]
    fn label_has_52_bits() {
        let info = MessageInfo::new(u64::MAX, 3);
        assert_eq!(info.label(), (1 << 52) - 1);
        assert_eq!(info.length(), 3);
    }

    #[test]
    fn delivery_drops_capabilities() {
        let info = MessageInfo::from_raw(7 << 12 | 0b101 << 9 | 0b11 << 7 | 4);
        assert_eq!(info.extra_caps(), 3);
        assert_eq!(info.delivered(), MessageInfo::new(7, 4));
    }

    #[test]
    fn buffer_is_one_kibibyte() {
        // tag, message, user data, three capabilities, and receiveCNode, receiveIndex, receiveDepth.
        assert_eq!(BufferWord::CAPS_OR_BADGES + MAX_EXTRA_CAPS + 3, BufferWord::COUNT);
    }
}
