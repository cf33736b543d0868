//! Rules of home processors: the kernel of a processor finds there everything that an operation touches, unless the
//! operation is one that crosses.
//!
//! They read single words of records, because a loop over records is machine code for each kind of record.

use limen_abi::slot;

use super::{Check, rule};
use crate::record::{Cap, CapKind, Interrupt, NONE, Record, Rights, SchedContext, Service, Thread};
use crate::{Image, Table};

/// Objects with a home.
#[derive(Clone, Copy)]
enum Object {
    Endpoint,
    Notification,
    Reply,
    SchedContext,
    Thread,
    Interrupt,
}

/// An object that a record names, and that is at home where the record is used.
struct Companion {
    /// The table of the record, and its words.
    record: (Table, usize),
    /// The object at whose home the record is used: with a position, the one that the record names there; without, the
    /// record's own.
    user: Object,
    user_position: Option<usize>,
    /// Position of the index of the named object.
    position: usize,
    object: Object,
    what: &'static str,
}

const THREAD: Companion = Companion {
    record: (Table::Threads, Thread::WORDS),
    user: Object::Thread,
    user_position: None,
    position: Thread::SCHED_CONTEXT,
    object: Object::SchedContext,
    what: "scheduling context of another processor",
};
/// A thread starts with its own time and notification, and an interrupt signals where it arrives. A service runs on its
/// thread's processor, at once when its interrupt arrives.
static COMPANIONS: [Companion; 4] = [
    THREAD,
    Companion {
        position: Thread::NOTIFICATION,
        object: Object::Notification,
        what: "notification of another processor",
        ..THREAD
    },
    Companion {
        record: (Table::Interrupts, Interrupt::WORDS),
        user: Object::Interrupt,
        user_position: None,
        position: Interrupt::NOTIFICATION,
        object: Object::Notification,
        what: "signals a notification of another processor",
    },
    Companion {
        record: (Table::Services, Service::WORDS),
        user: Object::Thread,
        user_position: Some(Service::THREAD),
        position: Service::INTERRUPT,
        object: Object::Interrupt,
        what: "interrupt of another processor",
    },
];

/// Each object has a home that exists.
pub(super) fn check_homes(image: &Image<'_>) -> Check {
    let (is_alone, counts) = (image.processors() <= 1, image.counts());
    let objects = counts.endpoints + counts.notifications + counts.replies;
    let has_all = image.directory(Table::Homes).1 == if is_alone { 0 } else { objects };
    rule(Table::Homes, 0, has_all, "not one home for each object, or homes for one processor")?;
    check_table(image, Table::Homes, Object::Endpoint)?;
    check_table(image, Table::SchedContexts, Object::SchedContext)?;
    check_table(image, Table::Threads, Object::Thread)?;
    check_table(image, Table::Interrupts, Object::Interrupt)
}

/// Each thread of another processor may bring time, which takes an entry of a scheduling context that is not at home here.
fn check_guests(image: &Image<'_>, processor: u64) -> Check {
    let count = |table, object| {
        (0..image.directory(table).1).filter(|index| home(image, object, *index) == processor).count()
    };
    let (contexts, threads) =
        (count(Table::SchedContexts, Object::SchedContext), count(Table::Threads, Object::Thread));
    rule(Table::SchedContexts, 0, contexts <= threads, "more of them than threads at a processor")
}

/// Checks that the homes in a table exist; `object` is that of its first record.
#[inline(never)]
fn check_table(image: &Image<'_>, table: Table, object: Object) -> Check {
    for index in 0..image.directory(table).1 {
        let exists = home(image, object, index) < image.processors();
        rule(table, index as usize, exists, "no such processor")?;
    }
    Ok(())
}

/// Checks that the objects that a record names are at home where the record is used, and that guests have room.
pub(super) fn check_companions(image: &Image<'_>) -> Check {
    COMPANIONS.iter().try_for_each(|companion| check_companion(image, companion))?;
    let is_alone = image.processors() <= 1;
    (0..image.processors()).filter(|_| !is_alone).try_for_each(|processor| check_guests(image, processor))
}

fn check_companion(image: &Image<'_>, companion: &Companion) -> Check {
    let (table, words) = companion.record;
    for index in 0..image.directory(table).1 {
        let word = |position| image.word(table, words, index, position);
        let user = companion.user_position.map_or(index, word);
        let named = word(companion.position);
        let is_near =
            named == NONE || home(image, companion.object, named) == home(image, companion.user, user);
        rule(table, index as usize, is_near, companion.what)?;
    }
    Ok(())
}

/// Whether the holder of the capability may use it: threads receive, reply and acknowledge at home, and everything else
/// may cross. Threads elsewhere may have the right to receive from a notification, because they need it to bind the
/// notification, but not as their input.
pub(super) fn is_near(image: &Image<'_>, kind: CapKind, cap: &Cap) -> bool {
    let receives = cap.rights & Rights::RECEIVE != 0;
    let object = match kind {
        CapKind::Endpoint if receives => Object::Endpoint,
        CapKind::Notification if receives && cap.slot == slot::INPUT => Object::Notification,
        CapKind::Reply => Object::Reply,
        CapKind::Interrupt => Object::Interrupt,
        _ => return true,
    };
    home(image, object, cap.object) == home(image, Object::Thread, cap.table)
}

/// Home of the object with this index.
#[inline(never)]
fn home(image: &Image<'_>, object: Object, index: u64) -> u64 {
    match object {
        Object::Endpoint => image.endpoint_home(index),
        Object::Notification => image.notification_home(index),
        Object::Reply => image.reply_home(index),
        Object::SchedContext => {
            image.word(Table::SchedContexts, SchedContext::WORDS, index, SchedContext::PROCESSOR)
        }
        Object::Thread => image.word(Table::Threads, Thread::WORDS, index, Thread::PROCESSOR),
        Object::Interrupt => image.word(Table::Interrupts, Interrupt::WORDS, index, Interrupt::PROCESSOR),
    }
}
