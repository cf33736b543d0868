//! Pseudo-random numbers, determined by a seed.

/// A pseudo-random number generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator with this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number. Source: SplitMix64, Steele, Lea and Flood, 2014.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `limit`; 0 if `limit` is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.number().checked_rem(limit).unwrap_or(0)
    }

    /// A position in a sequence of this length; 0 if it is empty.
    pub fn position(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// A random element; `None` if `from` is empty.
    pub fn choose<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.position(from.len()))
    }
}

/// A name for an input. Source: FNV-1a.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_determines_the_sequence() {
        let first = |seed| {
            let mut random = Random::new(seed);
            [random.number(), random.number()]
        };
        assert_eq!(first(7), first(7));
        assert_ne!(first(7), first(8));
    }

    #[test]
    fn choosing_from_an_empty_slice_gives_none() {
        let mut random = Random::new(1);
        assert_eq!((random.below(0), random.position(0), random.choose::<u8>(&[])), (0, 0, None));
    }
}
