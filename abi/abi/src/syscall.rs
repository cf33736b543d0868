//! System-call numbers: negative words in the system-call register.
//!
//! Source: seL4 MCS API, `syscall.xml` order; the debug calls follow in file order.

use crate::named::named_numbers;

named_numbers! {
    /// What a program may ask of the kernel with one trap.
    pub enum Syscall: i64 {
        /// Send a message and wait for the reply.
        Call = -1 => "seL4_SysCall",
        /// Answer the caller of a reply object, then receive the next message.
        ReplyRecv = -2 => "seL4_SysReplyRecv",
        /// Send without waiting, then receive with a reply object.
        NbSendRecv = -3 => "seL4_SysNBSendRecv",
        /// Send without waiting, then receive without a reply object.
        NbSendWait = -4 => "seL4_SysNBSendWait",
        /// Send a message; wait until it is taken.
        Send = -5 => "seL4_SysSend",
        /// Send a message if somebody is waiting for it.
        NbSend = -6 => "seL4_SysNBSend",
        /// Receive with a reply object; wait for a message.
        Recv = -7 => "seL4_SysRecv",
        /// Receive with a reply object if a message is there.
        NbRecv = -8 => "seL4_SysNBRecv",
        /// Receive without a reply object; wait for a message.
        Wait = -9 => "seL4_SysWait",
        /// Receive without a reply object if a message is there.
        NbWait = -10 => "seL4_SysNBWait",
        /// Give up the rest of the current time slice.
        Yield = -11 => "seL4_SysYield",
        /// Print one character on the debug console. Debug configurations only.
        DebugPutChar = -12 => "seL4_SysDebugPutChar",
    }
}
