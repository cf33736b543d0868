//! Readers of a ring, beside a writer that follows the kernel's order of accesses.

#![allow(clippy::expect_used, reason = "a failure here fails the test")]

use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::thread;

use limen::abi::ring::{LINE_WORDS, RecordWord, RingWord};
use limen::ring::{Line, Reader};

/// A ring with room for this many records.
fn ring(slots: usize) -> &'static [Line] {
    let lines: Vec<Line> = (0..=slots).map(|_| [const { AtomicU64::new(0) }; LINE_WORDS]).collect();
    Vec::leak(lines)
}

/// Writes record `number`, all of whose words are its number.
fn write(ring: &[Line], number: u64) {
    let (header, slots) = ring.split_first().expect("a header");
    let line = &slots[number as usize % slots.len()];
    line[RecordWord::NUMBER].store(0, Ordering::Relaxed);
    fence(Ordering::Release);
    line[RecordWord::FIRST..].iter().for_each(|word| word.store(number, Ordering::Relaxed));
    line[RecordWord::NUMBER].store(number + 1, Ordering::Release);
    header[RingWord::COUNT].store(number + 1, Ordering::Release);
}

fn read(reader: &mut Reader) -> Option<u64> {
    let record = reader.next_record()?;
    assert_eq!(record[RecordWord::FIRST..], [record[RecordWord::NUMBER] - 1; LINE_WORDS - 1]);
    Some(record[RecordWord::FIRST])
}

#[test]
fn records_are_read_once_and_in_order() {
    let ring = ring(3);
    let mut reader = Reader::new(ring);
    assert_eq!(read(&mut reader), None);
    (0..2).for_each(|number| write(ring, number));
    let mut another = reader.clone();
    assert_eq!([(); 3].map(|()| read(&mut reader)), [Some(0), Some(1), None]);
    write(ring, 2);
    assert_eq!([(); 2].map(|()| read(&mut reader)), [Some(2), None]);
    assert_eq!([(); 4].map(|()| read(&mut another)), [Some(0), Some(1), Some(2), None]);
    assert_eq!((reader.lost(), another.lost()), (0, 0));
}

#[test]
fn overwritten_records_are_counted() {
    let ring = ring(3);
    let mut reader = Reader::new(ring);
    (0..4).for_each(|number| write(ring, number));
    assert_eq!((read(&mut reader), reader.lost()), (Some(1), 1));
    (4..100).for_each(|number| write(ring, number));
    assert_eq!((read(&mut reader), reader.lost()), (Some(97), 96));
    assert_eq!([(); 3].map(|()| read(&mut reader)), [Some(98), Some(99), None]);
}

/// As if the kernel were in the middle of the record.
#[test]
fn a_record_that_is_being_written_is_not_read() {
    let ring = ring(2);
    let mut reader = Reader::new(ring);
    (0..2).for_each(|number| write(ring, number));
    ring[1][RecordWord::NUMBER].store(0, Ordering::Relaxed);
    thread::scope(|scope| {
        let reads = scope.spawn(|| read(&mut reader));
        thread::yield_now();
        write(ring, 2);
        assert_eq!(reads.join().expect("no panic"), Some(1));
    });
    assert_eq!(reader.lost(), 1);
}

#[test]
fn a_reader_of_a_ring_that_was_cleared_starts_again() {
    let ring = ring(2);
    let mut reader = Reader::new(ring);
    (0..2).for_each(|number| write(ring, number));
    while read(&mut reader).is_some() {}
    ring.as_flattened().iter().for_each(|word| word.store(0, Ordering::Relaxed));
    assert_eq!(read(&mut reader), None);
    write(ring, 0);
    assert_eq!(read(&mut reader), Some(0));
}

#[test]
fn without_a_ring_there_is_nothing_to_read() {
    assert_eq!(Reader::new(&[]).next_record(), None);
    assert_eq!(Reader::new(&[]).header(RingWord::COUNT), 0);
    let header = ring(0);
    header[0][RingWord::COUNT].store(5, Ordering::Relaxed);
    assert_eq!(Reader::new(header).next_record(), None);
}

/// On another processor: every record that is read is whole, and every other one is counted as lost.
#[test]
fn records_are_whole_beside_a_writer() {
    const COUNT: u64 = if cfg!(miri) { 200 } else { 200_000 };
    let ring = ring(4);
    thread::scope(|scope| {
        scope.spawn(|| (0..COUNT).for_each(|number| write(ring, number)));
        scope.spawn(|| {
            let (mut reader, mut count, mut last) = (Reader::new(ring), 0, None);
            while last != Some(COUNT - 1) {
                if let Some(number) = read(&mut reader) {
                    assert!(last < Some(number));
                    (count, last) = (count + 1, Some(number));
                }
            }
            assert_eq!(count + reader.lost(), COUNT);
        });
    });
}
