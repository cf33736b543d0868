//! Generates the C headers with the numbers of `limen-abi`, so that none of them is typed twice.

pub mod c_header;

use std::path::{Path, PathBuf};

use c_header::{CHeader, Entry};
use limen_abi::benchmark::{BenchmarkCall, UtilisationWord};
use limen_abi::boot_info::BootInfo;
use limen_abi::error::LookupFailure;
use limen_abi::fault::{self, CapFaultWord, TimeoutWord, VmFaultWord};
use limen_abi::fpu::{FpuCounterWord, FpuOption, ThreadFlag};
use limen_abi::message::{self, BufferWord};
use limen_abi::probe::ProbeOption;
use limen_abi::register::{self, RegisterMap};
use limen_abi::ring::{self, RecordWord, RingWord};
use limen_abi::service::{DIGEST_WORDS, SEAL_KEY_BYTES, SEALED_HEADER_BYTES, SEALED_TAG};
use limen_abi::slot::{self, Badge, MonitorSlot};
use limen_abi::trace::{self, EntryReason, HeaderWord, TraceKind, WaitedObject};
use limen_abi::{ErrorCode, FaultLabel, FpuPolicy, Label, MessageInfo, ProbeEvent, Syscall, limits};

use crate::sdk::interface::bitfields;

const FOLDER: &str = "user/libmicrokit/include/limen";

/// Every generated header: its path below the repository's top folder, and its text.
pub fn files() -> Vec<(PathBuf, String)> {
    let file = |(name, header): (&str, CHeader)| (Path::new(FOLDER).join(name), header.to_text());
    all().into_iter().map(file).collect()
}

