//! The rules of a boot image, tested from outside: valid images are accepted, damaged ones are refused, and nothing
//! panics.

#![allow(clippy::expect_used, clippy::panic, reason = "a failed expectation ends a test")]

mod damage;
mod limits;
mod placing;
mod random;
mod reading;
mod rules;
mod sample;
mod soundness;
