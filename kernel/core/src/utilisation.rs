//! Measures processor time by thread, in images that ask for it ([`Options::MEASURE_UTILISATION`]).
//!
//! Other images pay nothing for this. In an image that measures, the running thread is stored here between events and
//! `processor.current` is `None`, so every event takes the path of an idle processor, which checks for it.
//! `Kernel::handle_measured` restores the current thread before it handles the event and hides it again afterwards;
//! the code in between runs as in other images. The invariants ([`crate::invariants`]) are not checked in such images.
//!
//! Time in the kernel is charged to the thread that was current on entry.

use core::mem;

use limen_abi::benchmark::{BenchmarkCall, UtilisationWord};
use limen_abi::limits;
use limen_abi::message::BufferWord;
use limen_image::Options;

use crate::arena::ThreadId;
use crate::cap::Cap;
use crate::event::{Event, Outcome};
use crate::kernel::{Kernel, PerThread};
use crate::machine::{Context, Machine};

/// The time that one thread has used since its last reset, while a measurement ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Use {
    /// Cycles in user mode and in the kernel.
    cycles: u64,
    /// How often it became the current thread.
    schedules: u64,
    kernel_cycles: u64,
    kernel_entries: u64,
}

impl Use {
    const NONE: Self = Self { cycles: 0, schedules: 0, kernel_cycles: 0, kernel_entries: 0 };
}

/// The times of all threads.
#[derive(Debug)]
pub struct Utilisation {
    /// The running thread, between events of an image that measures.
    hidden: Option<ThreadId>,
    /// Whether a measurement is running.
    running: bool,
    /// The cycle count up to which time is attributed.
    since: u64,
    /// The cycle counts at the start and the end of the measurement.
    start: u64,
    end: u64,
    total: Use,
    idle: Use,
    threads: PerThread<Use>,
}

impl Utilisation {
    /// No measurement.
    pub const NONE: Self = Self {
        hidden: None,
        running: false,
        since: 0,
        start: 0,
        end: 0,
        total: Use::NONE,
        idle: Use::NONE,
        threads: PerThread::new([Use::NONE; limits::THREADS]),
    };

    fn reset(&mut self, now: u64) {
        (self.running, self.start, self.end, self.since) = (true, now, now, now);
        (self.total, self.idle) = (Use { schedules: 1, ..Use::NONE }, Use::NONE);
    }

    fn finalize(&mut self, current: ThreadId, now: u64) {
        if self.running {
            self.attribute(Some(current), now);
            (self.running, self.end) = (false, now);
        }
    }

    /// Records an event that came while `before` ran. It entered the kernel at `entered`; `after` runs from now on.
    fn served(&mut self, before: Option<ThreadId>, after: Option<ThreadId>, entered: u64, now: u64) {
        if !self.running {
            return;
        }
        let kernel_cycles = now.wrapping_sub(entered.max(self.start));
        self.attribute(before, now);
        for used in [&mut self.total, use_of(&mut self.threads, &mut self.idle, before)] {
            used.kernel_cycles += kernel_cycles;
            used.kernel_entries += 1;
        }
        if before != after {
            self.total.schedules += 1;
            use_of(&mut self.threads, &mut self.idle, after).schedules += 1;
        }
    }

    fn attribute(&mut self, thread: Option<ThreadId>, now: u64) {
        let cycles = now.wrapping_sub(mem::replace(&mut self.since, now));
        use_of(&mut self.threads, &mut self.idle, thread).cycles += cycles;
    }

    fn words_of(&self, thread: ThreadId) -> [(UtilisationWord, u64); UtilisationWord::ALL.len()] {
        use UtilisationWord::{
            IdleKernelUtilisation, IdleLocalCpuUtilisation, IdleNumberKernelEntries, IdleNumberSchedules,
            IdleTcbCpuUtilisation, TcbKernelUtilisation, TcbNumberKernelEntries, TcbNumberSchedules,
            TcbUtilisation, TotalKernelUtilisation, TotalNumberKernelEntries, TotalNumberSchedules,
            TotalUtilisation,
        };
        let own = self.threads[thread];
        [
            (TcbUtilisation, own.cycles),
            (TcbNumberSchedules, own.schedules),
            (TcbKernelUtilisation, own.kernel_cycles),
            (TcbNumberKernelEntries, own.kernel_entries),
            (IdleLocalCpuUtilisation, self.idle.cycles),
            (IdleTcbCpuUtilisation, self.idle.cycles),
            (IdleNumberSchedules, self.idle.schedules),
            (IdleKernelUtilisation, self.idle.kernel_cycles),
            (IdleNumberKernelEntries, self.idle.kernel_entries),
            (TotalUtilisation, self.end.wrapping_sub(self.start)),
            (TotalNumberSchedules, self.total.schedules),
            (TotalKernelUtilisation, self.total.kernel_cycles),
            (TotalNumberKernelEntries, self.total.kernel_entries),
        ]
    }
}

impl<M: Machine> Kernel<M> {
    pub(crate) fn measures(&self) -> bool {
        self.options & Options::MEASURE_UTILISATION != 0
    }

    /// Returns the running thread when it is hidden from `processor.current`.
    #[cold]
    pub(crate) fn hidden(&self) -> Option<ThreadId> {
        self.utilisation.hidden
    }

    /// Hides the first thread.
    pub(crate) fn hide(&mut self) {
        if self.measures() {
            self.utilisation.hidden = self.processor.current.take();
        }
    }

