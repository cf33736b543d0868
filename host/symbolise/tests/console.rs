//! Consoles and the sentences about them, without program files: what an address is, and what the program did.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails if its setup fails")]

use limen_symbolise::{Places, Symboliser};
use proptest::prelude::*;

const REPORT: &str = r#"{
  "schema": 1, "board": "b", "architecture": "aarch64", "config": "debug",
  "protection_domains": [
    {"name": "parser", "parent": "manager", "program": "none/parser.elf", "budget_us": 100, "period_us": 1000,
     "fpu": false, "stack_start": "0xffffffc000", "stack_end": "0xffffffe000"},
    {"name": "manager", "parent": null, "program": "none/manager.elf", "budget_us": 1000, "period_us": 1000,
     "fpu": true, "stack_start": "0xffffffc000", "stack_end": "0xffffffe000"}
  ],
  "physical_memory": [
    {"start": "0x9000000", "end": "0x9001000", "kind": "device", "purpose": "memory region uart"},
    {"start": "0xa000000", "end": "0xa001000", "kind": "device", "purpose": "memory region disk"},
    {"start": "0x70000000", "end": "0x70001000", "kind": "zero", "purpose": "memory region ring"}
  ],
  "address_spaces": [
    {"owner": "parser", "ranges": [
      {"start": "0x200000", "end": "0x202000", "paddr": "0x7100000", "perms": "rx", "purpose": "program of parser"},
      {"start": "0x202000", "end": "0x203000", "paddr": "0x7102000", "perms": "rw", "purpose": "program of parser"},
      {"start": "0x4000000", "end": "0x4001000", "paddr": "0x70000000", "perms": "rw", "purpose": "memory region ring"},
      {"start": "0x5000000", "end": "0x5001000", "paddr": "0x70001000", "perms": "r", "purpose": "memory region table"},
      {"start": "0x6000000", "end": "0x6001000", "paddr": "0x9000000", "perms": "rw", "purpose": "memory region uart"},
      {"start": "0xffffffc000", "end": "0xffffffe000", "paddr": "0x1", "perms": "rw", "purpose": "stack of parser"},
      {"start": "0xfffffff000", "end": "0x10000000000", "paddr": null, "perms": "rw", "purpose": "IPC buffer"}
    ]}
  ]
}"#;

fn symboliser() -> Symboliser {
    Symboliser::new(REPORT, Places::default()).unwrap()
}

/// The sentence about a fault of the parser, without its place and the hint for a missing file.
fn sentence(registers: &str, rest: &str) -> String {
    let line = format!("LIMEN|FAULT program=0 pc=0x200000 {registers} lr=0x0 to=parent {rest} end\r");
    let mut symboliser = symboliser();
    assert_eq!(symboliser.take(&line), [""; 0]);
    let sentences = symboliser.finish();
    let [sentence] = &sentences[..] else { panic!("{sentences:?}") };
    let sentence = sentence.strip_prefix("0x200000: program 'parser' ").unwrap();
    let hint = "; its parent 'manager' gets the fault (no readable none/parser.elf; name its folder with --search-path)";
    sentence.strip_suffix(hint).unwrap().to_owned()
}

fn access(address: &str, fetch: u8, status: &str) -> String {
    sentence("sp=0xffffffdf00", &format!("vm address={address} fetch={fetch} status={status}"))
}

fn read(address: &str) -> String {
    access(address, 0, "0x92000006")
}

fn write(address: &str) -> String {
    access(address, 0, "0x92000046")
}

fn jump(address: &str) -> String {
    access(address, 1, "0x82000006")
}

