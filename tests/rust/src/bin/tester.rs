//! Tests every function of the crate: first, in `init`, those that return a result; then, in the order of [`Stage`], those
//! whose effect is an event.

#![no_std]
#![no_main]

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU8, AtomicU64};

use limen::abi::fault::{TimeoutWord, VmFaultWord};
use limen::abi::{ErrorCode, FaultLabel, FpuPolicy};
use limen::fpu::{self, FpuOptions};
use limen::log::{self, Level};
use limen::probe::{self, Event, ProbeEvent, Stamps};
use limen::service::{self, Service};
use limen::{
    Channel, Child, DeferredKey, Error, Fault, FaultAnswer, Key, MessageInfo, Program, START, Thread, message,
};
use rust_suite::test::{Outcome, end, report};
use rust_suite::{Order, Orders, Request, check, run};

#[path = "../arch/mod.rs"]
mod arch;
use arch::device;

const ECHO: Channel = Channel::new(0);
const VICTIM_CHANNEL: Channel = Channel::new(1);
const DEVICE: Channel = Channel::new(9);
const VICTIM: Child = Child::new(3);
const TRACES: Key = Key::new(0);
const CHECKS: Key = Key::new(1);
const ECHO_CODE: Service = Service::new(0);
const LARGE_DIGEST: Service = Service::new(1);

limen::region!(ORDERS: Orders, address = "orders", bytes = "orders_size");
limen::region!(LARGE: AtomicU64, address = "large", bytes = "large_size");
limen::region!(UNSET: AtomicU8, address = "nobody_sets_this", bytes = "nor_this");
limen::setvar!(DEVICE_IRQ = "device_irq");
limen::setvar!(VICTIM_RESET = "victim_reset");

/// The events that the program waits for.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    NotifiedLater,
    Echoed,
    Interrupted,
    InterruptedAgain,
    InterruptedOnceMore,
    Started,
    Panicked,
    StartedClean,
    Crashed,
    StartedDirty,
    Missed,
    StartedAgain,
    Computed,
    ComputedAgain,
    Spinning,
    SpinningOn,
    StartedLast,
    Over,
}

struct Tester {
    stage: Stage,
    /// The stack pointer of the victim's first start.
    stack: u64,
}

limen::protection_domain!(init);

fn init() -> Tester {
    run! {
        a_program_knows_its_name
        rights_are_those_of_the_description
        labels_and_words_go_to_the_server_and_back
        words_beyond_those_of_an_answer_stay
        every_word_of_a_message_arrives
        a_call_without_the_right_has_an_empty_answer
        what_is_not_granted_does_nothing
        words_that_do_not_exist_read_as_zero
        ids_are_checked
        symbols_are_set
        regions_have_their_size
        regions_hold_structures
        keys_switch_branches_of_others
        a_late_hold_is_released_when_it_is_due
        keys_that_do_not_exist_are_refused
        digests_are_of_what_is_in_memory
        services_that_do_not_exist_are_refused
        floating_point_is_counted_and_chosen
        the_counter_counts
        a_page_fault_is_probed
        an_undefined_instruction_is_probed
        a_breakpoint_is_probed
        a_system_call_is_probed
        nothing_is_probed
        probing_begins_and_ends_once
        samples_are_followed_in_a_ring
        memory_faults_are_read
        exceptions_are_read
        capability_faults_are_read
        other_faults_are_read
        threads_that_do_not_exist_are_refused
    }
    report("the_port_has_what_others_lack", device::extras());
    log_lines();
    ECHO.call(MessageInfo::new(Request::NotifyLater as u64, 0));
    Tester { stage: Stage::NotifiedLater, stack: 0 }
}

fn a_program_knows_its_name() -> Outcome {
    check!(limen::name() == "tester");
    Ok(())
}

fn rights_are_those_of_the_description() -> Outcome {
    check!(ECHO.may_notify() && ECHO.may_call() && !ECHO.is_interrupt());
    check!(VICTIM_CHANNEL.may_notify() && !VICTIM_CHANNEL.may_call());
    check!(DEVICE.is_interrupt() && !DEVICE.may_notify() && !DEVICE.may_call());
    Ok(())
}

