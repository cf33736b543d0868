//! Checks which instructions of a linked file use the floating-point and vector unit: only declared routines may.
//!
//! The kernel does not own the unit while it works for a program, so such an instruction elsewhere would change a
//! register of the owner. A disassembly shows all of them, including those that the compiler chose. It also shows
//! declared routines that do not use the unit, which are slow, and which no test would notice.

use std::path::Path;

use crate::check::binary;
use crate::check::disassembly::{self, Instruction, instructions};
use crate::check::symbols::{self, Symbols};
use crate::failure::{Failure, Outcome};

/// The kernel's routines that save and load the unit's registers: those of `arch/*/fpu.S` by symbol, and the Rust
/// functions that `arch/*/exchange.S` is inlined into by name.
pub const KERNEL_ROUTINES: &[&str] = &["enter_with_unit", "change", "bring", "fpu_save", "fpu_load"];
/// The suffix of a symbol whose value is the number of registers that a routine may use; the rest of the symbol is the
/// routine's name. `kernel/simd` declares its routines in this way.
const FOOTPRINT: &str = ".registers";

/// Code that runs before the processor is in 64-bit mode. A disassembler cannot read both modes at once.
const OTHER_MODE: [&str; 7] = [
    "_start",
    "missing_feature",
    "early_gdt",
    "trampoline",
    "trampoline_end",
    "further_protected",
    "further_leap",
];

/// A routine that may use the unit, and its number of registers.
type Routine<'a> = (&'a str, u64);

/// Checks that only these routines, and those that the file declares with a footprint, use the unit; that each of them
/// exists and uses it; and that no footprint is exceeded.
///
/// # Errors
/// When other code does (the failure lists the instructions), a routine is missing, or the file cannot be disassembled.
pub fn are_used_by(routines: &[&str], file: &Path, architecture: &str) -> Outcome {
    let listing = disassembly::listing(file)?;
    let symbols = binary::read(file, Symbols::parse)?;
    let mut routines: Vec<Routine<'_>> = routines.iter().map(|routine| (*routine, u64::MAX)).collect();
    routines.extend(symbols.iter().flat_map(footprints));
    let objections = objections(&listing, &routines, architecture);
    if objections.is_empty() {
        return Ok(());
    }
    let list = objections.iter().take(20).map(|place| format!("\n  {place}")).collect::<String>();
    Err(Failure::new(format!(
        "{} breaks the rule for vector registers in {} places:{list}",
        file.display(),
        objections.len()
    )))
}

/// The footprints that a file declares.
fn footprints(symbols: &Symbols) -> impl Iterator<Item = Routine<'_>> {
    symbols.values().filter_map(|(name, value)| Some((name.strip_suffix(FOOTPRINT)?, value)))
}

