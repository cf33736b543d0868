//! The executions that the explorer cannot visit: processors that exchange two operations on different words, if no order forbids that.
//!
//! Every operation of the mailbox reads and modifies a word, so the operations on each word have an order, and each reads what the one
//! before it has written. A later operation of a word that acquires happens after each earlier one that releases. These tests visit all
//! orders of all words that agree with what happens before what, of a transcription of `send_letter`, `send_signal` and `take`.

/// The words of the mailbox, and that of a notification.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Attention,
    Letters,
    Signals,
    Badge,
}

use Word::{Attention, Badge, Letters, Signals};

/// The orders that a test weakens: those of the operations on some words by senders, and by the owner.
#[derive(Clone, Copy)]
struct Orders {
    relaxed_sender: Option<Word>,
    relaxed_owner: Option<Word>,
}

const KERNEL: Orders = Orders { relaxed_sender: None, relaxed_owner: None };

/// The owner is the last thread. Its interrupts happen before the looks that they cause.
struct Program {
    senders: Vec<Vec<Word>>,
    owner: Vec<Word>,
    /// Whether each look finds the notification's bit, and takes its badge.
    finds: Vec<bool>,
}

#[derive(Clone, Copy)]
struct Operation {
    thread: usize,
    word: Word,
    acquires: bool,
    releases: bool,
}

impl Program {
    fn operations(&self, orders: Orders) -> Vec<Operation> {
        let senders = self.senders.iter().enumerate().flat_map(|(thread, words)| {
            words.iter().map(move |word| Operation {
                thread,
                word: *word,
                acquires: *word == Attention && orders.relaxed_sender != Some(*word),
                releases: orders.relaxed_sender != Some(*word),
            })
        });
        let owner = self.owner.iter().map(|word| Operation {
            thread: self.senders.len(),
            word: *word,
            acquires: orders.relaxed_owner != Some(*word),
            releases: *word == Attention && orders.relaxed_owner != Some(*word),
        });
        senders.chain(owner).collect()
    }

    /// Returns whether an execution loses a message: a look for each interrupt does not take it.
    fn loses_a_message(&self, orders: Orders) -> bool {
        let operations = self.operations(orders);
        let words = [Attention, Letters, Signals, Badge].map(|word| {
            let of_word = (0..operations.len()).filter(|index| operations[*index].word == word);
            permutations(&of_word.collect::<Vec<_>>())
        });
        let [attention, letters, signals, badge] = &words;
        attention.iter().any(|attention| {
            let Some(causes) = self.causes(&operations, attention) else { return false };
            letters.iter().any(|letters| {
                signals.iter().any(|signals| {
                    badge.iter().any(|badge| {
                        let order = [attention, letters, signals, badge];
                        causes.iter().any(|cause| is_possible(&operations, &order, cause))
                            && self.finds_as_assumed(&operations, signals)
                            && [letters, badge].iter().any(|order| self.leaves_one(&operations, order))
                    })
                })
            })
        })
    }

    fn is_owner(&self, operation: Operation) -> bool {
        operation.thread == self.senders.len()
    }

    /// The ways in which interrupts cause looks, if there are as many.
    fn causes(&self, operations: &[Operation], attention: &[usize]) -> Option<Vec<Vec<(usize, usize)>>> {
        let is_look = |index: &usize| self.is_owner(operations[*index]);
        let looks: Vec<_> = attention.iter().copied().filter(is_look).collect();
        let interrupts = attention.iter().enumerate().filter(|(place, index)| {
            !is_look(index) && place.checked_sub(1).is_none_or(|before| is_look(&attention[before]))
        });
        let interrupts: Vec<_> = interrupts.map(|(_, index)| *index).collect();
        let pair = |order: Vec<usize>| order.into_iter().zip(looks.clone()).collect();
        (interrupts.len() == looks.len()).then(|| permutations(&interrupts).into_iter().map(pair).collect())
    }

