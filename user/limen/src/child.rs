//! Children, and other threads that a program may stop and start.

use limen_abi::Label;
use limen_abi::fpu::ThreadFlag;
use limen_abi::limits::{MAX_CHANNEL_ID, ROOT_SLOTS};
use limen_abi::slot::{BASE_TCB, ROOT_BITS};

use crate::invoke::{Error, invoke, invoke_plain};

/// The entry point of every program that is linked with the SDK's link script.
pub const START: u64 = 0x20_0000;

/// Message word 0 of `TCBWriteRegisters`: resume the thread afterwards.
const RESUME: u64 = 1;

/// A thread that the program has a capability to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thread(u64);

impl Thread {
    /// The thread that `<cspace>` of the description puts into a root slot, 1 to 63; `None` if there is no such slot.
    ///
    /// Methods of a slot without a thread are refused with `InvalidCapability`.
    #[must_use]
    pub const fn in_root_slot(slot: u8) -> Option<Self> {
        if slot == 0 || slot as usize >= ROOT_SLOTS {
            return None;
        }
        Some(Self((slot as u64) << (u64::BITS - ROOT_BITS)))
    }

    /// Sets the program counter to `entry` and resumes the thread. Other registers and memory keep their values.
    ///
    /// # Errors
    /// There is no such thread.
    pub fn restart(self, entry: u64) -> Result<(), Error> {
        invoke(self.0, Label::TcbWriteRegisters, 3, [RESUME, 1, entry, 0]).map(drop)
    }

    /// Stops the thread until it is resumed or restarted. A blocked system call is cancelled.
    ///
    /// # Errors
    /// There is no such thread.
    pub fn stop(self) -> Result<(), Error> {
        invoke_plain(self.0, Label::TcbSuspend)
    }

    /// Resumes a stopped thread. It repeats the cancelled system call or the faulting instruction.
    ///
    /// # Errors
    /// There is no such thread.
    pub fn resume(self) -> Result<(), Error> {
        invoke_plain(self.0, Label::TcbResume)
    }

    /// Allows the thread to use the floating-point unit.
    ///
    /// # Errors
    /// There is no such thread.
    pub fn allow_fpu(self) -> Result<(), Error> {
        invoke(self.0, Label::TcbSetFlags, 2, [ThreadFlag::FPU_DISABLED, 0, 0, 0]).map(drop)
    }

    /// Forbids the thread to use the floating-point unit, at once. Its registers stay what they are.
    ///
    /// # Errors
    /// There is no such thread.
    pub fn forbid_fpu(self) -> Result<(), Error> {
        invoke(self.0, Label::TcbSetFlags, 2, [0, ThreadFlag::FPU_DISABLED, 0, 0]).map(drop)
    }
}

/// A child, by the id that the system description gives it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Child(u8);

impl Child {
    /// The child with this id, 0 to 61.
    ///
    /// # Panics
    /// When there is no such id. In a constant, the program then does not compile.
    #[must_use]
    #[inline]
    pub const fn new(id: u8) -> Self {
        assert!(id <= MAX_CHANNEL_ID, "ids of children are 0 to 61");
        Self(id)
    }

    /// The child of a field of a badge.
    #[inline(always)]
    pub(crate) const fn from_badge(id: u64) -> Self {
        Self(id as u8 & 63)
    }

    /// Its id.
    #[must_use]
    #[inline]
    pub const fn id(self) -> u8 {
        self.0
    }

    /// Its thread.
    #[must_use]
    #[inline]
    pub const fn thread(self) -> Thread {
        Thread(BASE_TCB + self.0 as u64)
    }

    /// Restarts the child at `entry`, usually [`START`], where a program begins on an empty stack. Data keep their values
    /// unless [`service::reset`](crate::service::reset) comes first.
    ///
    /// # Errors
    /// There is no such child.
    pub fn restart(self, entry: u64) -> Result<(), Error> {
        self.thread().restart(entry)
    }

    /// Stops the child until it is resumed or restarted. A blocked system call is cancelled.
    ///
    /// # Errors
    /// There is no such child.
    pub fn stop(self) -> Result<(), Error> {
        self.thread().stop()
    }

    /// Resumes a stopped child. It repeats the cancelled system call or the faulting instruction.
    ///
    /// # Errors
    /// There is no such child.
    pub fn resume(self) -> Result<(), Error> {
        self.thread().resume()
    }
}