/// Every generated header, by the name of its file.
pub fn all() -> [(&'static str, CHeader); 5] {
    let aarch64 = architecture("LIMEN_ABI_AARCH64_H", &register::AARCH64, limits::USER_TOP_AARCH64);
    let riscv64 = architecture("LIMEN_ABI_RISCV64_H", &register::RISCV64, limits::USER_TOP_RISCV64);
    let x86_64 = architecture("LIMEN_ABI_X86_64_H", &register::X86_64, limits::USER_TOP_X86_64);
    [
        ("abi.h", abi()),
        ("slots.h", slots()),
        ("abi_aarch64.h", aarch64),
        ("abi_riscv64.h", riscv64),
        ("abi_x86_64.h", x86_64),
    ]
}

/// Numbers that are the same on every architecture: calls, errors, faults, methods, messages, sizes.
fn abi() -> CHeader {
    let mut header = CHeader::new("LIMEN_ABI_H", "Numbers that programs share with the kernel.");
    enumerations(&mut header);
    fault_words(&mut header);
    boot_info(&mut header);
    floating_point(&mut header);
    probes(&mut header);
    rings(&mut header);
    trace(&mut header);
    utilisation(&mut header);
    static_keys(&mut header);
    services(&mut header);
    message_layout(&mut header);
    sizes(&mut header);
    header
}

fn enumerations(header: &mut CHeader) {
    let calls = Syscall::ALL.iter().map(|(c, name, doc)| (name.to_string(), c.as_raw(), *doc));
    let benchmark = BenchmarkCall::ALL.iter().map(|(c, name, doc)| (name.to_string(), c.as_raw(), *doc));
    let calls: Vec<Entry> = calls.chain(benchmark).collect();
    header.enumeration("System calls.", "seL4_Syscall_ID", calls);
    let count = [("seL4_NumErrors", ErrorCode::ALL.len() as u64, "How many there are.")];
    let errors = ErrorCode::ALL.iter().map(|(e, name, doc)| (*name, e.as_raw(), *doc));
    let errors = entries(errors.chain(count));
    header.enumeration("Errors of invocations.", "seL4_Error", errors);
    let failures = entries(LookupFailure::ALL.iter().map(|(f, name, doc)| (*name, f.as_raw(), *doc)));
    header.enumeration(
        "Failures of capability lookup.",
        "seL4_LookupFailureType",
        wide("seL4_LookupFailureType", failures),
    );
    let faults = entries(FaultLabel::ALL.iter().map(|(f, name, doc)| (*name, f.as_raw(), *doc)));
    header.enumeration("Kinds of faults, as message labels.", "seL4_Fault_tag_t", faults);
    let labels = entries(Label::ALL.iter().map(|(l, name, doc)| (*name, l.as_raw(), *doc)));
    header.enumeration("Methods of kernel objects, as invocation labels.", "seL4_InvocationLabel", labels);
}

fn entries(table: impl Iterator<Item = (&'static str, u64, &'static str)>) -> Vec<Entry> {
    table.map(|(name, value, sentence)| (name.to_string(), value.cast_signed(), sentence)).collect()
}

/// Measurements of processor utilisation.
fn utilisation(header: &mut CHeader) {
    let words = UtilisationWord::ALL.iter().map(|(word, name, sentence)| (*name, word.as_raw(), *sentence));
    header.enumeration(
        "Words of a thread's utilisation report.",
        "benchmark_track_util_ipc_index",
        entries(words),
    );
}

/// Boot information that can fill memory regions.
fn boot_info(header: &mut CHeader) {
    let padding = [("SEL4_BOOTINFO_HEADER_PADDING", 0, "Nothing.")];
    let pieces = BootInfo::ALL.iter().map(|(piece, name, sentence)| (*name, piece.as_raw(), *sentence));
    let pieces = wide("seL4_BootInfoID", entries(padding.into_iter().chain(pieces)));
    header.enumeration("Pieces of boot information.", "seL4_BootInfoID", pieces);
}

/// Makes the type of an enum as wide as a word. In C the enumerators stay what they are; bindings of other languages give
/// all of them this type and pass them as words.
fn wide(name: &str, mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.push((format!("LIMEN_WIDTH_OF_{name}"), i64::MAX, "Makes the type as wide as a word."));
    entries
}

/// The indices of a fault message's words, named as `seL4_GetMR` expects them.
fn fault_words(header: &mut CHeader) {
    let words = [
        ("IP", CapFaultWord::IP),
        ("Addr", CapFaultWord::ADDRESS),
        ("InRecvPhase", CapFaultWord::IN_RECEIVE_PHASE),
        ("LookupFailureType", CapFaultWord::LOOKUP_FAILURE),
        ("BitsLeft", CapFaultWord::LOOKUP_DETAILS),
        ("DepthMismatch_BitsFound", CapFaultWord::LOOKUP_DETAILS + 1),
        ("GuardMismatch_GuardFound", CapFaultWord::LOOKUP_DETAILS + 1),
        ("GuardMismatch_BitsFound", CapFaultWord::LOOKUP_DETAILS + 2),
    ];
    message_words(header, "CapFault", Width::Word, &words);
}

/// The fields of `seL4_Fault_t`, which are the words of the messages under other names.
fn fault_fields(header: &mut CHeader, map: &RegisterMap) {
    let faults = bitfields::fault_fields(map);
    let name = |fault: &str, (place, field): (usize, &&str)| format!("{fault}, {field}, {place}");
    let names: Vec<String> = faults
        .iter()
        .flat_map(|(_, fault, fields)| fields.iter().enumerate().map(|field| name(fault, field)))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    header.for_each("Fault, field and message word.", "LIMEN_FOR_EACH_FAULT_FIELD", &names);
    header.constant("Words of the longest message.", "LIMEN_FAULT_WORDS", bitfields::longest(&faults));
}

/// The type of an enum, which only bindings of other languages notice. They rely on that of the reference.
#[derive(Clone, Copy)]
enum Width {
    Int,
    Word,
}

fn static_keys(header: &mut CHeader) {
    header.title("Static keys");
    header.constant("Highest id of a static key.", "LIMEN_MAX_KEY_ID", limits::MAX_KEY_ID);
    header.constant("How often a program may hold a static key.", "LIMEN_KEY_HOLDS", limits::KEY_HOLDS);
}

fn probes(header: &mut CHeader) {
    header.title("Probes");
    let events = entries(ProbeEvent::ALL.iter().map(|(event, name, doc)| (*name, event.as_raw(), *doc)));
    header.enumeration("Events that a program can sample.", "limen_probe_event_t", events);
    header.constant(
        "Option: the return from the event is stamped as well.",
        "LIMEN_PROBE_EXIT",
        ProbeOption::EXIT,
    );
    header.constant(
        "Option: the same, once everything before the stamp is complete.",
        "LIMEN_PROBE_EXIT_SERIALISED",
        ProbeOption::EXIT_SERIALISED,
    );
    header.constant("Option: the event stays armed.", "LIMEN_PROBE_EVERY", ProbeOption::EVERY);
    header.constant("Capacity of the sample buffer.", "LIMEN_PROBE_SAMPLES", limits::PROBE_SAMPLES);
}

fn rings(header: &mut CHeader) {
    header.title("Rings");
    header.constant("Words in a line of a ring.", "LIMEN_RING_LINE_WORDS", ring::LINE_WORDS);
    header.constant("Header word: records since the ring was cleared.", "LIMEN_RING_COUNT", RingWord::COUNT);
    header.constant("Header word: lines for records.", "LIMEN_RING_SLOTS", RingWord::SLOTS);
    header.constant(
        "Header word of samples: whether crossings switch page tables.",
        "LIMEN_RING_PAGE_TABLE_SWITCH",
        RingWord::PAGE_TABLE_SWITCH,
    );
    header.constant("Word of a record's line: its number plus one.", "LIMEN_RING_NUMBER", RecordWord::NUMBER);
    header.constant(
        "Word of a record's line: the first of the record.",
        "LIMEN_RING_RECORD",
        RecordWord::FIRST,
    );
}

fn trace(header: &mut CHeader) {
    header.title("The trace");
    let kinds = entries(TraceKind::ALL.iter().map(|(k, name, doc)| (*name, k.as_raw(), *doc)));
    header.enumeration("Kinds of records of the trace.", "limen_trace_kind_t", kinds);
    let reasons = entries(EntryReason::ALL.iter().map(|(r, name, doc)| (*name, r.as_raw(), *doc)));
    header.enumeration("Reasons for entering the kernel.", "limen_trace_reason_t", reasons);
    let waited = entries(WaitedObject::ALL.iter().map(|(w, name, doc)| (*name, w.as_raw(), *doc)));
    header.enumeration("What a thread waits for.", "limen_trace_waited_t", waited);
    let no_thread = trace::NO_THREAD;
    header.constant("The thread of an event without one.", "LIMEN_TRACE_NO_THREAD", no_thread);
    let line = trace::TIMER_LINE;
    header.constant("The interrupt of the kernel's timer.", "LIMEN_TRACE_TIMER", format!("{line:#x}"));
    let line = trace::MESSAGE_LINE;
    let sentence = "The interrupt by which another processor sends messages.";
    header.constant(sentence, "LIMEN_TRACE_MESSAGE", format!("{line:#x}"));
    for (sentence, name, word) in [
        ("Header word: records written since boot.", "LIMEN_TRACE_COUNT", HeaderWord::COUNT),
        ("Header word: slots for records.", "LIMEN_TRACE_SLOTS", HeaderWord::SLOTS),
        ("Header word: ticks of the clock per second.", "LIMEN_TRACE_FREQUENCY", HeaderWord::FREQUENCY),
        ("Header word: the processor that writes the ring.", "LIMEN_TRACE_PROCESSOR", HeaderWord::PROCESSOR),
        ("Words of the header.", "LIMEN_TRACE_HEADER_WORDS", HeaderWord::LENGTH),
        ("Word of a record: its number.", "LIMEN_TRACE_NUMBER", trace::RecordWord::NUMBER),
        ("Word of a record: the time in ticks.", "LIMEN_TRACE_TIME", trace::RecordWord::TIME),
        ("Word of a record: kind, thread, first value.", "LIMEN_TRACE_WHAT", trace::RecordWord::WHAT),
        ("Word of a record: the second value.", "LIMEN_TRACE_VALUE", trace::RecordWord::VALUE),
        ("Words of a record.", "LIMEN_TRACE_RECORD_WORDS", trace::RecordWord::LENGTH),
    ] {
        header.constant(sentence, name, word);
    }
}

fn services(header: &mut CHeader) {
    header.title("Services of the kernel");
    header.constant("Highest id of a service.", "LIMEN_MAX_SERVICE_ID", limits::MAX_SERVICE_ID);
    header.constant("Words of a digest.", "LIMEN_DIGEST_WORDS", DIGEST_WORDS);
    header.constant("Bytes of the key of a seal.", "LIMEN_SEAL_KEY_BYTES", SEAL_KEY_BYTES);
    let tag_bytes = SEALED_HEADER_BYTES - SEALED_TAG;
    header.constant("Bytes of the tag of a sealed record.", "LIMEN_SEAL_TAG_BYTES", tag_bytes);
}

fn message_words(header: &mut CHeader, fault: &str, width: Width, words: &[(&str, usize)]) {
    let entries: Vec<Entry> =
        words.iter().map(|(word, place)| (format!("seL4_{fault}_{word}"), *place as i64, "")).collect();
    let name = format!("seL4_{fault}_Msg");
    let entries = match width {
        Width::Int => entries,
        Width::Word => wide(&name, entries),
    };
    header.enumeration(&format!("Words of the message {fault}."), &name, entries);
}

fn floating_point(header: &mut CHeader) {
    header.title("Floating point");
    let flags = [
        ("seL4_TCBFlag_NoFlag", 0, "None."),
        (
            "seL4_TCBFlag_fpuDisabled",
            ThreadFlag::FPU_DISABLED,
            "The thread may not use the floating-point unit.",
        ),
        ("seL4_TCBFlag_MASK", ThreadFlag::ALL, "Every flag that there is."),
    ];
    header.enumeration(
        "Flags of a thread.",
        "seL4_TCBFlag",
        wide("seL4_TCBFlag", entries(flags.into_iter())),
    );
    let policies = entries(FpuPolicy::ALL.iter().map(|(p, name, doc)| (*name, p.as_raw(), *doc)));
    header.enumeration("When floating-point registers are switched.", "limen_fpu_policy_t", policies);
    header.constant(
        "Option: no other thread's registers stay in the unit.",
        "LIMEN_FPU_ISOLATE",
        FpuOption::ISOLATE,
    );
    header.constant(
        "Option: a domain switch always saves and loads.",
        "LIMEN_FPU_CONSTANT_EXIT",
        FpuOption::CONSTANT_EXIT,
    );
    header.constant(
        "Code of a UserException 2 on RISC-V for a use of the disabled unit.",
        "LIMEN_RISCV_CODE_FPU_OFF",
        fault::RISCV_CODE_FPU_OFF,
    );
    header.constant("Words of the counters.", "LIMEN_FPU_COUNTERS", FpuCounterWord::LENGTH);
}

fn message_layout(header: &mut CHeader) {
    header.title("Messages");
    let limits = [
        ("seL4_MsgLengthBits", u64::from(MessageInfo::LENGTH_BITS), "Bits of the length in a message info."),
        (
            "seL4_MsgExtraCapBits",
            u64::from(MessageInfo::EXTRA_CAPS_BITS),
            "Bits of extraCaps, which follow the length.",
        ),
        ("seL4_MsgMaxLength", message::MAX_LENGTH as u64, "Words that a message can hold."),
    ];
    header.enumeration("Sizes of a message and its info.", "seL4_MsgLimits", entries(limits.into_iter()));
    header.constant("Capabilities that a message can name.", "seL4_MsgMaxExtraCaps", message::MAX_EXTRA_CAPS);
    header.constant(
        "Words of a message that travel in registers.",
        "seL4_FastMessageRegisters",
        message::REGISTER_WORDS,
    );
    header.constant(
        "Bits of capsUnwrapped, which follow extraCaps.",
        "LIMEN_INFO_CAPS_UNWRAPPED_BITS",
        MessageInfo::CAPS_UNWRAPPED_BITS,
    );
    header.constant(
        "Position of the label in a message info.",
        "LIMEN_INFO_LABEL_SHIFT",
        MessageInfo::LABEL_SHIFT,
    );
    header.constant("Word of the IPC buffer with the message info.", "LIMEN_BUFFER_TAG", BufferWord::TAG);
    header.constant(
        "Word of the IPC buffer where the message starts.",
        "LIMEN_BUFFER_MESSAGE",
        BufferWord::MESSAGE,
    );
    header.constant(
        "Word of the IPC buffer for the program's own use.",
        "LIMEN_BUFFER_USER_DATA",
        BufferWord::USER_DATA,
    );
    header.constant(
        "Word of the IPC buffer where capability arguments start.",
        "LIMEN_BUFFER_CAPS",
        BufferWord::CAPS_OR_BADGES,
    );
    header.constant("Words in the IPC buffer.", "LIMEN_BUFFER_WORDS", BufferWord::COUNT);
}

fn sizes(header: &mut CHeader) {
    header.title("Sizes");
    header.constant(
        "Base-2 logarithm of the page size in bytes.",
        "seL4_PageBits",
        limits::PAGE_BYTES.ilog2(),
    );
    header.constant(
        "Base-2 logarithm of the large page size in bytes.",
        "seL4_LargePageBits",
        limits::LARGE_PAGE_BYTES.ilog2(),
    );
    header.constant(
        "Highest priority of a protection domain.",
        "LIMEN_MAX_USER_PRIORITY",
        limits::MAX_USER_PRIORITY,
    );
    header.constant("Priorities of the scheduler.", "LIMEN_PRIORITIES", limits::PRIORITIES);
    header.constant("Threads: the protection domains and the monitor.", "LIMEN_MAX_THREADS", limits::THREADS);
    header.constant(
        "Pieces of memory of programs that the monitor can read.",
        "LIMEN_MONITOR_VIEWS",
        limits::MONITOR_VIEWS,
    );
}

/// Capability slots, badges and limits of a protection domain.
fn slots() -> CHeader {
    let mut header = CHeader::new("LIMEN_SLOTS_H", "Capability slots and badges of a protection domain.");
    fixed_slots(&mut header);
    windows(&mut header);
    badges(&mut header);
    header.title("Identifiers and names");
    header.constant(
        "Highest id of a channel, interrupt or child.",
        "MICROKIT_MAX_CHANNEL_ID",
        limits::MAX_CHANNEL_ID,
    );
    header.constant(
        "Channels and interrupts of one protection domain.",
        "MICROKIT_MAX_CHANNELS",
        limits::MAX_CHANNEL_ID + 1,
    );
    header.constant("Highest id of an I/O port range.", "MICROKIT_MAX_IOPORT_ID", limits::MAX_CHANNEL_ID);
    header.constant(
        "Bytes of a name; a name this long has no terminator.",
        "MICROKIT_PD_NAME_LENGTH",
        limits::NAME_BYTES,
    );
    header
}

fn fixed_slots(header: &mut CHeader) {
    header.title("Fixed slots");
    header.constant("The object that the protection domain receives on.", "LIMEN_INPUT_CAP", slot::INPUT);
    header.constant("Its own address space.", "LIMEN_VSPACE_CAP", slot::VSPACE);
    header.constant("Its reply object.", "LIMEN_REPLY_CAP", slot::REPLY);
    header.constant(
        "The monitor's endpoint; passive protection domains only.",
        "MONITOR_EP",
        slot::MONITOR_ENDPOINT,
    );
    header.constant("Its own thread; benchmark configuration only.", "TCB_CAP", slot::TCB);
    header.constant("Secure monitor calls, if granted.", "ARM_SMC_CAP", slot::ARM_SMC);
    header.constant(
        "Counters of floating-point switches, if granted.",
        "LIMEN_FPU_COUNTERS_CAP",
        slot::FPU_COUNTERS,
    );
    header.constant(
        "Control of the floating-point policy, if granted.",
        "LIMEN_FPU_POLICY_CAP",
        slot::FPU_POLICY,
    );
    header.constant("The right to sample its own crossings, if granted.", "LIMEN_PROBE_CAP", slot::PROBE);
}

fn windows(header: &mut CHeader) {
    header.title("Windows");
    header.constant(
        "Notifications of peers, by channel id.",
        "BASE_OUTPUT_NOTIFICATION_CAP",
        slot::BASE_OUTPUT_NOTIFICATION,
    );
    header.constant("Endpoints of callees, by channel id.", "BASE_ENDPOINT_CAP", slot::BASE_ENDPOINT);
    header.constant("Interrupt lines, by id.", "BASE_IRQ_CAP", slot::BASE_IRQ);
    header.constant("Threads of children, by child id.", "BASE_TCB_CAP", slot::BASE_TCB);
    header.constant("Threads of virtual CPUs.", "BASE_VM_TCB_CAP", slot::BASE_VM_TCB);
    header.constant("Virtual CPUs.", "BASE_VCPU_CAP", slot::BASE_VCPU);
    header.constant("I/O port ranges.", "BASE_IOPORT_CAP", slot::BASE_IOPORT);
    header.constant("Services of the kernel, by id.", "LIMEN_BASE_SERVICE_CAP", slot::BASE_SERVICE);
    header.constant("Static keys, by id.", "LIMEN_BASE_KEY_CAP", slot::BASE_KEY);
    header.constant(
        "The first slot after the windows that the reference has, too.",
        "BASE_USER_CAPS",
        slot::BASE_IOPORT + slot::WINDOW,
    );
    header.constant(
        "Bits of a capability pointer that select a root slot.",
        "PD_ROOT_CAP_BITS",
        slot::ROOT_BITS,
    );
    header.constant("Slots of the root table.", "PD_ROOT_CAP_SIZE", 1 << slot::ROOT_BITS);
    header.constant(
        "Monitor: threads, by index of the protection domain.",
        "LIMEN_MONITOR_BASE_TCB",
        MonitorSlot::BASE_TCB,
    );
    header.constant(
        "Monitor: scheduling contexts, by index.",
        "LIMEN_MONITOR_BASE_SCHED_CONTEXT",
        MonitorSlot::BASE_SCHED_CONTEXT,
    );
    header.constant(
        "Monitor: notifications, by index.",
        "LIMEN_MONITOR_BASE_NOTIFICATION",
        MonitorSlot::BASE_NOTIFICATION,
    );
}

fn badges(header: &mut CHeader) {
    header.title("Badges");
    header.constant(
        "Set in the badge of a protected call.",
        "LIMEN_BADGE_PROTECTED_CALL",
        hex(Badge::PROTECTED_CALL),
    );
    header.constant(
        "Set in the badge of a child's fault.",
        "LIMEN_BADGE_CHILD_FAULT",
        hex(Badge::CHILD_FAULT),
    );
    header.constant(
        "Channel id in the badge of a protected call.",
        "LIMEN_BADGE_CHANNEL_MASK",
        hex(Badge::CHANNEL_MASK),
    );
    header.constant(
        "Child id in the badge of a child's fault.",
        "LIMEN_BADGE_CHILD_MASK",
        hex(Badge::CHILD_MASK),
    );
    header.constant(
        "Set in the badge by which the monitor learns of printed faults, beside the bits of the programs.",
        "LIMEN_BADGE_PRINTED_FAULT",
        hex(Badge::PRINTED_FAULT),
    );
}

/// Numbers of an architecture: registers of a system call, register lists, the top of user memory.
fn architecture(guard: &'static str, map: &RegisterMap, user_top: u64) -> CHeader {
    let mut header = CHeader::new(guard, &format!("Registers and addresses on {}.", map.name));
    system_call_registers(&mut header, map);
    header.for_each(
        "The registers of a thread, in the order of seL4_UserContext.",
        "LIMEN_FOR_EACH_REGISTER",
        map.context,
    );
    let position = |names: &[&str]| map.context.iter().position(|name| names.contains(name)).unwrap_or(0);
    let (stack_pointer, frame_pointer) = (position(&["sp", "rsp"]), position(&["x29", "s0", "rbp"]));
    header.constant("Position of the stack pointer in that order.", "LIMEN_STACK_POINTER", stack_pointer);
    let program_counter = position(&["pc", "rip"]);
    header.constant(
        "Position of the program counter in that order.",
        "LIMEN_PROGRAM_COUNTER",
        program_counter,
    );
    header.constant("Position of the frame pointer in that order.", "LIMEN_FRAME_POINTER", frame_pointer);
    let width = if map.name == register::RISCV64.name { Width::Int } else { Width::Word };
    register_words(&mut header, "UnknownSyscall", width, map.unknown_syscall);
    register_words(&mut header, "UserException", width, map.user_exception);
    let words = [
        ("IP", VmFaultWord::IP),
        ("Addr", VmFaultWord::ADDRESS),
        ("PrefetchFault", VmFaultWord::PREFETCH),
        ("FSR", VmFaultWord::STATUS),
        ("Length", VmFaultWord::LENGTH),
    ];
    message_words(&mut header, "VMFault", width, &words);
    let words =
        [("Data", TimeoutWord::DATA), ("Consumed", TimeoutWord::CONSUMED), ("Length", TimeoutWord::LENGTH)];
    message_words(&mut header, "Timeout", width, &words);
    fault_fields(&mut header, map);
    header.title("Addresses");
    header.constant("Highest address of a program, inclusive.", "seL4_UserVSpaceTop", hex(user_top));
    let buffer = user_top + 1 - limits::PAGE_BYTES;
    header.constant("Every thread's IPC buffer: the highest page.", "LIMEN_IPC_BUFFER_ADDRESS", hex(buffer));
    header.constant(
        "Every thread's first stack pointer: a guard page below the IPC buffer.",
        "LIMEN_STACK_TOP",
        hex(buffer - limits::PAGE_BYTES),
    );
    header
}

fn system_call_registers(header: &mut CHeader, map: &RegisterMap) {
    header.title("Registers of a system call");
    header.constant("The instruction that enters the kernel.", "LIMEN_TRAP", quoted(map.trap));
    let clobbers: String = map.clobbers.iter().map(|name| format!(", {}", quoted(name))).collect();
    header.constant(
        "Clobbers: memory that threads share, and registers.",
        "LIMEN_TRAP_CLOBBERS",
        format!("\"memory\"{clobbers}"),
    );
    header.constant("System-call number.", "LIMEN_REGISTER_NUMBER", quoted(map.syscall));
    header.constant("Capability pointer in, badge out.", "LIMEN_REGISTER_CPTR", quoted(map.cptr));
    header.constant("Message info, in and out.", "LIMEN_REGISTER_INFO", quoted(map.info));
    for (index, word) in map.words.into_iter().enumerate() {
        header.constant(
            &format!("Message word {index}, in and out."),
            &format!("LIMEN_REGISTER_MR{index}"),
            quoted(word),
        );
    }
    header.constant("Reply object.", "LIMEN_REGISTER_REPLY", quoted(map.reply));
    header.constant("Destination of the send in NBSendRecv.", "LIMEN_REGISTER_DEST", quoted(map.send));
}

fn register_words(header: &mut CHeader, fault: &str, width: Width, names: &[&str]) {
    let length = ("Length", names.len());
    let words: Vec<_> =
        names.iter().enumerate().map(|(place, name)| (*name, place)).chain([length]).collect();
    message_words(header, fault, width, &words);
}

fn hex(value: u64) -> String {
    format!("{value:#x}ul")
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bindings of `sel4/sel4.h` leave out every name that ends in `_t`, except those of bit fields.
    #[test]
    fn members_of_structures_are_not_of_our_types_that_end_in_t() {
        let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../user/libmicrokit/include/sel4");
        for header in std::fs::read_dir(headers).unwrap().map(|entry| entry.unwrap().path()) {
            let Ok(text) = std::fs::read_to_string(&header) else { continue };
            let outside_functions =
                text.split("typedef struct").skip(1).filter_map(|rest| rest.split_once('}'));
            for (members, _) in outside_functions {
                let odd = members
                    .split_whitespace()
                    .find(|word| word.starts_with("limen_") && word.ends_with("_t"));
                assert_eq!(odd, None, "{}", header.display());
            }
        }
    }

    #[test]
    fn every_number_of_a_table_reaches_its_header() {
        let text = abi().to_text();
        for (call, name, _) in Syscall::ALL {
            assert!(text.contains(&format!("{name} = {},", call.as_raw())), "{name}");
        }
        for (label, name, _) in Label::ALL {
            assert!(text.contains(&format!("{name} = {},", label.as_raw())), "{name}");
        }
    }
}