#[test]
fn an_address_is_described_by_what_it_is_to_the_program() {
    let table = [
        (read("0x0"), "read from 0x0, a null pointer"),
        (write("0x8"), "wrote to 0x8, 8 bytes from a null pointer"),
        (jump("0x0"), "jumped to 0x0, a null pointer"),
        (
            write("0x4001000"),
            "wrote to 0x4001000, one byte beyond the end of region 'ring' (mapped read-write at 0x4000000..0x4001000)",
        ),
        (
            read("0x3fffff8"),
            "read from 0x3fffff8, 8 bytes before the start of region 'ring' (mapped read-write at 0x4000000..0x4001000)",
        ),
        (
            write("0x5000010"),
            "wrote to 0x5000010, in region 'table' (mapped read-only at 0x5000000..0x5001000), which is not writable",
        ),
        (
            jump("0x4000100"),
            "jumped to 0x4000100, in region 'ring' (mapped read-write at 0x4000000..0x4001000), which is not executable",
        ),
        (
            write("0x200010"),
            "wrote to 0x200010, in its code and constants (mapped read-execute at 0x200000..0x202000), which is not writable",
        ),
        (
            jump("0xffffffdf00"),
            "jumped to 0xffffffdf00, in its stack (mapped read-write at 0xffffffc000..0xffffffe000), which is not \
             executable",
        ),
        (
            read("0x6000ffc"),
            "read from 0x6000ffc, in device region 'uart' (mapped read-write at 0x6000000..0x6001000), where the machine \
             has no device that answers",
        ),
        (
            read("0x9000018"),
            "read from 0x9000018, which is mapped nowhere; it is a physical address of region 'uart', but this program \
             sees the region at 0x6000000..0x6001000",
        ),
        (
            read("0xa000000"),
            "read from 0xa000000, which is mapped nowhere; it is a physical address of region 'disk', but this program \
             does not map the region",
        ),
        (read("0x12345678"), "read from 0x12345678, where nothing is mapped"),
        (read("0xffffffff80000000"), "read from 0xffffffff80000000, an address of the kernel"),
        (read("0x123000000200000"), "read from 0x123000000200000, which is above every address of programs"),
        (
            access("0x4000001", 0, "0x92000021"),
            "accessed 0x4000001, which is not aligned for this instruction",
        ),
    ];
    for (said, expected) in table {
        assert_eq!(said, expected);
    }
}

#[test]
fn a_stack_that_overflowed_is_told_from_other_addresses() {
    let near = "read from 0xffffffbff8, 8 bytes below the stack, in its guard page: its stack of 8192 bytes overflowed; \
                set a larger stack_size";
    assert_eq!(read("0xffffffbff8"), near);
    let far = sentence("sp=0xffffff5f40", "vm address=0xffffff5f50 fetch=0 status=0x92000046");
    let expected = "wrote to 0xffffff5f50, 24752 bytes below the stack: its stack of 8192 bytes overflowed; set a larger \
                    stack_size (sp is 24768 bytes below it)";
    assert_eq!(far, expected);
}

#[test]
fn other_causes_have_words_too() {
    let say = |rest| sentence("sp=0xffffffdf00", rest);
    assert_eq!(
        say("exception number=0x2000000 code=0x0"),
        "executed an instruction that is undefined or forbidden"
    );
    assert_eq!(
        say("exception number=0x1fe00000 code=0x0"),
        "used floating point or vectors, which its description forbids (fpu=\"false\")"
    );
    assert_eq!(
        say("exception number=0xf2000007 code=0x0"),
        "reached a breakpoint or trap instruction, number 0x7"
    );
    assert_eq!(
        say("exception number=0x8a000000 code=0x0"),
        "jumped to 0x200000, where no instruction can be"
    );
    assert_eq!(
        say("cap cptr=0x4f receive=0 outside=0"),
        "called channel 5, which it may not call (slot 79 is empty)"
    );
    assert_eq!(
        say("cap cptr=0x1000 receive=0 outside=1"),
        "used capability 0x1000, which is outside of its table of 512 slots"
    );
    assert_eq!(
        say("cap cptr=0x1f4 receive=1 outside=0"),
        "waited for messages on slot 500, which has no endpoint or notification to receive from"
    );
    assert_eq!(say("syscall number=-1000"), "made a system call that does not exist, number -1000");
    assert_eq!(
        say("timeout data=0x1 consumed_us=100"),
        "used up its budget of 100 µs in a period of 1000 µs (100 µs since the last count)"
    );
}

#[test]
fn a_fault_for_the_monitor_waits_for_the_stack_and_for_the_end() {
    let mut symboliser = symboliser();
    let fault = "LIMEN|FAULT program=1 pc=0x1 sp=0x2 lr=0x0 to=monitor syscall number=7 end";
    assert!(symboliser.take(fault).is_empty());
    assert!(symboliser.take("LIMEN|STACK program=0 end").is_empty(), "of another program");
    assert_eq!(symboliser.take("LIMEN|STACK program=1 end").len(), 1);
    assert!(symboliser.finish().is_empty());
    assert!(symboliser.take(fault).is_empty());
    assert_eq!(symboliser.take(fault).len(), 1, "the end of the first one is lost");
    assert_eq!(symboliser.finish().len(), 1);
}

