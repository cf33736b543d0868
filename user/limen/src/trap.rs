//! The shapes of a system call, one function each: which registers go in, which come out.
//!
//! Apart from the crossings of `probe`, only these instructions enter the kernel. Each is a compiler barrier, because
//! shared memory may have changed when it returns.

#![expect(unsafe_code, reason = "enters the kernel")]

use limen_abi::{MessageInfo, Syscall};

use crate::buffer::Words;

/// The result of a receiving call. After a notification only the badge is valid.
#[derive(Clone, Copy)]
pub(crate) struct Received {
    pub(crate) badge: u64,
    pub(crate) info: MessageInfo,
    pub(crate) words: Words,
}

impl Received {
    /// From what the registers of the convention hold.
    #[inline(always)]
    fn from_registers(badge: u64, info: u64, words: Words) -> Self {
        Self { badge, info: MessageInfo::from_raw(info), words }
    }
}

/// Whether two lists of names are equal.
const fn all_same(left: &[&str], right: &[&str]) -> bool {
    let mut same = left.len() == right.len();
    let mut index = 0;
    while same && index < left.len() {
        let (one, other) = (left[index].as_bytes(), right[index].as_bytes());
        same = one.len() == other.len();
        let mut at = 0;
        while same && at < one.len() {
            same = one[at] == other[at];
            at += 1;
        }
        index += 1;
    }
    same
}

