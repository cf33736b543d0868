//! The image writer: collects records, then lays them out with directory and checksum.

use crate::record::{
    Board, Cap, Counts, DomainSlot, FixedRegion, Home, Interrupt, Key, KeySite, Mapping, Range, Record,
    Region, Ring, SchedContext, Service, Thread,
};
use crate::{Architecture, FIXED_WORDS, HEADER_WORDS, HeaderWord, MAGIC, Table, VERSION, checksum};

/// The records of an image under construction.
///
/// The caller keeps the order that [`crate::Image::validate`] requires.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "fields are the tables of `Table`")]
pub struct ImageWriter {
    pub architecture: Architecture,
    pub options: u64,
    pub processors: u64,
    pub board: Board,
    pub counts: Counts,
    pub ram: Vec<Range>,
    pub reserved: Vec<Range>,
    pub pool: Range,
    pub regions: Vec<Region>,
    pub mappings: Vec<Mapping>,
    pub sched_contexts: Vec<SchedContext>,
    pub threads: Vec<Thread>,
    pub caps: Vec<Cap>,
    pub domain_schedule: Vec<DomainSlot>,
    pub interrupts: Vec<Interrupt>,
    pub keys: Vec<Key>,
    pub key_sites: Vec<KeySite>,
    pub services: Vec<Service>,
    pub fixed_regions: Vec<FixedRegion>,
    pub rings: Vec<Ring>,
    pub homes: Vec<Home>,
}

impl ImageWriter {
    /// An image for one processor, without any record.
    #[must_use]
    pub fn new(architecture: Architecture) -> Self {
        Self {
            architecture,
            options: 0,
            processors: 1,
            board: Board::default(),
            counts: Counts::default(),
            ram: Vec::new(),
            reserved: Vec::new(),
            pool: Range::default(),
            regions: Vec::new(),
            mappings: Vec::new(),
            sched_contexts: Vec::new(),
            threads: Vec::new(),
            caps: Vec::new(),
            domain_schedule: Vec::new(),
            interrupts: Vec::new(),
            keys: Vec::new(),
            key_sites: Vec::new(),
            services: Vec::new(),
            fixed_regions: Vec::new(),
            rings: Vec::new(),
            homes: Vec::new(),
        }
    }

    /// Bytes of header and tables. They do not depend on addresses, so the caller can plan addresses with them.
    #[must_use]
    pub fn tables_bytes(&self) -> u64 {
        self.words().len() as u64 * 8
    }

    /// Header and tables. `paddr` is the image's physical address, `image_bytes` its size with page contents.
    #[must_use]
    pub fn finish(&self, paddr: u64, image_bytes: u64) -> Vec<u64> {
        let mut words = self.words();
        words[HeaderWord::TABLES_BYTES] = words.len() as u64 * 8;
        words[HeaderWord::IMAGE_PADDR] = paddr;
        words[HeaderWord::IMAGE_BYTES] = image_bytes;
        words[HeaderWord::CHECKSUM] = checksum(&words);
        words
    }

    fn words(&self) -> Vec<u64> {
        let mut words = vec![0; HEADER_WORDS];
        words[HeaderWord::MAGIC] = MAGIC;
        words[HeaderWord::VERSION] = VERSION;
        words[HeaderWord::ARCHITECTURE] = self.architecture as u64;
        words[HeaderWord::OPTIONS] = self.options;
        words[HeaderWord::PROCESSORS] = self.processors;
        append(&mut words, Table::Board, &[self.board]);
        append(&mut words, Table::Counts, &[self.counts]);
        append(&mut words, Table::Ram, &self.ram);
        append(&mut words, Table::Reserved, &self.reserved);
        append(&mut words, Table::Pool, &[self.pool]);
        append(&mut words, Table::Regions, &self.regions);
        append(&mut words, Table::Mappings, &self.mappings);
        append(&mut words, Table::SchedContexts, &self.sched_contexts);
        append(&mut words, Table::Threads, &self.threads);
        append(&mut words, Table::Caps, &self.caps);
        append(&mut words, Table::DomainSchedule, &self.domain_schedule);
        append(&mut words, Table::Interrupts, &self.interrupts);
        append(&mut words, Table::Keys, &self.keys);
        append(&mut words, Table::KeySites, &self.key_sites);
        append(&mut words, Table::Services, &self.services);
        append(&mut words, Table::FixedRegions, &self.fixed_regions);
        append(&mut words, Table::Rings, &self.rings);
        append(&mut words, Table::Homes, &self.homes);
        words
    }
}

fn append<R: Record>(words: &mut Vec<u64>, table: Table, records: &[R]) {
    let entry = FIXED_WORDS + 2 * table as usize;
    words[entry] = words.len() as u64;
    words[entry + 1] = records.len() as u64;
    for record in records {
        record.write(words);
    }
}
