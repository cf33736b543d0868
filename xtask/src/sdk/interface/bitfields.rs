//! Words that are made of fields: message info, rights, and faults with the number of their kind.
//!
//! A block lists its fields from the highest bit. Faults are one union: all have as many words as the longest, the
//! lowest of which says which fault it is.

use limen_abi::register::RegisterMap;
use limen_abi::{FaultLabel, MessageInfo};

const WORD_BITS: u32 = 64;
/// The field that says which fault it is, and its bits.
const TAG: (&str, u32) = ("seL4_FaultType", 4);

/// Types that are the same on every instruction set.
pub fn shared() -> String {
    let label_bits = WORD_BITS - MessageInfo::LABEL_SHIFT;
    let info = [
        ("label", label_bits),
        ("capsUnwrapped", MessageInfo::CAPS_UNWRAPPED_BITS),
        ("extraCaps", MessageInfo::EXTRA_CAPS_BITS),
        ("length", MessageInfo::LENGTH_BITS),
    ];
    let rights =
        ["capAllowGrantReply", "capAllowGrant", "capAllowRead", "capAllowWrite"].map(|name| (name, 1));
    let guard = [("guard", 58), ("guardSize", 6)];
    let blocks = [
        block("seL4_MessageInfo", 0, &info),
        block("seL4_CapRights", WORD_BITS - 4, &rights),
        block("seL4_CNode_CapData", 0, &guard),
    ];
    format!("base {WORD_BITS}\n\n{}", blocks.concat())
}

/// A kind of fault: its label, its name, and its fields in the order of the message.
pub type FaultFields = (FaultLabel, &'static str, Vec<&'static str>);

/// Faults of an instruction set, with the words of their messages.
pub fn fault_fields(registers: &RegisterMap) -> [FaultFields; 6] {
    [
        (FaultLabel::NullFault, "NullFault", Vec::new()),
        (
            FaultLabel::CapFault,
            "CapFault",
            vec!["IP", "Addr", "InRecvPhase", "LookupFailureType", "MR4", "MR5", "MR6"],
        ),
        (
            FaultLabel::UnknownSyscall,
            "UnknownSyscall",
            renamed(registers, "UnknownSyscall", registers.unknown_syscall),
        ),
        (
            FaultLabel::UserException,
            "UserException",
            renamed(registers, "UserException", registers.user_exception),
        ),
        (FaultLabel::Timeout, "Timeout", vec!["data", "consumed"]),
        (FaultLabel::VmFault, "VMFault", vec!["IP", "Addr", "PrefetchFault", "FSR"]),
    ]
}

/// The number of words of the longest message.
pub fn longest(faults: &[FaultFields]) -> usize {
    faults.iter().map(|(_, _, words)| words.len()).max().unwrap_or(0)
}

/// Faults of an instruction set, as bit fields.
pub fn faults(registers: &RegisterMap) -> String {
    let faults = fault_fields(registers);
    let longest = longest(&faults);
    let blocks = faults.iter().map(|(_, name, words)| {
        let unused = WORD_BITS * (longest - words.len()) as u32;
        let fields: Vec<_> = words.iter().map(|word| (*word, WORD_BITS)).collect();
        tagged_block(name, unused, &fields)
    });
    let tags = faults.iter().map(|(label, name, _)| format!("    tag {name} {}\n", label.as_raw()));
    let (blocks, tags): (String, String) = (blocks.collect(), tags.collect());
    format!("base {WORD_BITS}\n\n{blocks}tagged_union seL4_Fault {} {{\n{tags}}}\n", TAG.0)
}

/// The names of a message's words as fields: some stack pointers are called otherwise.
fn renamed(registers: &RegisterMap, fault: &str, words: &[&'static str]) -> Vec<&'static str> {
    let field = |word: &&'static str| match (registers.name, fault, *word) {
        ("aarch64" | "x86_64", "UserException", "SP") => "Stack",
        ("x86_64", "UnknownSyscall", "SP") => "RSP",
        (_, _, word) => word,
    };
    words.iter().map(field).collect()
}

fn block(name: &str, unused: u32, fields: &[(&str, u32)]) -> String {
    let fields: String = fields.iter().map(field).collect();
    format!("block {name} {{\n{}{fields}}}\n\n", padding(unused))
}

fn tagged_block(name: &str, unused: u32, fields: &[(&str, u32)]) -> String {
    let fields: String = fields.iter().map(field).collect();
    let tag = [padding(WORD_BITS - TAG.1), field(&TAG)].concat();
    format!("block {name} {{\n{}{fields}{tag}}}\n\n", padding(unused))
}

fn field((name, bits): &(&str, u32)) -> String {
    format!("    field {name} {bits}\n")
}

fn padding(bits: u32) -> String {
    if bits == 0 { String::new() } else { format!("    padding {bits}\n") }
}
