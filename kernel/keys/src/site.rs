//! A site: a patched instruction, its jump target, and its key.
//!
//! The linker stores distances from a row's own fields, which need no relocation at boot. `Row::rebase` makes them
//! distances from the table, so that rows can be sorted.

use crate::encoding::{Encoding, Instruction};

/// A row of the site table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(8))]
pub struct Row {
    code: i32,
    target: i32,
    /// Distance of the key, a multiple of its alignment, plus [`ENABLED_FALLS_THROUGH`].
    key: i64,
}

/// Bytes of a row, the same as in the assembly.
pub const ROW_BYTES: usize = 16;
const _: () = assert!(size_of::<Row>() == ROW_BYTES);

/// The site jumps while the key is off.
const ENABLED_FALLS_THROUGH: i64 = 1;
/// Offset of the distance of the target in a row.
const TARGET: i64 = 4;
/// Offset of the distance of the key in a row.
const KEY: i64 = 8;

impl Row {
    /// Converts the `index`th row that the linker stored to distances from the table. `None` if one is out of range.
    pub(crate) fn rebase(self, index: usize) -> Option<Self> {
        let place = i64::try_from(index * ROW_BYTES).ok()?;
        let near = |distance: i32, field: i64| i32::try_from(i64::from(distance) + place + field).ok();
        Some(Self {
            code: near(self.code, 0)?,
            target: near(self.target, TARGET)?,
            key: self.key.checked_add(place + KEY)?,
        })
    }

    /// The site that a rebased row of the table at this address describes.
    pub(crate) fn site(self, table: usize) -> Site {
        let address = |distance: i64| table.wrapping_add_signed(distance as isize);
        Site {
            address: address(self.code.into()),
            target: address(self.target.into()),
            key: address(self.key & !ENABLED_FALLS_THROUGH),
            jumps_if: self.key & ENABLED_FALLS_THROUGH == 0,
        }
    }

    /// Sorts by key, then by address.
    #[inline]
    pub(crate) fn by_key(&self) -> (i64, i32) {
        (self.key & !ENABLED_FALLS_THROUGH, self.code)
    }

    /// Sorts by address.
    #[inline]
    pub(crate) fn by_place(&self) -> i32 {
        self.code
    }
}

/// A row in absolute addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// The instruction.
    pub address: usize,
    /// The jump target.
    pub target: usize,
    /// The key.
    pub key: usize,
    /// The key's state in which the site jumps.
    pub jumps_if: bool,
}

impl Site {
    /// The instruction of this length for a state of the key; `None` if the target is out of range.
    pub(crate) fn instruction<A: Encoding>(&self, length: u32, state: bool) -> Option<Instruction> {
        let distance = self.target.wrapping_sub(self.address) as isize as i64;
        // The jump must exist for either state: otherwise the site could not be flipped.
        let jump = A::jump(length, distance)?;
        Some(if state == self.jumps_if { jump } else { A::nop(length) })
    }
}

#[cfg(test)]
impl Row {
    /// Stores the row that a linker would put at the address of `self`.
    pub(crate) fn describe(&mut self, site: Site) {
        let here = core::ptr::from_ref(self).addr().cast_signed();
        let near =
            |to: usize, field: i64| i32::try_from(to.cast_signed() - here - field as isize).expect("near");
        self.code = near(site.address, 0);
        self.target = near(site.target, TARGET);
        let sense = if site.jumps_if { 0 } else { ENABLED_FALLS_THROUGH };
        self.key = (site.key.cast_signed() - here) as i64 - KEY + sense;
    }

    /// A row without a site.
    pub(crate) const EMPTY: Self = Self { code: 0, target: 0, key: 0 };
    /// A row whose site is at this distance from the table.
    pub(crate) const fn at(code: i32) -> Self {
        Self { code, ..Self::EMPTY }
    }

    /// A row with a distance that is out of range at any place in a table.
    pub(crate) const FAR: Self = Self { key: i64::MAX, ..Self::EMPTY };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of a row in a table, and its distance from the table.
    const INDEX: usize = 3;
    const PLACE: i32 = 48;

    fn rebased(code: i32, target: i32, key: i64) -> Option<Row> {
        Row { code, target, key }.rebase(INDEX)
    }

    #[test]
    fn distances_count_from_the_table_instead_of_their_fields() {
        let expected = Row { code: -1000 + PLACE, target: 2000 + PLACE + 4, key: 41 + i64::from(PLACE) + 8 };
        assert_eq!(rebased(-1000, 2000, 41), Some(expected));
    }

    #[test]
    fn a_distance_that_a_row_cannot_hold_is_found() {
        for (code, target) in [(i32::MAX - PLACE, 0), (0, i32::MAX - PLACE - 4), (i32::MIN, i32::MIN)] {
            assert!(rebased(code, target, 0).is_some(), "{code} {target}");
        }
        assert_eq!(rebased(i32::MAX - PLACE + 1, 0, 0), None);
        assert_eq!(rebased(0, i32::MAX - PLACE - 3, 0), None);
        let last = i64::MAX - i64::from(PLACE) - 8;
        assert!(rebased(0, 0, last).is_some());
        assert_eq!(rebased(0, 0, last + 1), None);
    }
}
