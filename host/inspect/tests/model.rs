//! A machine of two programs and the monitor. The kernel file is this test itself: it has a static with the names of the
//! kernel's, whose layout the compiler chose, and the dump has the same contents.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails if its setup fails")]

use std::fs;
use std::io::Cursor;
use std::mem::offset_of;
use std::num::NonZeroU16;
use std::sync::LazyLock;

use limen_abi::Syscall;
use limen_abi::register::x86_64_context;
use limen_inspect::dump::Dump;
use limen_inspect::layout::Layout;
use limen_inspect::{Inspector, Progress, View, needed_memory};
use limen_symbolise::Places;
use object::elf::PT_LOAD;
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{LittleEndian, Object, ObjectSymbol};
use proptest::prelude::*;

#[expect(dead_code, reason = "the types are read through debugging information")]
mod kernel {
    use super::NonZeroU16;

    pub(crate) type Id = Option<NonZeroU16>;
    const N: usize = 4;

    pub(crate) struct KernelCell(pub(crate) Cell);
    pub(crate) struct Cell {
        pub(crate) value: Kernel,
    }
    pub(crate) struct Kernel {
        pub(crate) processor: Processor,
        pub(crate) machine: Hardware,
        pub(crate) endpoints: Arena<Endpoint>,
        pub(crate) notifications: Arena<Notification>,
        pub(crate) replies: Arena<Reply>,
        pub(crate) links: Arena<Links>,
        pub(crate) threads: Arena<Thread>,
        pub(crate) sched_contexts: Arena<SchedContext>,
        pub(crate) sporadic_servers: Arena<SporadicServer>,
        pub(crate) slices: Arena<Slice>,
        pub(crate) irqs: Arena<Irq>,
        pub(crate) keys: Arena<Key>,
        pub(crate) key_count: usize,
        pub(crate) schedule: Schedule,
        pub(crate) works: Arena<Option<u64>>,
        pub(crate) printed_faults: Arena<u8>,
        pub(crate) homes: Arena<u8>,
    }
    pub(crate) struct Arena<T> {
        pub(crate) items: [T; N],
    }
    pub(crate) struct Processor {
        pub(crate) current: Id,
        pub(crate) domain: u8,
        pub(crate) since: u64,
        pub(crate) open_call: Option<OpenCall>,
        pub(crate) number: u8,
    }
    #[derive(Clone, Copy)]
    pub(crate) struct OpenCall {
        pub(crate) caller: NonZeroU16,
        pub(crate) endpoint: NonZeroU16,
    }
    pub(crate) struct Hardware {
        pub(crate) frequency: u64,
    }
    pub(crate) struct Queue {
        pub(crate) head: Id,
        pub(crate) tail: Id,
    }
    pub(crate) struct Links {
        pub(crate) next: Id,
        pub(crate) previous: Id,
    }
    pub(crate) enum Endpoint {
        Idle,
        LoneReceiver { thread: NonZeroU16, reply: NonZeroU16 },
        SenderQueue(Queue),
        ReceiverQueue(Queue),
    }
    pub(crate) struct Notification {
        pub(crate) state: Signals,
        pub(crate) thread: Id,
    }
    pub(crate) enum Signals {
        Idle,
        Active(u64),
        LoneWaiter(NonZeroU16),
        WaiterQueue(Queue),
    }
    pub(crate) enum Reply {
        Free,
        Owed { caller: NonZeroU16 },
    }
    pub(crate) struct Thread {
        pub(crate) caps: &'static CapTable,
        pub(crate) context: Context,
        pub(crate) state: State,
        pub(crate) priority: u8,
        pub(crate) domain: u8,
        pub(crate) sched_context: Id,
        pub(crate) fault: Option<Fault>,
        pub(crate) serves: Option<OpenCall>,
    }
    pub(crate) struct Context(pub(crate) [u64; 26]);
    pub(crate) enum State {
        Inactive,
        Runnable,
        Postponed,
        Receiving { endpoint: NonZeroU16 },
        Waiting { notification: NonZeroU16 },
        Sending { endpoint: NonZeroU16, then: AfterSend },
        Away,
        Calling { reply: NonZeroU16 },
    }
    pub(crate) enum AfterSend {
        Continue,
        AwaitReply,
    }
    pub(crate) enum Fault {
        Vm { address: u64, access: Access, status: u64 },
        UserException { number: u64, code: u64 },
    }
    pub(crate) enum Access {
        Data,
        Instruction,
    }
    pub(crate) struct SchedContext {
        pub(crate) remaining: u64,
        pub(crate) thread: Id,
        pub(crate) notification: Id,
    }
    pub(crate) struct SporadicServer {
        pub(crate) period: u64,
        pub(crate) ring: [Refill; 2],
        pub(crate) first: usize,
    }
    pub(crate) struct Slice {
        pub(crate) budget: u64,
    }
    pub(crate) struct Refill {
        pub(crate) time: u64,
        pub(crate) amount: u64,
    }
    pub(crate) struct Irq {
        pub(crate) state: IrqState,
        pub(crate) line: u32,
        pub(crate) notification: NonZeroU16,
    }
    pub(crate) enum IrqState {
        Armed,
        Delivered,
    }
    pub(crate) struct Key {
        pub(crate) holds: [u8; N],
        pub(crate) count: u16,
        pub(crate) default: DefaultHold,
        pub(crate) group: Id,
        pub(crate) state: bool,
        pub(crate) patcher: Id,
    }
    pub(crate) enum DefaultHold {
        Off,
        Held,
        TakenBy(NonZeroU16),
    }
    pub(crate) struct Schedule {
        pub(crate) slots: [Slot; 1],
    }
    pub(crate) struct Slot {
        pub(crate) duration: u64,
    }
    pub(crate) struct CapTable {
        pub(crate) slots: [Cap; 8],
    }
    pub(crate) enum Cap {
        Null,
        Endpoint { id: NonZeroU16 },
        Notification { id: NonZeroU16 },
        Key(NonZeroU16),
        Interrupt(NonZeroU16),
    }
}