/// Defines the shapes with the registers of a port, and checks these against the contract.
macro_rules! define_traps {
    (
        $map:path, $trap:literal, number $number:tt, cptr $cptr:tt, info $info:tt, words $w0:tt $w1:tt $w2:tt $w3:tt,
        reply $reply:tt, send $send:tt, clobbers [$($clobber:tt)*]
    ) => {
        const _: () = {
            let map = $map;
            let clobbers: &[&str] = &[$($clobber),*];
            assert!(all_same(map.clobbers, clobbers));
            assert!(all_same(&[map.trap, map.syscall, map.cptr, map.info], &[$trap, $number, $cptr, $info]));
            assert!(all_same(&map.words, &[$w0, $w1, $w2, $w3]));
            assert!(all_same(&[map.reply, map.send], &[$reply, $send]));
        };

        /// A call with one argument and no result.
        #[inline(always)]
        pub(crate) fn plain(call: Syscall, argument: u64) {
            // SAFETY: the kernel changes the registers of results and those listed, and no Rust value: S11.
            unsafe {
                core::arch::asm!($trap, in($number) call.as_raw(), in($cptr) argument,
                    $(lateout($clobber) _,)* options(nostack));
            }
        }

        /// Writes a record of the trace.
        #[inline(always)]
        pub(crate) fn trace(word: u64, value: u64) {
            // SAFETY: as in `plain`.
            unsafe {
                core::arch::asm!($trap, in($number) Syscall::Trace.as_raw(), in($cptr) word, in($info) value,
                    $(lateout($clobber) _,)* options(nostack));
            }
        }

        /// Sends a message without words.
        #[inline(always)]
        pub(crate) fn send_empty(call: Syscall, to: u64, info: MessageInfo) {
            // SAFETY: as in `plain`.
            unsafe {
                core::arch::asm!($trap, in($number) call.as_raw(), in($cptr) to, in($info) info.as_raw(),
                    $(lateout($clobber) _,)* options(nostack));
            }
        }

        /// Sends a message.
        #[inline(always)]
        pub(crate) fn send(call: Syscall, to: u64, info: MessageInfo, words: Words) {
            let [w0, w1, w2, w3] = words;
            // SAFETY: as in `plain`.
            unsafe {
                core::arch::asm!($trap, in($number) call.as_raw(), in($cptr) to, in($info) info.as_raw(),
                    in($w0) w0, in($w1) w1, in($w2) w2, in($w3) w3,
                    $(lateout($clobber) _,)* options(nostack));
            }
        }

        /// Receives.
        #[inline(always)]
        pub(crate) fn receive(from: u64, reply: u64) -> Received {
            let (badge, info, w0, w1, w2, w3): (u64, u64, u64, u64, u64, u64);
            // SAFETY: as in `plain`.
            unsafe {
                core::arch::asm!($trap, in($number) Syscall::Recv.as_raw(), inlateout($cptr) from => badge,
                    lateout($info) info, in($reply) reply,
                    lateout($w0) w0, lateout($w1) w1, lateout($w2) w2, lateout($w3) w3,
                    $(lateout($clobber) _,)* options(nostack));
            }
            Received::from_registers(badge, info, [w0, w1, w2, w3])
        }

        /// Sends a message and waits for the answer.
        #[inline(always)]
        pub(crate) fn call(to: u64, info: MessageInfo, words: Words) -> Received {
            let [mut w0, mut w1, mut w2, mut w3] = words;
            let (mut cptr, mut info) = (to, info.as_raw());
            // SAFETY: as in `plain`.
            unsafe {
                core::arch::asm!($trap, in($number) Syscall::Call.as_raw(), inlateout($cptr) cptr,
                    inlateout($info) info, inlateout($w0) w0, inlateout($w1) w1, inlateout($w2) w2, inlateout($w3) w3,
                    $(lateout($clobber) _,)* options(nostack));
            }
            Received::from_registers(cptr, info, [w0, w1, w2, w3])
        }

        /// Sends a message without words and waits for the answer.
        #[inline(always)]
        pub(crate) fn call_empty(to: u64, info: MessageInfo) -> Received {
            let (mut cptr, mut info) = (to, info.as_raw());
            let (w0, w1, w2, w3): (u64, u64, u64, u64);
            // SAFETY: as in `plain`.
            unsafe {
                core::arch::asm!($trap, in($number) Syscall::Call.as_raw(), inlateout($cptr) cptr,
                    inlateout($info) info, lateout($w0) w0, lateout($w1) w1, lateout($w2) w2, lateout($w3) w3,
                    $(lateout($clobber) _,)* options(nostack));
            }
            Received::from_registers(cptr, info, [w0, w1, w2, w3])
        }

        /// Answers the caller that `reply` has, then receives.
        #[inline(always)]
        pub(crate) fn reply_receive(from: u64, info: MessageInfo, words: Words, reply: u64) -> Received {
            let [mut w0, mut w1, mut w2, mut w3] = words;
            let (mut cptr, mut info) = (from, info.as_raw());
            // SAFETY: as in `plain`.
            unsafe {
                core::arch::asm!($trap, in($number) Syscall::ReplyRecv.as_raw(), inlateout($cptr) cptr,
                    inlateout($info) info, inlateout($w0) w0, inlateout($w1) w1, inlateout($w2) w2, inlateout($w3) w3,
                    in($reply) reply,
                    $(lateout($clobber) _,)* options(nostack));
            }
            Received::from_registers(cptr, info, [w0, w1, w2, w3])
        }

        /// The same with an answer without words.
        #[inline(always)]
        pub(crate) fn reply_empty_receive(from: u64, info: MessageInfo, reply: u64) -> Received {
            let (mut cptr, mut info) = (from, info.as_raw());
            let (w0, w1, w2, w3): (u64, u64, u64, u64);
            // SAFETY: as in `plain`.
            unsafe {
                core::arch::asm!($trap, in($number) Syscall::ReplyRecv.as_raw(), inlateout($cptr) cptr,
                    inlateout($info) info, in($reply) reply,
                    lateout($w0) w0, lateout($w1) w1, lateout($w2) w2, lateout($w3) w3,
                    $(lateout($clobber) _,)* options(nostack));
            }
            Received::from_registers(cptr, info, [w0, w1, w2, w3])
        }

        /// Sends to `to` without waiting, then receives.
        #[inline(always)]
        pub(crate) fn send_receive(to: u64, info: MessageInfo, words: Words, from: u64, reply: u64) -> Received {
            let [mut w0, mut w1, mut w2, mut w3] = words;
            let (mut cptr, mut info) = (from, info.as_raw());
            // SAFETY: as in `plain`.
            unsafe {
                core::arch::asm!($trap, in($number) Syscall::NbSendRecv.as_raw(), inlateout($cptr) cptr,
                    inlateout($info) info, inlateout($w0) w0, inlateout($w1) w1, inlateout($w2) w2, inlateout($w3) w3,
                    in($reply) reply, in($send) to,
                    $(lateout($clobber) _,)* options(nostack));
            }
            Received::from_registers(cptr, info, [w0, w1, w2, w3])
        }
    };
}

crate::arch::registers!(define_traps);
