//! What must hold of the page tables before the first program runs.
//!
//! - The kernel's half: nothing but the kernel's code is executable, nothing makes that code writable, and
//!   nothing is open to programs.
//! - Address spaces: no page is executable for the kernel, closed to programs, or an alias of the kernel's code.
//! - Memory of the kernel (reserved RAM and the pool of page tables) is not mapped into any address space. Two
//!   things are: page contents of the image, and each thread's own message buffer at its own address.
//!
//! The tables are read back entry by entry, whoever wrote them.

use core::fmt;

use limen_abi::limits::PAGE_BYTES;
use limen_core::address::{PhysAddr, VirtAddr};
use limen_image::{Image, Range, RegionKind};

use crate::address_space::BufferPages;
use crate::page_table::{Format, Found, Root, Tables, walk};

/// A mapping that must not be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The address space; `None` for the kernel's half.
    pub vspace: Option<usize>,
    /// Where it is mapped.
    pub vaddr: VirtAddr,
    /// What is mapped.
    pub paddr: PhysAddr,
    /// What is wrong with it.
    pub rule: &'static str,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.vspace {
            Some(index) => write!(f, "address space {index}: ")?,
            None => write!(f, "kernel address space: ")?,
        }
        write!(f, "{:#x} maps {:#x}: {}", self.vaddr.0, self.paddr.0, self.rule)
    }
}

/// Checks the kernel's half. `code` is where the kernel's code lies.
///
/// # Errors
/// The first mapping that breaks a rule.
pub fn check_kernel<F: Format>(tables: &impl Tables, root: Root, code: Range) -> Result<(), Violation> {
    walk::<F, _>(tables, root, |found| {
        let Found { vaddr, paddr, permissions, .. } = found;
        let memory = memory(&found);
        let rule = |ok, rule| require(ok, Violation { vspace: None, vaddr, paddr, rule });
        rule(!permissions.user, "programs can access it")?;
        rule(
            !permissions.kernel_executable || contains(code, memory),
            "executable, but not the kernel's code",
        )?;
        rule(!permissions.writable || !overlaps(code, memory), "writable alias of the kernel's code")
    })
}

/// What address spaces are checked against.
#[derive(Debug)]
pub struct UserRules<'a> {
    image: &'a Image<'a>,
    buffers: &'a BufferPages,
    code: Range,
    contents: Range,
}

impl<'a> UserRules<'a> {
    /// Rules for the address spaces of `image` with these message buffers. `code` is where the kernel's code lies.
    pub fn new(image: &'a Image<'a>, buffers: &'a BufferPages, code: Range) -> Self {
        let end = image.paddr() + image.image_bytes();
        let mut contents = image.regions().filter(|region| region.kind == RegionKind::Contents as u64);
        let contents = Range { start: contents.next().map_or(end, |first| first.paddr), end };
        Self { image, buffers, code, contents }
    }

    /// Checks an address space.
    ///
    /// # Errors
    /// The first mapping that breaks a rule.
    pub fn check<F: Format>(&self, tables: &impl Tables, vspace: usize, root: Root) -> Result<(), Violation> {
        walk::<F, _>(tables, root, |found| {
            let Found { vaddr, paddr, permissions, .. } = found;
            let memory = memory(&found);
            let rule = |ok, rule| require(ok, Violation { vspace: Some(vspace), vaddr, paddr, rule });
            rule(permissions.user, "programs cannot access it")?;
            rule(!permissions.kernel_executable, "the kernel can execute it")?;
            rule(!overlaps(self.code, memory), "alias of the kernel's code")?;
            let allowed = !self.is_kernel_memory(memory) || self.is_message_buffer(vspace, &found);
            rule(allowed, "memory of the kernel")
        })
    }

    fn is_kernel_memory(&self, memory: Range) -> bool {
        overlaps(self.image.pool(), memory)
            || (!contains(self.contents, memory)
                && self.image.reserved().any(|reserved| overlaps(reserved, memory)))
    }

    /// Buffers of neighbouring threads may be found as one run.
    fn is_message_buffer(&self, vspace: usize, found: &Found) -> bool {
        (0..found.bytes).step_by(PAGE_BYTES as usize).all(|offset| {
            self.buffers.iter().flatten().any(|buffer| {
                buffer.vspace == vspace as u64
                    && buffer.vaddr.0 == found.vaddr.0 + offset
                    && buffer.paddr.0 == found.paddr.0 + offset
            })
        })
    }
}

fn require(ok: bool, violation: Violation) -> Result<(), Violation> {
    if ok { Ok(()) } else { Err(violation) }
}

fn memory(found: &Found) -> Range {
    Range { start: found.paddr.0, end: found.paddr.0 + found.bytes }
}

fn contains(outer: Range, range: Range) -> bool {
    outer.start <= range.start && range.end <= outer.end
}

fn overlaps(a: Range, b: Range) -> bool {
    a.start < b.end && b.start < a.end
}
