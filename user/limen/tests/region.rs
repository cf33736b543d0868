//! Memory regions where a test maps them: what Miri can say about references into memory that the tool has mapped.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread;

use limen::{Region, Setvar, Shared, Volatile};

const WORDS: usize = 1024;

#[repr(align(4096))]
struct Pages([AtomicU64; WORDS]);

limen::shared! {
    /// A queue.
    struct Queue {
        written: AtomicU32,
        read: AtomicU32,
        entries: [AtomicU64; 3],
    }
}

/// A region in two new pages, of so many bytes.
#[expect(unsafe_code, reason = "sets the symbols as the tool does")]
fn region<T: Shared>(bytes: u64) -> Region<T> {
    let pages = Box::leak(Box::new(Pages([const { AtomicU64::new(0) }; WORDS])));
    let address = pages.0.as_ptr().expose_provenance() as u64;
    let [address, bytes] = [address, bytes].map(|value| &*Box::leak(Box::new(Setvar::fixed(value))));
    // SAFETY: the pages stay for ever, and are accessed through the region only.
    unsafe { Region::new(address, bytes) }
}

#[test]
fn a_region_has_as_many_elements_as_fit() {
    assert_eq!(region::<AtomicU64>(8192).len(), WORDS);
    assert_eq!(region::<Queue>(8192).len(), 256);
    assert_eq!(region::<AtomicU64>(7).len(), 0);
}

#[test]
#[expect(unsafe_code, reason = "symbols that no tool sets")]
fn a_region_without_an_address_is_empty() {
    static NONE: Setvar = Setvar::fixed(0);
    // SAFETY: no memory is named.
    let region = unsafe { Region::<AtomicU64>::new(&NONE, &limen::ONE_PAGE) };
    assert!(region.is_empty());
}

#[test]
fn programs_share_elements() {
    let queues = region::<Queue>(64);
    let [first, second] = queues.elements() else { panic!("two queues fit") };
    thread::scope(|scope| {
        scope.spawn(|| {
            first.entries[2].store(7, Ordering::Relaxed);
            first.written.store(1, Ordering::Release);
        });
        while first.written.load(Ordering::Acquire) == 0 {
            std::hint::spin_loop();
        }
        assert_eq!(first.entries[2].load(Ordering::Relaxed), 7);
    });
    assert_eq!((second.written.load(Ordering::Relaxed), first.read.load(Ordering::Relaxed)), (0, 0));
}

#[test]
fn device_registers_keep_what_is_written() {
    let registers = region::<Volatile<u32>>(4096);
    registers[1023].write(0x1234_5678);
    assert_eq!((registers[1023].read(), registers[1022].read(), registers.len()), (0x1234_5678, 0, 1024));
}
