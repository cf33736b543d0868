//! The threads that could run: one queue per priority, and a bitmap to find the highest.

use limen_abi::limits;

use super::queue::{Queue, ThreadLinks};
use crate::arena::ThreadId;

const WORDS: usize = limits::PRIORITIES / 64;

/// Runnable threads with a scheduling context, except the one that runs.
#[derive(Clone, Copy, Debug)]
pub struct ReadyQueues {
    queues: [Queue; limits::PRIORITIES],
    bitmap: Bitmap,
    /// A thread that is in front of all others of its priority, and not in their queue: whoever was interrupted by a more
    /// important one. It mostly runs again before anybody else, and then no queue was touched.
    front: Option<ThreadId>,
    /// Its priority.
    front_priority: u8,
    /// The priority of `lone`.
    lone_priority: u8,
    /// A thread that was the highest when it was added at the back, and is not in a queue, but before those of its priority
    /// that are: whoever was woken by a more important one. It mostly is the next that runs.
    lone: Option<ThreadId>,
    /// What `top` would be without both.
    queued: u16,
    /// What `top` would be without the one in front.
    rest: u16,
    /// Highest priority with a thread, plus one; zero when there is none. [`UNKNOWN_TOP`] for ever where there are
    /// several domains.
    top: u16,
}

/// Above every priority, so that nobody is ever seen to be the highest at a glance: where there are several domains, a
/// look at the priority of a woken thread is not enough.
const UNKNOWN_TOP: u16 = limits::PRIORITIES as u16 + 1;

impl ReadyQueues {
    /// Queues without threads.
    pub const EMPTY: Self = Self {
        queues: [Queue::EMPTY; limits::PRIORITIES],
        bitmap: Bitmap::EMPTY,
        front: None,
        front_priority: 0,
        lone_priority: 0,
        lone: None,
        queued: 0,
        rest: 0,
        top: 0,
    };

    /// Makes the quick looks at the highest priority fail, of queues without threads: they do not ask for the domain of a
    /// thread.
    pub(crate) fn expect_domains(&mut self) {
        (self.top, self.rest, self.queued) = (UNKNOWN_TOP, UNKNOWN_TOP, UNKNOWN_TOP);
    }

    /// The highest priority with a thread, plus one; zero when there is none.
    #[must_use]
    #[inline]
    pub fn highest(&self) -> u16 {
        if self.top == UNKNOWN_TOP { self.bitmap.highest() } else { self.top }
    }

    /// Whether no ready thread has a priority above this one, and there is one domain.
    #[must_use]
    #[inline]
    pub fn none_above(&self, priority: u8) -> bool {
        self.top <= u16::from(priority) + 1
    }

    /// Whether no ready thread has this priority or a higher one, and there is one domain.
    #[must_use]
    #[inline]
    pub fn none_from(&self, priority: u8) -> bool {
        self.top <= u16::from(priority)
    }

    /// Adds a thread behind those of its priority.
    #[inline(always)]
    pub fn push_back(&mut self, links: &mut ThreadLinks, thread: ThreadId, priority: u8) {
        if !self.place_alone(thread, priority) {
            self.push_back_of_queue(links, thread, priority);
        }
    }

    /// The same where no queue has to be touched for it. False if that cannot be.
    #[inline(always)]
    pub(crate) fn place_alone(&mut self, thread: ThreadId, priority: u8) -> bool {
        let can_go = self.lone.is_none() && self.none_from(priority);
        if can_go {
            self.lone = Some(thread);
            self.lone_priority = priority;
            self.rest = u16::from(priority) + 1;
            self.top = self.rest;
        }
        can_go
    }

    #[inline(never)]
    fn push_back_of_queue(&mut self, links: &mut ThreadLinks, thread: ThreadId, priority: u8) {
        self.push_behind(links, thread, priority);
    }

    /// The same in its queue.
    #[inline(always)]
    pub(crate) fn push_behind(&mut self, links: &mut ThreadLinks, thread: ThreadId, priority: u8) {
        self.queues[priority as usize].push_back(links, thread);
        self.mark(priority);
    }

    /// Adds a thread before those of its priority.
    #[inline(always)]
    pub fn push_front(&mut self, links: &mut ThreadLinks, thread: ThreadId, priority: u8) {
        if !self.place_in_front(thread, priority) {
            self.push_front_of_queue(links, thread, priority);
        }
    }

