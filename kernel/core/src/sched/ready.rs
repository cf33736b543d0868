//! Ready threads: one queue per priority, a bitmap to find the highest, and a short bypass around the queues.

use limen_abi::limits;

use super::queue::{Queue, ThreadLinks};
use crate::arena::ThreadId;
use crate::machine::Machine;

const WORDS: usize = limits::PRIORITIES / 64;

/// Runnable threads with a scheduling context, except the running one.
///
/// A thread that has a higher priority than every ready thread is not enqueued. It goes on top of the *bypass*, a stack of
/// `BYPASS` entries whose priorities decrease from the top, and is ahead of all threads of its priority. Most threads
/// that are preempted or woken go this way, and are dispatched before another thread of their priority becomes ready, so
/// no queue is touched.
#[derive(Clone, Copy, Debug)]
pub struct ReadyQueues {
    queues: [Queue; limits::PRIORITIES],
    bitmap: Bitmap,
    /// The top of the stack first.
    bypass: [Bypass; BYPASS],
    /// Highest priority in `queues` plus one; zero if they are empty. [`UNKNOWN`] for ever where there are several domains.
    queued: u16,
    /// The same for all ready threads.
    top: u16,
}

/// Depth of the bypass: a preempted thread, and one that the preempting thread woke.
const BYPASS: usize = 2;

/// Above every priority, so that no thread is known to be the highest: where there are several domains, the priority of a
/// thread does not tell whether it is to run.
const UNKNOWN: u16 = limits::PRIORITIES as u16 + 1;

/// An entry of the bypass. The alignment makes it one word to copy.
#[derive(Clone, Copy, Debug)]
#[repr(align(4))]
struct Bypass {
    thread: Option<ThreadId>,
    /// The thread's priority plus one; zero without a thread.
    end: u16,
}

impl Bypass {
    const EMPTY: Self = Self { thread: None, end: 0 };
}

impl ReadyQueues {
    /// Queues without threads.
    pub const EMPTY: Self = Self {
        queues: [Queue::EMPTY; limits::PRIORITIES],
        bitmap: Bitmap::EMPTY,
        bypass: [Bypass::EMPTY; BYPASS],
        queued: 0,
        top: 0,
    };

    /// Prepares empty queues for several domains: no thread is known to be the highest, and none bypasses its queue.
    pub(crate) fn expect_domains(&mut self) {
        (self.top, self.queued) = (UNKNOWN, UNKNOWN);
    }

    /// The highest priority with a thread, plus one; zero when there is none.
    #[must_use]
    #[inline]
    pub fn highest(&self) -> u16 {
        if self.top == UNKNOWN { self.bitmap.highest() } else { self.top }
    }

    /// Whether every ready thread is known to have at most this priority. False where there are several domains.
    #[must_use]
    #[inline]
    pub fn surely_not_above(&self, priority: u8) -> bool {
        self.top <= u16::from(priority) + 1
    }

    /// Whether every ready thread is known to have a lower priority. False where there are several domains.
    #[must_use]
    #[inline]
    pub fn surely_below(&self, priority: u8) -> bool {
        self.top <= u16::from(priority)
    }

    /// Reads the highest priority before it is needed.
    #[inline(always)]
    pub(crate) fn read_ahead<M: Machine>(&self) {
        M::read_ahead(u64::from(self.top));
    }

    /// Adds a thread behind those of its priority.
    #[inline(always)]
    pub fn push_back(&mut self, links: &mut ThreadLinks, thread: ThreadId, priority: u8) {
        if !self.push_bypass(thread, priority) {
            self.push_back_of_queue(links, thread, priority);
        }
    }

    #[inline(never)]
    fn push_back_of_queue(&mut self, links: &mut ThreadLinks, thread: ThreadId, priority: u8) {
        self.enqueue(links, thread, priority);
    }

    /// [`Self::push_back`] for a thread that cannot take the bypass.
    #[inline(always)]
    pub(crate) fn enqueue(&mut self, links: &mut ThreadLinks, thread: ThreadId, priority: u8) {
        self.queues[priority as usize].push_back(links, thread);
        self.mark(priority);
    }

