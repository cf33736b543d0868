//! The state of the kernel, as its memory contains it.

use limen_symbolise::program::Registers;
use limen_symbolise::record::Kind;

use crate::layout::{Layout, Value};
use crate::machine::{Arguments, Machine};

/// The threads and objects of a kernel.
#[derive(Debug)]
pub(crate) struct State {
    /// The running thread.
    pub(crate) current: Option<usize>,
    pub(crate) domain: u64,
    pub(crate) threads: Vec<Thread>,
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) notifications: Vec<Notification>,
    /// The caller that each reply object is owed to.
    pub(crate) replies: Vec<Option<usize>>,
    pub(crate) sched_contexts: Vec<SchedContext>,
    pub(crate) irqs: Vec<Irq>,
    pub(crate) keys: Vec<Key>,
    /// Whether the schedule has several domains.
    pub(crate) has_domains: bool,
}

#[derive(Debug)]
pub(crate) struct Thread {
    pub(crate) state: ThreadState,
    pub(crate) priority: u64,
    pub(crate) domain: u64,
    pub(crate) sched_context: Option<usize>,
    pub(crate) fault: Option<Kind>,
    pub(crate) registers: Registers,
    /// Meaningful if it is at a system call.
    pub(crate) arguments: Arguments,
    /// Physical address of the page table.
    pub(crate) root: u64,
    /// Whether the kernel runs a service for it.
    pub(crate) is_at_work: bool,
    /// Faults that the kernel printed.
    pub(crate) printed_faults: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreadState {
    Inactive,
    Runnable,
    Postponed,
    Receiving {
        endpoint: usize,
    },
    Waiting {
        notification: usize,
    },
    Sending {
        endpoint: usize,
        is_call: bool,
    },
    Calling {
        reply: usize,
    },
    /// It waits for an answer of another processor.
    Away,
    /// It runs on another processor, whose kernel knows its state.
    Elsewhere {
        processor: u64,
    },
}

#[derive(Debug, Default)]
pub(crate) struct Endpoint {
    pub(crate) senders: Vec<usize>,
    pub(crate) receivers: Vec<usize>,
}

#[derive(Debug, Default)]
pub(crate) struct Notification {
    pub(crate) pending: Option<u64>,
    pub(crate) waiters: Vec<usize>,
    pub(crate) bound: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct SchedContext {
    pub(crate) budget_us: u64,
    /// Zero without a limit.
    pub(crate) period_us: u64,
    /// Of the next refill, or of the slice.
    pub(crate) left_us: u64,
    pub(crate) thread: Option<usize>,
    pub(crate) notification: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct Irq {
    pub(crate) state: String,
    pub(crate) line: u64,
    pub(crate) notification: usize,
}

#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) state: bool,
    pub(crate) count: u64,
    pub(crate) holds: Vec<u64>,
    pub(crate) default: String,
    /// The program that released the default hold.
    pub(crate) taken_by: Option<usize>,
    pub(crate) group: Option<usize>,
    pub(crate) patcher: Option<usize>,
}

const US_PER_SECOND: u128 = 1_000_000;

/// A queue that is longer has a loop: the memory is not a kernel's.
const MOST_QUEUED: usize = 1 << 10;

/// Reads arrays of objects whose numbers are ids.
struct Reader<'a> {
    kernel: Value<'a>,
    links: Vec<Value<'a>>,
}

impl State {
    /// Reads the state of a kernel with this number of threads.
    pub(crate) fn read(
        layout: &Layout,
        memory: &[u8],
        machine: &Machine,
        threads: usize,
    ) -> Result<Self, String> {
        let kernel = layout.state(memory)?;
        let links = kernel.field("links")?.items();
        let reader = Reader { kernel, links };
        let frequency = kernel.number("machine.frequency")?.max(1);
        let us = |ticks: u64| {
            u64::try_from(u128::from(ticks) * US_PER_SECOND / u128::from(frequency)).unwrap_or(u64::MAX)
        };
        let now = kernel.number("processor.since")?;
        let mut state = Self {
            current: reader.id(&kernel, "processor.current", "threads")?,
            domain: kernel.number("processor.domain")?,
            threads: reader.all("threads", |thread| reader.thread(thread, machine))?,
            endpoints: reader.all("endpoints", |endpoint| reader.endpoint(endpoint))?,
            notifications: reader.all("notifications", |notification| reader.notification(notification))?,
            replies: reader.all("replies", |reply| reader.reply(reply))?,
            sched_contexts: Vec::new(),
            irqs: reader.irqs()?,
            keys: reader.keys()?,
            has_domains: reader.has_domains()?,
        };
        let servers = kernel.field("sporadic_servers")?.items();
        let slices = kernel.field("slices")?.items();
        let shares = slices.iter().zip(&servers);
        for (context, (slice, server)) in kernel.field("sched_contexts")?.items().iter().zip(shares) {
            state.sched_contexts.push(reader.sched_context(context, slice, server, now, us)?);
        }
        if state.threads.len() < threads {
            return Err(format!("the report has {threads} threads, more than this kernel can have"));
        }
        let (works, printed) = (kernel.field("works")?.items(), kernel.field("printed_faults")?.items());
        for (thread, (work, printed)) in state.threads.iter_mut().zip(works.iter().zip(printed)) {
            thread.is_at_work = matches!(work.variant(), Some(("Some", _)));
            thread.printed_faults = printed.as_number();
        }
        let number = kernel.number("processor.number")?;
        for (thread, home) in state.threads.iter_mut().zip(kernel.field("homes")?.items()) {
            let processor = home.as_number();
            if processor != number {
                thread.state = ThreadState::Elsewhere { processor };
            }
        }
        state.threads.truncate(threads);
        state.sched_contexts.truncate(threads);
        state.notifications.truncate(threads);
        state.replies.truncate(threads);
        state.current = state.current.filter(|current| *current < threads);
        state.flush_open_calls(&reader)?;
        Ok(state)
    }

