//! Reader of what an emulator with the plugin executed: its stream, accounts, and operations between reads of the counter.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![forbid(unsafe_code)]

mod account;
mod flow;
mod marks;
mod operations;
mod parts;
mod stream;

pub use account::{Account, Accounts, Home, home};
pub use flow::Flow;
pub use marks::Marks;
pub use operations::{Footprint, Operations};
pub use parts::Parts;
pub use stream::{Block, Event, Instruction, Stream};

/// Instructions of a sample that the counter may miss, because they fault, or cycles between reading it and retiring.
pub const UNCOUNTED: usize = 2;

/// The bit that separates the halves of the address space: programs are in the lower half.
pub const KERNEL: u64 = 1 << 63;

/// Takes what executes.
pub trait Listener {
    /// Takes the next event, and the account on which it happened. `blocks` are those that were translated so far.
    fn take(&mut self, blocks: &[Block], event: Event, account: Account);
}

/// Whether an instruction of this architecture reads the counter.
pub fn reads_counter(architecture: &str, code: &[u8]) -> bool {
    let word = code.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    match (architecture, word) {
        // mrs of PMCCNTR_EL0, and csrrs of cycle without a bit to set, to any register.
        ("aarch64", Some(word)) => word & !0x1f == 0xd53b_9d00,
        ("riscv64", Some(word)) => word & !0xf80 == 0xc000_2073,
        ("x86_64", _) => code == [0x0f, 0x31],
        _ => false,
    }
}

/// A block of RISC-V code for tests.
#[cfg(test)]
fn test_block(address: u64, code: &[[u8; 4]]) -> Block {
    let step = |(index, bytes): (usize, &[u8; 4])| {
        Instruction::new("riscv64", address + 4 * index as u64, bytes.to_vec())
    };
    Block { place: 0, code: code.iter().enumerate().map(step).collect() }
}
