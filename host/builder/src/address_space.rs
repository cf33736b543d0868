//! The address space of each program: its pages, its stack, its memory regions.
//!
//! It lists *extents*, runs of physical memory without an address ([`crate::memory`] assigns them), and their mappings.
//! It leaves out the IPC buffer, because the kernel maps it, and lists rings apart, because they have no extent. [`crate::address_plan`] fills it.

use std::collections::HashMap;

use limen_abi::limits::PAGE_BYTES;
use limen_image::{MappingFlags, Ring, Service};
use limen_sdf::model::WipeTrigger;

/// Physically contiguous memory that is allocated as one piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Its purpose.
    pub purpose: Purpose,
    /// Size, a multiple of the page size.
    pub bytes: u64,
    /// Alignment of the physical address: 4 KiB or 2 MiB.
    pub alignment: u64,
}

/// Purpose of an extent. `program` counts protection domains in order; the monitor is the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Pages of a program with contents.
    Contents {
        /// Index of the program.
        program: usize,
        /// User address of the pages.
        vaddr: u64,
    },
    /// Zero-initialised pages of a program.
    Zeroed {
        /// Index of the program.
        program: usize,
    },
    /// The stack of a program.
    Stack {
        /// Index of the program.
        program: usize,
    },
    /// A copy of the initial contents of a program's writable pages.
    FirstContents {
        /// Index of the program.
        program: usize,
        /// User address of those pages.
        vaddr: u64,
    },
    /// The kernel's stack for services of a program.
    WorkStack {
        /// Index of the program.
        program: usize,
    },
    /// The rings of the trace.
    Trace,
    /// A memory region of the description.
    Region {
        /// Index of the memory region.
        region: usize,
    },
}

impl Purpose {
    /// The program and the user address whose contents the pages have in the image.
    pub(crate) fn contents(&self) -> Option<(usize, u64)> {
        match self {
            Self::Contents { program, vaddr } | Self::FirstContents { program, vaddr } => {
                Some((*program, *vaddr))
            }
            _ => None,
        }
    }

    /// The memory region, if it is one.
    pub(crate) fn region(&self) -> Option<usize> {
        match self {
            Self::Region { region } => Some(*region),
            _ => None,
        }
    }
}

/// A mapping in an address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserMapping {
    /// Index of the address space: the program's index; the address spaces for services follow.
    pub program: usize,
    /// First user address.
    pub vaddr: u64,
    /// Size in bytes; equal to the extent's.
    pub bytes: u64,
    /// Index of the extent.
    pub extent: usize,
    /// [`MappingFlags`] bits.
    pub flags: u64,
}

/// The record of a service, before interrupts have indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlannedService {
    pub(crate) record: Service,
    /// The trigger of a wipe or seal.
    pub(crate) trigger: Option<WipeTrigger>,
}

/// All address spaces of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressSpaces {
    /// All extents.
    pub extents: Vec<Extent>,
    /// Ascending by program and address.
    pub mappings: Vec<UserMapping>,
    /// Rings of protection domains, in the order of [`limen_image::Table::Rings`].
    pub rings: Vec<Ring>,
    /// Services of protection domains.
    pub services: Vec<PlannedService>,
    /// The extent of each memory region in use.
    of_regions: HashMap<usize, usize>,
    /// For an extent whose initial contents are needed again, the extent with the copy.
    first_contents: HashMap<usize, usize>,
}

impl AddressSpaces {
    /// The extent of a memory region, if it is in use.
    pub(crate) fn extent_of_region(&self, region: usize) -> Option<usize> {
        self.of_regions.get(&region).copied()
    }

    /// Adds an extent; returns its index.
    pub(crate) fn extend(&mut self, purpose: Purpose, bytes: u64) -> usize {
        self.extents.push(Extent { purpose, bytes, alignment: PAGE_BYTES });
        self.extents.len() - 1
    }

    /// Adds the extent of a memory region; returns its index.
    pub(crate) fn extend_by_region(&mut self, region: usize, bytes: u64, alignment: u64) -> usize {
        let extent = self.extend(Purpose::Region { region }, bytes);
        self.extents[extent].alignment = alignment;
        self.of_regions.insert(region, extent);
        extent
    }

    /// Maps an extent into an address space.
    pub(crate) fn map(&mut self, program: usize, vaddr: u64, extent: usize, flags: u64) {
        let bytes = self.extents[extent].bytes;
        self.mappings.push(UserMapping { program, vaddr, bytes, extent, flags });
    }

    /// Maps an extent into an address space for services, for the kernel only.
    pub(crate) fn see(&mut self, vspace: usize, vaddr: u64, extent: usize, access: u64) {
        self.map(vspace, vaddr, extent, access | MappingFlags::PRIVILEGED);
    }

    /// Writable pages with contents, by address.
    pub(crate) fn writable_contents(&self, program: usize) -> Vec<usize> {
        self.contents(program, |flags| flags & MappingFlags::WRITE != 0)
    }

    /// Read-only pages with contents, by address.
    pub(crate) fn constant_contents(&self, program: usize) -> Vec<usize> {
        self.contents(program, |flags| flags & MappingFlags::WRITE == 0)
    }

    fn contents(&self, program: usize, is_meant: impl Fn(u64) -> bool) -> Vec<usize> {
        let is_contents =
            |mapping: &&UserMapping| matches!(self.extents[mapping.extent].purpose, Purpose::Contents { .. });
        let own = self.mappings.iter().filter(|mapping| mapping.program == program);
        let mut found: Vec<_> = own.filter(is_contents).filter(|mapping| is_meant(mapping.flags)).collect();
        found.sort_by_key(|mapping| mapping.vaddr);
        found.into_iter().map(|mapping| mapping.extent).collect()
    }

    /// Zero-initialised pages of a program, its stack included.
    pub(crate) fn zeroed(&self, program: usize) -> Vec<usize> {
        let own = [Purpose::Zeroed { program }, Purpose::Stack { program }];
        let extents = self.extents.iter().enumerate();
        extents.filter(|(_, extent)| own.contains(&extent.purpose)).map(|(index, _)| index).collect()
    }

    /// The extent with the copy of this extent's initial contents; all users share it.
    pub(crate) fn first_contents_of(&mut self, extent: usize) -> usize {
        let Extent { purpose: Purpose::Contents { program, vaddr }, bytes, .. } = self.extents[extent] else {
            return extent;
        };
        if let Some(known) = self.first_contents.get(&extent) {
            return *known;
        }
        let first = self.extend(Purpose::FirstContents { program, vaddr }, bytes);
        self.first_contents.insert(extent, first);
        first
    }
}
