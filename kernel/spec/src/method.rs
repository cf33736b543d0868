//! Methods of objects.

use limen_abi::limits::{MAX_PERIOD_US, MIN_BUDGET_US};
use limen_abi::{ErrorCode, Label};

use crate::capability::Cap;
use crate::fpu::Owner;
use crate::key::Written;
use crate::state::{Reset, State, System, ThreadId, TimeId};

/// Why a method fails: the code and its details.
pub(crate) type Refusal = (ErrorCode, Vec<u64>);

/// The answer of a method; `None` if there is no answer now, because the caller was stopped or works.
pub(crate) type Answer = Option<Vec<u64>>;

/// Options of a thread: bit 0 forbids the floating-point unit.
const FPU_DISABLED: u64 = 1;

fn refuse<T>(code: ErrorCode, words: &[u64]) -> Result<T, Refusal> {
    Err((code, words.to_vec()))
}

/// The method's request: the words and capabilities of its message.
pub(crate) struct Request<'a> {
    pub(crate) system: &'a System,
    pub(crate) caller: ThreadId,
}

impl Request<'_> {
    /// The first words, if there are so many.
    pub(crate) fn words<const N: usize>(&self) -> Result<[u64; N], Refusal> {
        let registers = &self.system.threads[self.caller].registers;
        if registers.info().length() < N {
            return refuse(ErrorCode::TruncatedMessage, &[]);
        }
        Ok(std::array::from_fn(|index| registers.word(index)))
    }

    /// The first extra capability.
    fn cap(&self) -> Result<Cap, Refusal> {
        let Some(pointer) = self.system.threads[self.caller].registers.extra(0) else {
            return refuse(ErrorCode::TruncatedMessage, &[]);
        };
        Ok(self.system.lookup(self.caller, pointer).unwrap_or(Cap::Empty))
    }
}

impl System {
    /// Invokes a method of an object.
    pub(crate) fn invoke(&mut self, caller: ThreadId, cap: Cap, is_call: bool) -> Result<Answer, Refusal> {
        let label = Label::from_raw(self.threads[caller].registers.info().label());
        match cap {
            Cap::Empty | Cap::Endpoint { .. } | Cap::Notification { .. } | Cap::Reply(_) => {
                refuse(ErrorCode::InvalidCapability, &[0])
            }
            Cap::Thread(thread) => self.invoke_thread(caller, thread, label, is_call),
            Cap::Time(time) => self.invoke_time(caller, time, label),
            Cap::TimeControl => match label {
                Some(Label::SchedControlConfigureFlags) => self.configure(caller),
                _ => refuse(ErrorCode::IllegalOperation, &[]),
            },
            Cap::Interrupt(interrupt) => match label {
                Some(Label::IrqHandlerAck) => {
                    self.acknowledge(interrupt);
                    Ok(Some(Vec::new()))
                }
                _ => refuse(ErrorCode::IllegalOperation, &[]),
            },
            Cap::Service(service) => match label {
                Some(Label::ServiceRun) if is_call => self.begin_work(caller, service),
                Some(Label::ServiceRun) => Ok(None),
                _ => refuse(ErrorCode::IllegalOperation, &[]),
            },
            Cap::Key(key) => self.invoke_key(caller, key, label),
            Cap::FpuPolicy => match label {
                Some(Label::FpuSetPolicy) => {
                    let words = Request { system: self, caller }.words();
                    words.and_then(|words| self.set_fpu_policy(words)).map(|()| Some(Vec::new()))
                }
                _ => refuse(ErrorCode::IllegalOperation, &[]),
            },
            Cap::FpuCounts => match label {
                Some(Label::FpuReadCounters) => Ok(Some(self.fpu_counts())),
                _ => refuse(ErrorCode::IllegalOperation, &[]),
            },
            Cap::Probe => {
                let words = Request { system: self, caller }.words();
                self.invoke_probe(caller, label, words, is_call)
            }
            Cap::Ports(first, last) => self.invoke_ports(caller, (first, last), label),
            Cap::Space(space) => self.invoke_space(caller, space, label),
            Cap::Monitor => self.invoke_monitor(caller, label),
        }
    }