    /// The same where no queue has to be touched for it. False if that cannot be.
    #[inline(always)]
    pub(crate) fn place_in_front(&mut self, thread: ThreadId, priority: u8) -> bool {
        let can_go = self.front.is_none() && self.none_from(priority);
        if can_go {
            self.front = Some(thread);
            self.front_priority = priority;
            self.top = u16::from(priority) + 1;
        }
        can_go
    }

    #[inline(never)]
    fn push_front_of_queue(&mut self, links: &mut ThreadLinks, thread: ThreadId, priority: u8) {
        self.put_all_in_queues(links);
        self.queues[priority as usize].push_front(links, thread);
        self.mark(priority);
    }

    /// Puts those that are in no queue into theirs.
    fn put_all_in_queues(&mut self, links: &mut ThreadLinks) {
        // In any order: they have different priorities.
        for (thread, priority) in
            [(self.front.take(), self.front_priority), (self.lone.take(), self.lone_priority)]
        {
            if let Some(thread) = thread {
                self.queues[priority as usize].push_front(links, thread);
                self.mark(priority);
            }
        }
    }

    /// Takes the first thread of the highest priority.
    #[inline(always)]
    pub fn pop_highest(&mut self, links: &mut ThreadLinks) -> Option<ThreadId> {
        match self.take_front() {
            None => self.pop_from_queue(links),
            front => front,
        }
    }

    /// The same where no queue has to be touched for it.
    #[inline(always)]
    pub(crate) fn take_front(&mut self) -> Option<ThreadId> {
        let front = self.front?;
        // The top is that of the thread in front, or above it.
        if !self.none_above(self.front_priority) {
            return None;
        }
        self.front = None;
        self.top = self.rest;
        Some(front)
    }

    #[inline(always)]
    fn take_lone(&mut self) -> Option<ThreadId> {
        let lone = self.lone?;
        if !self.none_above(self.lone_priority) {
            return None;
        }
        self.lone = None;
        self.rest = self.queued;
        self.top = self.rest.max(self.front_end());
        Some(lone)
    }

    /// What `top` would be with the thread in front alone.
    #[inline(always)]
    fn front_end(&self) -> u16 {
        self.front.map_or(0, |_| u16::from(self.front_priority) + 1)
    }

    /// What `top` would be with the lone thread alone.
    #[inline(always)]
    fn lone_end(&self) -> u16 {
        self.lone.map_or(0, |_| u16::from(self.lone_priority) + 1)
    }

    /// The same for whoever is not in front.
    #[inline(always)]
    pub(crate) fn pop_from_queue(&mut self, links: &mut ThreadLinks) -> Option<ThreadId> {
        match self.take_lone() {
            None => self.pop_queued(links),
            lone => lone,
        }
    }

    #[inline(never)]
    fn pop_queued(&mut self, links: &mut ThreadLinks) -> Option<ThreadId> {
        let priority = self.highest().checked_sub(1)? as u8;
        let queue = &mut self.queues[priority as usize];
        let thread = queue.pop_front(links);
        if queue.is_empty() {
            self.unmark(priority);
        }
        thread
    }

    /// Takes a thread that is in these queues.
    pub fn remove(&mut self, links: &mut ThreadLinks, thread: ThreadId, priority: u8) {
        self.put_all_in_queues(links);
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
        self.rest = self.rest.max(self.queued);
        self.top = self.top.max(self.queued);
    }

    #[inline(always)]
    fn unmark(&mut self, priority: u8) {
        self.bitmap.clear(priority);
        if self.queued == u16::from(priority) + 1 {
            self.queued = self.bitmap.highest_up_to(priority);
            self.rest = self.queued.max(self.lone_end());
            self.top = self.rest.max(self.front_end());
        }
    }

    /// Every ready thread with its priority.
    pub fn iter<'a>(&'a self, links: &'a ThreadLinks) -> impl Iterator<Item = (ThreadId, u8)> + 'a {
        let mut used = self.bitmap;
        self.front.iter().for_each(|_| used.set(self.front_priority));
        self.lone.iter().for_each(|_| used.set(self.lone_priority));
        used.iter().flat_map(move |priority| {
            let front = self.front.filter(|_| self.front_priority == priority);
            let lone = self.lone.filter(|_| self.lone_priority == priority);
            let threads = front.into_iter().chain(lone).chain(self.queues[usize::from(priority)].iter(links));
            threads.map(move |thread| (thread, priority))
        })
    }