    /// Calls whose servers have not replied yet may be recorded only at the next event, the oldest first.
    fn flush_open_calls(&mut self, reader: &Reader<'_>) -> Result<(), String> {
        let threads = reader.kernel.field("threads")?.items();
        let mut calls = Vec::new();
        let mut next = reader.open_call(&reader.kernel.field("processor.open_call")?)?;
        while let Some((caller, endpoint)) = next
            && calls.len() < threads.len()
        {
            calls.push((caller, endpoint));
            let thread = threads.get(caller);
            next = thread.map(|thread| reader.open_call(&thread.field("serves")?)).transpose()?.flatten();
        }
        calls.into_iter().rev().for_each(|(caller, endpoint)| self.flush_open_call(caller, endpoint));
        Ok(())
    }

    fn flush_open_call(&mut self, caller: usize, endpoint: usize) {
        let server = self.endpoints.get_mut(endpoint).and_then(|endpoint| endpoint.receivers.pop());
        let Some(server) = server else { return };
        if let Some(reply) = self.replies.get_mut(server) {
            *reply = Some(caller);
        }
        if let Some(thread) = self.threads.get_mut(caller) {
            thread.state = ThreadState::Calling { reply: server };
            let lent = thread.sched_context.take();
            if let Some(server) = self.threads.get_mut(server) {
                server.state = ThreadState::Runnable;
                server.sched_context = server.sched_context.or(lent);
            }
        }
    }
}

impl<'a> Reader<'a> {
    fn all<T>(&self, array: &str, read: impl Fn(&Value<'a>) -> Result<T, String>) -> Result<Vec<T>, String> {
        self.kernel.field(array)?.items().iter().map(read).collect()
    }

    /// The caller and the endpoint of an open call, if there is one.
    fn open_call(&self, call: &Value<'a>) -> Result<Option<(usize, usize)>, String> {
        let Some(("Some", open)) = call.variant() else { return Ok(None) };
        let open = open.field("__0")?;
        let (caller, endpoint) =
            (self.id(&open, "caller", "threads")?, self.id(&open, "endpoint", "endpoints")?);
        Ok(caller.zip(endpoint))
    }

    /// The index in `array` that an id, or an optional one, stands for.
    fn id(&self, of: &Value<'_>, path: &str, array: &str) -> Result<Option<usize>, String> {
        let number = of.number(path)?;
        let count = self.kernel.field(array)?.items().len().max(1) as u64;
        Ok((number != 0).then(|| usize::try_from(number % count).unwrap_or(0)))
    }

    fn thread(&self, thread: &Value<'a>, machine: &Machine) -> Result<Thread, String> {
        Ok(Thread {
            state: self.thread_state(&thread.field("state")?)?,
            priority: thread.number("priority")?,
            domain: thread.number("domain")?,
            sched_context: self.id(thread, "sched_context", "sched_contexts")?,
            fault: fault(&thread.field("fault")?)?,
            registers: (machine.registers)(&thread.field("context")?)?,
            arguments: (machine.arguments)(&thread.field("context")?)?,
            root: (machine.root)(thread)?,
            is_at_work: false,
            printed_faults: 0,
        })
    }

    fn thread_state(&self, state: &Value<'a>) -> Result<ThreadState, String> {
        let unknown = || "a thread has a state that the kernel file does not know".to_owned();
        let (name, contents) = state.variant().ok_or_else(unknown)?;
        let id = |path, array| self.id(&contents, path, array)?.ok_or_else(unknown);
        Ok(match name {
            "Inactive" => ThreadState::Inactive,
            "Runnable" => ThreadState::Runnable,
            "Postponed" => ThreadState::Postponed,
            "Receiving" => ThreadState::Receiving { endpoint: id("endpoint", "endpoints")? },
            "Waiting" => ThreadState::Waiting { notification: id("notification", "notifications")? },
            "Sending" => {
                let then = contents.field("then")?;
                let is_call = !matches!(then.variant(), Some(("Continue", _)));
                ThreadState::Sending { endpoint: id("endpoint", "endpoints")?, is_call }
            }
            "Calling" => ThreadState::Calling { reply: id("reply", "replies")? },
            "Away" => ThreadState::Away,
            _ => return Err(unknown()),
        })
    }

    fn endpoint(&self, endpoint: &Value<'a>) -> Result<Endpoint, String> {
        Ok(match endpoint.variant() {
            Some(("LoneReceiver", lone)) => {
                let receivers = self.id(&lone, "thread", "threads")?.into_iter().collect();
                Endpoint { receivers, ..Endpoint::default() }
            }
            Some(("SenderQueue", queue)) => {
                Endpoint { senders: self.queue(&queue.field("__0")?)?, ..Endpoint::default() }
            }
            Some(("ReceiverQueue", queue)) => {
                Endpoint { receivers: self.queue(&queue.field("__0")?)?, ..Endpoint::default() }
            }
            _ => Endpoint::default(),
        })
    }

    fn notification(&self, notification: &Value<'a>) -> Result<Notification, String> {
        let bound = self.id(notification, "thread", "threads")?;
        let state = notification.field("state")?;
        let (pending, waiters) = match state.variant() {
            Some(("Active", bits)) => (Some(bits.number("__0")?), Vec::new()),
            Some(("LoneWaiter", lone)) => (None, self.id(&lone, "__0", "threads")?.into_iter().collect()),
            Some(("WaiterQueue", queue)) => (None, self.queue(&queue.field("__0")?)?),
            _ => (None, Vec::new()),
        };
        Ok(Notification { pending, waiters, bound })
    }

    fn queue(&self, queue: &Value<'a>) -> Result<Vec<usize>, String> {
        let mut threads = Vec::new();
        let mut next = self.id(queue, "head", "threads")?;
        while let Some(thread) = next {
            threads.push(thread);
            if threads.len() > MOST_QUEUED {
                return Err("a queue of threads in this memory is a loop".to_owned());
            }
            let links = self.links.get(thread).ok_or("a queue names a thread that does not exist")?;
            next = self.id(links, "next", "threads")?;
        }
        Ok(threads)
    }

    fn reply(&self, reply: &Value<'a>) -> Result<Option<usize>, String> {
        match reply.variant() {
            Some(("Owed", owed)) => self.id(&owed, "caller", "threads"),
            _ => Ok(None),
        }
    }

    fn sched_context(
        &self,
        context: &Value<'a>,
        slice: &Value<'a>,
        server: &Value<'a>,
        now: u64,
        us: impl Fn(u64) -> u64,
    ) -> Result<SchedContext, String> {
        let period = server.number("period")?;
        let refills = server.field("ring")?.items();
        let first = server.number("first")? % refills.len().max(1) as u64;
        let refill = refills.get(usize::try_from(first).unwrap_or(0));
        let left = match (context.number("remaining")?, refill) {
            (0, Some(refill)) if period != 0 && refill.number("time")? <= now => refill.number("amount")?,
            (remaining, _) => remaining,
        };
        Ok(SchedContext {
            budget_us: us(slice.number("budget")?),
            period_us: us(period),
            left_us: us(left),
            thread: self.id(context, "thread", "threads")?,
            notification: self.id(context, "notification", "notifications")?,
        })
    }

    fn irqs(&self) -> Result<Vec<Irq>, String> {
        self.all("irqs", |irq| {
            let state = irq.field("state")?.variant().map_or("", |(name, _)| name).to_owned();
            let notification = self.id(irq, "notification", "notifications")?.unwrap_or(0);
            Ok(Irq { state, line: irq.number("line")?, notification })
        })
    }

    fn keys(&self) -> Result<Vec<Key>, String> {
        let mut keys = self.all("keys", |key| {
            let default = key.field("default")?;
            let (name, contents) = default.variant().unwrap_or(("", default));
            let taken_by = if name == "TakenBy" { self.id(&contents, "__0", "threads")? } else { None };
            Ok(Key {
                state: key.number("state")? != 0,
                count: key.number("count")?,
                holds: key.field("holds")?.items().iter().map(Value::as_number).collect(),
                default: name.to_owned(),
                taken_by,
                group: self.id(key, "group", "keys")?,
                patcher: self.id(key, "patcher", "threads")?,
            })
        })?;
        keys.truncate(usize::try_from(self.kernel.number("key_count")?).unwrap_or(0));
        Ok(keys)
    }

    fn has_domains(&self) -> Result<bool, String> {
        let slots = self.kernel.field("schedule.slots")?.items();
        slots.first().map_or(Ok(false), |slot| Ok(slot.number("duration")? != 0))
    }
}

/// The fault of a thread, as the kernel's line about it.
fn fault(fault: &Value<'_>) -> Result<Option<Kind>, String> {
    let Some(("Some", fault)) = fault.variant() else { return Ok(None) };
    let fault = fault.field("__0")?;
    let Some((name, words)) = fault.variant() else { return Ok(None) };
    let is = |path: &str, wanted: &str| -> Result<bool, String> {
        Ok(words.field(path)?.variant().is_some_and(|(name, _)| name == wanted))
    };
    Ok(Some(match name {
        "Vm" => Kind::Vm {
            address: words.number("address")?,
            fetch: is("access", "Instruction")?,
            status: words.number("status")?,
        },
        "UserException" => Kind::Exception { number: words.number("number")?, code: words.number("code")? },
        "Cap" => Kind::Cap {
            cptr: words.number("cptr")?,
            receive: is("phase", "Receive")?,
            outside: is("failure", "GuardMismatch")?,
        },
        "UnknownSyscall" => Kind::Syscall { number: words.number("number")?.cast_signed() },
        "Timeout" => Kind::Timeout { consumed_us: words.number("consumed_us")? },
        _ => return Ok(None),
    }))
}