use kernel::*;

const fn id(number: u16) -> NonZeroU16 {
    match NonZeroU16::new(number) {
        Some(id) => id,
        None => NonZeroU16::MIN,
    }
}

const fn thread(state: State, priority: u8, index: u16, fault: Option<Fault>) -> Thread {
    let context = Context([0; 26]);
    Thread {
        caps: &CAPS,
        context,
        state,
        priority,
        domain: 0,
        sched_context: Some(id(index)),
        fault,
        serves: None,
    }
}

const fn key(state: bool, count: u16, first: u8, default: DefaultHold, group: Id) -> Key {
    Key { holds: [first, 0, 0, 0], count, default, group, state, patcher: None }
}

const OFF: Key = key(false, 0, 0, DefaultHold::Off, None);
const FREE: SchedContext = SchedContext { remaining: 0, thread: None, notification: None };

#[used]
static CAPS: CapTable = CapTable {
    slots: [
        Cap::Null,
        Cap::Endpoint { id: id(1) },
        Cap::Notification { id: id(4) },
        Cap::Key(id(4)),
        Cap::Key(id(1)),
        Cap::Interrupt(id(1)),
        Cap::Null,
        Cap::Null,
    ],
};

/// Ids are positions; the first position has the id 4.
#[used]
static KERNEL: KernelCell = KernelCell(Cell {
    value: Kernel {
        processor: Processor { current: None, domain: 0, since: 100, open_call: None, number: 0 },
        machine: Hardware { frequency: 2_000_000 },
        endpoints: Arena {
            items: [
                Endpoint::Idle,
                Endpoint::SenderQueue(Queue { head: Some(id(4)), tail: Some(id(4)) }),
                Endpoint::Idle,
                Endpoint::Idle,
            ],
        },
        notifications: Arena {
            items: [
                Notification { state: Signals::Active(2), thread: Some(id(4)) },
                Notification { state: Signals::LoneWaiter(id(1)), thread: Some(id(1)) },
                Notification { state: Signals::Idle, thread: None },
                Notification { state: Signals::Idle, thread: None },
            ],
        },
        replies: Arena { items: [Reply::Free, Reply::Free, Reply::Free, Reply::Free] },
        links: Arena { items: [const { Links { next: None, previous: None } }; 4] },
        threads: Arena {
            items: [
                thread(State::Sending { endpoint: id(1), then: AfterSend::AwaitReply }, 10, 4, None),
                thread(State::Waiting { notification: id(1) }, 20, 1, None),
                thread(
                    State::Inactive,
                    255,
                    2,
                    Some(Fault::Vm { address: 4, access: Access::Data, status: 4 }),
                ),
                thread(State::Inactive, 0, 3, None),
            ],
        },
        sched_contexts: Arena {
            items: [
                SchedContext { remaining: 10, thread: Some(id(4)), notification: None },
                SchedContext { remaining: 0, thread: Some(id(1)), notification: None },
                FREE,
                FREE,
            ],
        },
        sporadic_servers: Arena {
            items: [
                const {
                    SporadicServer { period: 0, ring: [const { Refill { time: 0, amount: 0 } }; 2], first: 0 }
                },
                const {
                    SporadicServer {
                        period: 2000,
                        ring: [const { Refill { time: 90, amount: 50 } }; 2],
                        first: 1,
                    }
                },
                const {
                    SporadicServer { period: 0, ring: [const { Refill { time: 0, amount: 0 } }; 2], first: 0 }
                },
                const {
                    SporadicServer { period: 0, ring: [const { Refill { time: 0, amount: 0 } }; 2], first: 0 }
                },
            ],
        },
        slices: Arena {
            items: [Slice { budget: 2000 }, Slice { budget: 400 }, Slice { budget: 0 }, Slice { budget: 0 }],
        },
        irqs: Arena { items: [const { Irq { state: IrqState::Armed, line: 0, notification: id(1) } }; 4] },
        keys: Arena {
            items: [
                key(true, 2, 2, DefaultHold::Off, None),
                key(true, 0, 0, DefaultHold::TakenBy(id(1)), Some(id(4))),
                OFF,
                OFF,
            ],
        },
        key_count: 2,
        schedule: Schedule { slots: [Slot { duration: 0 }] },
        works: Arena { items: [None; 4] },
        printed_faults: Arena { items: [0; 4] },
        homes: Arena { items: [0; 4] },
    },
});

