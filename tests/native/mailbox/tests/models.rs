//! Explores every execution of each model.

use limen_mailbox_orders::models;

#[test]
fn letters_of_two_senders_arrive_once() {
    models::letters_of_two_senders_arrive_once();
}

#[test]
fn a_letter_comes_back_with_its_answer() {
    models::a_letter_comes_back_with_its_answer();
}

#[test]
fn a_recall_never_comes_before_its_letter() {
    models::a_recall_never_comes_before_its_letter();
}

#[test]
fn signals_of_two_senders_are_joined() {
    models::signals_of_two_senders_are_joined();
}

#[test]
fn a_signal_and_a_letter_share_the_interrupt() {
    models::a_signal_and_a_letter_share_the_interrupt();
}
