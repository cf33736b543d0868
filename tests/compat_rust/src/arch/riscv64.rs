//! RISC-V.

use core::arch::{asm, global_asm};

use crate::{Received, program};

/// The name of the instruction set.
pub const NAME: &str = "riscv64";

global_asm!(".globl _start", "_start: tail {program}", program = sym program);

/// Enters the kernel.
pub fn trap(number: i64, capability: u64, info: u64, words: &mut [u64; 4], reply: u64) -> Received {
    let (badge, answer);
    let [w0, w1, w2, w3] = words;
    // SAFETY: the kernel changes these registers and the buffer, to which the caller has the only reference.
    unsafe {
        asm!("ecall", in("a7") number, inout("a0") capability => badge, inout("a1") info => answer,
            inout("a2") *w0, inout("a3") *w1, inout("a4") *w2, inout("a5") *w3, in("a6") reply,
            options(nostack));
    }
    Received { info: answer, badge }
}