/// Parts of other states, whose bytes the compiler chose as well.
struct Samples {
    states: [State; 10],
    fault: Option<Fault>,
    work: Option<u64>,
    delivered: IrqState,
    held: DefaultHold,
}

#[used]
static SAMPLES: Samples = Samples {
    states: [
        State::Runnable,
        State::Postponed,
        State::Receiving { endpoint: id(1) },
        State::Receiving { endpoint: id(2) },
        State::Waiting { notification: id(1) },
        State::Sending { endpoint: id(1), then: AfterSend::Continue },
        State::Away,
        State::Calling { reply: id(1) },
        State::Calling { reply: id(4) },
        State::Inactive,
    ],
    fault: Some(Fault::UserException { number: 6, code: 0 }),
    work: Some(1),
    delivered: IrqState::Delivered,
    held: DefaultHold::Held,
};

const REPORT: &str = r#"{
  "board": "b", "architecture": "x86_64", "config": "debug",
  "protection_domains": [
    {"name": "client", "parent": null, "program": "none/client.elf", "budget_us": 1000, "period_us": 1000,
     "fpu": false, "stack_start": "0xc000", "stack_end": "0xe000"},
    {"name": "driver", "parent": null, "program": "none/driver.elf", "budget_us": 200, "period_us": 1000,
     "fpu": false, "stack_start": "0xc000", "stack_end": "0xe000"}
  ],
  "physical_memory": [{"start": "0x1000", "end": "0x2000", "kind": "image", "purpose": "x"},
    {"start": "0x2000", "end": "0x8000000000", "kind": "pool", "purpose": "page tables"}],
  "address_spaces": [],
  "capability_tables": [
    {"owner": "client", "slots": [
      {"slot": 1, "kind": "endpoint", "object": "driver", "rights": ["send"], "badge": "0x1"},
      {"slot": 2, "kind": "notification", "object": "client", "rights": ["send"], "badge": "0x2"},
      {"slot": 3, "kind": "static key", "object": "trace", "rights": [], "badge": "0x0"},
      {"slot": 4, "kind": "static key", "object": "trace_more", "rights": [], "badge": "0x0"}]},
    {"owner": "driver", "slots": [
      {"slot": 5, "kind": "interrupt", "object": "line 33", "rights": [], "badge": "0x0"},
      {"slot": 512, "kind": "thread", "object": "client", "rights": [], "badge": "0x0"}]}
  ],
  "kernel": {"segments": []}
}"#;