fn objections(listing: &str, routines: &[Routine<'_>], architecture: &str) -> Vec<String> {
    let (uses_unit, highest) = match architecture {
        "riscv64" => (uses_riscv_unit as fn(&str) -> bool, &[][..]),
        "x86_64" => (uses_x86_unit as _, &X86_BANKS[..]),
        _ => (uses_arm_unit as _, &ARM_BANKS[..]),
    };
    let mut unused: Vec<_> = routines.iter().map(|(routine, _)| *routine).collect();
    let mut found = Vec::new();
    for Instruction { function, text: instruction, .. } in instructions(listing) {
        let is_unknown = instruction.contains("<unknown>") && !OTHER_MODE.contains(&function);
        if !uses_unit(instruction) && !is_unknown {
            continue;
        }
        let shown = || format!("{function}: {}", instruction.replace('\t', " "));
        match routines.iter().find(|(routine, _)| is_called(function, routine)) {
            Some((routine, registers)) => {
                unused.retain(|name| name != routine);
                if highest_register(instruction, highest).is_some_and(|highest| highest >= *registers) {
                    found.push(format!("{}: more than {registers} registers", shown()));
                }
            }
            None => found.push(shown()),
        }
    }
    found.extend(unused.iter().map(|routine| format!("{routine}: declared, but does not use them")));
    found
}

/// Whether a symbol is this name, or that of a Rust function with this name.
fn is_called(symbol: &str, name: &str) -> bool {
    symbol == name || symbols::readable(symbol).rsplit("::").next() == Some(name)
}

/// The names of register banks that footprints count.
const ARM_BANKS: [&str; 6] = ["q", "v", "d", "s", "h", "b"];
const X86_BANKS: [&str; 1] = ["%xmm"];

/// The highest register number of these banks in an instruction.
fn highest_register(instruction: &str, banks: &[&str]) -> Option<u64> {
    let registers = operands(instruction, &['<', '#']).filter_map(|word| {
        let word = word.split('.').next()?;
        banks.iter().find_map(|bank| word.strip_prefix(bank)?.parse().ok())
    });
    registers.max()
}

/// The words of the operands, without the disassembler's comments.
fn operands<'a>(instruction: &'a str, ends: &'static [char]) -> impl Iterator<Item = &'a str> {
    let operands = instruction.split_once('\t').map_or("", |(_, operands)| operands);
    let operands = operands.split(ends).next().unwrap_or_default();
    operands.split([' ', ',', '[', ']', '(', ')', '{', '}'])
}

/// Whether a word is one of these letters and a number below a bound.
fn is_numbered(word: &str, banks: &[&str], below: u8) -> bool {
    banks
        .iter()
        .filter_map(|bank| word.strip_prefix(bank))
        .any(|number| number.len() <= 2 && number.parse::<u8>().is_ok_and(|number| number < below))
}

/// AArch64: a register `v0`..`v31` in any of its widths or a lane of one, one of SVE, or control and status.
fn uses_arm_unit(instruction: &str) -> bool {
    operands(instruction, &['<', '/']).any(|word| {
        let register = word.split('.').next().unwrap_or_default();
        is_numbered(register, &["q", "v", "d", "s", "h", "b", "z", "p"], 32)
            || ["fpcr", "fpsr"].iter().any(|name| register.eq_ignore_ascii_case(name))
    })
}

/// x86: a register of SSE, AVX, AVX-512 or MMX, the x87 unit, or an instruction that moves or clears all of them.
fn uses_x86_unit(instruction: &str) -> bool {
    let mnemonic = instruction.split('\t').next().unwrap_or_default();
    let is_x87 = mnemonic.starts_with('f') || ["wait", "emms"].contains(&mnemonic);
    let is_whole = ["xsave", "xrstor", "vzero", "ldmxcsr", "stmxcsr", "vldmxcsr", "vstmxcsr"]
        .iter()
        .any(|beginning| mnemonic.starts_with(beginning));
    let names = ["%xmm", "%ymm", "%zmm", "%mm", "%st", "%k", "%tmm"];
    is_x87
        || is_whole
        || operands(instruction, &['<', '#'])
            .any(|word| names.iter().any(|name| word.trim_start_matches('*').starts_with(name)))
}

/// RISC-V: a floating-point register, a vector register, or control and status of either.
fn uses_riscv_unit(instruction: &str) -> bool {
    let mnemonic = instruction.split('\t').next().unwrap_or_default();
    let is_status = ["frcsr", "fscsr", "frrm", "fsrm", "frflags", "fsflags"].contains(&mnemonic);
    is_status
        || mnemonic.starts_with("vset")
        || operands(instruction, &['<', '#']).any(|word| {
            let is_control = ["fcsr", "frm", "fflags", "vcsr", "vstart", "vxrm", "vxsat"].contains(&word);
            is_control || is_numbered(word, &["ft", "fa", "fs"], 12) || is_numbered(word, &["v"], 32)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::symbols::tests::functions;

    #[test]
    fn vector_registers_of_aarch64_are_recognised_and_look_alikes_are_not() {
        for vector in [
            "ldp\tq0, q1, [x0]",
            "fmov\td31, x1",
            "mov\tv3.16b, v4.16b",
            "st1\t{ v0.b }[0], [x1]",
            "ldr\tz3, [x0]",
            "msr\tFPCR, x1",
        ] {
            assert!(uses_arm_unit(vector), "{vector}");
        }
        for other in
            ["mov\tx0, #0xd0", "mrs\tx1, S3_0_C15_C2_1", "bl\t0x40 <d0>", "b.eq\t0x40 // q1", "dsb\tsy"]
        {
            assert!(!uses_arm_unit(other), "{other}");
        }
    }

    #[test]
    fn registers_of_riscv_are_recognised_and_look_alikes_are_not() {
        for vector in [
            "fld\tfa0, 8(a1)",
            "fmv.x.d\ta0, ft11",
            "fsd\tfs2, 0(sp)",
            "frcsr\tt0",
            "csrr\ta0, fcsr",
            "vle64.v\tv8, (a0)",
            "vsetvli\ta0, a1, e8, m1, ta, mu",
        ] {
            assert!(uses_riscv_unit(vector), "{vector}");
        }
        for other in ["ld\ts0, 8(sp)", "csrr\ta0, sstatus", "jal\t0x40 <fa0>", "fence\trw, rw"] {
            assert!(!uses_riscv_unit(other), "{other}");
        }
    }

    #[test]
    fn vector_registers_of_x86_are_recognised_and_look_alikes_are_not() {
        for vector in [
            "movups\t%xmm0, (%rdi)",
            "fxsave64\t(%rdi)",
            "xsaveopt64\t(%rdi)",
            "movq\t%mm1, %rax",
            "fninit",
            "wait",
            "vzeroupper",
            "kmovq\t%k1, %rax",
        ] {
            assert!(uses_x86_unit(vector), "{vector}");
        }
        for other in
            ["movq\t%rax, (%rdi)", "callq\t0x40 <fpu_xmm>", "leaq\t8(%rip), %rax # 0x40 <%xmm>", "xsetbv"]
        {
            assert!(!uses_x86_unit(other), "{other}");
        }
    }

    #[test]
    fn only_declared_routines_use_vectors_and_all_of_them_do() {
        let listing = "\n0000 <fpu_save>:\n       0: \tstr\tq0, [x0]\n\n0004 <limen::fpu::enter>:\n       4: \tstr\tq1, [x0]\n\n0008 <fpu_load>:\n       8: \tret\n";
        let found = objections(listing, &[("fpu_save", 32), ("fpu_load", 32)], "aarch64");
        assert_eq!(found, ["limen::fpu::enter: str q1, [x0]", "fpu_load: declared, but does not use them"]);
    }

    #[test]
    fn a_routine_that_changes_more_registers_than_it_declares_is_found() {
        let symbols = functions(&[("simd_clear.registers", 4), ("_start", 0)]);
        let declared: Vec<_> = footprints(&symbols).collect();
        assert_eq!(declared, [("simd_clear", 4)]);
        let listing = "\n0000 <simd_clear>:\n       0: \tmovi\tv3.2d, #0000000000000000\n       4: \tstp\tq3, q4, [x0]\n";
        let expected = ["simd_clear: stp q3, q4, [x0]: more than 4 registers"];
        assert_eq!(objections(listing, &declared, "aarch64"), expected);
        let listing = "\n0000 <simd_clear>:\n       0: \tpxor\t%xmm3, %xmm10\n";
        let expected = ["simd_clear: pxor %xmm3, %xmm10: more than 4 registers"];
        assert_eq!(objections(listing, &declared, "x86_64"), expected);
    }

    #[test]
    fn what_the_disassembler_cannot_read_is_an_objection() {
        let listing = "0000 <enter>:\n       0: \t<unknown>\n0004 <_start>:\n       4: \t<unknown>\n";
        assert_eq!(objections(listing, &[], "x86_64"), ["enter: <unknown>"]);
    }
}
