//! The timed code.

use std::hint::black_box;
use std::sync::atomic::Ordering;

use limen_keys::static_branch_unlikely;

use crate::switches::{CRATE_KEY, FLAG, KEY, take};

/// Code that is executed a given number of times.
pub struct Pass {
    /// The condition of its branches.
    pub name: &'static str,
    /// The condition in rows.
    pub word: &'static str,
    /// Executes it the given number of times.
    pub run: fn(u32),
}

macro_rules! eight {
    ($($what:tt)*) => {
        $($what)* $($what)* $($what)* $($what)* $($what)* $($what)* $($what)* $($what)*
    };
}

/// Functions with a branch on `$is_on`: with nothing between the branches, and with dependent work.
macro_rules! passes {
    ($tight:ident, $working:ident, $is_on:expr) => {
        #[inline(never)]
        fn $tight(count: u32) {
            for round in 0..count {
                black_box(round);
                eight!(if $is_on {
                    take();
                });
            }
        }

        #[inline(never)]
        fn $working(count: u32) {
            let mut value = black_box(1_u64);
            for _ in 0..count {
                eight!(
                    if $is_on {
                        take();
                    }
                    value = value.wrapping_mul(3).rotate_left(7);
                );
            }
            black_box(value);
        }
    };
}

passes!(tight_none, working_none, false);
passes!(tight_key, working_key, static_branch_unlikely!(KEY));
passes!(tight_flag, working_flag, FLAG.load(Ordering::Relaxed));
passes!(tight_crate, working_crate, static_keys::static_branch_unlikely!(CRATE_KEY));

/// No code between the branches. The first pass has no branches.
pub const TIGHT: [Pass; 4] = [
    Pass { name: "none", word: "none", run: tight_none },
    Pass { name: "key", word: "key", run: tight_key },
    Pass { name: "atomic flag, relaxed", word: "flag", run: tight_flag },
    Pass { name: "key of static-keys", word: "crate", run: tight_crate },
];

/// The same with work between them.
pub const WORKING: [Pass; 4] = [
    Pass { name: "none", word: "none", run: working_none },
    Pass { name: "key", word: "key", run: working_key },
    Pass { name: "atomic flag, relaxed", word: "flag", run: working_flag },
    Pass { name: "key of static-keys", word: "crate", run: working_crate },
];