/// This file, as the kernel and as the memory of the machine.
struct Files {
    layout: Layout,
    memory: Vec<u8>,
    /// Place of the kernel's state in the memory file.
    state: usize,
    /// Place of the samples in it.
    samples: usize,
}

static FILES: LazyLock<Files> = LazyLock::new(|| {
    let mut memory = fs::read(std::env::current_exe().unwrap()).unwrap();
    // The type of a core file.
    memory[16] = 4;
    let layout = Layout::parse(&memory).unwrap();
    let (address, bytes) = layout.place();
    assert_eq!(bytes as usize, size_of::<KernelCell>());
    let file = ElfFile64::<LittleEndian>::parse(&memory[..]).unwrap();
    let parts = file.elf_program_headers().iter().filter(|part| part.p_type(LittleEndian) == PT_LOAD);
    let place_of = |address: u64| {
        let holder = parts.clone().find(|part| {
            let start = part.p_vaddr(LittleEndian);
            (start..start + part.p_filesz(LittleEndian)).contains(&address)
        });
        let holder = holder.unwrap();
        (holder.p_offset(LittleEndian) + address - holder.p_vaddr(LittleEndian)) as usize
    };
    let end =
        parts.clone().map(|part| part.p_offset(LittleEndian) + part.p_filesz(LittleEndian)).max().unwrap();
    let address_of = |name: &str| {
        let is_meant = |symbol: &object::read::elf::ElfSymbol64<'_, '_, LittleEndian>| {
            symbol.name().is_ok_and(|own| own.contains(name))
        };
        file.symbols().find(is_meant).unwrap().address()
    };
    let (state, samples) = (place_of(address), place_of(address_of("7SAMPLES")));
    let caps = address_of("4CAPS").to_le_bytes();
    // The loader would enter the addresses of the capability tables.
    for index in 0..4 {
        let place = state
            + offset_of!(Kernel, threads)
            + offset_of!(Arena<Thread>, items)
            + index * size_of::<Thread>()
            + offset_of!(Thread, caps);
        memory[place..place + 8].copy_from_slice(&caps);
    }
    // Without debugging information, which is behind everything that is loaded.
    memory.truncate(end as usize);
    Files { layout, memory, state, samples }
});

fn inspector(memory: Vec<u8>, report: &str) -> Result<Inspector, String> {
    Inspector::with_kernel(&FILES.layout, report, Places::default(), Dump::new(Cursor::new(memory))?)
}

/// The memory with other bytes of the kernel's state.
fn changed(offset: usize, bytes: &[u8]) -> Vec<u8> {
    all_changed(&[(offset, bytes)])
}

fn all_changed(changes: &[(usize, &[u8])]) -> Vec<u8> {
    let mut memory = FILES.memory.clone();
    for (offset, bytes) in changes {
        let place = FILES.state + offset;
        memory[place..place + bytes.len()].copy_from_slice(bytes);
    }
    memory
}

/// Bytes of [`SAMPLES`].
fn sample(offset: usize, count: usize) -> &'static [u8] {
    &FILES.memory[FILES.samples + offset..][..count]
}

