//! The build: all steps from the parts to the image, in order.

use limen_image::{FixedRegion, ImageWriter, KeySite, Options, Range};
use limen_sdf::Diagnostic;

use crate::address_plan;
use crate::address_space::AddressSpaces;
use crate::capabilities::capabilities;
use crate::image_type::ImageType;
use crate::map_warnings;
use crate::memory::MemoryPlan;
use crate::objects::Objects;
use crate::parts::Parts;
use crate::payload::{Layout, wrap_in_elf};
use crate::services;
use crate::sharing::{self, Crossing};
use crate::uimage;
use crate::{image, key_sites, patch, trace};

/// A finished system: the output file, and all decisions behind it.
#[derive(Clone, Debug)]
pub struct Built {
    /// Bytes of the output file.
    pub file: Vec<u8>,
    /// The inputs, with symbols patched.
    pub parts: Parts,
    /// Address spaces.
    pub spaces: AddressSpaces,
    /// Kernel objects.
    pub objects: Objects,
    /// Physical memory.
    pub memory: MemoryPlan,
    /// Connections across scheduling domains.
    pub crossings: Vec<Crossing>,
    /// Layout of the output file.
    pub layout: Layout,
    /// The tables of the boot image.
    pub tables: ImageWriter,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

impl Parts {
    /// Builds the image. The result depends only on the parts.
    ///
    /// # Errors
    /// The description cannot be satisfied with these programs and this machine.
    pub fn build(mut self, image_type: ImageType) -> Result<Built, Diagnostic> {
        trace::bind(&mut self.system, &self.programs, &self.config);
        let target = self.board.target(&self.config);
        let patches = patch::collect(&self.system, &self.programs, &self.config, &target)?;
        patch::apply(&patches, &mut self.programs, |_| 0);
        let architecture = self.board.architecture;
        let sites = key_sites::collect(&self.system, &mut self.programs, &self.config, architecture)?;
        let spaces = address_plan::plan(&self.system, &self.programs, &self.config, &target)?;
        let objects = Objects::new(&self.system, &self.programs, &self.config, &self.board)?;
        let caps = capabilities(&self.system, &objects, &self.config);
        let mut tables = image::records(&self.board, &self.config, &spaces, &objects, caps);
        if self.system.boot_figures {
            tables.options |= Options::BOOT_FIGURES;
        }
        tables.key_sites = vec![KeySite::default(); sites.len()];
        tables.fixed_regions =
            vec![FixedRegion::default(); image::fixed_region_count(&self.board, &self.system, &spaces)];
        let (tables_bytes, contents_bytes) =
            (tables.tables_bytes(), image::contents_bytes(&self.system, &spaces));
        let layout =
            Layout::new(&self.board, self.loader.as_ref(), &self.kernel, tables_bytes, contents_bytes)?;
        let memory = MemoryPlan::new(&self.board, &self.system, &spaces, layout.taken())?;
        services::check(&self.system, &spaces, &memory)?;
        let crossings = sharing::check(&self.system, &self.config, &spaces, &memory)?;
        let paddr = |region| spaces.extent_of_region(region).map_or(0, |e| memory.places[e].paddr);
        patch::apply(&patches, &mut self.programs, paddr);
        let image = image::finish(&self, &mut tables, &spaces, &layout, &memory, &sites)?;
        let flat = match &self.loader {
            Some(loader) => layout.flat(&self.board, loader, &image, &self.kernel),
            None => image,
        };
        let file = match image_type {
            ImageType::Elf => wrap_in_elf(&flat, layout.start, self.board.architecture)?,
            ImageType::Uimage => uimage::wrap(&flat, &layout, &self.board)?,
            ImageType::Binary => flat,
        };
        let mut warnings = patch::warnings(&patches, &self.programs);
        warnings.extend(map_warnings::warnings(&self.system, &spaces, &memory, self.board.architecture));
        Ok(Built { file, parts: self, spaces, objects, memory, crossings, layout, tables, warnings })
    }
}

impl Built {
    /// Index of the program that receives from this endpoint.
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

#[cfg(test)]
mod tests {
    use limen_image::{Image, MappingFlags, NONE, Ring, RingKind, words_of};

    use super::*;
    use crate::elf::ElfFile;
    use crate::test_system::{FAMILY, built, parts};

    fn word(bytes: &[u8], offset: u64) -> u64 {
        u64::from_le_bytes(bytes[offset as usize..][..8].try_into().unwrap())
    }

