//! Console input of a suite: lines that the system must answer, each of them, in order.
//!
//! ```toml
//! [load]
//! after = "shell: ready"   # the console line after which typing starts
//! lines = 1000             # the number of lines
//! answer = "> "            # the prefix of each line in the system's answer
//! last = "quit"            # the line after all others
//! ```
//!
//! The lines are pseudorandom, and the same in every run.

use std::sync::mpsc::Sender;

use serde::Deserialize;

/// Longest line, in characters.
const LONGEST: u32 = 120;

/// The table `load`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    after: String,
    #[serde(rename = "lines")]
    count: usize,
    answer: String,
    last: String,
}

impl Load {
    fn lines(&self) -> impl Iterator<Item = String> {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let lines = (0..self.count).map(move |number| format!("{number} {}", random.text()));
        lines.chain([self.last.clone()])
    }

    /// Everything that is typed.
    pub fn typed(&self) -> Vec<u8> {
        self.lines().flat_map(|line| format!("{line}\n").into_bytes()).collect()
    }

    /// Starts typing once the console shows the line for it.
    pub fn follow(&self, line: &str, keys: Option<&Sender<Vec<u8>>>) {
        if let Some(keys) = keys.filter(|_| line == self.after) {
            // A system that has ended needs no input.
            _ = keys.send(self.typed());
        }
    }

    /// The first wrong answer, if any.
    pub fn complaint(&self, console: &[String]) -> Option<String> {
        let answers: Vec<&str> = console.iter().filter_map(|line| line.strip_prefix(&self.answer)).collect();
        for (position, line) in self.lines().enumerate() {
            match answers.get(position) {
                Some(answer) if *answer == line => {}
                Some(answer) => {
                    return Some(format!("line {position} was '{line}' and came back as '{answer}'"));
                }
                None => return Some(format!("line {position} of {} did not come back", self.count + 1)),
            }
        }
        None
    }
}

/// Pseudorandom numbers: xorshift.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32 % below
    }

    fn text(&mut self) -> String {
        (0..=self.next(LONGEST)).filter_map(|_| char::from_u32(u32::from(b'!') + self.next(94))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(lines: usize) -> Load {
        let text = format!("after = 'go'\nlines = {lines}\nanswer = '> '\nlast = 'quit'");
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn a_load_is_the_same_every_time() {
        assert_eq!(load(5), load(5));
        assert_eq!(load(5).typed().iter().filter(|byte| **byte == b'\n').count(), 6);
        assert!(load(5).typed().is_ascii());
    }

    #[test]
    fn every_line_must_come_back_in_order() {
        let load = load(2);
        let mut console: Vec<String> = load.lines().map(|line| format!("> {line}")).collect();
        console.insert(1, "something else".to_owned());
        assert_eq!(load.complaint(&console), None);
        console.swap(0, 2);
        assert!(load.complaint(&console).unwrap().starts_with("line 0 was"));
        assert_eq!(load.complaint(&[]).unwrap(), "line 0 of 3 did not come back");
    }

    #[test]
    fn typing_begins_after_its_line() {
        let (keys, typed) = std::sync::mpsc::channel();
        let load = load(1);
        load.follow("not yet", Some(&keys));
        assert!(typed.try_recv().is_err());
        load.follow("go", Some(&keys));
        assert_eq!(typed.try_recv().unwrap(), load.typed());
    }

    #[test]
    fn a_load_has_all_its_parts() {
        let reason = |text: &str| toml::from_str::<Load>(text).unwrap_err().message().to_owned();
        assert_eq!(reason("after = 'go'"), "missing field `lines`");
        assert_eq!(reason("lines = 1\nafter = 'go'\nlast = 'x'"), "missing field `answer`");
    }
}