/// The bytes of a state.
fn state(index: usize) -> &'static [u8] {
    let bytes = size_of::<State>();
    sample(offset_of!(Samples, states) + index * bytes, bytes)
}

/// The place of a field of the client.
const fn of_client(field: usize) -> usize {
    offset_of!(Kernel, threads) + offset_of!(Arena<Thread>, items) + field
}

#[test]
fn threads_have_states_and_what_they_wait_for() {
    let mut machine = inspector(FILES.memory.clone(), REPORT).unwrap();
    let text = machine.show(View::Threads);
    let heads: Vec<_> = text.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(
        heads,
        [
            "client (priority 10, slice 1000 µs): called 'driver', which has not received the call",
            "driver (priority 20, 25 of 200 µs left, period 1000 µs): waits for nothing that can come",
            "monitor (priority 255, slice 0 µs): faulted; no handler gets the fault",
            "no thread can run: each is stopped or waits for another one, and no interrupt wakes one",
        ]
    );
    assert!(
        text.contains("  at 0x0 (no readable none/client.elf; name its folder with --search-path)"),
        "{text}"
    );
    assert_eq!(machine.progress(), Progress::Impossible);
}

#[test]
fn every_state_has_words() {
    const STATE: usize = of_client(offset_of!(Thread, state));
    const CURRENT: usize = offset_of!(Kernel, processor) + offset_of!(Processor, current);
    let client = |changes: &[(usize, &[u8])]| {
        let text = inspector(all_changed(changes), REPORT).unwrap().show(View::Threads);
        text.lines().next().unwrap().strip_prefix("client (priority 10").unwrap().to_owned()
    };
    let slice = |words: &str| format!(", slice 1000 µs): {words}");
    for (index, words) in [
        (0, "ready"),
        (1, "ready, but its budget is used up until the next refill"),
        (2, "waits for a message at the endpoint of 'driver'"),
        (3, "waits for a message"),
        (4, "waits for a notification to 'driver'"),
        (5, "sends to 'driver', which has not received the message"),
        (6, "waits for an answer of another processor"),
        (7, "called 'driver' and waits for the reply"),
    ] {
        assert_eq!(client(&[(STATE, state(index))]), slice(words));
    }
    let fault = sample(offset_of!(Samples, fault), size_of::<Option<Fault>>());
    let faulted = (of_client(offset_of!(Thread, fault)), fault);
    let with_fault = |index| client(&[(STATE, state(index)), faulted]);
    assert_eq!(with_fault(5), slice("faulted; 'driver' has not received the fault"));
    assert_eq!(with_fault(7), slice("faulted; 'driver' has received the fault and not replied"));
    let no_budget = (of_client(offset_of!(Thread, sched_context)), &[0; 2][..]);
    assert_eq!(
        client(&[(STATE, state(0)), no_budget]),
        ", no budget of its own now): ready, but without budget: it runs on the time of its callers"
    );
    let own_domain = (of_client(offset_of!(Thread, domain)), &[1][..]);
    let schedule = (offset_of!(Kernel, schedule), &[1][..]);
    assert_eq!(
        client(&[(STATE, state(0)), own_domain, schedule]),
        ", domain 1, slice 1000 µs): ready; its domain does not run"
    );
    let runs = (CURRENT, &[4, 0][..]);
    assert_eq!(client(&[(STATE, state(0)), runs]), slice("running"));
    let work = sample(offset_of!(Samples, work), size_of::<Option<u64>>());
    let works = (offset_of!(Kernel, works), work);
    assert_eq!(
        client(&[(STATE, state(0)), runs, works]),
        slice("running: the kernel executes a service for it")
    );
    let text = inspector(changed(STATE, state(8)), REPORT).unwrap().show(View::Threads);
    assert!(text.contains("\n'client' waits for itself\n"), "{text}");
}