fn echo(label: u64, words: usize) -> MessageInfo {
    ECHO.call(MessageInfo::new(label, words))
}

fn labels_and_words_go_to_the_server_and_back() -> Outcome {
    message::set_word(0, 41);
    message::set_word(1, u64::MAX);
    message::set_word(2, 7);
    let answer = echo(500, 2);
    check!(answer.label() == 1500 && answer.length() == 2);
    check!(message::word(0) == 42 && message::word(1) == 0 && message::word(2) == 7);
    let widest = (1 << 52) - 1001;
    check!(echo(widest, 0) == MessageInfo::new(widest + 1000, 0));
    Ok(())
}

fn words_beyond_those_of_an_answer_stay() -> Outcome {
    (0..4).for_each(|index| message::set_word(index, 70 + index as u64));
    check!(echo(Request::Tell as u64, 0).length() == 2);
    check!(message::word(2) == 72 && message::word(3) == 73);
    Ok(())
}

fn every_word_of_a_message_arrives() -> Outcome {
    (0..message::MAX_LENGTH).for_each(|index| message::set_word(index, index as u64 * 3));
    check!(echo(Request::Echo as u64, message::MAX_LENGTH).length() == 120);
    check!((0..message::MAX_LENGTH).all(|index| message::word(index) == index as u64 * 3 + 1));
    Ok(())
}

fn a_call_without_the_right_has_an_empty_answer() -> Outcome {
    message::set_word(0, 5);
    check!(VICTIM_CHANNEL.call(MessageInfo::new(1, 1)) == MessageInfo::new(0, 0));
    check!(message::word(0) == 5);
    Ok(())
}

fn what_is_not_granted_does_nothing() -> Outcome {
    Channel::new(5).notify();
    ECHO.acknowledge();
    Channel::new(29).deferred_notify();
    ECHO.deferred_acknowledge();
    check!(notifications_of_echo() == 0);
    Ok(())
}

fn notifications_of_echo() -> u64 {
    echo(Request::Tell as u64, 0);
    message::word(1)
}

fn words_that_do_not_exist_read_as_zero() -> Outcome {
    let user_data = limen::boot_stamp();
    message::set_word(119, 9);
    message::set_word(120, 10);
    check!(message::word(119) == 9 && message::word(120) == 0 && limen::boot_stamp() == user_data);
    Ok(())
}

fn ids_are_checked() -> Outcome {
    check!(Channel::from_id(61) == Some(Channel::new(61)) && Channel::from_id(62).is_none());
    check!(Service::from_id(15).is_some() && Service::from_id(16).is_none());
    check!(Thread::in_root_slot(63).is_some() && Thread::in_root_slot(0).is_none());
    check!(Thread::in_root_slot(64).is_none());
    check!((ECHO.id(), VICTIM.id()) == (0, 3));
    Ok(())
}

fn symbols_are_set() -> Outcome {
    check!(DEVICE_IRQ.get() == 9 && Channel::from_id(DEVICE_IRQ.get()) == Some(DEVICE));
    check!(VICTIM_RESET.get() == 2);
    Ok(())
}

fn regions_have_their_size() -> Outcome {
    check!(LARGE.len() == 0x3000 / 8 && LARGE.as_ptr().addr() == 0x310_0000);
    check!(UNSET.is_empty() && UNSET.first().is_none());
    LARGE.iter().zip(1..).for_each(|(word, value)| word.store(value, Relaxed));
    check!(LARGE.iter().map(|word| word.load(Relaxed)).sum::<u64>() == 1536 * 1537 / 2);
    check!(LARGE.get(1536).is_none());
    Ok(())
}

fn regions_hold_structures() -> Outcome {
    check!(size_of::<Orders>() == 64 && ORDERS.len() == 64);
    ORDERS[1].bytes[23].store(7, Relaxed);
    check!(ORDERS.elements()[1].bytes[23].load(Relaxed) == 7 && ORDERS[1].order.load(Relaxed) == 0);
    Ok(())
}

