//! The results of tests that run several at a time, and below them, on a terminal, those that run.

use std::cell::Cell;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::failure::Outcome;
use crate::shell::progress;
use crate::test::record::Phase;
use crate::test::suite::Verdict;
use crate::test::tally::Tally;

/// The results, for all workers.
pub struct Screen<'a>(Mutex<State<'a>>);

struct State<'a> {
    started: usize,
    of: usize,
    running: Vec<(String, Instant)>,
    tally: &'a mut Tally,
}

impl<'a> Screen<'a> {
    /// A screen for `of` tests, which adds their results to the tally.
    pub fn new(of: usize, tally: &'a mut Tally) -> Self {
        Self(Mutex::new(State { started: 0, of, running: Vec::new(), tally }))
    }

    /// Runs a test, which counts the time that its systems take to build.
    pub fn run(&self, name: &str, phase: Phase, test: impl FnOnce(&Cell<Duration>) -> Outcome<Verdict>) {
        self.lock().start(name);
        let building = Cell::default();
        let verdict = test(&building).unwrap_or_else(Verdict::failed);
        self.lock().finish(name, phase, building.get(), &verdict);
    }

    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State<'_> {
    fn start(&mut self, name: &str) {
        self.started += 1;
        self.running.push((name.to_owned(), Instant::now()));
        self.show();
    }

    fn finish(&mut self, name: &str, phase: Phase, building: Duration, verdict: &Verdict) {
        if let Some(place) = self.running.iter().position(|(running, _)| running == name) {
            let (_, begun) = self.running.remove(place);
            self.tally.add_built(name, phase, begun, building, verdict);
        }
        self.show();
    }

    fn show(&self) {
        if self.running.is_empty() {
            return progress::clear();
        }
        let running: Vec<_> = self.running.iter().map(|(name, _)| name.as_str()).collect();
        progress::show(&format!("[{}/{}] {}", self.started, self.of, running.join(", ")));
    }
}