    #[test]
    fn the_file_holds_loader_plan_image_and_kernel() {
        let built = built(FAMILY);
        let (file, layout) = (&built.file, &built.layout);
        let at = |paddr: u64| &file[(paddr - layout.start) as usize..];
        assert!(file.starts_with(b"loader"));
        assert_eq!(layout.plan_paddr, layout.start + 0x2000);
        assert!(at(layout.plan_paddr).starts_with(b"LIMENLDR"));
        assert!(at(layout.image_paddr).starts_with(b"LIMENIMG"));
        assert!(at(layout.contents_paddr).starts_with(b"text"));
        assert!(at(layout.kernel_paddrs[0]).starts_with(b"kernel"));
        assert_eq!(at(layout.kernel_paddrs[1])[0x1800..], [0; 0x800]);
        // Text: one page. Data: two pages in the file and two more in memory.
        assert_eq!(layout.zero_paddr, layout.start + file.len() as u64);
        assert_eq!(layout.end - layout.zero_paddr, 0x2000);
        let plan = layout.plan_paddr - layout.start;
        assert_eq!(word(file, plan + 8), 0xffff_ff80_0000_0000);
        assert_eq!(word(file, plan + 16), layout.image_paddr);
    }

    #[test]
    fn the_kernel_accepts_the_image() {
        let built = built(FAMILY);
        let image = &built.file[(built.layout.image_paddr - built.layout.start) as usize..];
        let words = words_of(image);
        let image = Image::validate(&words).unwrap();
        assert_eq!(image.threads().count(), 4);
        let monitor = image.threads().last().unwrap();
        assert_eq!((monitor.priority, monitor.fault_slot, monitor.notification), (255, NONE, 3));
        assert_eq!((monitor.stack_top, monitor.ipc_buffer), (0xff_ffff_e000, 0xff_ffff_f000));
        let contexts: Vec<_> = image.sched_contexts().map(|c| (c.budget_us, c.period_us)).collect();
        assert_eq!(contexts, [(100, 400), (1000, 1000), (1000, 1000), (1000, 1000)]);
    }

    #[test]
    fn rings_are_in_the_image_and_in_the_report() {
        let text = r#"<system>
            <protection_domain name="a"><program_image path="p" /></protection_domain>
            <protection_domain name="b"><program_image path="p" />
                <probe ring_vaddr="0x4000000" setvar_ring="word" /></protection_domain>
            </system>"#;
        let built = built(text);
        let kind = RingKind::Samples;
        let expected = Ring { kind: kind as u64, thread: 1, vaddr: 0x400_0000, bytes: kind.bytes() };
        assert_eq!(built.tables.rings, [expected]);
        let report = crate::report::Report::new(&built).to_text();
        let lines: Vec<_> = report.lines().filter(|line| line.contains("ring of the probe")).collect();
        assert_eq!(lines.len(), 1, "{report}");
        assert!(lines[0].contains("4000000") && lines[0].contains(" r "), "{lines:?}");
        let word = built.parts.programs[1].symbols.unique("word").unwrap().vaddr;
        let page = built.parts.programs[1].contents(word & !0xfff, 0x1000).next().unwrap();
        assert_eq!(page[word as usize & 0xfff..][..8], 0x400_0000_u64.to_le_bytes());
    }

    #[test]
    fn the_kernel_prints_figures_only_if_the_description_asks() {
        let options =
            |text: &str, config| parts(text, config).build(ImageType::Binary).unwrap().tables.options;
        let asking = FAMILY.replacen("<system>", "<system boot_figures=\"true\">", 1);
        for config in ["debug", "release", "benchmark"] {
            let usual = options(FAMILY, config);
            assert_eq!(usual & Options::BOOT_FIGURES, 0, "{config}");
            assert_eq!(options(&asking, config), usual | Options::BOOT_FIGURES, "{config}");
        }
    }

    #[test]
    fn regions_are_mapped_with_the_access_of_their_maps() {
        let built = built(FAMILY);
        let flags = |vspace, vaddr| {
            let found = built.tables.mappings.iter().find(|m| m.vspace == vspace && m.vaddr == vaddr);
            found.unwrap().flags
        };
        let (read, write) = (MappingFlags::READ, MappingFlags::WRITE);
        assert_eq!(flags(0, 0x20_0000), read | MappingFlags::EXECUTE);
        assert_eq!(flags(0, 0x20_1000), read | write);
        assert_eq!(flags(0, 0x40_0000), read | write | MappingFlags::LARGE);
        assert_eq!(flags(1, 0x80_0000), read | MappingFlags::LARGE);
        assert_eq!(flags(0, 0x100_0000), read | MappingFlags::UNCACHED);
    }

    #[test]
    fn building_twice_gives_the_same_bytes() {
        for image_type in [ImageType::Binary, ImageType::Elf] {
            let file = || parts(FAMILY, "debug").build(image_type).unwrap().file;
            assert!(file() == file());
        }
    }

    #[test]
    fn an_elf_image_holds_the_flat_one() {
        let flat = built(FAMILY).file;
        let file = parts(FAMILY, "debug").build(ImageType::Elf).unwrap().file;
        let elf = ElfFile::parse(&file, limen_sdf::Architecture::Aarch64).unwrap();
        assert_eq!((elf.entry, elf.segments.len(), elf.segments[0].vaddr), (0x7000_0000, 1, 0x7000_0000));
        assert!(elf.segments[0].data == flat);
    }
}
