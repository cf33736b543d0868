//! The events: system calls, faults, interrupts, and the end of work.

use limen_abi::message::MAX_EXTRA_CAPS;
use limen_abi::{ErrorCode, KernelKey, Syscall};

use crate::capability::{Cap, Nowhere};
use crate::fault::Fault;
use crate::hardware::Request;
use crate::probe::Handling;
use crate::state::{AfterSend, State, System, ThreadId};

/// An event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The current thread makes the system call with this number; its arguments are in its registers.
    Syscall(i64),
    /// The current thread faults.
    Fault(Fault),
    /// The current thread uses the floating-point unit, and the processor traps. The thread gets the unit, or this is its fault.
    FpuUse(Fault),
    /// The timer fires.
    Timer,
    /// A line interrupts.
    Line(u32),
    /// The work of the current thread ends, with these words of which the service uses the first.
    WorkDone(Vec<u64>),
}

/// How a message is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sending {
    /// Call.
    Call,
    /// Send.
    Send,
    /// NBSend.
    NonBlocking,
    /// The sending half of a call with two halves, which can donate time.
    Half,
}

impl System {
    /// Changes the system as an event does, from the entry into the kernel to the return.
    pub fn handle(&mut self, event: &Event) {
        (self.hardware.asked, self.trace.record) = (None, None);
        if self.enter() == Handling::AsUsual {
            self.handle_as_usual(event);
            self.schedule();
        }
        self.leave();
    }

    fn handle_as_usual(&mut self, event: &Event) {
        match (event, self.current) {
            (Event::Timer, _) => self.timer(),
            (Event::Line(line), _) => self.interrupt(*line),
            (_, None) => {}
            (Event::Syscall(number), Some(current)) => self.syscall(current, *number),
            (Event::Fault(fault), Some(current)) => self.fault(current, *fault),
            (Event::FpuUse(fault), Some(current)) => {
                if !self.use_fpu(current) {
                    self.fault(current, *fault);
                }
            }
            (Event::WorkDone(words), Some(current)) => self.finish_work(current, words),
        }
    }

    fn syscall(&mut self, caller: ThreadId, number: i64) {
        let registers = &self.threads[caller].registers;
        let map = registers.of.map();
        let [cptr, reply, send] = [map.cptr, map.reply, map.send].map(|name| registers.get(name));
        match Syscall::from_raw(number) {
            Some(Syscall::Call) => self.send(caller, cptr, Sending::Call),
            Some(Syscall::Send) => self.send(caller, cptr, Sending::Send),
            Some(Syscall::NbSend) => self.send(caller, cptr, Sending::NonBlocking),
            Some(Syscall::ReplyRecv) => {
                self.send(caller, reply, Sending::Half);
                self.receive_from(caller, cptr, Some(reply), true);
            }
            Some(Syscall::NbSendRecv) => {
                self.send(caller, send, Sending::Half);
                self.receive_from(caller, cptr, Some(reply), true);
            }
            Some(Syscall::NbSendWait) => {
                self.send(caller, reply, Sending::Half);
                self.receive_from(caller, cptr, None, true);
            }
            Some(Syscall::Recv) => self.receive_from(caller, cptr, Some(reply), true),
            Some(Syscall::NbRecv) => self.receive_from(caller, cptr, Some(reply), false),
            Some(Syscall::Wait) => self.receive_from(caller, cptr, None, true),
            Some(Syscall::NbWait) => self.receive_from(caller, cptr, None, false),
            Some(Syscall::Yield) => self.end_slice(caller),
            Some(Syscall::Trace) => self.write_record(caller),
            Some(Syscall::DebugPutChar) if self.trace.is_on(KernelKey::Printing) => {
                self.hardware.asked = Some(Request::Print(cptr as u8));
            }
            Some(Syscall::DebugPutChar) | None => {
                self.restart_syscall(caller);
                self.fault(caller, Fault::UnknownSyscall { number: number as u64 });
            }
        }
    }

