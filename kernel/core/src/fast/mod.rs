//! Fast paths: the frequent system calls and faults in their usual states.
//!
//! Each fast path is *planned* first, with `&self`. If the plan finds everything in its usual state (a server that waits
//! alone, no higher-priority thread, time left, no fault to answer), it is *carried out* with the functions of the slow
//! path, in the same order, but without the checks whose results the plan knows. Otherwise nothing has changed, and the
//! slow path handles the event. A plan may therefore refuse as much as it likes, but what it accepts must come out as on
//! the slow path: tests run two equal systems, one of them on slow paths only, and compare them (`assert_twins`).
//!
//! * `call`: a call to a server that waits.
//! * `open_call`: the part of such a call that is left out until something other than its reply happens.
//! * `reply`: a reply to a call or a fault by a server that then waits for the next message.
//! * `fault`: a fault whose handler waits.
//! * `signal`: a signal, whether it wakes a thread or not.
//! * `interrupt`: an interrupt of a device, which signals.
//! * `send_receive`: a signal or an acknowledgement, and a receive.
//! * `receive`: a receive or wait that finds a signal, or blocks and dispatches another thread.
//! * `switch`: switching to a thread whose budget needs no further attention.

mod call;
mod fault;
mod interrupt;
mod open_call;
mod receive;
mod reply;
mod send_receive;
mod signal;
mod switch;

use limen_abi::MessageInfo;
use limen_abi::message::REGISTER_WORDS;

pub use open_call::OpenCall;

use crate::arena::ThreadId;
use crate::cap::Cap;
use crate::event::Event;
use crate::inbox::Inbox;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};

impl<M: Machine> Kernel<M> {
    /// Serves a system call of the current thread on the slow path. Returns the registers to return with; none means to
    /// idle.
    #[inline(never)]
    pub fn serve_slowly(&mut self, number: i64) -> Option<&mut M::Context> {
        self.handle(Event::Syscall(number));
        self.running()
    }

    /// Transfers a message whose words are all in registers, and continues with `then`. For a longer message it only
    /// calls `otherwise`. All lengths join before `then`, so that it is there once and a first call reads few lines of code.
    #[inline(always)]
    fn transfer_short(
        &mut self,
        (from, to): (ThreadId, ThreadId),
        badge: u64,
        info: MessageInfo,
        then: impl Fn(&mut Self) -> Option<&mut M::Context>,
        otherwise: impl Fn(&mut Self) -> Option<&mut M::Context>,
    ) -> Option<&mut M::Context> {
        let length = info.claimed_length();
        if length != 0 {
            let words = self.threads[from].context.words();
            let context = &mut self.threads[to].context;
            if length == REGISTER_WORDS {
                context.set_words(words, REGISTER_WORDS);
            } else if length < REGISTER_WORDS {
                context.set_words(words, length);
            } else {
                return otherwise(self);
            }
        }
        let context = &mut self.threads[to].context;
        context.set_badge(badge);
        context.set_info(info.without_caps());
        then(self)
    }

    /// The objects that a thread receives from, if it names the slots of event loops, which boot has looked up.
    #[inline(always)]
    pub(crate) fn usual_inbox(&self, thread: ThreadId) -> Inbox {
        if self.is_in_event_loop(thread) { self.threads[thread].inbox } else { Inbox::None }
    }

    /// Whether a thread that receives names the slots of event loops.
    #[inline(always)]
    fn is_in_event_loop(&self, thread: ThreadId) -> bool {
        let context = &self.threads[thread].context;
        // Without a branch between the two.
        (context.cptr() == Inbox::INPUT) & (context.reply_cptr() == Inbox::REPLY)
    }

    /// The objects that a thread receives from, looked up in its table.
    #[inline(always)]
    fn named_inbox(&self, thread: ThreadId) -> Inbox {
        let context = &self.threads[thread].context;
        Inbox::of(self.machine.cap_table(thread), context.cptr(), context.reply_cptr())
    }

    /// The capability in slot `cptr` of the table of `thread`.
    #[inline(always)]
    pub(crate) fn own_cap(&self, thread: ThreadId, cptr: u64) -> Option<&Cap> {
        self.threads[thread].caps.lookup(cptr)
    }

    /// Whether a thread would be dispatched if it became ready while the current one blocks.
    #[inline(always)]
    fn outranks_ready(&self, thread: ThreadId) -> bool {
        self.processor.queues.ready.surely_below(self.threads[thread].priority)
    }
}
