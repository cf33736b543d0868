//! The sizes of small functions with one branch. Each is in a section of its own, whose bounds the linker defines.

use std::sync::atomic::Ordering;

use limen_keys::static_branch_unlikely;

use crate::switches::{CRATE_KEY, FLAG, KEY, take};

macro_rules! sized {
    ($name:ident, $section:literal, $start:ident, $stop:ident, $is_on:expr) => {
        #[unsafe(link_section = $section)]
        #[inline(never)]
        fn $name(number: u64) -> u64 {
            if $is_on {
                take();
            }
            number + 1
        }

        unsafe extern "C" {
            static $start: u8;
            static $stop: u8;
        }
    };
}

sized!(with_nothing, "size_none", __start_size_none, __stop_size_none, false);
sized!(with_key, "size_key", __start_size_key, __stop_size_key, static_branch_unlikely!(KEY));
sized!(with_flag, "size_flag", __start_size_flag, __stop_size_flag, FLAG.load(Ordering::Relaxed));
sized!(
    with_crate,
    "size_crate",
    __start_size_crate,
    __stop_size_crate,
    static_keys::static_branch_unlikely!(CRATE_KEY)
);

/// Prints the table.
///
/// # Panics
/// When a function does not compute what it should.
pub fn print() {
    assert_eq!([with_nothing, with_key, with_flag, with_crate].map(|function| function(1)), [2; 4]);
    println!("\nbytes of a small function with one branch to a call");
    let sizes = [
        ("none", "none", &raw const __start_size_none, &raw const __stop_size_none),
        ("key", "key", &raw const __start_size_key, &raw const __stop_size_key),
        ("atomic flag, relaxed", "flag", &raw const __start_size_flag, &raw const __stop_size_flag),
        ("key of static-keys", "crate", &raw const __start_size_crate, &raw const __stop_size_crate),
    ];
    for (name, word, start, stop) in sizes {
        let bytes = stop.addr() - start.addr();
        println!("{name:<30} {bytes}");
        println!("ROW name=key_bytes branches={word} samples={bytes}");
    }
}