    fn invoke_thread(
        &mut self,
        caller: ThreadId,
        thread: ThreadId,
        label: Option<Label>,
        is_call: bool,
    ) -> Result<Answer, Refusal> {
        let request = Request { system: self, caller };
        match label {
            Some(Label::TcbReadRegisters) => {
                let [flags, count] = request.words()?;
                return self.read_registers(caller, thread, flags, count, is_call);
            }
            Some(Label::TcbWriteRegisters) => {
                let [flags, count] = request.words()?;
                if self.write_registers(caller, thread, flags, count)? == Written::Some {
                    return self.again(caller);
                }
            }
            Some(Label::TcbSetPriority) => {
                let priority = Self::decode_priority(&request)?;
                self.set_priority(thread, priority);
            }
            Some(Label::TcbSetMcPriority) => {
                let priority = Self::decode_priority(&request)?;
                self.threads[thread].max_priority = priority;
            }
            Some(Label::TcbSuspend) => {
                if self.suspend(thread, caller) == Written::Some {
                    return self.again(caller);
                }
            }
            Some(Label::TcbResume) => self.resume(thread),
            Some(Label::TcbBindNotification) => self.bind_notification(caller, thread)?,
            Some(Label::TcbUnbindNotification) => {
                let Some(notification) = self.threads[thread].notification.take() else {
                    return refuse(ErrorCode::IllegalOperation, &[]);
                };
                self.notifications[notification].thread = None;
            }
            Some(Label::TcbSetTlsBase) => {
                let [value] = request.words()?;
                if thread == caller {
                    return refuse(ErrorCode::IllegalOperation, &[]);
                }
                self.abandon_work(thread);
                self.threads[thread].registers.set_thread_pointer(value);
            }
            Some(Label::TcbSetFlags) => {
                let [clear, set] = request.words()?;
                self.abandon_work(thread);
                let old = u64::from(!self.threads[thread].may_use_fpu);
                let new = (old & !clear | set) & FPU_DISABLED;
                self.allow_fpu(thread, new == 0);
                return Ok(Some(vec![new]));
            }
            _ => return refuse(ErrorCode::IllegalOperation, &[]),
        }
        Ok(Some(Vec::new()))
    }

    /// The system call restarts.
    fn again(&mut self, caller: ThreadId) -> Result<Answer, Refusal> {
        self.restart_syscall(caller);
        Ok(None)
    }

    fn read_registers(
        &mut self,
        caller: ThreadId,
        thread: ThreadId,
        flags: u64,
        count: u64,
        is_call: bool,
    ) -> Result<Answer, Refusal> {
        let most = self.threads[thread].registers.values.len() as u64;
        if !(1..=most).contains(&count) {
            return refuse(ErrorCode::RangeError, &[1, most]);
        }
        if thread == caller {
            return refuse(ErrorCode::IllegalOperation, &[]);
        }
        if flags & 1 != 0 && self.suspend(thread, caller) == Written::Some {
            return self.again(caller);
        }
        if !is_call {
            return Ok(None);
        }
        // Of a thread in a system call, those with which the call would restart.
        let mut registers = self.threads[thread].registers.clone();
        if self.restarts(thread) || self.threads[thread].works.is_some() {
            registers.restart();
        }
        Ok(Some(registers.values[..count as usize].to_vec()))
    }

    fn write_registers(
        &mut self,
        caller: ThreadId,
        thread: ThreadId,
        flags: u64,
        count: u64,
    ) -> Result<Written, Refusal> {
        let message = self.threads[caller].registers.clone();
        if (message.info().length() as u64 - 2) < count {
            return refuse(ErrorCode::TruncatedMessage, &[]);
        }
        if thread == caller {
            return refuse(ErrorCode::IllegalOperation, &[]);
        }
        let count = (count as usize).min(message.values.len());
        let resumes = flags & 1 != 0;
        self.abandon_work(thread);
        if resumes {
            self.release_keys(thread);
            self.stop_probe(thread);
        }
        if self.write_for(thread, caller) == Written::Some {
            if resumes {
                // Until it starts, it must not hold any keys again.
                self.stop(thread);
            }
            return Ok(Written::Some);
        }
        for index in 0..count {
            self.threads[thread].registers.set_for_program(index, message.word(2 + index));
        }
        if count > message.of.position(message.of.pc()) {
            match &mut self.threads[thread].state {
                State::Inactive | State::Runnable => {}
                State::Receiving { restarts, .. }
                | State::Waiting { restarts, .. }
                | State::Sending { restarts, .. }
                | State::Calling { restarts, .. } => *restarts = false,
            }
        }
        if resumes {
            self.resume(thread);
        }
        Ok(Written::All)
    }