fn branches_of_echo() -> u64 {
    echo(Request::Tell as u64, 0);
    message::word(0)
}

fn keys_switch_branches_of_others() -> Outcome {
    check!(branches_of_echo() == 0b1100);
    check!(TRACES.enable().is_ok() && branches_of_echo() == 0b1_1111);
    let state = TRACES.read().map_err(|_| line!())?;
    check!(state.is_enabled && state.count == 1 && state.own == 1);
    check!(
        TRACES.inc().is_ok() && TRACES.disable().is_err_and(|error| error.is(ErrorCode::IllegalOperation))
    );
    check!(TRACES.dec().is_ok() && TRACES.disable().is_ok() && branches_of_echo() == 0b1100);
    check!(CHECKS.disable().is_ok() && branches_of_echo() == 0);
    check!(CHECKS.enable().is_ok() && branches_of_echo() == 0b1100);
    check!(TRACES.read().is_ok_and(|state| !state.is_enabled && state.count == 0 && state.own == 0));
    Ok(())
}

fn a_late_hold_is_released_when_it_is_due() -> Outcome {
    let is_on = || TRACES.read().is_ok_and(|state| state.is_enabled);
    let mut late = DeferredKey::new(TRACES, 10);
    check!(late.dec(0).is_err_and(|error| error.is(ErrorCode::IllegalOperation)));
    check!(late.inc().is_ok() && late.inc().is_ok() && late.dec(100).is_ok() && late.due().is_none());
    check!(late.dec(100).is_ok() && late.due() == Some(110));
    check!(late.flush(109).is_ok() && is_on());
    check!(late.inc().is_ok() && late.flush(110).is_ok() && is_on());
    check!(late.dec(u64::MAX).is_ok() && late.flush(8).is_ok() && is_on());
    check!(late.flush(9).is_ok() && !is_on() && late.due().is_none());
    check!(late.inc().is_ok() && late.dec(0).is_ok() && late.release().is_ok() && !is_on());
    Ok(())
}

fn is_invalid<T>(result: Result<T, Error>) -> bool {
    result.is_err_and(|error| error.code() == Some(ErrorCode::InvalidCapability))
}

fn keys_that_do_not_exist_are_refused() -> Outcome {
    let key = Key::new(31);
    check!(
        is_invalid(key.enable())
            && is_invalid(key.disable())
            && is_invalid(key.inc())
            && is_invalid(key.dec())
    );
    check!(is_invalid(key.read()));
    Ok(())
}

fn digests_are_of_what_is_in_memory() -> Outcome {
    let digest = |service| service::digest(service).map_err(|_| line!());
    let (code, first) = (digest(ECHO_CODE)?, digest(LARGE_DIGEST)?);
    LARGE[1535].fetch_add(1, Relaxed);
    check!(code == digest(ECHO_CODE)? && first != digest(LARGE_DIGEST)?);
    LARGE[1535].fetch_sub(1, Relaxed);
    check!(first == digest(LARGE_DIGEST)? && first != code);
    Ok(())
}

fn services_that_do_not_exist_are_refused() -> Outcome {
    check!(is_invalid(service::digest(Service::new(15))) && is_invalid(service::reset(Service::new(15))));
    Ok(())
}

fn floating_point_is_counted_and_chosen() -> Outcome {
    for policy in [FpuPolicy::EarlySave, FpuPolicy::SemiLazy] {
        check!(fpu::set_policy(policy, FpuOptions { isolate: true, constant_exit: true }).is_ok());
        check!(fpu::set_policy(policy, FpuOptions::default()).is_ok());
    }
    let counters = fpu::counters().map_err(|_| line!())?;
    check!(counters.enables < 1 << 32 && counters.faults == 0);
    check!(fpu::counters().is_ok_and(|later| later.saves >= counters.saves && later.loads >= counters.loads));
    Ok(())
}

fn the_counter_counts() -> Outcome {
    let first = limen::counter();
    check!(limen::counter() > first && limen::boot_stamp() <= first);
    Ok(())
}

