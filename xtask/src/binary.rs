//! What `./x check` proves about linked files: no stray vector registers, no memory that is writable and executable.

use std::path::Path;
use std::process::Command;

use crate::failure::{Context, Failure, Outcome};
use crate::process;

/// Functions of the kernel that may name vector registers: those of its `fpu` modules.
const FPU_FUNCTIONS: &str = "fpu";

/// Checks that only FPU code names floating-point or vector registers.
///
/// # Errors
/// When other code does (the failure lists the instructions), or the file cannot be disassembled.
pub fn uses_no_vectors(file: &Path, architecture: &str) -> Outcome {
    let listing =
        process::capture(Command::new("llvm-objdump").args(["-d", "--no-show-raw-insn"]).arg(file))?;
    if !listing.contains('\t') {
        return Err(Failure::new(format!("{} has no instructions", file.display())));
    }
    let found = vector_instructions(&listing, architecture);
    if found.is_empty() {
        return Ok(());
    }
    let list = found.iter().take(20).map(|place| format!("\n  {place}")).collect::<String>();
    Err(Failure::new(format!("{} uses vector registers in {} places:{list}", file.display(), found.len())))
}

fn vector_instructions(listing: &str, architecture: &str) -> Vec<String> {
    let names_vector = match architecture {
        "riscv64" => names_riscv_float,
        "x86_64" => names_x86_vector,
        _ => names_arm_vector,
    };
    let mut function = "";
    let mut found = Vec::new();
    for line in listing.lines() {
        if let Some((_, name)) = line.strip_suffix(">:").and_then(|head| head.split_once('<')) {
            // A label inside a function does not end it.
            function = if name.starts_with(".L") { function } else { name };
        } else if let Some((_, instruction)) = line.split_once('\t')
            && !function.contains(FPU_FUNCTIONS)
            && names_vector(instruction)
        {
            found.push(format!("{function}: {}", instruction.replace('\t', " ")));
        }
    }
    found
}

/// Whether an AArch64 instruction has a register `v0`..`v31` in any of its widths, or a lane of one.
fn names_arm_vector(instruction: &str) -> bool {
    let operands = instruction.split_once('\t').map_or("", |(_, operands)| operands);
    let operands = operands.split(['<', '/']).next().unwrap_or_default();
    operands.split([' ', ',', '[', ']', '{', '}']).any(|word| {
        let register = word.split('.').next().unwrap_or_default();
        let number = register.strip_prefix(['q', 'v', 'd', 's', 'h', 'b']).unwrap_or("none");
        number.len() <= 2 && number.parse::<u8>().is_ok_and(|number| number < 32)
    })
}

/// Whether an x86 instruction has a register of SSE or MMX, or belongs to the x87 unit.
fn names_x86_vector(instruction: &str) -> bool {
    let (mnemonic, operands) = instruction.split_once('\t').unwrap_or((instruction, ""));
    let operands = operands.split(['<', '#']).next().unwrap_or_default();
    // The head of a listing has a space where instructions have a tab.
    let is_x87 = mnemonic.starts_with('f') && !mnemonic.contains(' ');
    is_x87 || ["%xmm", "%ymm", "%zmm", "%mm", "%st"].iter().any(|name| operands.contains(name))
}

/// Whether a RISC-V instruction has a floating-point register.
fn names_riscv_float(instruction: &str) -> bool {
    let operands = instruction.split_once('\t').map_or("", |(_, operands)| operands);
    operands.split([' ', ',', '(', ')']).any(|word| {
        let number = ["ft", "fa", "fs"].iter().find_map(|bank| word.strip_prefix(bank));
        number.is_some_and(|number| number.parse::<u8>().is_ok_and(|number| number < 12))
    })
}

/// How objects pass floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatAbi {
    /// In integer registers.
    Soft,
    /// In registers of their own, up to the size of a `double`.
    Double,
}

/// Checks how every member of a RISC-V library passes floating-point numbers: linkers refuse to mix.
///
/// # Errors
/// When a member differs, or the library cannot be read.
pub fn passes_floats(library: &Path, wanted: FloatAbi) -> Outcome {
    let headers = process::capture(Command::new("llvm-readelf").arg("-h").arg(library))?;
    match float_abis(&headers) {
        found if found.is_empty() => Err(Failure::new(format!("{} has no members", library.display()))),
        found if found.iter().all(|abi| *abi == Some(wanted)) => Ok(()),
        found => Err(Failure::new(format!("{}: {wanted:?} expected, but {found:?}", library.display()))),
    }
}

/// The convention of each member; `None` for one that is neither.
fn float_abis(headers: &str) -> Vec<Option<FloatAbi>> {
    /// The two bits of `e_flags` that say it (RISC-V ELF psABI, "File header").
    const CONVENTION: u32 = 0x6;
    let flags = headers.lines().filter_map(|line| line.trim().strip_prefix("Flags:"));
    let number = |flags: &str| {
        let digits = flags.trim().strip_prefix("0x")?.split(',').next()?;
        u32::from_str_radix(digits, 16).ok()
    };
    flags
        .map(|flags| match number(flags)? & CONVENTION {
            0x0 => Some(FloatAbi::Soft),
            0x4 => Some(FloatAbi::Double),
            _ => None,
        })
        .collect()
}