/// The end of the address space is not mapped, so it has no instruction of a system call.
#[test]
fn a_thread_may_be_stopped_at_the_last_address() {
    let register = |index: usize| of_client(offset_of!(Thread, context)) + index * size_of::<u64>();
    let call = Syscall::Call.as_raw().to_le_bytes();
    let text = inspector(
        all_changed(&[
            (of_client(offset_of!(Thread, state)), state(9)),
            (register(x86_64_context::RDX), &call),
            (register(x86_64_context::RDI), &[1]),
            (register(x86_64_context::RIP), &[0xff; 8]),
        ]),
        REPORT,
    );
    let text = text.unwrap().show(View::Threads);
    assert!(text.starts_with("client (priority 10, slice 1000 µs): stopped\n"), "{text}");
}

#[test]
fn threads_of_other_processors_may_make_progress() {
    let place = offset_of!(Kernel, homes) + offset_of!(Arena<u8>, items) + 1;
    let mut machine = inspector(changed(place, &[3]), REPORT).unwrap();
    assert_eq!(machine.progress(), Progress::Possible);
    let text = machine.show(View::Threads);
    let line = "driver: on processor 3; this dump has only the kernel of another one\n";
    assert!(text.contains(line), "{text}");
    assert!(!text.contains("driver.elf"), "it has no place here: {text}");
    let objects = machine.show(View::Objects);
    for object in ["endpoint of 'driver'", "notification of 'driver'", "scheduling context of 'driver'"] {
        let line = format!("{object}: on processor 3; this dump has only the kernel of another one\n");
        assert!(objects.contains(&line), "{objects}");
    }
}

#[test]
fn tables_of_threads_of_other_processors_are_not_compared() {
    let place = offset_of!(Kernel, homes) + offset_of!(Arena<u8>, items) + 1;
    let absent = REPORT.replace("\"slot\": 5", "\"slot\": 6");
    assert!(inspector(changed(place, &[3]), &absent).is_ok());
    assert_eq!(
        inspector(FILES.memory.clone(), &absent).unwrap_err(),
        "the report is of another image than the dump: 'driver' has no interrupt in slot 6"
    );
}