/// The stamps of program, kernel, kernel and program follow each other, with and without barriers.
fn crossing(event: Event, kind: ProbeEvent) -> Outcome {
    check!(probe::start().is_ok());
    for stamps in [Stamps::Plain, Stamps::Serialised] {
        let crossing = probe::cross(event, stamps).map_err(|_| line!())?;
        let sample = probe::read().map_err(|_| line!())?;
        let Some(entry) = sample.entry else { return Err(line!()) };
        check!(entry.event == kind.as_raw() && entry.user == crossing.user && sample.dropped == 0);
        check!(
            crossing.user <= entry.entry && entry.entry <= crossing.exit && crossing.exit <= crossing.after
        );
        check!(probe::read().is_ok_and(|sample| sample.entry.is_none()));
    }
    check!(probe::stop().is_ok());
    Ok(())
}

fn a_page_fault_is_probed() -> Outcome {
    crossing(Event::PageFault, ProbeEvent::PageFault)
}

fn an_undefined_instruction_is_probed() -> Outcome {
    crossing(Event::Undefined, ProbeEvent::Undefined)
}

fn a_breakpoint_is_probed() -> Outcome {
    crossing(Event::Breakpoint, ProbeEvent::Breakpoint)
}

fn a_system_call_is_probed() -> Outcome {
    crossing(Event::Notify(VICTIM_CHANNEL), ProbeEvent::Syscall)
}

fn nothing_is_probed() -> Outcome {
    let crossing = probe::cross(Event::Nothing, Stamps::Plain).map_err(|_| line!())?;
    check!(crossing.user <= crossing.exit && crossing.exit <= crossing.after);
    Ok(())
}

fn probing_begins_and_ends_once() -> Outcome {
    let is_illegal =
        |result: Result<(), Error>| result.is_err_and(|error| error.is(ErrorCode::IllegalOperation));
    check!(is_illegal(probe::stop()) && is_illegal(probe::cross(Event::PageFault, Stamps::Plain).map(drop)));
    check!(probe::start().is_ok() && is_illegal(probe::start()) && probe::stop().is_ok());
    Ok(())
}

fn samples_are_followed_in_a_ring() -> Outcome {
    for (count, expected) in [(0, [0, 0, 0, 1]), (63, [63, 0, 63, 1]), (70, [63, 7, 70, 1])] {
        message::set_word(0, count);
        let _: MessageInfo = ECHO.call(MessageInfo::new(Request::Follow as u64, 1));
        check!([0, 1, 2, 3].map(message::word) == expected);
    }
    Ok(())
}

fn fault_of(label: FaultLabel) -> Fault {
    Fault::read(MessageInfo::new(label.as_raw(), 0))
}

fn memory_faults_are_read() -> Outcome {
    message::set_word(VmFaultWord::IP, 0x20_0000);
    message::set_word(VmFaultWord::ADDRESS, 8);
    message::set_word(VmFaultWord::PREFETCH, 1);
    message::set_word(VmFaultWord::STATUS, 6);
    let wanted = Fault::Memory { ip: 0x20_0000, address: 8, is_fetch: true, status: 6 };
    check!(fault_of(FaultLabel::VmFault) == wanted && !wanted.is_fpu_use());
    check!(fpu::on_demand(VICTIM, MessageInfo::new(FaultLabel::VmFault.as_raw(), 4)).is_none());
    Ok(())
}

fn exceptions_are_read() -> Outcome {
    (0..20).for_each(|index| message::set_word(index, 100 + index as u64));
    // Where number and code are, the victim's use of the floating-point unit shows.
    check!(matches!(fault_of(FaultLabel::UserException), Fault::Exception { ip: 100, number, code }
        if number >= 102 && code == number + 1));
    check!(matches!(fault_of(FaultLabel::UnknownSyscall), Fault::UnknownSyscall { ip, number }
        if ip >= 100 && number > ip));
    Ok(())
}

