//! Commits one crime, selected by its name. The lines are in suite.toml.

#![no_std]
#![no_main]

use core::hint::black_box;

use limen::{Channel, Program, println};

struct Culprit;

impl Program for Culprit {
    fn notified(&mut self, _: Channel) {}
}

limen::protection_domain!(init);

fn init() -> Culprit {
    Crime::of_this_program().commit();
    println!("{} survived", limen::name());
    Culprit
}

enum Crime {
    Panic,
    Overflow,
    Unwrap,
    Index,
    Recurse,
    Null,
}

impl Crime {
    fn of_this_program() -> Self {
        match limen::name() {
            "rust_panic" => Self::Panic,
            "rust_overflow" => Self::Overflow,
            "rust_unwrap" => Self::Unwrap,
            "rust_index" => Self::Index,
            "rust_recurse" => Self::Recurse,
            _ => Self::Null,
        }
    }

    #[inline(never)]
    fn commit(&self) {
        match self {
            Self::Panic => panic!("the crime was to panic, with {}", black_box(7)),
            Self::Overflow => _ = black_box(add::<u8>(black_box(200), black_box(100))),
            Self::Unwrap => _ = black_box(only(black_box(None))),
            Self::Index => _ = black_box([1, 2, 3].get_or_panic(black_box(3))),
            Self::Recurse => _ = black_box(depth_below(black_box(0))),
            Self::Null => null::read_at(black_box(16)),
        }
    }
}

#[inline(never)]
fn add<T: core::ops::Add>(left: T, right: T) -> T::Output {
    left + right
}

#[inline(never)]
fn only(value: Option<u32>) -> u32 {
    value.unwrap()
}

trait GetOrPanic {
    fn get_or_panic(&self, index: usize) -> u32;
}

impl GetOrPanic for [u32; 3] {
    #[inline(never)]
    fn get_or_panic(&self, index: usize) -> u32 {
        self[index]
    }
}

/// Not a loop for the compiler: each call uses the result of the next one.
#[expect(unconditional_recursion, reason = "the stack is to overflow")]
#[inline(never)]
fn depth_below(depth: u64) -> u64 {
    let here = black_box([depth; 16]);
    depth_below(here[3] + 1) + here[5]
}

mod null {
    use core::hint::black_box;
    use core::ptr;

    #[inline(never)]
    pub(crate) fn read_at(offset: usize) {
        let pointer = ptr::without_provenance::<u32>(black_box(offset));
        // SAFETY: there is no such memory; the program stops here.
        black_box(unsafe { pointer.read_volatile() });
    }
}