    fn finds_as_assumed(&self, operations: &[Operation], signals: &[usize]) -> bool {
        let mut is_set = false;
        let mut finds = Vec::new();
        for index in signals {
            if self.is_owner(operations[*index]) {
                finds.push(std::mem::take(&mut is_set));
            } else {
                is_set = true;
            }
        }
        finds.is_empty() || finds == self.finds
    }

    /// Whether the last operation on a word is not one of the owner.
    fn leaves_one(&self, operations: &[Operation], order: &[usize]) -> bool {
        order.last().is_some_and(|index| !self.is_owner(operations[*index]))
    }
}

/// Whether no operation happens before itself or before an earlier one of its word.
fn is_possible(operations: &[Operation], orders: &[&Vec<usize>], causes: &[(usize, usize)]) -> bool {
    let count = operations.len();
    let mut before = vec![vec![false; count]; count];
    for first in 0..count {
        for second in first + 1..count {
            before[first][second] = operations[first].thread == operations[second].thread;
        }
    }
    causes.iter().for_each(|(interrupt, look)| before[*interrupt][*look] = true);
    let pairs_of = |order: &&Vec<usize>| {
        let later = |at: usize| order[at + 1..].iter().map(move |second| (at, *second));
        (0..order.len()).flat_map(later).map(|(at, second)| (order[at], second)).collect::<Vec<_>>()
    };
    let pairs: Vec<_> = orders.iter().flat_map(pairs_of).collect();
    for (first, second) in &pairs {
        before[*first][*second] |= operations[*first].releases && operations[*second].acquires;
    }
    for middle in 0..count {
        for first in 0..count {
            for second in 0..count {
                before[first][second] |= before[first][middle] && before[middle][second];
            }
        }
    }
    (0..count).all(|index| !before[index][index])
        && pairs.iter().all(|(first, second)| !before[*second][*first])
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let begin_with = |at: usize| {
        let rest: Vec<_> = items[..at].iter().chain(&items[at + 1..]).copied().collect();
        permutations(&rest).into_iter().map(move |rest| [vec![items[at]], rest].concat())
    };
    (0..items.len()).flat_map(begin_with).collect()
}

/// Two senders of letters, and as many looks as interrupts.
fn letters() -> Vec<Program> {
    let with_looks = |looks: usize| Program {
        senders: vec![vec![Letters, Attention]; 2],
        owner: [Attention, Letters].repeat(looks),
        finds: Vec::new(),
    };
    (1..=2).map(with_looks).collect()
}

/// A signal, and another message that interrupts the same owner.
fn signals() -> Vec<Program> {
    let with_finds = |finds: Vec<bool>| Program {
        senders: vec![vec![Badge, Signals, Attention], vec![Attention]],
        owner: finds
            .iter()
            .flat_map(|finds| if *finds { vec![Attention, Signals, Badge] } else { vec![Attention, Signals] })
            .collect(),
        finds,
    };
    [vec![true], vec![false], vec![true, false], vec![false, true], vec![false, false]].map(with_finds).into()
}

fn lose(programs: &[Program], orders: Orders) -> bool {
    programs.iter().any(|program| program.loses_a_message(orders))
}

#[test]
fn the_orders_of_the_kernel_lose_nothing() {
    assert!(!lose(&letters(), KERNEL));
    assert!(!lose(&signals(), KERNEL));
}

#[test]
fn attention_must_order_for_senders_and_for_the_owner() {
    assert!(lose(&letters(), Orders { relaxed_sender: Some(Attention), ..KERNEL }));
    assert!(lose(&letters(), Orders { relaxed_owner: Some(Attention), ..KERNEL }));
}

#[test]
fn the_bit_of_a_notification_must_order_for_senders_and_for_the_owner() {
    assert!(lose(&signals(), Orders { relaxed_sender: Some(Signals), ..KERNEL }));
    assert!(lose(&signals(), Orders { relaxed_owner: Some(Signals), ..KERNEL }));
}
