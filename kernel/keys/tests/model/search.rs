//! Explores every reachable state of a system.

use std::collections::HashSet;

use limen_keys::count::{Count, Decision, Operation, decide};

use crate::cores::{Outcome, System};
use crate::logic::Logic;

/// Visits every state of a system with these programs.
///
/// # Errors
/// The broken invariant and the state that breaks it.
pub(crate) fn explore(logic: Logic, start: Count, programs: &[Vec<Operation>]) -> Result<(), String> {
    let allowed = one_by_one(start, programs);
    let mut seen = HashSet::new();
    let mut open = vec![System::new(start, programs.len())];
    while let Some(system) = open.pop() {
        if let Some(objection) = system.objection() {
            return Err(format!("{objection} in {system:?}"));
        }
        let next: Vec<_> = programs
            .iter()
            .enumerate()
            .filter_map(|(index, program)| system.step(logic, index, program))
            .collect();
        match system.outcome(programs) {
            Some(outcome) if next.is_empty() && !allowed.contains(&outcome) => {
                return Err(format!("no order of operations gives {outcome:?}"));
            }
            None if next.is_empty() => return Err(format!("all cores wait in {system:?}")),
            _ => {}
        }
        open.extend(next.into_iter().filter(|system| seen.insert(system.clone())));
    }
    Ok(())
}

/// The outcomes of sequential execution, in each order that agrees with the order on each core.
fn one_by_one(start: Count, programs: &[Vec<Operation>]) -> HashSet<Outcome> {
    let none = Outcome { count: start, results: vec![Vec::new(); programs.len()] };
    let mut seen = HashSet::from([none.clone()]);
    let mut open = vec![none];
    let mut ends = HashSet::new();
    while let Some(state) = open.pop() {
        let before = open.len();
        for (index, program) in programs.iter().enumerate() {
            let Some(operation) = program.get(state.results[index].len()) else { continue };
            let (count, result) = match decide(*operation, state.count) {
                Decision::Nothing => (state.count, Ok(())),
                Decision::Replace(count) | Decision::Patch { after: count, .. } => (count, Ok(())),
                Decision::Refuse(error) => (state.count, Err(error)),
            };
            let mut next = Outcome { count, ..state.clone() };
            next.results[index].push(result);
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
        let is_end =
            programs.iter().zip(&state.results).all(|(program, results)| program.len() == results.len());
        if is_end && open.len() == before {
            ends.insert(state);
        }
    }
    ends
}