    /// Adds a thread ahead of those of its priority.
    #[inline(always)]
    pub fn push_front(&mut self, links: &mut ThreadLinks, thread: ThreadId, priority: u8) {
        if !self.push_bypass(thread, priority) {
            self.push_front_of_queue(links, thread, priority);
        }
    }

    #[inline(never)]
    fn push_front_of_queue(&mut self, links: &mut ThreadLinks, thread: ThreadId, priority: u8) {
        self.enqueue_bypass(links);
        self.queues[priority as usize].push_front(links, thread);
        self.mark(priority);
    }

    /// Adds a thread on top of the bypass. Does nothing and returns false if the bypass is full, or if the thread is not
    /// known to have the highest priority.
    #[inline(always)]
    pub(crate) fn push_bypass(&mut self, thread: ThreadId, priority: u8) -> bool {
        let [top, last] = self.bypass;
        let can_go = last.thread.is_none() && self.surely_below(priority);
        if can_go {
            self.top = u16::from(priority) + 1;
            self.bypass = [Bypass { thread: Some(thread), end: self.top }, top];
        }
        can_go
    }

    /// Moves the threads of the bypass to their queues.
    fn enqueue_bypass(&mut self, links: &mut ThreadLinks) {
        for Bypass { thread, end } in core::mem::replace(&mut self.bypass, [Bypass::EMPTY; BYPASS]) {
            if let Some(thread) = thread {
                let priority = (end - 1) as u8;
                self.queues[priority as usize].push_front(links, thread);
                self.mark(priority);
            }
        }
    }

    /// Removes the first thread of the highest priority.
    #[inline(always)]
    pub fn pop_highest(&mut self, links: &mut ThreadLinks) -> Option<ThreadId> {
        match self.pop_bypass() {
            None => self.dequeue(links),
            next => next,
        }
    }

    /// Removes the top of the bypass, unless a queue has a thread of higher priority.
    #[inline(always)]
    pub(crate) fn pop_bypass(&mut self) -> Option<ThreadId> {
        let [top, next] = self.bypass;
        if top.end != self.top {
            return None;
        }
        self.bypass = [next, Bypass::EMPTY];
        self.top = self.queued.max(next.end);
        top.thread
    }

    /// [`Self::pop_highest`] where [`Self::pop_bypass`] found none.
    #[inline(never)]
    pub(crate) fn dequeue(&mut self, links: &mut ThreadLinks) -> Option<ThreadId> {
        let priority = self.highest().checked_sub(1)? as u8;
        let queue = &mut self.queues[priority as usize];
        let thread = queue.pop_front(links);
        if queue.is_empty() {
            self.unmark(priority);
        }
        thread
    }

    /// Removes a ready thread of this priority.
    pub fn remove(&mut self, links: &mut ThreadLinks, thread: ThreadId, priority: u8) {
        self.enqueue_bypass(links);
        let queue = &mut self.queues[priority as usize];
        queue.remove(links, thread);
        if queue.is_empty() {
            self.unmark(priority);
        }
    }

    #[inline(always)]
    fn mark(&mut self, priority: u8) {
        self.bitmap.set(priority);
        self.queued = self.queued.max(u16::from(priority) + 1);
        self.top = self.top.max(self.queued);
    }

    #[inline(always)]
    fn unmark(&mut self, priority: u8) {
        self.bitmap.clear(priority);
        if self.queued == u16::from(priority) + 1 {
            self.queued = self.bitmap.highest_up_to(priority);
            self.top = self.queued.max(self.bypass[0].end);
        }
    }

    /// Every ready thread with its priority.
    pub fn iter<'a>(&'a self, links: &'a ThreadLinks) -> impl Iterator<Item = (ThreadId, u8)> + 'a {
        let bypassing =
            self.bypass.iter().filter_map(|bypass| Some((bypass.thread?, (bypass.end - 1) as u8)));
        let mut used = self.bitmap;
        bypassing.clone().for_each(|(_, priority)| used.set(priority));
        used.iter().flat_map(move |priority| {
            let bypassing = bypassing.clone().filter(move |bypass| bypass.1 == priority);
            let queued = self.queues[usize::from(priority)].iter(links);
            bypassing.chain(queued.map(move |thread| (thread, priority)))
        })
    }

