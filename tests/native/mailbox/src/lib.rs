//! Runs the kernel's mailbox in every interleaving of three processors, and in every order of memory accesses that the language
//! allows.
//!
//! The source is the kernel's; only its atomics and the contents of letters are others. An interrupt is a wait that ends
//! after another processor has sent one, and once without a reason. A processor that waits for a message
//! whose sender did not interrupt stops for ever, which `loom` reports.

mod machine;
pub mod models;

/// The modules that the included source uses.
mod arena {
    pub(crate) use limen_core::arena::{Arena, Id, NotificationId, ThreadId, tag};
}

/// The same.
mod kernel {
    // Its own tests, which linters compile.
    #[cfg(test)]
    pub(crate) use limen_core::kernel::Notifications;
    pub(crate) use limen_core::kernel::PerThread;
}

mod processors {
    pub(crate) mod atomic;
    pub(crate) mod letter;
    #[expect(dead_code, reason = "the models do not use all of it")]
    #[path = "../../../../../kernel/core/src/processors/mailbox.rs"]
    pub(crate) mod mailbox;
}
