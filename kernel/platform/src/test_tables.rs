//! Page tables in ordinary memory, for tests.

use std::vec::Vec;

use limen_mmu::address::PhysAddr;

use crate::page_table::{ENTRIES, Root, Table, Tables};

/// First physical address of the tables.
const BASE: u64 = 0x9000_0000;
const TABLE_BYTES: u64 = size_of::<Table>() as u64;

/// A limited number of tables at made-up physical addresses.
pub(crate) struct TestTables {
    tables: Vec<Table>,
    limit: usize,
}

impl TestTables {
    /// An empty top table of this height, with room for `limit` tables in total.
    pub(crate) fn with_root(height: u32, limit: usize) -> (Self, Root) {
        let mut tables = Self { tables: Vec::new(), limit };
        let table = tables.allocate().expect("room for the root");
        (tables, Root { table, height })
    }

    /// The physical address after the last table.
    pub(crate) fn end(&self) -> u64 {
        BASE + self.used() as u64 * TABLE_BYTES
    }

    /// Tables in use.
    pub(crate) fn used(&self) -> usize {
        self.tables.len()
    }
}

impl Tables for TestTables {
    fn table(&self, at: PhysAddr) -> &Table {
        &self.tables[((at.0 - BASE) / TABLE_BYTES) as usize]
    }

    fn table_mut(&mut self, at: PhysAddr) -> &mut Table {
        &mut self.tables[((at.0 - BASE) / TABLE_BYTES) as usize]
    }

    fn allocate(&mut self) -> Option<PhysAddr> {
        (self.used() < self.limit).then(|| {
            self.tables.push([0; ENTRIES]);
            PhysAddr(BASE + (self.used() as u64 - 1) * TABLE_BYTES)
        })
    }
}
