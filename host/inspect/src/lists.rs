//! The text of each view.

use std::fmt::Write;

use limen_symbolise::record::FaultRecord;
use limen_symbolise::sentence;

use crate::state::{Thread, ThreadState};
use crate::{Inspector, Progress};

/// An interrupt of the kernel that no program has a capability for.
const NO_NAME: &str = "an interrupt";

impl Inspector {
    /// Whether anything but waiting can happen. Says so only for certain: an interrupt that may come, a budget that will be
    /// refilled, scheduling domains and other processors count as progress.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let can_run = |thread: &Thread| {
            use ThreadState::{Away, Elsewhere, Postponed, Runnable};
            thread.is_at_work || matches!(thread.state, Runnable | Postponed | Away | Elsewhere { .. })
        };
        let is_stuck = self.state.current.is_none()
            && !self.state.has_domains
            && !self.state.threads.iter().any(can_run)
            && self.wakers().is_empty();
        if is_stuck { Progress::Impossible } else { Progress::Possible }
    }

    /// The interrupts whose signal would wake a thread.
    fn wakers(&self) -> Vec<String> {
        let irqs = self.state.irqs.iter().enumerate().filter(|(_, irq)| irq.line != 0);
        let waking = irqs.filter(|(_, irq)| self.wakes(irq.notification));
        waking.map(|(index, _)| self.object("Interrupt", index).unwrap_or(NO_NAME).to_owned()).collect()
    }

    fn wakes(&self, notification: usize) -> bool {
        let Some(notification) = self.state.notifications.get(notification) else { return true };
        let receives = |thread: &Thread| matches!(thread.state, ThreadState::Receiving { .. });
        !notification.waiters.is_empty()
            || notification.bound.and_then(|thread| self.state.threads.get(thread)).is_some_and(receives)
    }

    /// Every thread in two lines, and what they wait for in the end.
    pub(crate) fn threads(&mut self) -> String {
        let mut text = String::new();
        for thread in 0..self.state.threads.len() {
            let (head, place) = (self.head(thread), self.place(thread));
            // Writing to a string cannot fail.
            _ = writeln!(text, "{head}");
            if let Some(place) = place {
                _ = writeln!(text, "  {place}");
            }
        }
        self.summary().iter().for_each(|line| _ = writeln!(text, "{line}"));
        text
    }

    /// Every thread with a line for each caller.
    pub(crate) fn backtraces(&mut self) -> String {
        let mut text = String::new();
        for thread in 0..self.state.threads.len() {
            _ = writeln!(text, "{}", self.head(thread));
            if self.is_elsewhere(thread) {
                continue;
            }
            match self.position(thread) {
                Some(position) => position.frames.iter().for_each(|frame| _ = writeln!(text, "  {frame}")),
                None => _ = writeln!(text, "  {}", self.unknown_place(thread)),
            }
        }
        text
    }

    /// Whether only the kernel of another processor knows the thread's registers and state.
    fn is_elsewhere(&self, thread: usize) -> bool {
        matches!(self.state.threads[thread].state, ThreadState::Elsewhere { .. })
    }

    fn head(&self, thread: usize) -> String {
        if self.is_elsewhere(thread) {
            return format!("{}: {}", self.name(thread), self.state_of(thread));
        }
        let Thread { priority, domain, sched_context, .. } = self.state.threads[thread];
        let domain = if self.state.has_domains { format!(", domain {domain}") } else { String::new() };
        let budget = sched_context.and_then(|index| self.state.sched_contexts.get(index));
        let budget = budget.map_or_else(
            || ", no budget of its own now".to_owned(),
            |context| match context.period_us {
                0 => format!(", slice {} µs", context.budget_us),
                period => {
                    format!(", {} of {} µs left, period {period} µs", context.left_us, context.budget_us)
                }
            },
        );
        format!("{} (priority {priority}{domain}{budget}): {}", self.name(thread), self.state_of(thread))
    }

    /// The state of a thread, in words that follow its name.
    fn state_of(&self, index: usize) -> String {
        let thread = &self.state.threads[index];
        let faulted = |rest: String| if thread.fault.is_some() { format!("faulted; {rest}") } else { rest };
        match thread.state {
            _ if self.state.current == Some(index) => {
                let in_kernel =
                    self.dump.registers.is_some_and(|registers| registers.pc >= crate::KERNEL_HALF);
                let how = match (thread.is_at_work, in_kernel) {
                    (true, _) => ": the kernel executes a service for it",
                    (_, true) => ", in the kernel",
                    _ => "",
                };
                format!("running{how}")
            }
            ThreadState::Inactive if thread.fault.is_some() => {
                "faulted; no handler gets the fault".to_owned()
            }
            ThreadState::Inactive if thread.printed_faults > 0 => "stopped after a fault".to_owned(),
            ThreadState::Inactive => self.lost_call(index).unwrap_or_else(|| "stopped".to_owned()),
            ThreadState::Runnable if thread.sched_context.is_none() => {
                "ready, but without budget: it runs on the time of its callers".to_owned()
            }
            ThreadState::Runnable if self.state.has_domains && thread.domain != self.state.domain => {
                "ready; its domain does not run".to_owned()
            }
            ThreadState::Runnable => "ready".to_owned(),
            ThreadState::Postponed => "ready, but its budget is used up until the next refill".to_owned(),
            ThreadState::Receiving { endpoint } => match self.endpoint_owner(endpoint) {
                Some(owner) if owner == self.name(index) => {
                    format!("waits for {}", self.sources(index, true))
                }
                Some(owner) => format!("waits for a message at the endpoint of '{owner}'"),
                None => "waits for a message".to_owned(),
            },
            ThreadState::Waiting { notification } if notification == index => {
                format!("waits for {}", self.sources(index, false))
            }
            ThreadState::Waiting { notification } => {
                format!("waits for a notification to '{}'", self.name(notification))
            }
            ThreadState::Sending { endpoint, is_call } => {
                let owner = self.endpoint_owner(endpoint).unwrap_or("a server");
                match (&thread.fault, is_call) {
                    (Some(_), _) => format!("faulted; '{owner}' has not received the fault"),
                    (None, true) => format!("called '{owner}', which has not received the call"),
                    (None, false) => format!("sends to '{owner}', which has not received the message"),
                }
            }
            ThreadState::Away => "waits for an answer of another processor".to_owned(),
            ThreadState::Elsewhere { processor } => elsewhere(processor),
            ThreadState::Calling { reply } => {
                let server = self.name(reply);
                faulted(if thread.fault.is_some() {
                    format!("'{server}' has received the fault and not replied")
                } else {
                    format!("called '{server}' and waits for the reply")
                })
            }
        }
    }

    /// The cause, if a stopped thread is in a call: a server that receives again gives up the caller that it owes a reply,
    /// and a thread that is stopped is taken out of its call. The kernel does not record which it was.
    fn lost_call(&self, index: usize) -> Option<String> {
        let Thread { registers, arguments, root, .. } = self.state.threads[index];
        let name = self.name(index);
        let server = self.report.endpoint(name, arguments.cptr).filter(|_| arguments.are_of_call())?;
        if !self.machine.is_trap(&self.dump, root, registers.pc) {
            return None;
        }
        let lost = format!("'{server}' was restarted or received again before it replied");
        let programs = self.system.protection_domains.iter().map(|domain| domain.name.as_str());
        let stoppers: Vec<_> = programs.filter(|program| self.report.can_stop(program, name)).collect();
        Some(if stoppers.is_empty() {
            format!("stopped, its call of '{server}' is lost: {lost}")
        } else {
            format!("stopped in its call of '{server}': {} stopped it, or {lost}", quoted(&stoppers))
        })
    }

    fn endpoint_owner(&self, endpoint: usize) -> Option<&str> {
        self.object("Endpoint", endpoint)
    }

    /// The events that can wake a thread that waits in its event loop.
    fn sources(&self, index: usize, with_calls: bool) -> String {
        if index == self.system.protection_domains.len() {
            return "faults".to_owned();
        }
        let name = self.name(index);
        let mut sources = Vec::new();
        let mut add = |what: &str, from: Vec<&str>| {
            if !from.is_empty() {
                sources.push(format!("{what} {}", quoted(&from)));
            }
        };
        if with_calls {
            add("calls from", self.report.senders("endpoint", name));
            let children = self.system.protection_domains.iter();
            let children = children.filter(|child| child.parent.as_deref() == Some(name));
            add("faults of", children.map(|child| child.name.as_str()).collect());
        }
        add("notifications from", self.report.senders("notification", name));
        let irqs = self.state.irqs.iter().enumerate();
        let irqs = irqs.filter(|(_, irq)| irq.line != 0 && irq.notification == index);
        sources.extend(irqs.map(|(irq, _)| self.object("Interrupt", irq).unwrap_or(NO_NAME).to_owned()));
        if sources.is_empty() { "nothing that can come".to_owned() } else { sources.join(", ") }
    }

    /// The place of a thread; with the cause, if it faulted.
    fn place(&mut self, index: usize) -> Option<String> {
        if self.is_elsewhere(index) {
            return None;
        }
        if let Some(kind) = self.state.threads[index].fault {
            let registers = self.registers(index);
            let stack = self.stack(index, registers.sp);
            let record = FaultRecord {
                program: index,
                pc: registers.pc,
                sp: registers.sp,
                link: registers.link,
                to: String::new(),
                kind,
                is_last: false,
            };
            let fault = sentence::Fault { record: &record, frame_pointer: registers.fp, stack: &stack };
            let program = self.program(index);
            return Some(sentence::of(&self.system, self.words, program.as_deref(), &fault));
        }
        let never_ran = self.state.threads[index].state == ThreadState::Inactive;
        match self.position(index) {
            Some(position) if position.is_library && !never_ran => Some("in its event loop".to_owned()),
            Some(position) => Some(position.words),
            None => Some(self.unknown_place(index)),
        }
    }

    fn unknown_place(&self, index: usize) -> String {
        let registers = self.registers(index);
        let file = self.system.protection_domains.get(index).map_or("the monitor", |domain| &domain.program);
        format!("at {:#x} (no readable {file}; name its folder with --search-path)", registers.pc)
    }

    /// Lines about the system as a whole.
    fn summary(&mut self) -> Vec<String> {
        let mut lines = self.cycles();
        lines.extend(self.kernel_place());
        let wakers = self.wakers();
        match self.progress() {
            Progress::Impossible => lines.push(
                "no thread can run: each is stopped or waits for another one, and no interrupt wakes one"
                    .to_owned(),
            ),
            Progress::Possible if self.state.current.is_none() && !wakers.is_empty() => {
                lines.push(format!("no thread runs; one can be woken by {}", wakers.join(", ")));
            }
            Progress::Possible => {}
        }
        lines
    }

    /// The kernel's own place, while it runs or idles.
    fn kernel_place(&mut self) -> Option<String> {
        let pc = self.dump.registers.filter(|registers| registers.pc >= crate::KERNEL_HALF)?.pc;
        let kernel = self.files.kernel()?;
        let frames = sentence::frames_at(&kernel, pc);
        (!frames.is_empty()).then(|| format!("the kernel: {frames}"))
    }

    /// Threads that call each other in a circle.
    fn cycles(&self) -> Vec<String> {
        let mut cycles = Vec::new();
        for start in 0..self.state.threads.len() {
            let mut path = vec![start];
            while let Some(next) = path.last().and_then(|last| self.waits_for(*last)) {
                if next == start {
                    let names: Vec<_> = path.iter().map(|thread| self.name(*thread)).collect();
                    cycles.push(match names.as_slice() {
                        [one] => format!("'{one}' waits for itself"),
                        names => format!("{} wait for each other", quoted(names)),
                    });
                    break;
                }
                // Each circle is reported once, for its first thread.
                if path.contains(&next) || next < start {
                    break;
                }
                path.push(next);
            }
        }
        cycles
    }

    /// The thread that must receive or reply before this one continues.
    fn waits_for(&self, index: usize) -> Option<usize> {
        match self.state.threads.get(index)?.state {
            ThreadState::Calling { reply } => Some(reply).filter(|server| *server < self.state.threads.len()),
            ThreadState::Sending { endpoint, .. } => self.thread_named(self.endpoint_owner(endpoint)?),
            _ => None,
        }
    }

    /// Endpoints, notifications, interrupts, scheduling contexts and reply objects. Idle ones are listed as well.
    pub(crate) fn objects(&self) -> String {
        let mut text = String::new();
        for (index, endpoint) in self.state.endpoints.iter().enumerate() {
            let Some(owner) = self.endpoint_owner(index) else { continue };
            let away = self.thread_named(owner).and_then(|thread| self.away(thread));
            let what = match (endpoint.senders.as_slice(), endpoint.receivers.as_slice()) {
                ([], []) => "idle".to_owned(),
                ([], receivers) => self.wait(receivers, "to receive"),
                (senders, _) => self.wait(senders, "to send"),
            };
            _ = writeln!(text, "endpoint of '{owner}': {}", away.unwrap_or(what));
        }
        for (index, notification) in self.state.notifications.iter().enumerate() {
            let Some(domain) = self.system.protection_domains.get(index) else { continue };
            if let Some(away) = self.away(index) {
                _ = writeln!(text, "notification of '{}': {away}", domain.name);
                continue;
            }
            let what = match (notification.pending, notification.waiters.as_slice()) {
                (Some(bits), _) => {
                    let from = self.report.signallers(&domain.name, bits);
                    let from =
                        if from.is_empty() { String::new() } else { format!(" from {}", quoted(&from)) };
                    format!("pending {bits:#x}{from}")
                }
                (None, []) => "idle".to_owned(),
                (None, waiters) => self.wait(waiters, "for a signal"),
            };
            let bound = notification.bound.map(|thread| format!("; bound to '{}'", self.name(thread)));
            _ = writeln!(text, "notification of '{}': {what}{}", domain.name, bound.unwrap_or_default());
        }
        for (index, irq) in self.state.irqs.iter().enumerate() {
            let Some(name) = self.object("Interrupt", index) else { continue };
            let what = match irq.state.as_str() {
                "Armed" => "may interrupt",
                "Delivered" => "delivered, not acknowledged",
                _ => "delivered, and came again before it was acknowledged",
            };
            _ = writeln!(text, "interrupt {name}: {what}");
        }
        for (index, context) in self.state.sched_contexts.iter().enumerate() {
            if let Some(away) = self.away(index) {
                _ = writeln!(text, "scheduling context of '{}': {away}", self.name(index));
                continue;
            }
            let time = match context.period_us {
                0 => format!("slice {} µs", context.budget_us),
                period => format!("{} of {} µs left, period {period} µs", context.left_us, context.budget_us),
            };
            let holder = match (context.thread, context.notification) {
                (Some(thread), _) if thread == index => String::new(),
                (Some(thread), _) => format!("; lent to '{}'", self.name(thread)),
                (None, Some(notification)) => {
                    format!("; kept by the notification of '{}'", self.name(notification))
                }
                (None, None) => "; unused".to_owned(),
            };
            _ = writeln!(text, "scheduling context of '{}': {time}{holder}", self.name(index));
        }
        for (index, caller) in self.state.replies.iter().enumerate() {
            if let Some(caller) = caller {
                _ = writeln!(
                    text,
                    "reply object of '{}': owed to '{}'",
                    self.name(index),
                    self.name(*caller)
                );
            }
        }
        text
    }

    fn thread_named(&self, name: &str) -> Option<usize> {
        (0..self.state.threads.len()).find(|thread| self.name(*thread) == name)
    }

    /// Words for the objects of a thread of which another processor's kernel knows the state.
    fn away(&self, thread: usize) -> Option<String> {
        match self.state.threads.get(thread)?.state {
            ThreadState::Elsewhere { processor } => Some(elsewhere(processor)),
            _ => None,
        }
    }

    fn wait(&self, threads: &[usize], what: &str) -> String {
        let names: Vec<_> = threads.iter().map(|thread| self.name(*thread)).collect();
        let verb = if names.len() == 1 { "waits" } else { "wait" };
        format!("{} {verb} {what}", quoted(&names))
    }

    /// Static keys with their holders.
    pub(crate) fn keys(&self) -> String {
        let name = |index| self.object("Key", index).map_or_else(|| format!("key {index}"), str::to_owned);
        let mut text = String::new();
        for (index, key) in self.state.keys.iter().enumerate() {
            let mut words = vec![if key.state { "on".to_owned() } else { "off".to_owned() }];
            let holders = key.holds.iter().enumerate().filter(|(_, holds)| **holds > 0);
            let holders: Vec<_> = holders
                .map(|(thread, holds)| match holds {
                    1 => format!("'{}'", self.name(thread)),
                    more => format!("'{}' {more} times", self.name(thread)),
                })
                .collect();
            if !holders.is_empty() {
                words.push(format!("held by {}", holders.join(", ")));
            }
            match (key.default.as_str(), key.taken_by) {
                ("Held", _) => words.push("held by default".to_owned()),
                (_, Some(thread)) => words.push(format!("default hold released by '{}'", self.name(thread))),
                _ => {}
            }
            if key.state && key.count == 0 {
                words.push("held by its group".to_owned());
            }
            if let Some(group) = key.group {
                words.push(format!("in group '{}'", name(group)));
            }
            if let Some(patcher) = key.patcher {
                words.push(format!("'{}' is patching its branches", self.name(patcher)));
            }
            _ = writeln!(text, "{}: {}", name(index), words.join("; "));
        }
        if text.is_empty() { "the system has no static keys\n".to_owned() } else { text }
    }
}

fn elsewhere(processor: u64) -> String {
    format!("on processor {processor}; this dump has only the kernel of another one")
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("'{name}'")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
