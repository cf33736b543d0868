//! The thread that runs, and the turns of domains.

use crate::state::{State, System, ThreadId};

impl System {
    /// A thread may be able to run now. It has a place only at the end of the event.
    pub(crate) fn wake(&mut self, thread: ThreadId) {
        self.take_time_of_notification(thread);
        let is_queued = self.ready.values().any(|queue| queue.contains(&thread))
            || self.postponed.values().any(|threads| threads.contains(&thread));
        if !is_queued && !self.woken.contains(&thread) && self.current != Some(thread) {
            self.woken.push(thread);
        }
    }

    /// A thread can no longer run.
    pub(crate) fn unschedule(&mut self, thread: ThreadId) {
        self.ready.values_mut().for_each(|queue| queue.retain(|other| *other != thread));
        self.ready.retain(|_, queue| !queue.is_empty());
        self.postponed.values_mut().for_each(|threads| threads.retain(|other| *other != thread));
        self.postponed.retain(|_, threads| !threads.is_empty());
        self.woken.retain(|other| *other != thread);
    }

    /// Whether a thread could run.
    fn is_schedulable(&self, thread: ThreadId) -> bool {
        self.threads[thread].state == State::Runnable && self.threads[thread].time.is_some()
    }

    /// Chooses the thread that runs after an event.
    ///
    /// A thread that was woken preempts one of a lower priority, which continues before others of its priority. If the
    /// current thread can no longer run, the first thread that was woken runs, unless a thread of a higher priority is
    /// ready, or one of the same priority is and its slice is over.
    pub(crate) fn schedule(&mut self) {
        let mut woken: Vec<ThreadId> = std::mem::take(&mut self.woken);
        woken.retain(|thread| self.is_schedulable(*thread));
        if let Some(current) = self.current.filter(|current| self.threads[*current].state == State::Runnable)
        {
            self.take_time_of_notification(current);
        }
        let current = self.current.filter(|current| self.is_schedulable(*current));
        // On time that the event gave it, even if another thread runs first. It waits if nothing is left of that.
        let current = current.filter(|current| {
            let has_time = self.begin(*current);
            if !has_time {
                self.postpone(*current);
            }
            has_time
        });
        let candidate = (!woken.is_empty()).then(|| woken.remove(0));
        // With several domains even if no equal is ready: what the others do shall not matter.
        if current.is_none() && !self.schedule.turns.is_empty() {
            candidate.into_iter().for_each(|woken| self.end_slice_begun_above(woken));
        }
        woken.into_iter().for_each(|thread| self.enqueue_last(thread));
        self.current = match (current, candidate) {
            (Some(current), Some(woken)) if self.preempts(woken, current) => {
                self.enqueue_preempted(current);
                Some(woken)
            }
            (Some(current), None) => Some(current),
            (Some(current), Some(woken)) => {
                self.enqueue_last(woken);
                // With several domains the end of a slice is noticed at once, whatever the others do.
                if !self.schedule.turns.is_empty() {
                    self.enqueue_preempted(current);
                    None
                } else {
                    Some(current)
                }
            }
            (None, Some(woken)) if self.runs_at_once(woken) => Some(woken),
            (None, Some(woken)) => {
                self.end_slice_begun_above(woken);
                self.enqueue_last(woken);
                None
            }
            (None, None) => None,
        };
        self.choose();
    }

    /// The turns of domains whose time is over end. Each end follows from the one before, so a late timer shortens the
    /// turn that begins and moves no other. The registers of one domain's thread do not stay for the next. The current thread
    /// becomes a ready one, even if the next turn is its domain's again.
    pub(crate) fn switch_domain(&mut self) {
        let before = self.schedule.domain;
        if self.schedule.turns.is_empty() || self.schedule.end > self.now {
            return;
        }
        self.charged = None;
        // The end of a budget at that moment: its handler is ready when the next turn begins.
        for thread in std::mem::take(&mut self.woken) {
            if self.is_schedulable(thread) {
                self.enqueue_last(thread);
            }
        }
        if let Some(current) = self.current.take().filter(|current| self.is_schedulable(*current)) {
            self.enqueue_preempted(current);
        }
        while self.schedule.end <= self.now {
            let schedule = &mut self.schedule;
            schedule.turn = (schedule.turn + 1) % schedule.turns.len();
            let (domain, ticks) = schedule.turns[schedule.turn];
            schedule.end += ticks;
            schedule.domain = domain;
        }
        if self.schedule.domain != before {
            self.leave_domain_fpu();
        }
    }

