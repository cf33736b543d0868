//! Memory regions with fixed physical addresses do not overlap.

use super::ranges::Ranges;
use crate::code;
use crate::diagnostic::{Diagnostic, Problems};
use crate::draft::MemoryRegionDraft;
use crate::model::MemoryRegion;

pub(super) fn check(regions: &[MemoryRegionDraft], problems: &mut Problems) {
    let mut seen = Ranges::default();
    for MemoryRegionDraft { region, .. } in regions {
        let Some(start) = region.phys_addr else { continue };
        let Some(end) = start.checked_add(region.bytes) else {
            problems.push(overflow(region));
            continue;
        };
        if let Err(other) = seen.insert((start, end), (region, start, end)) {
            problems.push(overlap((region, start, end), other));
        }
    }
}

fn overflow(region: &MemoryRegion) -> Diagnostic {
    let (name, span) = (&region.name, &region.span);
    let message = format!("Error: memory region '{name}' has physical address range that overflows @ {span}");
    let help = "phys_addr plus size must fit into 64 bits.";
    Diagnostic::new(code::MR_PHYS_ADDR_OVERFLOW, span, message, help)
}

fn overlap(
    (region, start, end): (&MemoryRegion, u64, u64),
    (other, other_start, other_end): (&MemoryRegion, u64, u64),
) -> Diagnostic {
    let (name, span) = (&region.name, &region.span);
    let message = format!(
        "Error: memory region '{name}' physical address range [{start:#x}..{end:#x}) overlaps with another memory \
         region '{}' [{other_start:#x}..{other_end:#x}) @ {span}",
        other.name
    );
    let help = format!("The other memory region is at {}.", other.span);
    Diagnostic::new(code::MR_PHYS_ADDR_OVERLAP, span, message, help)
}
