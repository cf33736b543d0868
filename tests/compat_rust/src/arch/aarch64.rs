//! AArch64.

use core::arch::{asm, global_asm};

use crate::{Received, program};

/// The name of the instruction set.
pub const NAME: &str = "aarch64";

global_asm!(".globl _start", "_start: b {program}", program = sym program);

/// Enters the kernel.
pub fn trap(number: i64, capability: u64, info: u64, words: &mut [u64; 4], reply: u64) -> Received {
    let (badge, answer);
    let [w0, w1, w2, w3] = words;
    // SAFETY: the kernel changes these registers and the buffer, to which the caller has the only reference.
    unsafe {
        asm!("svc #0", in("x7") number, inout("x0") capability => badge, inout("x1") info => answer,
            inout("x2") *w0, inout("x3") *w1, inout("x4") *w2, inout("x5") *w3, in("x6") reply,
            options(nostack));
    }
    Received { info: answer, badge }
}