    /// Whether queues, bitmap, bypass and the highest priorities agree with each other.
    #[must_use]
    pub fn is_sound(&self, links: &ThreadLinks) -> bool {
        let queues = self.queues.iter().zip(0..=u8::MAX);
        // Most priorities of most domains are empty; this runs after every event where the kernel checks itself.
        let fits = |queue: &Queue, priority| {
            if self.bitmap.has(priority) {
                !queue.is_empty() && queue.is_sound(links)
            } else {
                *queue == Queue::EMPTY
            }
        };
        let known = |top: u16| if top == UNKNOWN { self.bitmap.highest() } else { top };
        let ends = self.bypass.map(|bypass| bypass.end);
        ends.is_sorted_by(|above, below| above > below || *below == 0)
            && self.bypass.iter().all(|bypass| bypass.thread.is_some() == (bypass.end != 0))
            && known(self.queued) == self.bitmap.highest()
            && self.highest() == known(self.queued).max(ends[0])
            && queues.into_iter().all(|(queue, priority)| fits(queue, priority))
    }
}

/// The priorities with a thread.
#[derive(Clone, Copy, Debug)]
struct Bitmap([u64; WORDS]);

impl Bitmap {
    const EMPTY: Self = Self([0; WORDS]);

    #[inline(always)]
    fn set(&mut self, priority: u8) {
        self.0[priority as usize / 64] |= 1 << (priority % 64);
    }

    #[inline(always)]
    fn clear(&mut self, priority: u8) {
        self.0[priority as usize / 64] &= !(1 << (priority % 64));
    }

    fn has(&self, priority: u8) -> bool {
        self.0[priority as usize / 64] >> (priority % 64) & 1 == 1
    }

    /// The priorities, lowest first.
    fn iter(self) -> impl Iterator<Item = u8> {
        self.0.into_iter().zip((0..).step_by(64)).flat_map(|(bits, first)| {
            let rest = |bits: &u64| Some(bits & (bits - 1)).filter(|bits| *bits != 0);
            let bits = core::iter::successors(Some(bits).filter(|bits| *bits != 0), rest);
            bits.map(move |bits| first + bits.trailing_zeros() as u8)
        })
    }

    /// Highest priority plus one, if none is above this one; zero when there is none.
    #[inline(always)]
    fn highest_up_to(&self, priority: u8) -> u16 {
        let mut word = priority as usize / 64;
        loop {
            let bits = self.0[word];
            if bits != 0 {
                return (word as u16 + 1) * 64 - bits.leading_zeros() as u16;
            }
            if word == 0 {
                return 0;
            }
            word -= 1;
        }
    }