    /// Whether queues, bitmap and top agree with each other.
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
        let known = |top: u16| if top == UNKNOWN_TOP { self.bitmap.highest() } else { top };
        let rest = known(self.queued).max(self.lone_end());
        let are_apart = self.front.is_none() || self.front_end() != self.lone_end();
        are_apart
            && known(self.queued) == self.bitmap.highest()
            && known(self.rest) == rest
            && self.highest() == rest.max(self.front_end())
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

    #[test]
    fn highest_priority_leaves_first() {
        let mut links = ThreadLinks::new([Links::NONE; limits::THREADS]);
        let mut ready = ReadyQueues::EMPTY;
        let thread = |index| ThreadLinks::id(index).unwrap();
        for (index, priority) in [(0, 0), (1, 255), (2, 64), (3, 63), (4, 255)] {
            ready.push_back(&mut links, thread(index), priority);
            assert!(ready.is_sound(&links));
        }
        assert!(ready.none_above(255) && !ready.none_from(255) && !ready.none_above(254));
        ready.remove(&mut links, thread(2), 64);
        let order: Vec<_> = core::iter::from_fn(|| ready.pop_highest(&mut links)).collect();
        assert_eq!(order, [1, 4, 3, 0].map(thread));
        assert!(ready.is_sound(&links) && ready.none_from(0));
    }

    #[test]
    fn whoever_is_put_in_front_leaves_before_equals_and_behind_others() {
        let mut links = ThreadLinks::new([Links::NONE; limits::THREADS]);
        let mut ready = ReadyQueues::EMPTY;
        let thread = |index| ThreadLinks::id(index).unwrap();
        ready.push_back(&mut links, thread(1), 10);
        ready.push_front(&mut links, thread(2), 10);
        ready.push_front(&mut links, thread(3), 20);
        ready.push_back(&mut links, thread(4), 20);
        ready.push_back(&mut links, thread(5), 30);
        assert!(ready.is_sound(&links) && ready.highest() == 31);
        let listed: Vec<_> = ready.iter(&links).map(|(thread, _)| thread).collect();
        assert_eq!(listed, [2, 1, 3, 4, 5].map(thread));
        let mut order = Vec::new();
        while let Some(next) = ready.pop_highest(&mut links) {
            assert!(ready.is_sound(&links));
            order.push(next);
        }
        assert_eq!(order, [5, 3, 4, 2, 1].map(thread));
        ready.push_front(&mut links, thread(1), 10);
        ready.push_front(&mut links, thread(2), 20);
        ready.remove(&mut links, thread(1), 10);
        assert!(ready.is_sound(&links) && ready.pop_highest(&mut links) == Some(thread(2)));
        ready.push_front(&mut links, thread(3), 40);
        assert!(ready.pop_highest(&mut links) == Some(thread(3)) && ready.is_sound(&links));
        ready.push_back(&mut links, thread(1), 10);
        ready.push_front(&mut links, thread(2), 5);
        assert!(ready.is_sound(&links) && ready.pop_highest(&mut links) == Some(thread(1)));
    }
    #[test]
    fn whoever_was_the_highest_when_added_leaves_before_equals_that_came_later() {
        let mut links = ThreadLinks::new([Links::NONE; limits::THREADS]);
        let mut ready = ReadyQueues::EMPTY;
        let thread = |index| ThreadLinks::id(index).unwrap();
        // Interrupted at 10, woken at 20 and again at 20 and 30, interrupted at 40.
        ready.push_front(&mut links, thread(1), 10);
        ready.push_back(&mut links, thread(2), 20);
        ready.push_back(&mut links, thread(3), 20);
        ready.push_back(&mut links, thread(4), 30);
        ready.push_front(&mut links, thread(5), 40);
        let mut order = Vec::new();
        while let Some(next) = ready.pop_highest(&mut links) {
            assert!(ready.is_sound(&links));
            order.push(next);
        }
        assert_eq!(order, [5, 4, 2, 3, 1].map(thread));
        assert!(ready.none_from(0));
        // Who is put in front of the same priority goes before it.
        ready.push_back(&mut links, thread(1), 20);
        ready.push_front(&mut links, thread(2), 20);
        assert!(ready.is_sound(&links) && ready.pop_highest(&mut links) == Some(thread(2)));
        ready.push_back(&mut links, thread(3), 20);
        ready.remove(&mut links, thread(1), 20);
        assert!(ready.is_sound(&links) && ready.pop_highest(&mut links) == Some(thread(3)));
        assert!(ready.is_sound(&links) && ready.none_from(0));
    }
}
