//! What must hold of the page tables before the first program runs.
//!
//! - The kernel's half: nothing is writable and executable, nothing is open to programs, and the executable
//!   pages are one contiguous run of memory, the kernel's code.
//! - Address spaces: no page is executable for the kernel, closed to programs, or an alias of the kernel's code.
//! - Memory of the kernel (reserved RAM and the pool of page tables) is not mapped into any address space. Two
//!   things are: page contents of the image, and each thread's own message buffer at its own address.
//!
//! The tables are read back entry by entry, whoever wrote them.

use core::fmt;

use limen_abi::limits::PAGE_BYTES;
use limen_core::address::{PhysAddr, VirtAddr};
use limen_image::{Image, Range, RegionKind};

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

/// Checks the kernel's half and returns the memory that holds the kernel's code.
///
/// # Errors
/// The first mapping that breaks a rule.
pub fn check_kernel<F: Format>(tables: &impl Tables, root: Root) -> Result<Range, Violation> {
    let mut code = Range::default();
    walk::<F, _>(tables, root, |found| {
        let Found { vaddr, paddr, bytes, permissions } = found;
        let rule = |ok, rule| require(ok, Violation { vspace: None, vaddr, paddr, rule });
        rule(!permissions.user, "programs can access it")?;
        if permissions.kernel_executable {
            rule(!permissions.writable, "writable and executable")?;
            rule(code == Range::default(), "code that is not contiguous")?;
            code = Range { start: paddr.0, end: paddr.0 + bytes };
        }
        Ok(())
    })?;
    walk::<F, _>(tables, root, |found| {
        let Found { vaddr, paddr, permissions, .. } = found;
        let ok = !permissions.writable || !overlaps(code, memory(&found));
        require(ok, Violation { vspace: None, vaddr, paddr, rule: "writable alias of the kernel's code" })
    })?;
    Ok(code)
}

/// What address spaces are checked against.
pub struct UserRules<'a> {
    image: &'a Image<'a>,
    code: Range,
    contents: Range,
}

impl<'a> UserRules<'a> {
    /// Rules for the address spaces of `image`. `code` is where the kernel's code lies.
    pub fn new(image: &'a Image<'a>, code: Range) -> Self {
        let end = image.paddr() + image.image_bytes();
        let mut contents = image.regions().filter(|region| region.kind == RegionKind::Contents as u64);
        let contents = Range { start: contents.next().map_or(end, |first| first.paddr), end };
        Self { image, code, contents }
    }

    /// Checks an address space. `message_buffer` is as for `address_space::build`.
    ///
    /// # Errors
    /// The first mapping that breaks a rule.
    pub fn check<F: Format>(
        &self,
        tables: &impl Tables,
        vspace: usize,
        root: Root,
        message_buffer: impl Fn(u64) -> PhysAddr,
    ) -> Result<(), Violation> {
        walk::<F, _>(tables, root, |found| {
            let Found { vaddr, paddr, permissions, .. } = found;
            let rule = |ok, rule| require(ok, Violation { vspace: Some(vspace), vaddr, paddr, rule });
            rule(permissions.user, "programs cannot access it")?;
            rule(!permissions.kernel_executable, "the kernel can execute it")?;
            rule(!overlaps(self.code, memory(&found)), "alias of the kernel's code")?;
            let allowed = !self.is_kernel_memory(memory(&found))
                || self.is_message_buffer(vspace, &found, &message_buffer);
            rule(allowed, "memory of the kernel")
        })
    }

    fn is_kernel_memory(&self, memory: Range) -> bool {
        let in_contents = self.contents.start <= memory.start && memory.end <= self.contents.end;
        overlaps(self.image.pool(), memory)
            || (!in_contents && self.image.reserved().any(|reserved| overlaps(reserved, memory)))
    }

    /// Buffers of neighbouring threads may be found as one run.
    fn is_message_buffer(
        &self,
        vspace: usize,
        found: &Found,
        message_buffer: &impl Fn(u64) -> PhysAddr,
    ) -> bool {
        (0..found.bytes).step_by(PAGE_BYTES as usize).all(|offset| {
            self.image.threads().zip(0..).any(|(thread, index)| {
                thread.vspace == vspace as u64
                    && thread.ipc_buffer == found.vaddr.0 + offset
                    && message_buffer(index).0 == found.paddr.0 + offset
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

fn overlaps(a: Range, b: Range) -> bool {
    a.start < b.end && b.start < a.end
}
