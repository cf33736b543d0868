//! Several processors: a kernel for each, no lock.
//!
//! Every processor runs a [`Kernel`](crate::Kernel) of its own. An object has a *home*, the processor whose kernel alone
//! changes it; ids mean the same everywhere. A thread never moves. If it uses an object that lives elsewhere, it is
//! *away* until the answer comes: its home sends a [letter] to the object's home, which admits the thread as a
//! *visitor*. The entry of the visitor in the kernel's arrays stands for the thread there, so that queues of endpoints,
//! reply objects and methods work as they do for threads of this processor.
//!
//! ```text
//!    home of the thread                              home of the object
//!
//!    Runnable --- send_away ----- letter ----------> visitor: Sending, Calling
//!       Away                                            |
//!    Runnable <-- receive_answer -- the same letter --- answer, end of the request, recall
//! ```
//!
//! A thread has one letter, which is at one place at a time: a second request waits until it is back. So no queue can
//! overflow: the [mailbox] of a processor is a few words with a bit for each thread or notification. A kernel that
//! makes a mailbox non-empty interrupts the processor that it belongs to. No kernel waits for another.
//!
//! A call offers the time of its caller. If the server has none, it runs on that time, at its own home; the answer takes
//! the time back.
//!
//! * [`mailbox`]: the memory that processors share.
//! * `atomic`: its atomics, which a test replaces.
//! * [`letter`]: the contents of a letter.
//! * [`outbox`]: threads of this processor that are away.
//! * [`visitor`]: threads of other processors that use objects of this one.
//! * [`message_time`]: scheduling contexts in letters.
//! * [`keeper`]: static keys and probes, which patch code that all processors execute.
//! * [`holder`]: threads of this processor that use them.

mod atomic;
pub mod holder;
pub mod keeper;
pub mod letter;
pub mod mailbox;
pub mod message_time;
pub mod outbox;
pub mod visitor;
