//! Messages and signals when nothing stands in their way: the crossings that systems do most.
//!
//! Each is *planned* first, with `&self`. If all that it needs is there (a server that waits alone, nobody more
//! important, time left, no fault to answer), it is *carried out*, made of the pieces of the general path in the order of
//! that path, without the questions whose answers the plan knows. If not, nothing was changed, and the general path does
//! everything. So a plan may be as choosy as it likes, and what it says yes to must come out the same: the tests run two
//! equal systems, one of them on the general path only, and compare them (`assert_twins`).
//!
//! * `call`: a call to a server that waits.
//! * `open`: what is not written down of such a call before it is answered.
//! * `answer`: an answer to a call or a fault, whose sender waits for the next message.
//! * `fault`: a fault whose handler waits.
//! * `signal`: a signal, whoever it wakes.
//! * `receive`: a receive or wait that finds a signal, or lets another thread run.
//! * `turn`: letting a thread run that has time.

mod answer;
mod call;
mod fault;
mod open;
mod receive;
mod signal;
mod turn;

use limen_abi::message::REGISTER_WORDS;
use limen_abi::{MessageInfo, Syscall};

pub use open::OpenCall;

use crate::arena::ThreadId;
use crate::cap::Cap;
use crate::event::Event;
use crate::inbox::Inbox;
use crate::kernel::Kernel;
use crate::machine::{Context, Machine};

impl<M: Machine> Kernel<M> {
    /// Serves a system call of the current thread. Gives the registers to return with; none means to idle.
    #[inline(never)]
    pub fn serve_syscall(&mut self, number: i64) -> Option<&mut M::Context> {
        match Syscall::from_raw(number) {
            Some(Syscall::Call) => self.serve_call(),
            Some(Syscall::ReplyRecv) => self.serve_answer(),
            Some(Syscall::Send) => self.serve_send(),
            Some(Syscall::Recv) => self.serve_receive(),
            _ => self.serve_other_syscall(number),
        }
    }

    /// The same for a system call that has no function of its own.
    #[inline(always)]
    pub fn serve_other_syscall(&mut self, number: i64) -> Option<&mut M::Context> {
        if number == Syscall::Wait.as_raw() {
            return self.serve_receive_elsewhere(number);
        }
        self.serve_slowly(number)
    }

    /// Serves a system call of a server that has an open call.
    #[inline(never)]
    fn flush_and_serve(&mut self, number: i64) -> Option<&mut M::Context> {
        self.flush_open_call();
        self.serve_syscall(number)
    }

    /// The same for every system call in every state.
    #[inline(never)]
    pub fn serve_slowly(&mut self, number: i64) -> Option<&mut M::Context> {
        self.handle(Event::Syscall(number));
        self.running()
    }

    /// Hands over a message whose words are in registers, which is what most are, and does `then`. Does `otherwise`, and
    /// nothing else, with a longer one. Everything is there once for each length that is frequent, so that none of them pays
    /// for what the others need.
    #[inline(always)]
    fn transfer_short(
        &mut self,
        (from, to): (ThreadId, ThreadId),
        badge: u64,
        info: MessageInfo,
        then: impl Fn(&mut Self) -> Option<&mut M::Context>,
        otherwise: impl Fn(&mut Self) -> Option<&mut M::Context>,
    ) -> Option<&mut M::Context> {
        let deliver = |context: &mut M::Context| {
            context.set_badge(badge);
            context.set_info(info.without_caps());
        };
        let length = info.claimed_length();
        if length == 0 {
            deliver(&mut self.threads[to].context);
            return then(self);
        }
        let words = self.threads[from].context.words();
        if length == REGISTER_WORDS {
            let context = &mut self.threads[to].context;
            deliver(context);
            context.set_words(words, REGISTER_WORDS);
            return then(self);
        }
        if length > REGISTER_WORDS {
            return otherwise(self);
        }
        let context = &mut self.threads[to].context;
        deliver(context);
        context.set_words(words, length);
        then(self)
    }

    /// Where a thread receives that names the slots of event loops.
    #[inline(always)]
    fn usual_inbox(&self, thread: ThreadId) -> Inbox {
        if self.is_in_event_loop(thread) { self.threads[thread].inbox } else { Inbox::None }
    }

    /// Whether a thread that receives names the slots of event loops.
    #[inline(always)]
    fn is_in_event_loop(&self, thread: ThreadId) -> bool {
        let context = &self.threads[thread].context;
        // Without a branch between the two.
        (context.cptr() == Inbox::INPUT) & (context.reply_cptr() == Inbox::REPLY)
    }

    /// Where a thread receives.
    #[inline(always)]
    fn named_inbox(&self, thread: ThreadId) -> Inbox {
        let context = &self.threads[thread].context;
        Inbox::of(self.machine.cap_table(thread), context.cptr(), context.reply_cptr())
    }

    /// The capability that `cptr` names in the own table of `thread`.
    #[inline(always)]
    fn own_cap(&self, thread: ThreadId, cptr: u64) -> Option<&Cap> {
        self.threads[thread].caps.lookup(cptr)
    }
}