fn capability_faults_are_read() -> Outcome {
    (0..3).for_each(|index| message::set_word(index, index as u64));
    check!(fault_of(FaultLabel::CapFault) == Fault::Capability { ip: 0, pointer: 1, is_receiving: true });
    Ok(())
}

fn other_faults_are_read() -> Outcome {
    message::set_word(TimeoutWord::DATA, 3);
    message::set_word(TimeoutWord::CONSUMED, 70);
    check!(fault_of(FaultLabel::Timeout) == Fault::Timeout { data: 3, consumed_us: 70 });
    check!(fault_of(FaultLabel::DebugException) == Fault::Debug);
    check!(Fault::read(MessageInfo::new(77, 0)) == Fault::Other(77));
    Ok(())
}

fn threads_that_do_not_exist_are_refused() -> Outcome {
    let child = Child::new(4);
    check!(is_invalid(child.stop()) && is_invalid(child.resume()) && is_invalid(child.restart(START)));
    check!(is_invalid(child.thread().allow_fpu()) && is_invalid(child.thread().forbid_fpu()));
    let Some(thread) = Thread::in_root_slot(2) else { return Err(line!()) };
    check!(is_invalid(thread.stop()) && is_invalid(thread.resume()) && is_invalid(thread.restart(START)));
    Ok(())
}

/// The line that suite.toml expects on the debug console.
fn log_lines() {
    limen::error!("{} of error", 1);
    limen::warn!("{} of warn", 2);
    limen::info!("{} of info", 3);
    limen::debug!("{} of debug", 4);
    log::set_level(Level::Trace);
    limen::trace!("{} of trace", 5);
    limen::print!("printed without ");
    limen::println!("a level: {}", u8::MAX);
}

fn orders() -> &'static Orders {
    &ORDERS.elements()[0]
}

/// Reports a test that is a condition.
fn holds(name: &str, condition: bool, line: u32) {
    report(name, if condition { Ok(()) } else { Err(line) });
}

impl Tester {
    /// Gives the victim an order. The stage is what comes of it.
    fn order(&mut self, order: Order, next: Stage) {
        orders().order.store(order as u64, Relaxed);
        VICTIM_CHANNEL.notify();
        self.stage = next;
    }

    /// Whether the victim has started so often, with data as in its image, and on a new stack.
    fn has_started(&self, times: u64, is_pristine: bool) -> bool {
        let orders = orders();
        orders.starts.load(Relaxed) == times
            && orders.was_pristine.load(Relaxed) == u64::from(is_pristine)
            && orders.stack.load(Relaxed) == self.stack
    }

    /// The victim is well.
    fn victim_notified(&mut self) {
        match self.stage {
            Stage::Started => {
                self.stack = orders().stack.load(Relaxed);
                holds("the_first_start_finds_data_of_the_image", self.has_started(1, true), line!());
                self.order(Order::Panic, Stage::Panicked);
            }
            Stage::StartedClean => {
                holds("a_reset_and_a_restart_are_a_first_start", self.has_started(2, true), line!());
                self.order(Order::Crash, Stage::Crashed);
            }
            Stage::StartedDirty => {
                holds("a_restart_keeps_data_and_has_a_new_stack", self.has_started(3, false), line!());
                self.order(Order::Missing, Stage::Missed);
            }
            Stage::StartedAgain => self.order(Order::Float, Stage::Computed),
            Stage::Computed => {
                let is_forbidden = VICTIM.thread().forbid_fpu().is_ok();
                holds("a_child_goes_on_with_floating_point", is_forbidden, line!());
                self.order(Order::Float, Stage::ComputedAgain);
            }
            Stage::ComputedAgain => self.order(Order::Spin, Stage::Spinning),
            Stage::Spinning => {
                let is_refused = reset().is_err_and(|error| error.is(ErrorCode::IllegalOperation));
                holds("a_child_that_runs_is_not_reset", is_refused, line!());
                let is_resumed = VICTIM.stop().is_ok() && VICTIM.resume().is_ok();
                holds("a_child_is_stopped_and_resumed", is_resumed, line!());
                self.stage = Stage::SpinningOn;
            }
            Stage::SpinningOn => {
                holds("a_resumed_child_runs_on", orders().spins.load(Relaxed) > 4096, line!());
                let is_stopped = Thread::in_root_slot(1).is_some_and(|thread| thread.stop().is_ok());
                let is_clean = is_stopped && reset().is_ok() && VICTIM.restart(START).is_ok();
                holds("a_root_slot_names_a_thread", is_clean, line!());
                self.stage = Stage::StartedLast;
            }
            Stage::StartedLast => {
                holds("a_child_that_was_stopped_starts_clean", self.has_started(5, true), line!());
                self.stage = Stage::Over;
                end();
            }
            _ => holds("the_victim_waits_for_its_turn", false, line!()),
        }
    }
}

