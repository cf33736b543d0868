//! Queues of threads, linked through one [`Links`] per thread: a thread is in at most one queue.

use limen_abi::limits;

use crate::arena::{Arena, ThreadId, tag};

/// The neighbours of a thread in its queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Links {
    next: Option<ThreadId>,
    previous: Option<ThreadId>,
}

/// The links of all threads.
pub type ThreadLinks = Arena<tag::Thread, Links, { limits::THREADS }>;

/// A first-in, first-out queue of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Queue {
    head: Option<ThreadId>,
    tail: Option<ThreadId>,
}

impl Links {
    /// The links of a thread that is in no queue.
    pub const NONE: Self = Self { next: None, previous: None };
}

impl Queue {
    /// An empty queue.
    pub const EMPTY: Self = Self { head: None, tail: None };

    /// Creates a queue of one thread.
    #[inline]
    pub(crate) const fn of(thread: ThreadId) -> Self {
        Self { head: Some(thread), tail: Some(thread) }
    }

    /// Returns the first thread.
    #[must_use]
    #[inline]
    pub fn head(&self) -> Option<ThreadId> {
        self.head
    }

    /// Returns whether the queue is empty.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.head.is_none()
    }

    /// Appends a thread that is in no queue.
    #[inline]
    pub fn push_back(&mut self, links: &mut ThreadLinks, thread: ThreadId) {
        links[thread] = Links { next: None, previous: self.tail };
        match self.tail {
            Some(tail) => links[tail].next = Some(thread),
            None => self.head = Some(thread),
        }
        self.tail = Some(thread);
    }

    /// Prepends a thread that is in no queue.
    #[inline]
    pub fn push_front(&mut self, links: &mut ThreadLinks, thread: ThreadId) {
        links[thread] = Links { next: self.head, previous: None };
        match self.head {
            Some(head) => links[head].previous = Some(thread),
            None => self.tail = Some(thread),
        }
        self.head = Some(thread);
    }

    /// Inserts a thread that is in no queue before `successor`, which is in this one.
    fn insert_before(&mut self, links: &mut ThreadLinks, thread: ThreadId, successor: ThreadId) {
        let Some(previous) = links[successor].previous else { return self.push_front(links, thread) };
        links[thread] = Links { next: Some(successor), previous: Some(previous) };
        links[previous].next = Some(thread);
        links[successor].previous = Some(thread);
    }

    /// Inserts a thread behind all threads of its priority or a higher one and before those of lower priority.
    #[inline]
    pub fn insert_by_priority(
        &mut self,
        links: &mut ThreadLinks,
        thread: ThreadId,
        priority_of: impl Fn(ThreadId) -> u8,
    ) {
        let priority = priority_of(thread);
        self.insert_before_first(links, thread, |other| priority_of(other) < priority);
    }

    /// Inserts a thread before the first one for which `is_successor` holds. It must hold for no thread, or for all
    /// from one on.
    #[inline]
    pub fn insert_before_first(
        &mut self,
        links: &mut ThreadLinks,
        thread: ThreadId,
        is_successor: impl Fn(ThreadId) -> bool,
    ) {
        // The common cases: the queue is empty, or the thread goes to its end.
        match self.tail {
            Some(tail) if is_successor(tail) => {}
            _ => return self.push_back(links, thread),
        }
        let mut next = self.head;
        while let Some(candidate) = next {
            if is_successor(candidate) {
                return self.insert_before(links, thread, candidate);
            }
            next = links[candidate].next;
        }
    }

    /// Removes the first thread.
    #[inline]
    pub fn pop_front(&mut self, links: &mut ThreadLinks) -> Option<ThreadId> {
        let head = self.head?;
        self.head = links[head].next;
        match self.head {
            Some(next) => links[next].previous = None,
            None => self.tail = None,
        }
        Some(head)
    }

    /// Removes a thread that is in this queue.
    #[inline]
    pub fn remove(&mut self, links: &mut ThreadLinks, thread: ThreadId) {
        let Links { next, previous } = links[thread];
        match previous {
            Some(previous) => links[previous].next = next,
            None => self.head = next,
        }
        match next {
            Some(next) => links[next].previous = previous,
            None => self.tail = previous,
        }
    }

    /// Iterates from first to last. Stops after as many steps as there are threads, even if the links are corrupt.
    pub fn iter<'a>(&self, links: &'a ThreadLinks) -> impl Iterator<Item = ThreadId> + use<'a> {
        let mut next = self.head;
        core::iter::from_fn(move || {
            let current = next?;
            next = links[current].next;
            Some(current)
        })
        .take(limits::THREADS + 1)
    }

    /// Returns whether the links agree with head and tail.
    #[must_use]
    pub fn is_sound(&self, links: &ThreadLinks) -> bool {
        let mut previous = None;
        for thread in self.iter(links) {
            if links[thread].previous != previous {
                return false;
            }
            previous = Some(thread);
        }
        previous == self.tail
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(index: u64) -> ThreadId {
        ThreadLinks::id(index).unwrap()
    }

    fn links() -> ThreadLinks {
        ThreadLinks::new([Links::NONE; limits::THREADS])
    }

    fn indices(queue: &Queue, links: &ThreadLinks) -> Vec<usize> {
        assert!(queue.is_sound(links));
        queue.iter(links).map(ThreadLinks::index_of).collect()
    }

    #[test]
    fn a_queue_is_first_in_first_out() {
        let (mut queue, mut links) = (Queue::EMPTY, links());
        for index in [0, 1, 2] {
            queue.push_back(&mut links, thread(index));
        }
        queue.push_front(&mut links, thread(9));
        assert_eq!(indices(&queue, &links), [9, 0, 1, 2]);
        assert_eq!(queue.pop_front(&mut links), Some(thread(9)));
        queue.remove(&mut links, thread(1));
        assert_eq!(indices(&queue, &links), [0, 2]);
        queue.remove(&mut links, thread(2));
        queue.remove(&mut links, thread(0));
        assert!(queue.is_empty() && queue.is_sound(&links));
    }

    #[test]
    fn a_queue_has_room_for_every_thread() {
        let (mut queue, mut links) = (Queue::EMPTY, links());
        (0..limits::THREADS as u64).for_each(|index| queue.push_back(&mut links, thread(index)));
        assert_eq!(queue.head(), Some(thread(0)));
        assert!(indices(&queue, &links).into_iter().eq(0..limits::THREADS));
    }

    #[test]
    fn links_that_disagree_are_unsound() {
        let (mut queue, mut links) = (Queue::EMPTY, links());
        (0..3).for_each(|index| queue.push_back(&mut links, thread(index)));
        assert!(!Queue { tail: Some(thread(1)), ..queue }.is_sound(&links));
        assert!(!Queue { head: None, ..queue }.is_sound(&links));
        links[thread(1)].previous = None;
        assert!(!queue.is_sound(&links));
    }

    #[test]
    fn threads_queue_by_priority_and_equals_by_arrival() {
        let (mut queue, mut links) = (Queue::EMPTY, links());
        let priority = |id| [5, 9, 5, 1, 9, 7][ThreadLinks::index_of(id)];
        for index in 0..6 {
            queue.insert_by_priority(&mut links, thread(index), priority);
        }
        assert_eq!(indices(&queue, &links), [1, 4, 5, 0, 2, 3]);
    }
}