    /// Handles an event and measures it, if this image measures. Returns whether it did.
    pub(crate) fn handle_measured(&mut self, event: Event) -> bool {
        if !self.measures() {
            return false;
        }
        let entered = self.machine.cycles();
        let before = self.utilisation.hidden.take();
        self.processor.current = before;
        if before.is_some() {
            self.handle_rarely(event);
        } else {
            self.stop_idling();
        }
        let after = self.processor.current.take();
        self.utilisation.hidden = after;
        let now = self.machine.cycles();
        self.utilisation.served(before, after, entered, now);
        true
    }

    /// Performs a benchmark system call; `None` if this image does not measure.
    pub(crate) fn benchmark_syscall(&mut self, current: ThreadId, number: i64) -> Option<Outcome> {
        let call = BenchmarkCall::from_raw(number).filter(|_| self.measures())?;
        let now = self.machine.cycles();
        match call {
            BenchmarkCall::ResetLog => {
                self.utilisation.reset(now);
                self.threads[current].context.set_badge(0);
            }
            BenchmarkCall::FinalizeLog => {
                self.utilisation.finalize(current, now);
                self.threads[current].context.set_badge(0);
            }
            BenchmarkCall::NullSyscall => {}
            BenchmarkCall::GetThreadUtilisation => self.write_utilisation(current),
            BenchmarkCall::ResetThreadUtilisation => {
                if let Some(thread) = self.named_thread(current) {
                    self.utilisation.threads[thread] = Use::NONE;
                }
            }
        }
        Some(Outcome::NOTHING)
    }

    /// Writes the measured values into the message of the current thread.
    fn write_utilisation(&mut self, current: ThreadId) {
        let Some(thread) = self.named_thread(current) else { return };
        let buffer = &self.machine.buffers()[current];
        for (word, value) in self.utilisation.words_of(thread) {
            buffer.set_word(BufferWord::MESSAGE + word.as_raw() as usize, value);
        }
    }

    fn named_thread(&self, current: ThreadId) -> Option<ThreadId> {
        match self.lookup(current, self.threads[current].context.cptr()) {
            Ok(Cap::Thread(thread)) => Some(thread),
            _ => None,
        }
    }
}

fn use_of<'a>(threads: &'a mut PerThread<Use>, idle: &'a mut Use, thread: Option<ThreadId>) -> &'a mut Use {
    thread.map_or(idle, |thread| &mut threads[thread])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{Arena, tag};

    fn thread(index: u64) -> ThreadId {
        Arena::<tag::Thread, (), { limits::THREADS }>::id(index).unwrap()
    }

    fn word(utilisation: &Utilisation, of: u64, word: UtilisationWord) -> u64 {
        utilisation.words_of(thread(of))[word.as_raw() as usize].1
    }

    /// Thread 0 measures from 100 to 200. Thread 1 runs from 110 to 130; the processor idles from 130 to 170. Each
    /// switch takes 3 cycles in the kernel.
    fn measured() -> Utilisation {
        let (first, second) = (Some(thread(0)), Some(thread(1)));
        let mut all = Utilisation::NONE;
        all.reset(100);
        all.served(first, first, 90, 101);
        all.served(first, second, 107, 110);
        all.served(second, None, 127, 130);
        all.served(None, first, 167, 170);
        all.finalize(thread(0), 200);
        all.served(first, first, 190, 203);
        all
    }

    #[test]
    fn every_word_is_in_its_place() {
        let words = measured().words_of(thread(0));
        assert!(words.iter().zip(0..).all(|((word, _), place)| word.as_raw() == place));
    }

    #[test]
    fn cycles_are_charged_to_the_current_thread() {
        let all = measured();
        assert_eq!(word(&all, 0, UtilisationWord::TcbUtilisation), 40);
        assert_eq!(word(&all, 1, UtilisationWord::TcbUtilisation), 20);
        assert_eq!(word(&all, 0, UtilisationWord::IdleLocalCpuUtilisation), 40);
        assert_eq!(word(&all, 0, UtilisationWord::TotalUtilisation), 100);
        assert_eq!(word(&all, 0, UtilisationWord::TcbNumberSchedules), 1);
        assert_eq!(word(&all, 0, UtilisationWord::IdleNumberSchedules), 1);
        assert_eq!(word(&all, 0, UtilisationWord::TotalNumberSchedules), 4);
    }

    #[test]
    fn kernel_time_is_charged_to_the_thread_that_entered() {
        let all = measured();
        assert_eq!(word(&all, 0, UtilisationWord::TcbKernelUtilisation), 1 + 3);
        assert_eq!(word(&all, 1, UtilisationWord::TcbKernelUtilisation), 3);
        assert_eq!(word(&all, 0, UtilisationWord::IdleKernelUtilisation), 3);
        assert_eq!(word(&all, 0, UtilisationWord::TotalKernelUtilisation), 10);
        assert_eq!(word(&all, 0, UtilisationWord::TcbNumberKernelEntries), 2);
        assert_eq!(word(&all, 0, UtilisationWord::TotalNumberKernelEntries), 4);
    }

    #[test]
    fn nothing_is_charged_outside_a_measurement() {
        let mut all = measured();
        all.served(Some(thread(1)), None, 300, 310);
        all.finalize(thread(1), 400);
        assert_eq!(word(&all, 1, UtilisationWord::TcbUtilisation), 20);
        assert_eq!(word(&all, 0, UtilisationWord::TotalUtilisation), 100);
    }
}
