//! Cores that change one key, one step at a time.

use limen_keys::count::{Count, CountError, Decision, Operation};

use crate::logic::{Choice, Logic};

/// The next step of a core.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Step {
    Load,
    Exchange { seen: Count, decision: Decision },
    TakeLock,
    BeginPatch(Decision),
    EndPatch(Decision),
    Publish(Decision),
    Release(Result<(), CountError>),
}

/// The state of the code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Code {
    Off,
    /// Some sites are patched, others are not.
    Between,
    On,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Core {
    step: Step,
    /// How often it has loaded the count with the lock held.
    attempt: u8,
    /// The results of its operations.
    results: Vec<Result<(), CountError>>,
}

/// A key and the cores that change it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct System {
    count: Count,
    code: Code,
    lock: Option<usize>,
    cores: Vec<Core>,
}

/// The observable result of a run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Outcome {
    pub(crate) count: Count,
    pub(crate) results: Vec<Vec<Result<(), CountError>>>,
}

impl System {
    pub(crate) fn new(count: Count, cores: usize) -> Self {
        let core = Core { step: Step::Load, attempt: 0, results: Vec::new() };
        let code = if count == Count::Off { Code::Off } else { Code::On };
        Self { count, code, lock: None, cores: vec![core; cores] }
    }

    /// The invariant that a state breaks, if any.
    pub(crate) fn objection(&self) -> Option<&'static str> {
        match self.count {
            Count::On(_) if self.code != Code::On => Some("the key is on, but its code is not"),
            Count::Off if self.lock.is_none() && self.code != Code::Off => {
                Some("the key is off, but its code is not")
            }
            Count::TurningOn if self.lock.is_none() => Some("the key turns on, but no core patches it"),
            _ => None,
        }
    }

    /// The outcome, once every core has performed its program.
    pub(crate) fn outcome(&self, programs: &[Vec<Operation>]) -> Option<Outcome> {
        let mut pairs = self.cores.iter().zip(programs);
        pairs.all(|(core, program)| core.results.len() == program.len()).then(|| Outcome {
            count: self.count,
            results: self.cores.iter().map(|core| core.results.clone()).collect(),
        })
    }

    /// Performs a core's next step; `None` if it is done or must wait.
    pub(crate) fn step(&self, logic: Logic, index: usize, program: &[Operation]) -> Option<Self> {
        let mut next = self.clone();
        let core = &self.cores[index];
        let operation = *program.get(core.results.len())?;
        let is_locked = self.lock == Some(index);
        match &core.step {
            Step::Load => {
                let choice = logic(operation, self.count, is_locked, core.attempt);
                next.cores[index].attempt += u8::from(is_locked && core.attempt < 2);
                match choice {
                    Choice::LookAgain => {}
                    Choice::TakeLock => next.cores[index].step = Step::TakeLock,
                    Choice::Do(Decision::Nothing) => next.finish(index, Ok(())),
                    Choice::Do(Decision::Refuse(error)) => next.finish(index, Err(error)),
                    Choice::Do(decision) => {
                        next.cores[index].step = Step::Exchange { seen: self.count, decision };
                    }
                }
            }
            Step::Exchange { seen, .. } if *seen != self.count => next.cores[index].step = Step::Load,
            Step::Exchange { decision, .. } => match *decision {
                Decision::Patch { during, .. } => {
                    next.count = during;
                    next.cores[index].step = Step::BeginPatch(*decision);
                }
                Decision::Replace(count) => {
                    next.count = count;
                    next.finish(index, Ok(()));
                }
                Decision::Nothing | Decision::Refuse(_) => unreachable!(),
            },
            Step::TakeLock if self.lock.is_some() => return None,
            Step::TakeLock => {
                next.lock = Some(index);
                next.cores[index].step = Step::Load;
            }
            Step::BeginPatch(decision) => {
                next.code = Code::Between;
                next.cores[index].step = Step::EndPatch(*decision);
            }
            Step::EndPatch(decision) => {
                let Decision::Patch { state, .. } = *decision else { unreachable!() };
                next.code = if state { Code::On } else { Code::Off };
                next.cores[index].step = Step::Publish(*decision);
            }
            Step::Publish(decision) => {
                let Decision::Patch { after, .. } = *decision else { unreachable!() };
                next.count = after;
                next.finish(index, Ok(()));
            }
            Step::Release(result) => {
                next.lock = None;
                next.end(index, *result);
            }
        }
        Some(next)
    }

    /// Whether a core waits for the lock.
    pub(crate) fn waits(&self, index: usize) -> bool {
        self.cores[index].step == Step::TakeLock && self.lock.is_some()
    }

    fn finish(&mut self, index: usize, result: Result<(), CountError>) {
        if self.lock == Some(index) {
            self.cores[index].step = Step::Release(result);
        } else {
            self.end(index, result);
        }
    }

    fn end(&mut self, index: usize, result: Result<(), CountError>) {
        let core = &mut self.cores[index];
        core.results.push(result);
        core.step = Step::Load;
        core.attempt = 0;
    }
}
