//! The life of a protection domain: `init`, then one event after another for ever.
//!
//! ```text
//!            +--> notification ---> notified() for each bit --+
//!   receive -+--> protected call -> protected() -> answer and receive in one system call -> ...
//!      ^     +--> child's fault --> fault() -> Reply: the same;  Stop: --+
//!      +-----------------------------------------------------------------+
//! ```
//!
//! Between two receives a message stays in registers; its words go to the IPC buffer only for the entry points that read
//! them. `./x bench` does not measure this loop, so compare its disassembly with that of `libmicrokit` after a change.

use core::hint::cold_path;

use limen_abi::slot::{Badge, INPUT, MONITOR_ENDPOINT, REPLY};
use limen_abi::{MessageInfo, Syscall};

use crate::buffer::{self, Buffer, hidden};
use crate::channel::{Channel, EMPTY};
use crate::child::Child;
use crate::deferred::{self, Signal};
use crate::fault::FaultAnswer;
use crate::patched;
use crate::program::Program;
use crate::trap::{self, Received};

/// Runs a program. Called by [`protection_domain!`](crate::protection_domain).
pub fn run<P: Program>(init: impl FnOnce() -> P) -> ! {
    deferred::forget();
    let mut program = init();
    if patched::is_passive() {
        become_passive();
    }
    acknowledge_interrupts();
    let buffer = Buffer::here();
    loop {
        handle(&mut program, buffer, receive(buffer));
    }
}

/// Sends the pending signal by itself. An answer that waits to be sent passes through, so that it stays in its register
/// where there is no signal.
#[cold]
#[inline(never)]
fn send_signal(answer: MessageInfo) -> MessageInfo {
    let Signal { to, info } = deferred::take();
    trap::send(Syscall::Send, to, info, Buffer::here().load_words());
    MessageInfo::from_raw(hidden(answer.as_raw()))
}

/// Tells the monitor that `init` is over, so that it binds the scheduling context to the notification. Blocks, because the
/// monitor of another processor may not have started yet, and would miss a message that does not wait.
fn become_passive() {
    if deferred::is_waiting() {
        send_signal(EMPTY);
    }
    trap::send(Syscall::Send, MONITOR_ENDPOINT, EMPTY, Buffer::here().load_words());
}

/// Interrupts that came before the program could handle them are delivered from here on.
fn acknowledge_interrupts() {
    let mut waiting = patched::irqs();
    while waiting != 0 {
        Channel::of_lowest_bit(waiting).acknowledge();
        waiting &= waiting - 1;
    }
}

#[inline(always)]
fn receive(buffer: Buffer) -> Received {
    if deferred::is_waiting() {
        let Signal { to, info } = deferred::take();
        return trap::send_receive(to, info, buffer.load_words(), INPUT, REPLY);
    }
    trap::receive(INPUT, REPLY)
}

#[inline(always)]
fn answer_and_receive(buffer: Buffer, mut answer: MessageInfo) -> Received {
    if deferred::is_waiting() {
        answer = send_signal(answer);
    }
    if buffer::skips(answer) {
        return trap::reply_empty_receive(INPUT, answer, REPLY);
    }
    trap::reply_receive(INPUT, answer, buffer.load_words(), REPLY)
}

/// Reports the lowest channel and returns the others.
#[inline(always)]
fn notify_lowest(program: &mut impl Program, channels: u64) -> u64 {
    let others = channels & channels.wrapping_sub(1);
    program.notified(Channel::of_lowest_bit(channels));
    others
}

/// The badge of a notification has at least one bit. The first is handled outside the loop, so that nothing of the badge
/// lives on in the common case that it is the only one.
#[inline(always)]
fn handle_notification(program: &mut impl Program, badge: u64) {
    let mut channels = notify_lowest(program, badge);
    while channels != 0 {
        cold_path();
        channels = notify_lowest(program, channels);
    }
}

#[inline(always)]
fn handle_call(program: &mut impl Program, buffer: Buffer, event: Received) -> MessageInfo {
    if !buffer::skips(event.info) {
        buffer.store_words(event.words);
    }
    let channel = Channel::from_badge(event.badge & Badge::CHANNEL_MASK);
    program.protected(channel, event.info)
}

#[inline(always)]
fn handle_fault(program: &mut impl Program, buffer: Buffer, event: Received) -> FaultAnswer {
    buffer.store_words(event.words);
    program.fault(Child::from_badge(event.badge & Badge::CHILD_MASK), event.info)
}

/// Handles messages until one has no answer.
#[inline(always)]
fn handle(program: &mut impl Program, buffer: Buffer, mut event: Received) {
    loop {
        let answer = if event.badge & Badge::PROTECTED_CALL != 0 {
            handle_call(program, buffer, event)
        // Knowing which bits are zero, the compiler would choose longer instructions.
        } else if hidden(event.badge) & Badge::CHILD_FAULT == 0 {
            return handle_notification(program, hidden(event.badge));
        } else {
            match handle_fault(program, buffer, event) {
                FaultAnswer::Reply(answer) => answer,
                FaultAnswer::Stop => return,
            }
        };
        event = answer_and_receive(buffer, answer);
    }
}
