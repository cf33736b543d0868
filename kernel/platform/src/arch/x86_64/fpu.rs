//! The x87, SSE, AVX and AVX-512 registers, as far as the processor has them.
//!
//! Boot chooses the instruction that saves them: XSAVEOPT, which skips unmodified components, else XSAVE, else FXSAVE.
//! Components that do not fit in a save area stay disabled. CR0.TS turns the unit off, for the kernel as well.

use core::arch::x86_64::{__cpuid, __cpuid_count};
use core::arch::{asm, global_asm};
use core::mem::offset_of;
use core::ops::Range;
use core::sync::atomic::{AtomicU8, Ordering};

use limen_abi::fpu::FpuOption;

use super::cpu;

/// The x87 control word after FNINIT: full precision, no exceptions.
const INITIAL_CONTROL: u16 = 0x37f;
/// MXCSR after reset: round to nearest, no exceptions.
const INITIAL_MXCSR: u32 = 0x1f80;
/// Bytes of a save area: the standard form with AVX-512.
const AREA_BYTES: usize = 2688;
/// Bytes of a save area before the registers.
const HEAD_BYTES: usize = 32;
/// Offset of the SSE registers in a save area, after the x87 registers.
const SSE_OFFSET: usize = 160;
/// The number of vector registers that a section can save.
pub const REGISTERS: usize = 16;
/// Their position in a save area.
pub const NUMBERED: Range<usize> = SSE_OFFSET..SSE_OFFSET + REGISTERS * 16;
/// The kernel cannot use the registers while the unit is off.
pub const IS_ALWAYS_REACHED: bool = false;

/// The FPU registers of one thread. Aligned for XSAVE, whose header, after the first 512 bytes, must start as zero.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Registers {
    control: u16,
    status: u16,
    tags: u16,
    opcode: u16,
    pointers: [u64; 2],
    mxcsr: u32,
    mxcsr_mask: u32,
    registers: [u8; AREA_BYTES - HEAD_BYTES],
}

impl Registers {
    /// The initial registers of a thread.
    pub const INITIAL: Self = Self {
        control: INITIAL_CONTROL,
        status: 0,
        tags: 0,
        opcode: 0,
        pointers: [0; 2],
        mxcsr: INITIAL_MXCSR,
        mxcsr_mask: 0,
        registers: [0; AREA_BYTES - HEAD_BYTES],
    };
}

/// CPUID leaf 1, ECX.
const HAS_XSAVE: u32 = 1 << 26;
/// CPUID leaf 13, subleaf 1, EAX.
const HAS_XSAVEOPT: u32 = 1 << 0;
/// CPUID leaf of the components of XSAVE.
const XSAVE_LEAF: u32 = 13;
/// XCR0: sets of components, best first: with AVX-512, with AVX, x87 and SSE.
const COMPONENTS: [u32; 3] = [0xe7, 0x07, 0x03];

/// [`METHOD`]: the instruction that saves. The order lets one comparison tell all three apart.
const FXSAVE: u8 = 0;
pub(crate) const XSAVE: u8 = 1;
const XSAVEOPT: u8 = 2;
/// How registers are saved. Boot writes it.
pub(crate) static METHOD: AtomicU8 = AtomicU8::new(FXSAVE);

global_asm!(
    include_str!("fpu.S"),
    method = sym METHOD,
    XSAVE = const XSAVE,
);
section_code!("", CONTROL = const offset_of!(Registers, mxcsr), initial = sym crate::fpu::INITIAL);

/// Chooses how registers are saved, and turns the unit off.
pub fn init() {
    METHOD.store(choose_method(), Ordering::Relaxed);
    disable();
}

fn choose_method() -> u8 {
    if __cpuid(1).ecx & HAS_XSAVE == 0 {
        return FXSAVE;
    }
    cpu::enable_xsave();
    let supported = __cpuid_count(XSAVE_LEAF, 0).eax;
    for components in COMPONENTS.into_iter().filter(|components| supported & components == *components) {
        // SAFETY: the processor has these components, and XSAVE is on.
        unsafe { asm!("xsetbv", in("ecx") 0, in("eax") components, in("edx") 0, options(nomem, nostack)) }
        // The size needed for the enabled components.
        if __cpuid_count(XSAVE_LEAF, 0).ebx as usize <= AREA_BYTES {
            break;
        }
    }
    if __cpuid_count(XSAVE_LEAF, 1).eax & HAS_XSAVEOPT != 0 { XSAVEOPT } else { XSAVE }
}

/// Options that this processor adds to every policy. Some Intel processors leak the registers of a disabled unit
/// (LazyFP, CVE-2018-3665). They do not report it; those that may have Meltdown count as vulnerable.
pub fn options() -> u64 {
    if cpu::has_meltdown() { FpuOption::ISOLATE } else { 0 }
}

/// Saves the registers to `$save` and loads them from `$load`, using few general registers.
macro_rules! exchange {
    ($save:expr, $load:expr) => {
        core::arch::asm!(
            include_str!("arch/x86_64/exchange.S"),
            save = in(reg) $save,
            load = in(reg) $load,
            method = sym $crate::arch::fpu::METHOD,
            XSAVE = const $crate::arch::fpu::XSAVE,
            out("eax") _,
            out("edx") _,
            options(nostack)
        )
    };
}
pub(crate) use exchange;

/// Calls a section routine on a save area.
macro_rules! call {
    ($routine:path, $area:expr) => {
        core::arch::asm!("call {routine}", routine = sym $routine, in("rdi") $area)
    };
}
pub(crate) use call;

/// Lets user mode use the unit.
#[inline]
pub fn enable() {
    // SAFETY: affects only whether the registers can be used; the caller has made sure that the right thread's are
    // loaded.
    unsafe { asm!("clts", options(nomem, nostack, preserves_flags)) }
}

/// Makes every use of the unit an exception.
#[inline]
pub fn disable() {
    // SAFETY: as above; the other bits are what the entry point set.
    unsafe {
        asm!("mov cr0, {}", in(reg) u64::from(cpu::CR0 | cpu::CR0_TASK_SWITCHED), options(nomem, nostack, preserves_flags));
    }
}
