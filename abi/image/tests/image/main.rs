//! The rules of a boot image, tested from outside: what is valid is accepted, what is damaged is refused, and nothing
//! panics.

#![allow(clippy::expect_used, clippy::panic, reason = "a broken expectation ends a test")]

mod damage;
mod placing;
mod random;
mod rules;
mod sample;
mod soundness;