    /// Sends to, signals, replies to or invokes what a pointer names.
    fn send(&mut self, caller: ThreadId, pointer: u64, sending: Sending) {
        let is_call = sending == Sending::Call;
        // The first argument that leads nowhere.
        let extras = (0..MAX_EXTRA_CAPS).filter_map(|index| self.threads[caller].registers.extra(index));
        let extra = extras.into_iter().find(|extra| self.lookup(caller, *extra).is_err());
        let cap = match self.lookup(caller, pointer) {
            Ok(cap) => cap,
            Err(Nowhere) => {
                if matches!(sending, Sending::Call | Sending::Send) {
                    self.cap_fault(caller, pointer, false, true);
                }
                return;
            }
        };
        let answer = match cap {
            Cap::Endpoint { endpoint, badge, rights } if rights.send => {
                let then = match sending {
                    Sending::Call if rights.can_be_answered() => AfterSend::Call,
                    Sending::Call => AfterSend::Stop,
                    _ => AfterSend::Continue,
                };
                if matches!(sending, Sending::Call | Sending::Send) {
                    self.send_from(caller, endpoint, badge, then, true);
                } else {
                    let donates = sending == Sending::Half && rights.grant;
                    self.send_half(caller, endpoint, badge, donates);
                }
                return;
            }
            Cap::Notification { notification, badge, rights } if rights.send => {
                self.signal(notification, badge);
                Ok(Some(Vec::new()))
            }
            Cap::Reply(reply) => {
                self.reply(caller, reply);
                Ok(Some(Vec::new()))
            }
            Cap::Thread(_)
            | Cap::Time(_)
            | Cap::TimeControl
            | Cap::Key(_)
            | Cap::FpuPolicy
            | Cap::FpuCounts
            | Cap::Space(_)
                if sending == Sending::Half =>
            {
                Ok(None)
            }
            Cap::Empty if !is_call => Ok(None),
            // Without the right to send. Their arguments are not looked at.
            Cap::Endpoint { .. } | Cap::Notification { .. } if !is_call => Ok(None),
            Cap::Endpoint { .. } | Cap::Notification { .. } => Err((ErrorCode::InvalidCapability, vec![0])),
            _ if extra.is_some() => {
                if matches!(sending, Sending::Call | Sending::Send) {
                    self.cap_fault(caller, extra.unwrap_or(0), false, true);
                }
                return;
            }
            Cap::Empty => Err((ErrorCode::InvalidCapability, vec![0])),
            _ => self.invoke(caller, cap, is_call),
        };
        match answer {
            _ if !is_call => {}
            Ok(Some(words)) => self.answer(caller, 0, &words),
            Ok(None) => {}
            Err((code, words)) => self.refuse(caller, code, &words),
        }
    }

    fn refuse(&mut self, caller: ThreadId, code: ErrorCode, words: &[u64]) {
        self.answer(caller, code.as_raw(), words);
    }

    /// Sends without waiting. With `donates`, a receiver without time keeps the sender's.
    fn send_half(&mut self, caller: ThreadId, endpoint: usize, badge: u64, donates: bool) {
        let receiver = self.endpoints[endpoint].first().copied();
        let receiver =
            receiver.filter(|thread| matches!(self.threads[*thread].state, State::Receiving { .. }));
        let Some(receiver) = receiver else { return };
        if donates
            && self.threads[receiver].time.is_none()
            && let Some(time) = self.threads[caller].time
        {
            self.move_time(time, receiver);
        }
        self.send_at_once(caller, endpoint, badge, AfterSend::Continue);
    }

    /// Receives from what a pointer names. With `reply`, an endpoint needs a reply object.
    fn receive_from(&mut self, thread: ThreadId, pointer: u64, reply: Option<u64>, blocking: bool) {
        if self.threads[thread].state != State::Runnable {
            return;
        }
        match self.lookup(thread, pointer) {
            Err(Nowhere) => self.cap_fault(thread, pointer, true, true),
            Ok(Cap::Notification { notification, rights, .. })
                if rights.receive && self.may_wait(thread, notification) =>
            {
                self.wait(thread, notification, blocking);
            }
            Ok(Cap::Endpoint { endpoint, rights, .. }) if rights.receive => match reply {
                None => self.receive(thread, endpoint, None, blocking),
                Some(pointer) => match self.lookup(thread, pointer) {
                    Ok(Cap::Reply(reply)) => self.receive(thread, endpoint, Some(reply), blocking),
                    Ok(_) => self.cap_fault(thread, pointer, true, false),
                    Err(Nowhere) => self.cap_fault(thread, pointer, true, true),
                },
            },
            Ok(_) => self.cap_fault(thread, pointer, true, false),
        }
    }

    /// A system call faults: the program counter is at the call again.
    fn cap_fault(&mut self, thread: ThreadId, pointer: u64, receiving: bool, nowhere: bool) {
        self.restart_syscall(thread);
        self.fault(thread, Fault::Cap { pointer, receiving, nowhere });
    }
}