    /// The new priority, which is at most the limit of the thread in whose name it is set.
    fn decode_priority(request: &Request<'_>) -> Result<u8, Refusal> {
        let [priority] = request.words()?;
        let Cap::Thread(authority) = request.cap()? else {
            return refuse(ErrorCode::InvalidCapability, &[1]);
        };
        let most = request.system.threads[authority].max_priority;
        match u8::try_from(priority) {
            Ok(priority) if priority <= most => Ok(priority),
            _ => refuse(ErrorCode::RangeError, &[0, most.into()]),
        }
    }

    /// A thread moves to the place that its new priority has, wherever it waits.
    fn set_priority(&mut self, thread: ThreadId, priority: u8) {
        let is_ready = self.ready.values().any(|queue| queue.contains(&thread));
        self.threads[thread].priority = priority;
        match self.threads[thread].state {
            State::Receiving { endpoint, .. } | State::Sending { endpoint, .. } => {
                self.leave_queue(thread);
                self.enqueue_at(endpoint, thread);
            }
            State::Waiting { notification, .. } => {
                self.leave_queue(thread);
                self.enqueue_waiter(notification, thread);
            }
            State::Runnable if is_ready => {
                self.unschedule(thread);
                self.wake(thread);
            }
            State::Runnable | State::Inactive | State::Calling { .. } => {}
        }
    }

    /// A thread continues: a wait ends, and its system call restarts.
    fn resume(&mut self, thread: ThreadId) {
        if self.threads[thread].state == State::Runnable {
            return;
        }
        self.cancel(thread);
        self.threads[thread].state = State::Runnable;
        self.wake(thread);
    }

    fn bind_notification(&mut self, caller: ThreadId, thread: ThreadId) -> Result<(), Refusal> {
        let cap = Request { system: self, caller }.cap()?;
        let Cap::Notification { notification, rights, .. } = cap else {
            return refuse(ErrorCode::InvalidCapability, &[1]);
        };
        if self.threads[thread].notification.is_some() {
            return refuse(ErrorCode::IllegalOperation, &[]);
        }
        let object = &self.notifications[notification];
        let is_taken = object.thread.is_some() || !object.waiting.is_empty();
        if is_taken || !rights.receive {
            return refuse(ErrorCode::IllegalOperation, &[]);
        }
        self.notifications[notification].thread = Some(thread);
        self.threads[thread].notification = Some(notification);
        Ok(())
    }

    fn invoke_time(
        &mut self,
        caller: ThreadId,
        time: TimeId,
        label: Option<Label>,
    ) -> Result<Answer, Refusal> {
        match label {
            Some(Label::SchedContextBind) => self.bind_time(caller, time)?,
            Some(Label::SchedContextUnbind) => {
                if self.times[time].thread == Some(caller) {
                    return refuse(ErrorCode::IllegalOperation, &[]);
                }
                self.unbind_thread(time);
                self.times[time].calls.clear();
                self.unbind_time_of_notification(time);
            }
            Some(Label::SchedContextUnbindObject) => self.unbind_object(caller, time)?,
            Some(Label::SchedContextConsumed) => {
                let consumed = std::mem::take(&mut self.times[time].consumed);
                return Ok(Some(vec![self.us_of(consumed)]));
            }
            _ => return refuse(ErrorCode::IllegalOperation, &[]),
        }
        Ok(Some(Vec::new()))
    }

    fn bind_time(&mut self, caller: ThreadId, time: TimeId) -> Result<(), Refusal> {
        let cap = Request { system: self, caller }.cap()?;
        match cap {
            Cap::Thread(thread) => {
                if self.times[time].thread.is_some() || self.threads[thread].time.is_some() {
                    return refuse(ErrorCode::IllegalOperation, &[]);
                }
                self.move_time(time, thread);
                if self.threads[thread].state == State::Runnable {
                    self.wake(thread);
                }
            }
            Cap::Notification { notification, rights, .. } => {
                let is_bound = self.times[time].notification.is_some()
                    || self.notifications[notification].time.is_some();
                if is_bound || !rights.receive {
                    return refuse(ErrorCode::IllegalOperation, &[]);
                }
                self.times[time].notification = Some(notification);
                self.notifications[notification].time = Some(time);
                // A thread that waits for a signal already has no use for the time: as if it began to wait now.
                if let Some(thread) = self.times[time].thread
                    && let Some(awaited) = self.awaited(thread)
                {
                    self.return_time(thread, Some(awaited));
                }
            }
            _ => return refuse(ErrorCode::InvalidCapability, &[1]),
        }
        Ok(())
    }