#[test]
fn programs_that_the_report_lacks_are_named_by_number() {
    let say = |program| {
        let line = format!("LIMEN|FAULT program={program} pc=0x1 sp=0x2 to=nobody syscall number=7 end");
        symboliser().take(&line)
    };
    assert_eq!(say(2), ["0x1: the monitor faulted; nobody gets the fault"]);
    assert_eq!(say(9), ["0x1: program 9 faulted, which the report does not have; nobody gets the fault"]);
}

#[test]
fn a_report_of_another_kind_is_refused_with_a_reason() {
    let refused = |report: &str| Symboliser::new(report, Places::default()).unwrap_err();
    assert!(refused("{}").starts_with("the report cannot be used: missing field `architecture`"));
    assert!(refused("text").contains("line 1 column"));
    let other = REPORT.replace("aarch64", "pdp11");
    assert_eq!(refused(&other), "the report is for the unknown instruction set 'pdp11'");
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        0_u64..0x2000,
        (0x3ff_f000_u64..0x400_2000),
        (0xff_ffff_0000_u64..0x100_0001_0000),
        Just(u64::MAX),
    ]
}

fn line() -> impl Strategy<Value = String> {
    let kinds = prop_oneof![
        (number(), 0..2_u8, number()).prop_map(|(address, fetch, status)| format!(
            "vm address={address:#x} fetch={fetch} status={status:#x}"
        )),
        (number(), number())
            .prop_map(|(number, code)| format!("exception number={number:#x} code={code:#x}")),
        (number(), 0..2_u8).prop_map(|(cptr, phase)| format!("cap cptr={cptr:#x} receive={phase} outside=0")),
        any::<i64>().prop_map(|number| format!("syscall number={number}")),
        number().prop_map(|used| format!("timeout data=0x1 consumed_us={used}")),
    ];
    let to = prop_oneof![Just("monitor"), Just("parent"), Just("nobody")];
    let fault =
        (0..4_u8, number(), number(), number(), to, kinds).prop_map(|(program, pc, sp, lr, to, kind)| {
            format!("LIMEN|FAULT program={program} pc={pc:#x} sp={sp:#x} lr={lr:#x} to={to} {kind} end")
        });
    let stack =
        (0..4_u8, proptest::collection::vec((number(), number()), 0..6)).prop_map(|(program, words)| {
            let words = words.iter().map(|(at, word)| format!(" {at:#x}:{word:#x}"));
            format!("LIMEN|STACK program={program} fp=0x1{}", words.collect::<String>())
        });
    prop_oneof![fault, stack, Just("LIMEN|STACK program=1 end".to_owned()), ".*", "The kernel stopped: .*"]
}

/// A line with bytes lost, doubled and exchanged.
fn damaged() -> impl Strategy<Value = String> {
    (line(), proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4)).prop_map(
        |(line, hits)| {
            let mut bytes = line.into_bytes();
            for (at, byte) in hits {
                if bytes.is_empty() {
                    break;
                }
                let at = at.index(bytes.len());
                match byte % 3 {
                    0 => _ = bytes.remove(at),
                    1 => bytes[at] = byte,
                    _ => bytes.truncate(at),
                }
            }
            String::from_utf8_lossy(&bytes).into_owned()
        },
    )
}

proptest! {
    #[test]
    fn no_console_makes_it_panic(lines in proptest::collection::vec(damaged(), 0..40)) {
        let mut symboliser = symboliser();
        for line in &lines {
            for sentence in symboliser.take(line) {
                prop_assert!(!sentence.contains('\n'));
            }
        }
        symboliser.finish();
    }

    #[test]
    fn every_whole_line_about_a_fault_gives_a_sentence(lines in proptest::collection::vec(line(), 0..40)) {
        let mut symboliser = symboliser();
        let mut said: usize = lines.iter().map(|line| symboliser.take(line).len()).sum();
        said += symboliser.finish().len();
        let faults = lines.iter().filter(|line| line.starts_with("LIMEN|FAULT")).count();
        let stops = lines.iter().filter(|line| line.contains("The kernel stopped: ")).count();
        prop_assert!(said <= faults && said + stops * 4 >= faults);
    }
}
