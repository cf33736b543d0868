//! The promises of the mailbox, in systems small enough to visit every execution.

use loom::model::Builder;
use loom::thread::{self, JoinHandle};

use crate::machine::{Machine, has};

/// The processor that receives.
const OWNER: u8 = 2;

/// Visits executions in which threads are preempted a few times where they could continue: the larger models have too many
/// others.
fn explore_few_preemptions(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

fn start(machine: &Machine, actions: impl FnOnce(Machine) + 'static) -> JoinHandle<()> {
    let machine = machine.clone();
    thread::spawn(move || actions(machine))
}

fn join(threads: impl IntoIterator<Item = JoinHandle<()>>) {
    threads.into_iter().for_each(|thread| thread.join().expect("no model panics in a thread alone"));
}

/// The letters of two senders arrive once each with what was written, and no interrupt is sent before the owner has looked
/// after the last one.
pub fn letters_of_two_senders_arrive_once() {
    loom::model(|| {
        let machine = Machine::new(2);
        let senders = [0, 1].map(|index| {
            start(&machine, move |machine| {
                machine.letter(index).write(10 + index);
                machine.send_letter(OWNER, index);
            })
        });
        let (mut arrived, mut looks) = (0, 0);
        while arrived != 0b11 {
            let mail = machine.wait(OWNER);
            looks += 1;
            assert_eq!(arrived & mail.letters, 0, "a letter arrives once");
            for index in (0..2).filter(|index| has(mail.letters, *index)) {
                assert_eq!(machine.letter(index).read(), 10 + index);
            }
            arrived |= mail.letters;
        }
        join(senders);
        assert!((1..=looks + 1).contains(&machine.interrupts(OWNER)));
        assert!(machine.boxes.take(OWNER).is_empty());
    });
}

/// A letter comes back with its answer, and serves a second request.
pub fn a_letter_comes_back_with_its_answer() {
    loom::model(|| {
        let machine = Machine::new(1);
        let home = start(&machine, |machine| {
            for request in [10, 20] {
                machine.letter(0).write(request);
                machine.send_letter(OWNER, 0);
                while !has(machine.wait(0).letters, 0) {}
                assert_eq!(machine.letter(0).read(), request + 1);
            }
        });
        let mut requests = 0;
        while requests != 2 {
            if has(machine.wait(OWNER).letters, 0) {
                requests += 1;
                assert_eq!(machine.letter(0).read(), 10 * requests);
                machine.letter(0).write(10 * requests + 1);
                machine.send_letter(0, 0);
            }
        }
        join([home]);
    });
}

/// A recall arrives with its letter or after it, and names the request.
pub fn a_recall_never_comes_before_its_letter() {
    explore_few_preemptions(|| {
        let machine = Machine::new(2);
        let home = start(&machine, |machine| {
            machine.letter(0).write(10);
            machine.send_letter(OWNER, 0);
            machine.letter(0).write_recall(1);
            machine.send_recall(OWNER, 0);
        });
        let other = start(&machine, |machine| machine.send_letter(OWNER, 1));
        let (mut letters, mut recalls) = (0, 0);
        while (letters, recalls) != (0b11, 0b01) {
            let mail = machine.wait(OWNER);
            letters |= mail.letters;
            recalls |= mail.recalls;
            if has(mail.recalls, 0) {
                assert!(has(letters, 0), "the letter is there");
                assert_eq!(machine.letter(0).recalled(), 1);
                assert_eq!(machine.letter(0).read(), 10);
            }
        }
        join([home, other]);
    });
}

/// Every bit of three signals arrives once, with what its sender wrote before.
pub fn signals_of_two_senders_are_joined() {
    explore_few_preemptions(|| {
        let machine = Machine::new(0);
        let twice = start(&machine, |machine| {
            machine.send_signal(OWNER, 0b01);
            machine.write_word(0, 7);
            machine.send_signal(OWNER, 0b10);
        });
        let once = start(&machine, |machine| {
            machine.write_word(1, 8);
            machine.send_signal(OWNER, 0b100);
        });
        let mut arrived = 0;
        while arrived != 0b111 {
            if machine.wait(OWNER).signals == 0 {
                continue;
            }
            let badge = machine.boxes.take_signals(crate::machine::notification());
            assert_eq!(arrived & badge, 0, "a bit arrives once");
            assert!(badge & 0b10 == 0 || machine.word(0) == 7);
            assert!(badge & 0b100 == 0 || machine.word(1) == 8);
            arrived |= badge;
        }
        join([twice, once]);
        assert!(machine.boxes.take(OWNER).is_empty());
    });
}

/// A signal and a letter to one processor both arrive: they share the interrupt.
pub fn a_signal_and_a_letter_share_the_interrupt() {
    loom::model(|| {
        let machine = Machine::new(1);
        let sender = start(&machine, |machine| {
            machine.letter(0).write(10);
            machine.send_letter(OWNER, 0);
        });
        let signaller = start(&machine, |machine| machine.send_signal(OWNER, 0b1));
        let (mut letters, mut badge) = (0, 0);
        while (letters, badge) != (0b1, 0b1) {
            let mail = machine.wait(OWNER);
            letters |= mail.letters;
            if mail.signals != 0 {
                badge |= machine.boxes.take_signals(crate::machine::notification());
            }
        }
        assert_eq!(machine.letter(0).read(), 10);
        join([sender, signaller]);
    });
}
