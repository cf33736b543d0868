//! Rings in console logs, for machines whose memory cannot be read otherwise.
//!
//! A line `LIMEN|TRACE OFFSET BYTES` holds bytes of the memory of the rings at an offset, both in hexadecimal digits, the bytes
//! in the order of memory. Lines may come in any order and among others; a damaged line is skipped, and its bytes are zero, so
//! the records in them are lost. A line with offset 0 begins a further copy.

use limen_abi::limits::PROCESSORS;
use limen_abi::trace::{MAX_BYTES, memory_bytes_of};

/// Start of a line with bytes of the ring.
pub const MARK: &str = "LIMEN|TRACE ";

/// The copies of the rings in a log; empty if it has none.
#[must_use]
pub fn copies(log: &[u8]) -> Vec<Vec<u8>> {
    let mut copies: Vec<Vec<u8>> = Vec::new();
    // Each byte takes two digits. Lost lines leave room, but offsets without bytes must not take memory.
    let mut room = log.len();
    // Terminal programs may end lines with a carriage return alone.
    for line in log.split(|byte| matches!(byte, b'\n' | b'\r')) {
        let Some((offset, bytes)) = std::str::from_utf8(line).ok().and_then(parse) else { continue };
        if offset == 0 || copies.is_empty() {
            copies.push(Vec::new());
        }
        let Some(copy) = copies.last_mut() else { continue };
        let end = offset.saturating_add(bytes.len());
        let growth = end.saturating_sub(copy.len());
        if end as u64 > memory_bytes_of(PROCESSORS as u64, MAX_BYTES) || growth > room {
            continue;
        }
        room -= growth;
        copy.resize(copy.len() + growth, 0);
        copy[offset..end].copy_from_slice(&bytes);
    }
    copies
}

fn parse(line: &str) -> Option<(usize, Vec<u8>)> {
    let (_, rest) = line.split_once(MARK)?;
    let (offset, digits) = rest.trim().split_once(' ')?;
    if digits.len() % 2 != 0 || !digits.is_ascii() {
        return None;
    }
    let byte = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let bytes = (0..digits.len()).step_by(2).map(byte).collect::<Option<Vec<_>>>()?;
    Some((usize::from_str_radix(offset.trim_start_matches("0x"), 16).ok()?, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_placed_at_their_offsets() {
        let log = b"boot\r\n> LIMEN|TRACE 0 4c49\r\nnoise LIMEN|TRACE 4 ff\nLIMEN|TRACE 5 f\nLIMEN|TRACE 2 zz\nLIMEN|TRACE 0x0 01";
        assert_eq!(copies(log), [vec![0x4c, 0x49, 0, 0, 0xff], vec![1]]);
        assert!(copies(b"LIMEN|TRACE").is_empty());
    }

    #[test]
    fn offsets_without_bytes_take_no_memory() {
        for offset in ["ffffffffffffffff", "ffffff0", "-1", "1000000"] {
            let copies = copies(format!("LIMEN|TRACE {offset} 00").as_bytes());
            assert!(copies.iter().all(|copy| copy.len() < 64), "{offset}");
        }
        let copies = copies("LIMEN|TRACE 0 00\nLIMEN|TRACE 9000 00\n".repeat(5000).as_bytes());
        assert!(copies.iter().map(Vec::len).sum::<usize>() < 200_000);
    }
}