#[test]
fn objects_have_contents_and_owners() {
    let text = inspector(FILES.memory.clone(), REPORT).unwrap().show(View::Objects);
    let expected = [
        "endpoint of 'driver': 'client' waits to send",
        "notification of 'client': pending 0x2 from 'client'; bound to 'client'",
        "notification of 'driver': 'driver' waits for a signal; bound to 'driver'",
        "interrupt line 33 of 'driver': may interrupt",
        "scheduling context of 'client': slice 1000 µs",
        "scheduling context of 'driver': 25 of 200 µs left, period 1000 µs",
        "scheduling context of 'monitor': slice 0 µs; unused",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn keys_have_holders() {
    let text = inspector(FILES.memory.clone(), REPORT).unwrap().show(View::Keys);
    assert_eq!(
        text,
        "trace: on; held by 'client' 2 times\n\
         trace_more: on; default hold released by 'driver'; held by its group; in group 'trace'\n"
    );
}

#[test]
fn keys_have_defaults_and_may_be_in_change() {
    let first = offset_of!(Kernel, keys) + offset_of!(Arena<Key>, items);
    let held = sample(offset_of!(Samples, held), size_of::<DefaultHold>());
    let changes = [(first + offset_of!(Key, default), held), (first + offset_of!(Key, patcher), &[1, 0][..])];
    let text = inspector(all_changed(&changes), REPORT).unwrap().show(View::Keys);
    let line = "trace: on; held by 'client' 2 times; held by default; 'driver' is patching its branches\n";
    assert!(text.starts_with(line), "{text}");
    let none = changed(offset_of!(Kernel, key_count), &[0; 8]);
    assert_eq!(inspector(none, REPORT).unwrap().show(View::Keys), "the system has no static keys\n");
}

#[test]
fn an_interrupt_waits_to_be_acknowledged() {
    let irqs = offset_of!(Kernel, irqs) + offset_of!(Arena<Irq>, items) + size_of::<Irq>();
    let delivered = sample(offset_of!(Samples, delivered), size_of::<IrqState>());
    let machine = inspector(changed(irqs + offset_of!(Irq, state), delivered), REPORT);
    let text = machine.unwrap().show(View::Objects);
    assert!(text.contains("\ninterrupt line 33 of 'driver': delivered, not acknowledged\n"), "{text}");
}

#[test]
fn an_interrupt_that_may_come_is_progress() {
    let line =
        offset_of!(Kernel, irqs) + offset_of!(Arena<Irq>, items) + size_of::<Irq>() + offset_of!(Irq, line);
    let mut machine = inspector(changed(line, &33_u32.to_le_bytes()), REPORT).unwrap();
    assert_eq!(machine.progress(), Progress::Possible);
    let text = machine.show(View::Threads);
    assert!(text.ends_with("no thread runs; one can be woken by line 33 of 'driver'\n"), "{text}");
    assert!(text.contains("period 1000 µs): waits for line 33 of 'driver'\n"), "{text}");
}

#[test]
fn a_queue_that_is_a_loop_ends() {
    let links = offset_of!(Kernel, links) + offset_of!(Arena<Links>, items) + offset_of!(Links, next);
    let reason = inspector(changed(links, &4_u16.to_le_bytes()), REPORT).unwrap_err();
    assert_eq!(reason, "a queue of threads in this memory is a loop");
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let refused = |report: &str| inspector(FILES.memory.clone(), report).unwrap_err();
    let other =
        REPORT.replace("\"static key\", \"object\": \"trace\"", "\"endpoint\", \"object\": \"trace\"");
    assert_eq!(
        refused(&other),
        "the report is of another image than the dump: 'client' has no endpoint in slot 3"
    );
    let arm = REPORT.replace("x86_64", "aarch64");
    assert_eq!(refused(&arm), "the dump is of x86_64, but the report is for aarch64");
    assert_eq!(
        refused(&REPORT.replace("x86_64", "pdp11")),
        "the report is for the unknown instruction set 'pdp11'"
    );
    assert!(refused("{}").starts_with("the report cannot be used: missing field"));
    let moved = REPORT.replace(
        "\"segments\": []",
        r#""segments": [{"vaddr": "0x0", "paddr": "0x9000000000", "memory_bytes": 100000000}]"#,
    );
    assert!(refused(&moved).contains("microkit inspect range"), "{}", refused(&moved));
    let nowhere = moved.replace("100000000", "0");
    assert!(
        refused(&nowhere).contains("report, SDK and dump must be those of one image"),
        "{}",
        refused(&nowhere)
    );
    let other_kernel = |memory: &mut Vec<u8>| {
        let (address, _) = FILES.layout.constants().first().unwrap();
        // The first read-only part begins with the file's own header, of which nothing else uses the padding.
        assert_eq!(*address, 0);
        memory[9] = 7;
    };
    let mut memory = FILES.memory.clone();
    other_kernel(&mut memory);
    assert!(inspector(memory, REPORT).unwrap_err().starts_with("the kernel in the dump is of another build"));
}

#[test]
fn anything_but_a_dump_is_refused() {
    for bytes in [
        &b""[..],
        b"\x7fELF",
        b"text that is longer than a header of an ELF file, which has 64 bytes",
        &[0; 999],
    ] {
        let reason = Dump::new(Cursor::new(bytes)).unwrap_err();
        assert!(reason.starts_with("no dump of memory: it is not a 64-bit ELF file"), "{reason}");
    }
    let own = fs::read(std::env::current_exe().unwrap()).unwrap();
    assert!(Dump::new(Cursor::new(own)).unwrap_err().contains("but not a core file"));
    for bytes in [&b""[..], b"\x7fELF", &[0; 999]] {
        assert_eq!(Layout::parse(bytes).unwrap_err(), "the kernel is not a 64-bit ELF file");
    }
}

#[test]
fn dumps_and_kernels_are_refused_with_the_reason() {
    let refused = |change: fn(&mut Vec<u8>)| {
        let mut memory = FILES.memory.clone();
        change(&mut memory);
        let reason = Dump::new(Cursor::new(memory)).unwrap_err();
        let advice = "; QEMU's dump-guest-memory and ./x dump write such files";
        let reason = reason.strip_prefix("no dump of memory: ").and_then(|rest| rest.strip_suffix(advice));
        reason.unwrap().to_owned()
    };
    assert_eq!(refused(|memory| memory[5] = 2), "it is not little-endian");
    assert_eq!(refused(|memory| memory[16] = 2), "it is an ELF file, but not a core file");
    assert_eq!(refused(|memory| memory[18] = 0), "it is for an unknown instruction set");
    assert_eq!(refused(|memory| memory[54] = 1), "its headers are damaged");
    // Without the table of sections, and their number.
    let mut stripped = FILES.memory.clone();
    stripped[40..48].fill(0);
    stripped[60..64].fill(0);
    assert_eq!(
        Layout::parse(&stripped).unwrap_err(),
        "the kernel file has no debugging information about the kernel's state"
    );
    let reason = FILES.layout.state(&FILES.memory).unwrap().field("processor.absent").unwrap_err();
    assert_eq!(reason, "the kernel file's debugging information has no field 'absent' of Processor");
}

#[test]
fn states_that_no_kernel_has_are_refused_with_the_reason() {
    let state = of_client(offset_of!(Thread, state));
    assert_eq!(
        inspector(changed(state, &[0xee; size_of::<State>()]), REPORT).unwrap_err(),
        "a thread has a state that the kernel file does not know"
    );
    let domain = r#"{"name": "more", "parent": null, "program": "none/more.elf", "budget_us": 1000, "period_us": 1000,
        "fpu": false, "stack_start": "0xc000", "stack_end": "0xe000"},"#;
    let crowded = REPORT
        .replace("\"protection_domains\": [", &format!("\"protection_domains\": [{}", domain.repeat(3)));
    assert_eq!(
        inspector(FILES.memory.clone(), &crowded).unwrap_err(),
        "the report has 6 threads, more than this kernel can have"
    );
}

#[test]
fn the_range_of_a_dump_has_the_image_and_the_first_page_tables() {
    assert_eq!(needed_memory(REPORT).unwrap(), (0, 0x2000 + (32 << 20)));
    assert!(needed_memory("").is_err());
}

fn show_all(memory: Vec<u8>) -> Result<(), String> {
    let mut machine = inspector(memory, REPORT)?;
    for view in View::ALL {
        assert!(!machine.show(view).contains('\u{1b}'));
    }
    _ = machine.progress();
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_state_is_listed_or_refused(
        hits in proptest::collection::vec((0..size_of::<KernelCell>(), any::<u8>()), 1..60),
    ) {
        let mut memory = FILES.memory.clone();
        hits.iter().for_each(|(at, byte)| memory[FILES.state + at] = *byte);
        _ = show_all(memory);
    }

    #[test]
    fn any_header_is_read_or_refused(hits in proptest::collection::vec((0..800_usize, any::<u8>()), 1..8)) {
        let mut memory = FILES.memory.clone();
        hits.iter().for_each(|(at, byte)| memory[*at] = *byte);
        _ = show_all(memory);
    }

    #[test]
    fn a_dump_may_end_anywhere(end in any::<prop::sample::Index>()) {
        let mut memory = FILES.memory.clone();
        memory.truncate(end.index(memory.len()));
        _ = show_all(memory);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn damaged_kernels_are_read_or_refused(
        hits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..2000),
    ) {
        let mut bytes = fs::read(std::env::current_exe().unwrap()).unwrap();
        let count = bytes.len();
        hits.iter().for_each(|(at, byte)| bytes[at.index(count)] = *byte);
        if let Ok(layout) = Layout::parse(&bytes) {
            let dump = Dump::new(Cursor::new(FILES.memory.clone())).unwrap();
            _ = Inspector::with_kernel(&layout, REPORT, Places::default(), dump)
                .map(|mut machine| machine.show(View::Threads));
        }
    }
}
