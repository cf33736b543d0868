//! On whose account code executes: that of a program, of the kernel for a program, of boot, or of an idle processor.
//!
//! Code is distinguished by its *home*, the distance from its address to its place in the emulator's memory: programs have
//! overlapping addresses, but not overlapping memory. The kernel works for the program that ran last, until the
//! processor waits.

use std::collections::HashSet;

use crate::KERNEL;
use crate::flow::Flow;
use crate::stream::Block;

/// The distance from an address to its place in the emulator's memory.
pub type Home = u64;

/// The distance from addresses of a block to their places.
pub fn home(block: &Block) -> Home {
    block.place.wrapping_sub(block.address())
}

/// On whose account code executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Account {
    /// Firmware, loader and kernel, before the first program.
    Boot,
    /// A program.
    Program(Home),
    /// The kernel or its firmware, for a program.
    Kernel(Home),
    /// The kernel or its firmware, after the processor waited.
    Idle,
}

impl Account {
    fn in_kernel(self) -> Self {
        match self {
            Self::Program(home) => Self::Kernel(home),
            other => other,
        }
    }
}

/// Follows the account.
#[derive(Debug)]
pub struct Accounts {
    /// Homes of the code that ran before the kernel.
    firmware: HashSet<Home>,
    kernel_has_run: bool,
    account: Account,
}

impl Accounts {
    /// The machine is about to boot.
    pub fn boot() -> Self {
        Self { firmware: HashSet::new(), kernel_has_run: false, account: Account::Boot }
    }

    /// A further processor is about to boot. Until it runs a program, it counts as idle.
    pub fn further() -> Self {
        Self { account: Account::Idle, ..Self::boot() }
    }

    /// The present account.
    pub fn now(&self) -> Account {
        self.account
    }

    /// Takes a run that ends with this instruction of a block, and returns its account.
    pub fn take(&mut self, block: &Block, last: Flow) -> Account {
        let account = self.of(block);
        let waits = last == Flow::Wait && account != Account::Boot;
        self.account = if waits { Account::Idle } else { account };
        account
    }

    fn of(&mut self, block: &Block) -> Account {
        if block.address() >= KERNEL {
            self.kernel_has_run = true;
            return self.account.in_kernel();
        }
        let home = home(block);
        if !self.kernel_has_run {
            self.firmware.insert(home);
        }
        if self.firmware.contains(&home) { self.account.in_kernel() } else { Account::Program(home) }
    }
}