    fn highest(&self) -> u16 {
        self.highest_up_to(u8::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::super::queue::Links;
    use super::*;

    /// A ready thread and its priority; in the order in which they are to be dispatched.
    type Model = Vec<(ThreadId, u8)>;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        PushBack(u8),
        PushFront(u8),
        Pop,
        Remove(usize),
    }

    fn step(ready: &mut ReadyQueues, links: &mut ThreadLinks, model: &mut Model, step: Step) {
        let absent =
            (1..).filter_map(ThreadLinks::id).find(|id| model.iter().all(|(thread, _)| thread != id));
        let thread = absent.unwrap();
        match step {
            Step::PushBack(priority) => {
                ready.push_back(links, thread, priority);
                let position = model.partition_point(|(_, other)| *other >= priority);
                model.insert(position, (thread, priority));
            }
            Step::PushFront(priority) => {
                ready.push_front(links, thread, priority);
                let position = model.partition_point(|(_, other)| *other > priority);
                model.insert(position, (thread, priority));
            }
            Step::Pop => {
                let expected = (!model.is_empty()).then(|| model.remove(0).0);
                assert_eq!(ready.pop_highest(links), expected);
            }
            Step::Remove(index) => {
                let (thread, priority) = model.remove(index);
                ready.remove(links, thread, priority);
            }
        }
    }

    fn check(ready: &ReadyQueues, links: &ThreadLinks, model: &Model, has_domains: bool) {
        assert!(ready.is_sound(links));
        let highest = model.first().map_or(0, |(_, priority)| u16::from(*priority) + 1);
        assert_eq!(ready.highest(), highest);
        for (priority, end) in PRIORITIES.map(|priority| (priority, u16::from(priority) + 1)) {
            assert_eq!(ready.surely_below(priority), !has_domains && highest < end);
            assert_eq!(ready.surely_not_above(priority), !has_domains && highest <= end);
        }
        let mut listed: Vec<_> = ready.iter(links).collect();
        listed.sort_by_key(|(_, priority)| core::cmp::Reverse(*priority));
        assert_eq!(&listed, model);
    }

    /// Both ends of the range, and neighbours in different words of the bitmap.
    const PRIORITIES: [u8; 4] = [0, 63, 64, 255];

    fn copy(links: &ThreadLinks) -> ThreadLinks {
        ThreadLinks::new(core::array::from_fn(|index| links[ThreadLinks::id(index as u64).unwrap()]))
    }

    /// Takes every sequence of so many steps, and compares the queues with the model after each.
    fn explore(before: (&ReadyQueues, &ThreadLinks, &Model), has_domains: bool, depth: usize) -> usize {
        let (ready, links, model) = before;
        check(ready, links, model, has_domains);
        if depth == 0 {
            return 1;
        }
        let pushes =
            PRIORITIES.into_iter().flat_map(|priority| [Step::PushBack(priority), Step::PushFront(priority)]);
        let steps = pushes.chain([Step::Pop]).chain((0..model.len()).map(Step::Remove));
        steps
            .map(|next| {
                let (mut ready, mut links, mut model) = (*ready, copy(links), model.clone());
                step(&mut ready, &mut links, &mut model, next);
                explore((&ready, &links, &model), has_domains, depth - 1)
            })
            .sum()
    }

    #[test]
    fn the_highest_thread_touches_no_queue() {
        let (mut ready, mut links) = (ReadyQueues::EMPTY, ThreadLinks::new([Links::NONE; limits::THREADS]));
        for priority in [5, 9] {
            ready.push_back(&mut links, ThreadLinks::id(priority.into()).unwrap(), priority);
        }
        assert_eq!((ready.bitmap.highest(), ready.highest()), (0, 10));
    }

    /// Each breaks one rule.
    #[test]
    fn queues_that_disagree_are_unsound() {
        let (mut ready, mut links) = (ReadyQueues::EMPTY, ThreadLinks::new([Links::NONE; limits::THREADS]));
        for (index, priority) in [(0, 70), (1, 80), (2, 5), (3, 5)] {
            ready.push_back(&mut links, ThreadLinks::id(index).unwrap(), priority);
        }
        let [top, below] = ready.bypass;
        let broken = |change: fn(&mut ReadyQueues)| {
            let mut ready = ready;
            change(&mut ready);
            !ready.is_sound(&links)
        };
        assert!(ready.is_sound(&links) && top.end == 81 && below.end == 71);
        assert!(broken(|ready| ready.bypass[1].end = ready.bypass[0].end), "equals on the bypass");
        assert!(broken(|ready| ready.bypass[1].thread = None), "an end without a thread");
        assert!(broken(|ready| ready.queued = 0), "queued threads that are not known");
        assert!(broken(|ready| ready.top = 90), "a priority without a thread");
        assert!(broken(|ready| ready.bitmap.set(3)), "an empty queue that is marked");
        assert!(broken(|ready| ready.queues[3] = ready.queues[5]), "a queue that is not marked");
        assert!(
            broken(|ready| ready.queues[5] = Queue::of(ThreadLinks::id(2).unwrap())),
            "a queue without its end"
        );
    }

    #[test]
    fn every_short_sequence_dispatches_by_priority_and_then_in_order() {
        let links = ThreadLinks::new([Links::NONE; limits::THREADS]);
        let (depth, expected) = if cfg!(miri) { (2, 89) } else { (6, 1_478_617) };
        assert_eq!(explore((&ReadyQueues::EMPTY, &links, &Model::new()), false, depth), expected);
        let mut ready = ReadyQueues::EMPTY;
        ready.expect_domains();
        explore((&ready, &links, &Model::new()), true, depth - 1);
    }
}