    fn unbind_object(&mut self, caller: ThreadId, time: TimeId) -> Result<(), Refusal> {
        let cap = Request { system: self, caller }.cap()?;
        match cap {
            Cap::Thread(thread) if self.times[time].thread != Some(thread) || thread == caller => {
                refuse(ErrorCode::IllegalOperation, &[])
            }
            Cap::Thread(_) => {
                self.unbind_thread(time);
                Ok(())
            }
            Cap::Notification { notification, .. } if self.times[time].notification != Some(notification) => {
                refuse(ErrorCode::IllegalOperation, &[])
            }
            Cap::Notification { .. } => {
                self.unbind_time_of_notification(time);
                Ok(())
            }
            _ => refuse(ErrorCode::InvalidCapability, &[1]),
        }
    }

    /// Takes a scheduling context from its thread. Replies to the calls that run on it still return it.
    fn unbind_thread(&mut self, time: TimeId) {
        self.times[time].heir = None;
        if let Some(thread) = self.times[time].thread {
            self.threads[thread].time = None;
            self.continue_without(thread);
            // Only now, so that its notification does not lend it the same again.
            self.times[time].thread = None;
        }
    }

    fn unbind_time_of_notification(&mut self, time: TimeId) {
        if let Some(notification) = self.times[time].notification.take() {
            self.notifications[notification].time = None;
        }
    }

    /// Changes budget and period of a scheduling context.
    fn configure(&mut self, caller: ThreadId) -> Result<Answer, Refusal> {
        let request = Request { system: self, caller };
        let [budget, period, refills, data, _] = request.words()?;
        let cap = request.cap()?;
        let within = |value: u64, least: u64, most: u64| {
            if (least..=most).contains(&value) {
                Ok(())
            } else {
                refuse(ErrorCode::RangeError, &[least, most])
            }
        };
        within(budget, MIN_BUDGET_US, MAX_PERIOD_US)?;
        within(period, MIN_BUDGET_US, MAX_PERIOD_US)?;
        within(budget, MIN_BUDGET_US, period)?;
        let Cap::Time(time) = cap else { return refuse(ErrorCode::InvalidCapability, &[1]) };
        within(refills, 0, 8)?;
        self.reconfigure(time, self.ticks_of(budget), self.ticks_of(period), data);
        Ok(Some(Vec::new()))
    }

    /// A call of a service: the thread works for it. A thread that is reset must be stopped, or wait for the reply to its
    /// fault. It gives up its own work, and has its first registers at once.
    fn begin_work(&mut self, caller: ThreadId, service: usize) -> Result<Answer, Refusal> {
        let is_stopped = |thread: ThreadId| {
            self.threads[thread].state == State::Inactive || self.threads[thread].fault.is_some()
        };
        let object = &self.services[service];
        if object.is_immediate || object.resets.is_some_and(|reset| !is_stopped(reset.thread)) {
            return refuse(ErrorCode::IllegalOperation, &[]);
        }
        if let Some(Reset { thread, entry, stack_top }) = object.resets {
            self.abandon_work(thread);
            self.threads[thread].registers.start(entry, stack_top);
            self.release_fpu(Owner::Program(thread));
        }
        self.threads[caller].works = Some(service);
        self.switch_fpu();
        Ok(None)
    }

    /// The work of a thread ends: its system call returns the result.
    pub(crate) fn finish_work(&mut self, thread: ThreadId, words: &[u64]) {
        let Some(service) = self.threads[thread].works.take() else { return };
        self.release_fpu(Owner::Work(thread));
        self.answer(thread, 0, &words[..self.services[service].words]);
        self.switch_fpu();
    }

    /// A thread gives up its work, and its system call restarts.
    pub(crate) fn abandon_work(&mut self, thread: ThreadId) {
        if self.threads[thread].works.take().is_some() {
            self.release_fpu(Owner::Work(thread));
            self.restart_syscall(thread);
        }
    }
}
