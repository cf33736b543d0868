//! 64-bit x86.

use core::arch::{asm, global_asm};

use crate::{Received, program};

/// The name of the instruction set.
pub const NAME: &str = "x86_64";

global_asm!(".globl _start", "_start: call {program}", program = sym program);

/// Enters the kernel.
pub fn trap(number: i64, capability: u64, info: u64, words: &mut [u64; 4], reply: u64) -> Received {
    let (badge, answer);
    let [w0, w1, w2, w3] = words;
    // SAFETY: the kernel changes these registers and the buffer, to which the caller has the only reference.
    unsafe {
        asm!("syscall", in("rdx") number, inout("rdi") capability => badge, inout("rsi") info => answer,
            inout("r10") *w0, inout("r8") *w1, inout("r9") *w2, inout("r15") *w3, in("r12") reply,
            out("rcx") _, out("r11") _, options(nostack));
    }
    Received { info: answer, badge }
}
