//! Truth tables: every default, branch and operation, and the effect on code.

use std::sync::atomic::Ordering;

use limen_keys::branch::{BUILD, Build};
use limen_keys::count::{CountError, Operation};
use limen_keys::shared::Locks;
use limen_keys::{BranchKey, KeyError, static_branch_likely, static_branch_unlikely, static_key};

use crate::arch::{jumps_if_off, jumps_if_on};
use crate::program::{cpus, keys};

static_key!(OFF_LIKELY = false);
static_key!(OFF_UNLIKELY = false);
static_key!(ON_LIKELY = true);
static_key!(ON_UNLIKELY = true);

/// A key, the branch on it, and its default.
type Case = (&'static BranchKey, fn() -> bool, bool);

#[inline(never)]
fn off_likely() -> bool {
    static_branch_likely!(OFF_LIKELY)
}
#[inline(never)]
fn off_unlikely() -> bool {
    static_branch_unlikely!(OFF_UNLIKELY)
}
#[inline(never)]
fn on_likely() -> bool {
    static_branch_likely!(ON_LIKELY)
}
#[inline(never)]
fn on_unlikely() -> bool {
    static_branch_unlikely!(ON_UNLIKELY)
}

#[test]
fn every_definition_branch_and_operation() {
    use Operation::{Dec, Disable, Enable, Inc};
    if BUILD == Build::None {
        return;
    }
    let cases: [Case; 4] = [
        (&OFF_LIKELY, off_likely, false),
        (&OFF_UNLIKELY, off_unlikely, false),
        (&ON_LIKELY, on_likely, true),
        (&ON_UNLIKELY, on_unlikely, true),
    ];
    let keys = keys();
    for (key, branch, default) in cases {
        assert_eq!((branch(), key.is_enabled(), key.count()), (default, default, u32::from(default)));
        for first in [Inc, Dec, Enable, Disable] {
            for second in [Inc, Dec, Enable, Disable] {
                let mut count = u32::from(default);
                for operation in [first, second] {
                    let expected = model(count, operation);
                    let outcome = keys.change(key, operation, &mut cpus());
                    assert_eq!(outcome, expected.map(|_| ()).map_err(KeyError::Count));
                    count = expected.unwrap_or(count);
                    assert_eq!((branch(), key.is_enabled(), key.count()), (count > 0, count > 0, count));
                }
                reset(key, default);
            }
        }
    }
}

/// The specification of counts; a mixture of both styles is refused.
fn model(count: u32, operation: Operation) -> Result<u32, CountError> {
    match operation {
        Operation::Inc => Ok(count + 1),
        Operation::Dec => count.checked_sub(1).ok_or(CountError::Underflow),
        Operation::Enable | Operation::Disable if count > 1 => Err(CountError::Counted),
        Operation::Enable => Ok(1),
        Operation::Disable => Ok(0),
    }
}

fn reset(key: &BranchKey, default: bool) {
    let keys = keys();
    while key.count() > 1 {
        assert_eq!(keys.dec(key, &mut cpus()), Ok(()));
    }
    let operation = if default { Operation::Enable } else { Operation::Disable };
    assert_eq!(keys.change(key, operation, &mut cpus()), Ok(()));
}

static_key!(ARRAY = [true; 3]);

#[test]
fn elements_of_an_array_are_separate_keys() {
    if BUILD == Build::None {
        return;
    }
    let branches = || {
        [
            static_branch_unlikely!(ARRAY, 0),
            static_branch_likely!(ARRAY, 1),
            static_branch_unlikely!(ARRAY, 2),
        ]
    };
    let keys = keys();
    assert_eq!(branches(), [true; 3]);
    assert_eq!(keys.disable(&ARRAY[1], &mut cpus()), Ok(()));
    assert_eq!(branches(), [true, false, true]);
    assert_eq!(keys.enable(&ARRAY[1], &mut cpus()), Ok(()));
    assert_eq!(branches(), [true; 3]);
}

static_key!(SITES = false);

#[inline(never)]
fn generic<const N: usize>() -> usize {
    N * usize::from(static_branch_unlikely!(SITES))
}

#[test]
fn all_sites_of_a_key_flip_and_are_restored_byte_for_byte() {
    if BUILD != Build::Patched {
        return;
    }
    let keys = keys();
    let code = || {
        keys.lock().with(|keys| {
            let sites: Vec<_> = keys.table().sites_of(&SITES).collect();
            assert!(sites.len() >= 3, "one for each instance");
            let text = keys.engine().text();
            let start = text.as_ptr().addr();
            let word = |address: usize| text[(address - start) / 8].load(Ordering::Relaxed);
            sites.iter().map(|site| word(site.address)).collect::<Vec<_>>()
        })
    };
    let sum = || generic::<1>() + generic::<2>() + generic::<4>();
    let (before, flips) = (code(), SITES.flips());
    assert_eq!(sum(), 0);
    assert_eq!(keys.inc(&SITES, &mut cpus()), Ok(()));
    assert_eq!(sum(), 7);
    assert!(code().iter().zip(&before).all(|(now, before)| now != before));
    assert_eq!(keys.dec(&SITES, &mut cpus()), Ok(()));
    assert_eq!((sum(), code()), (0, before));
    assert_eq!(SITES.flips() - flips, 2);
}

static_key!(FIRST = false);
static_key!(SECOND = false);
static_key!(THIRD = true);

#[test]
fn several_keys_flip_together_or_not_at_all() {
    if BUILD == Build::None {
        return;
    }
    let states =
        || [static_branch_unlikely!(FIRST), static_branch_unlikely!(SECOND), static_branch_likely!(THIRD)];
    let set = |state| keys().lock().with(|keys| keys.set_all([&FIRST, &SECOND, &THIRD], state));
    let own_context = cpus;
    assert_eq!(keys().inc(&THIRD, &mut own_context()), Ok(()));
    assert_eq!(set(true), Err(KeyError::Count(CountError::Counted)));
    assert_eq!(states(), [false, false, true]);
    assert_eq!(keys().dec(&THIRD, &mut own_context()), Ok(()));
    assert_eq!((set(true), states()), (Ok(()), [true; 3]));
    assert_eq!((set(false), states()), (Ok(()), [false; 3]));
    assert_eq!(keys().enable(&THIRD, &mut own_context()), Ok(()));
}

#[test]
fn the_operations_with_the_first_lock_held_do_the_same() {
    static_key!(LOCKED = false);
    if BUILD == Build::None {
        return;
    }
    let (keys, mut cpus) = (keys(), cpus());
    let locked = cpus.lock();
    assert_eq!(keys.enable_cpuslocked(&LOCKED, &locked), Ok(()));
    assert!(static_branch_unlikely!(LOCKED));
    assert_eq!(keys.disable_cpuslocked(&LOCKED, &locked), Ok(()));
    assert_eq!(keys.inc_cpuslocked(&LOCKED, &locked), Ok(()));
    assert_eq!(keys.dec_cpuslocked(&LOCKED, &locked), Ok(()));
    assert!(!static_branch_unlikely!(LOCKED));
}

#[test]
fn compiled_out_branches_are_their_defaults() {
    if BUILD != Build::None {
        return;
    }
    assert_eq!([off_likely(), off_unlikely(), on_likely(), on_unlikely()], [false, false, true, true]);
    assert_eq!(keys().enable(&OFF_LIKELY, &mut cpus()), Err(KeyError::Fixed));
}

static_key!(pub(crate) JUMP_OFF = false);
static_key!(pub(crate) JUMP_ON = true);

#[test]
fn assembly_jumps_follow_their_keys() {
    let keys = keys();
    assert_eq!([jumps_if_on(), jumps_if_off()], [false, false]);
    if BUILD == Build::None {
        return;
    }
    assert_eq!((keys.enable(&JUMP_OFF, &mut cpus()), keys.dec(&JUMP_ON, &mut cpus())), (Ok(()), Ok(())));
    assert_eq!([jumps_if_on(), jumps_if_off()], [true, true]);
    assert_eq!((keys.disable(&JUMP_OFF, &mut cpus()), keys.inc(&JUMP_ON, &mut cpus())), (Ok(()), Ok(())));
    assert_eq!([jumps_if_on(), jumps_if_off()], [false, false]);
}