/// Checks that no segment of a 64-bit little-endian ELF file is both writable and executable.
///
/// # Errors
/// When one is, or the file is not such an ELF file.
pub fn separates_write_and_execute(file: &Path) -> Outcome {
    let bytes = std::fs::read(file).context(|| format!("cannot read {}", file.display()))?;
    let flags = segment_flags(&bytes)
        .ok_or_else(|| Failure::new(format!("{} is not an ELF file", file.display())))?;
    if flags.iter().any(|flags| flags & (EXECUTE | WRITE) == EXECUTE | WRITE) {
        return Err(Failure::new(format!(
            "{} has a segment that is writable and executable",
            file.display()
        )));
    }
    Ok(())
}

const EXECUTE: u32 = 1;
const WRITE: u32 = 2;
const LOAD: u32 = 1;

/// Flags of the loaded segments; `None` if the file is not a complete ELF file.
fn segment_flags(bytes: &[u8]) -> Option<Vec<u32>> {
    let half = |at: usize| Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let word = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let long = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    if bytes.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let (table, size, count) =
        (usize::try_from(long(32)?).ok()?, usize::from(half(54)?), usize::from(half(56)?));
    let flags = (0..count).map(|index| {
        let at = table.checked_add(index * size)?;
        Some((word(at)?, word(at.checked_add(4)?)?))
    });
    let flags = flags.collect::<Option<Vec<_>>>()?;
    Some(flags.into_iter().filter(|(kind, _)| *kind == LOAD).map(|(_, flags)| flags).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elf(flags: &[u32]) -> Vec<u8> {
        let mut bytes = vec![0; 64 + 56 * flags.len()];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[32] = 64;
        bytes[54] = 56;
        bytes[56] = u8::try_from(flags.len()).unwrap();
        for (index, flags) in flags.iter().enumerate() {
            bytes[64 + 56 * index] = 1;
            bytes[64 + 56 * index + 4] = u8::try_from(*flags).unwrap();
        }
        bytes
    }

    #[test]
    fn vector_registers_are_recognised_and_look_alikes_are_not() {
        for vector in ["ldp\tq0, q1, [x0]", "fmov\td31, x1", "mov\tv3.16b, v4.16b", "st1\t{ v0.b }[0], [x1]"]
        {
            assert!(names_arm_vector(vector), "{vector}");
        }
        for other in
            ["mov\tx0, #0xd0", "mrs\tx1, S3_0_C15_C2_1", "bl\t0x40 <d0>", "b.eq\t0x40 // q1", "dsb\tsy"]
        {
            assert!(!names_arm_vector(other), "{other}");
        }
    }

    #[test]
    fn floating_point_registers_are_told_from_others_on_riscv() {
        for float in ["fld\tfa0, 8(a1)", "fmv.x.d\ta0, ft11", "fsd\tfs2, 0(sp)"] {
            assert!(names_riscv_float(float), "{float}");
        }
        for other in ["ld\ts0, 8(sp)", "csrr\ta0, fcsr", "jal\t0x40 <fa0>", "fence\trw, rw"] {
            assert!(!names_riscv_float(other), "{other}");
        }
    }

    #[test]
    fn vector_registers_of_x86_are_recognised_and_look_alikes_are_not() {
        for vector in ["movups\t%xmm0, (%rdi)", "fxsave64\t(%rdi)", "movq\t%mm1, %rax", "fninit"] {
            assert!(names_x86_vector(vector), "{vector}");
        }
        for other in ["movq\t%rax, (%rdi)", "callq\t0x40 <fpu_xmm>", "leaq\t8(%rip), %rax # 0x40 <%xmm>"] {
            assert!(!names_x86_vector(other), "{other}");
        }
    }

    #[test]
    fn only_functions_of_the_fpu_may_use_vectors() {
        let listing = "\n0000000000000000 <limen::fpu::save>:\n       0: \tstr\tq0, [x0]\n\n0000000000000004 <enter>:\n       4: \tstr\tq1, [x0]\n";
        assert_eq!(vector_instructions(listing, "aarch64"), ["enter: str q1, [x0]"]);
    }

    #[test]
    fn conventions_for_floating_point_are_told_apart() {
        let headers =
            "File: a.o\n  Flags:   0x1, RVC\n  Flags:   0x5, RVC, double-float ABI\n  Flags:   0x3\n";
        assert_eq!(float_abis(headers), [Some(FloatAbi::Soft), Some(FloatAbi::Double), None]);
    }

    #[test]
    fn flags_of_segments_are_read() {
        assert_eq!(segment_flags(&elf(&[5, 6])), Some(vec![5, 6]));
        assert_eq!(segment_flags(&elf(&[7])), Some(vec![7]));
        assert_eq!(segment_flags(b"\x7fELF\x01"), None);
        assert_eq!(segment_flags(&elf(&[5])[..66]), None);
    }
}
