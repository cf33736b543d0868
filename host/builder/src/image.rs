//! The boot image: records for everything that was decided, then page contents.
//!
//! The number of records is known before any physical address is, so the image is written in two goes: [`records`]
//! fills the tables and tells their size, [`finish`] fills in the addresses.

use limen_image::{Cap, Image, ImageWriter, Mapping, Region};
use limen_sdf::{Architecture, Diagnostic};

use crate::address_space::{AddressSpaces, Purpose};
use crate::board::Board;
use crate::code;
use crate::config::Config;
use crate::error::{Context, error};
use crate::memory::MemoryPlan;
use crate::objects::Objects;
use crate::payload::Layout;
use crate::program::Program;

/// The tables of the image; physical addresses are still zero.
#[must_use]
pub fn records(
    board: &Board,
    config: &Config,
    spaces: &AddressSpaces,
    objects: &Objects,
    caps: Vec<Cap>,
) -> ImageWriter {
    let mut writer = ImageWriter::new(architecture(board));
    writer.options = config.options();
    writer.board = board.image_record();
    writer.counts = objects.counts;
    writer.ram = board.ram_ranges();
    writer.reserved = vec![limen_image::Range::default()];
    writer.regions = vec![Region::default(); spaces.extents.len()];
    writer.mappings = vec![Mapping::default(); spaces.mappings.len()];
    writer.sched_contexts.clone_from(&objects.sched_contexts);
    writer.threads.clone_from(&objects.threads);
    writer.caps = caps;
    writer
}

/// Fills in the addresses and returns the whole image.
///
/// # Errors
/// The kernel would refuse the image, which is a defect of this tool.
pub fn finish(
    writer: &mut ImageWriter,
    spaces: &AddressSpaces,
    programs: &[Program],
    layout: &Layout,
    memory: &MemoryPlan,
) -> Result<Vec<u8>, Diagnostic> {
    let order = ascending_extents(memory);
    writer.reserved = vec![layout.taken().reserved];
    writer.pool = memory.pool;
    writer.regions = order.iter().map(|&extent| region(spaces, memory, extent)).collect();
    let mut region_of = vec![0; order.len()];
    for (region, &extent) in order.iter().enumerate() {
        region_of[extent] = region as u64;
    }
    writer.mappings = spaces
        .mappings
        .iter()
        .map(|mapping| Mapping {
            vspace: mapping.program as u64,
            vaddr: mapping.vaddr,
            bytes: mapping.bytes,
            region: region_of[mapping.extent],
            offset: 0,
            flags: mapping.flags,
        })
        .collect();
    let mut bytes = writer.finish(layout.image_paddr, layout.image_bytes());
    Image::validate(&bytes).map_err(|reason| {
        error(code::IMAGE_REFUSED, format!("ERROR: the kernel would refuse this boot image: {reason}"))
            .help("This is a defect of the tool; please report it together with the system description.")
    })?;
    bytes.resize((layout.contents_paddr - layout.image_paddr) as usize, 0);
    append_contents(&mut bytes, spaces, programs);
    Ok(bytes)
}

/// Bytes of page contents.
#[must_use]
pub fn contents_bytes(spaces: &AddressSpaces) -> u64 {
    let contents = spaces.extents.iter().filter(|e| matches!(e.purpose, Purpose::Contents { .. }));
    contents.map(|extent| extent.bytes).sum()
}

fn append_contents(bytes: &mut Vec<u8>, spaces: &AddressSpaces, programs: &[Program]) {
    for extent in &spaces.extents {
        if let Purpose::Contents { program, vaddr } = extent.purpose {
            for page in programs[program].contents(vaddr, extent.bytes) {
                bytes.extend_from_slice(page);
            }
        }
    }
}

/// Extents by physical address.
fn ascending_extents(memory: &MemoryPlan) -> Vec<usize> {
    let mut order: Vec<usize> = (0..memory.places.len()).collect();
    order.sort_by_key(|&extent| memory.places[extent].paddr);
    order
}

fn region(spaces: &AddressSpaces, memory: &MemoryPlan, extent: usize) -> Region {
    let place = memory.places[extent];
    Region { paddr: place.paddr, bytes: spaces.extents[extent].bytes, kind: place.kind as u64 }
}

fn architecture(board: &Board) -> limen_image::Architecture {
    match board.architecture {
        Architecture::Aarch64 => limen_image::Architecture::Aarch64,
        Architecture::Riscv64 => limen_image::Architecture::Riscv64,
        Architecture::X86_64 => limen_image::Architecture::X86_64,
    }
}