fn reset() -> Result<(), Error> {
    Service::from_id(VICTIM_RESET.get()).map_or(Ok(()), service::reset)
}

impl Program for Tester {
    fn notified(&mut self, channel: Channel) {
        match (self.stage, channel) {
            (Stage::NotifiedLater, ECHO) => {
                report("a_deferred_notification_goes_with_an_answer", Ok(()));
                ECHO.deferred_notify();
                VICTIM_CHANNEL.deferred_notify();
                ECHO.deferred_notify();
                self.stage = Stage::Echoed;
            }
            (Stage::Echoed, ECHO) => {
                holds("a_deferred_notification_goes_with_a_receive", notifications_of_echo() == 1, line!());
                self.stage = Stage::Interrupted;
                device::raise();
            }
            (Stage::Interrupted, DEVICE) => {
                device::quiet();
                report("an_interrupt_is_a_notification", Ok(()));
                DEVICE.acknowledge();
                self.stage = Stage::InterruptedAgain;
                device::raise();
            }
            (Stage::InterruptedAgain, DEVICE) => {
                device::quiet();
                report("an_acknowledged_interrupt_comes_again", Ok(()));
                DEVICE.deferred_acknowledge();
                self.stage = Stage::InterruptedOnceMore;
                device::raise();
            }
            (Stage::InterruptedOnceMore, DEVICE) => {
                device::quiet();
                report("so_does_one_that_was_acknowledged_later", Ok(()));
                DEVICE.acknowledge();
                self.stage = Stage::Started;
            }
            (_, VICTIM_CHANNEL) => self.victim_notified(),
            _ => holds("nothing_else_notifies", false, line!()),
        }
    }

    fn fault(&mut self, child: Child, message: MessageInfo) -> FaultAnswer {
        let fault = Fault::read(message);
        match (self.stage, fault) {
            (Stage::Panicked, Fault::Memory { address: 0, is_fetch: false, .. }) => {
                let is_clean = reset().is_ok() && child.restart(START).is_ok();
                holds("a_panic_is_a_fault_at_address_0", is_clean && child == VICTIM, line!());
                self.stage = Stage::StartedClean;
            }
            (Stage::Crashed, Fault::Memory { address: 4, is_fetch: false, .. }) => {
                holds("a_crash_is_a_fault_at_its_code", child.restart(START).is_ok(), line!());
                self.stage = Stage::StartedDirty;
            }
            (Stage::Missed, Fault::Memory { address: 0, .. }) => {
                holds("an_entry_point_that_is_missing_is_a_fault", child.restart(START).is_ok(), line!());
                self.stage = Stage::StartedAgain;
            }
            (Stage::Computed, fault) if fault.is_fpu_use() => {
                let answer = fpu::on_demand(child, message);
                holds("floating_point_is_allowed_on_demand", answer == Some(FaultAnswer::RETRY), line!());
                return answer.unwrap_or(FaultAnswer::Stop);
            }
            (Stage::ComputedAgain, fault) if fault.is_fpu_use() => {
                holds("a_child_is_forbidden_and_allowed", child.thread().allow_fpu().is_ok(), line!());
                return FaultAnswer::Reply(MessageInfo::new(0, 0));
            }
            _ => holds("no_other_fault", false, line!()),
        }
        FaultAnswer::Stop
    }
}
