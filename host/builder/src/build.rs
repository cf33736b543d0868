//! From parts to an image: the order in which everything is decided.

use limen_image::{ImageWriter, Range};
use limen_sdf::{Diagnostic, SystemDescription};

use crate::address_space::AddressSpaces;
use crate::board::Board;
use crate::capabilities::capabilities;
use crate::config::Config;
use crate::image_type::ImageType;
use crate::memory::MemoryPlan;
use crate::objects::Objects;
use crate::payload::{Layout, wrap_in_elf};
use crate::program::Program;
use crate::system_file::{Kernel, Loader};
use crate::{image, patch};

/// What an image is made of.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The machine.
    pub board: Board,
    /// debug, release or benchmark.
    pub config: Config,
    /// The system.
    pub system: SystemDescription,
    /// The program of every protection domain, then the monitor.
    pub programs: Vec<Program>,
    /// The loader.
    pub loader: Loader,
    /// The kernel.
    pub kernel: Kernel,
}

/// A finished system: the output file, and everything that was decided on the way.
#[derive(Clone, Debug)]
pub struct Built {
    /// Bytes of the output file.
    pub file: Vec<u8>,
    /// What went in, with symbols patched.
    pub parts: Parts,
    /// What programs see.
    pub spaces: AddressSpaces,
    /// Kernel objects.
    pub objects: Objects,
    /// Where it lies.
    pub memory: MemoryPlan,
    /// Where the parts of the output file lie.
    pub layout: Layout,
    /// The tables of the boot image.
    pub tables: ImageWriter,
}

impl Parts {
    /// Builds the image. The result depends on the parts alone.
    ///
    /// # Errors
    /// What the description asks for cannot be done with these programs and this machine.
    pub fn build(mut self, image_type: ImageType) -> Result<Built, Diagnostic> {
        let target = self.board.target();
        let patches = patch::collect(&self.system, &self.programs, &target)?;
        patch::apply(&patches, &mut self.programs, |_| 0);
        let spaces = AddressSpaces::plan(&self.system, &self.programs, &target)?;
        let objects = Objects::new(&self.system, &self.programs, &self.config, &target)?;
        let caps = capabilities(&self.system, &objects, &self.config);
        let mut tables = image::records(&self.board, &self.config, &spaces, &objects, caps);
        let (tables_bytes, contents_bytes) = (tables.tables_bytes(), image::contents_bytes(&spaces));
        let layout = Layout::new(&self.board, &self.loader, &self.kernel, tables_bytes, contents_bytes)?;
        let memory = MemoryPlan::new(&self.board, &self.system, &spaces, layout.taken())?;
        let paddr = |region| spaces.extent_of_region(region).map_or(0, |e| memory.places[e].paddr);
        patch::apply(&patches, &mut self.programs, paddr);
        let image = image::finish(&mut tables, &spaces, &self.programs, &layout, &memory)?;
        let flat = layout.flat(&self.board, &self.loader, &image, &self.kernel);
        let file = match image_type {
            ImageType::Elf => wrap_in_elf(&flat, layout.start)?,
            ImageType::Binary | ImageType::Uimage => flat,
        };
        Ok(Built { file, parts: self, spaces, objects, memory, layout, tables })
    }
}

impl Built {
    /// Index of the program that receives on this endpoint.
    #[must_use]
    pub fn endpoint_owner(&self, endpoint: u64) -> u64 {
        let monitor = self.parts.system.protection_domains.len();
        self.objects.endpoint_owners.get(endpoint as usize).map_or(monitor as u64, |&owner| owner as u64)
    }

    /// RAM that the system uses: loader, image, kernel, memory of programs.
    #[must_use]
    pub fn used_bytes(&self) -> u64 {
        let Range { start, end } = self.layout.taken().reserved;
        let zero = limen_image::RegionKind::Zero as u64;
        let zeroed = self.tables.regions.iter().filter(|region| region.kind == zero);
        end - start + zeroed.map(|region| region.bytes).sum::<u64>()
    }
}