    /// Whether a woken thread preempts the current one.
    fn preempts(&self, woken: ThreadId, current: ThreadId) -> bool {
        let (woken, current) = (&self.threads[woken], &self.threads[current]);
        woken.domain == self.schedule.domain && woken.priority > current.priority
    }

    /// Whether a woken thread runs in place of a current one that has blocked.
    fn runs_at_once(&self, woken: ThreadId) -> bool {
        let thread = &self.threads[woken];
        let highest = self.first_ready().map(|ready| self.threads[ready].priority);
        let is_over = self.is_slice_over(woken);
        thread.domain == self.schedule.domain
            && highest
                .is_none_or(|highest| highest < thread.priority || (highest == thread.priority && !is_over))
    }

    /// Whether others of its priority have their turn before a woken thread: its slice has ended, or began in a server
    /// of a higher priority. Of a slice that this event lends, the kernel knows only what it found when it last read the clock.
    fn is_slice_over(&self, thread: ThreadId) -> bool {
        let priority = self.threads[thread].priority;
        let is_over = |time: usize| {
            let is_used_up =
                self.times[time].rest(self.now) == 0 && (self.charged != Some(time) || self.end_is_known);
            is_used_up || self.times[time].begun_at > priority
        };
        self.threads[thread].time.is_some_and(is_over)
    }

    /// A slice that began in a server of a higher priority ends: that server did not take turns with the thread's equals.
    fn end_slice_begun_above(&mut self, thread: ThreadId) {
        if let Some(time) = self.threads[thread].time
            && self.times[time].begun_at > self.threads[thread].priority
        {
            self.times[time].left = 0;
            self.charged = self.charged.filter(|charged| *charged != time);
        }
    }

    /// The first of the ready threads of the highest priority in the running domain.
    pub(crate) fn first_ready(&self) -> Option<ThreadId> {
        self.ready.get(&self.schedule.domain).and_then(|queue| queue.first().copied())
    }

    /// Runs ready threads until one has time; those without are postponed until their budget comes back.
    pub(crate) fn choose(&mut self) {
        loop {
            let first = self.first_ready();
            let is_higher = |first: ThreadId, current: ThreadId| {
                self.threads[first].priority > self.threads[current].priority
            };
            let next = match (self.current, first) {
                (Some(current), Some(first)) if is_higher(first, current) => first,
                (None, Some(first)) => first,
                (Some(current), _) => {
                    if self.begin(current) {
                        break;
                    }
                    self.postpone(current);
                    self.current = None;
                    self.charged = None;
                    continue;
                }
                (None, None) => {
                    self.charged = None;
                    break;
                }
            };
            self.unschedule(next);
            if let Some(current) = self.current.replace(next) {
                self.enqueue_preempted(current);
            }
        }
        self.switch_fpu();
    }

    /// A thread has no budget. It waits behind those whose budget comes back no later.
    fn postpone(&mut self, thread: ThreadId) {
        let domain = self.threads[thread].domain;
        let release = self.release_of(thread);
        let waiting = self.postponed.get(&domain).map_or(&[][..], Vec::as_slice);
        let place = waiting.iter().position(|other| self.release_of(*other) > release);
        let place = place.unwrap_or(waiting.len());
        self.postponed.entry(domain).or_default().insert(place, thread);
    }

    /// Adds a ready thread behind those of its priority.
    pub(crate) fn enqueue_last(&mut self, thread: ThreadId) {
        let priority = self.threads[thread].priority;
        self.enqueue(thread, |other| other < priority);
    }

    /// Adds a preempted thread before those of its priority, or behind them if its slice has just ended.
    fn enqueue_preempted(&mut self, thread: ThreadId) {
        if self.threads[thread].time.is_some_and(|time| self.times[time].rest(self.now) == 0) {
            self.enqueue_last(thread);
        } else {
            self.enqueue_first(thread);
        }
    }

    /// Adds a ready thread before those of its priority.
    pub(crate) fn enqueue_first(&mut self, thread: ThreadId) {
        let priority = self.threads[thread].priority;
        self.enqueue(thread, |other| other <= priority);
    }

    fn enqueue(&mut self, thread: ThreadId, is_behind: impl Fn(u8) -> bool) {
        let threads = &self.threads;
        let queue = self.ready.entry(threads[thread].domain).or_default();
        let place = queue.iter().position(|other| is_behind(threads[*other].priority));
        queue.insert(place.unwrap_or(queue.len()), thread);
    }
}
