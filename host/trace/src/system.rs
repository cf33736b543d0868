//! Names of threads, interrupts, domains, keys and events, from the report of an image and its program files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use limen_abi::trace::{MESSAGE_LINE, NAME_SECTION};
use object::{Object, ObjectSection};
use serde::{Deserialize, Deserializer, de::Error};

use crate::ring::Place;

/// Largest program file that is read, as in the tool.
const MOST_BYTES: u64 = 1 << 30;
/// Longest name in characters; the rest is cut off.
const MOST_CHARACTERS: usize = 64;

/// The names of a system.
#[derive(Clone, Debug, Default)]
pub struct System {
    report: Report,
    /// The name section of each thread's program.
    sections: Vec<Vec<u8>>,
}

/// The part of a report that is used here. Unknown members are ignored.
#[derive(Clone, Debug, Default, Deserialize)]
struct Report {
    #[serde(default)]
    threads: Vec<Named>,
    #[serde(default)]
    interrupts: Vec<Interrupt>,
    domains: Option<Domains>,
    trace: Option<Ring>,
}

#[derive(Clone, Debug, Deserialize)]
struct Named {
    name: String,
}

/// The rings of an image.
#[derive(Clone, Debug, Deserialize)]
pub struct Ring {
    /// Physical address of the first; `None` if boot chooses it.
    pub paddr: Option<Address>,
    /// Size of one with the header.
    pub bytes: u64,
    /// Their number, one for each processor; `None` for one.
    rings: Option<u64>,
    /// Ticks of the clock per second, if the image determines them.
    pub frequency: Option<u64>,
    /// The programs, by thread.
    programs: Vec<Program>,
}

#[derive(Clone, Debug, Deserialize)]
struct Program {
    symbols: PathBuf,
}

#[derive(Clone, Debug, Deserialize)]
struct Interrupt {
    line: u64,
    owner: String,
}

#[derive(Clone, Debug, Deserialize)]
struct Domains {
    #[serde(flatten)]
    schedule: Schedule,
    #[serde(default)]
    others: Vec<Schedule>,
}

#[derive(Clone, Debug, Deserialize)]
struct Schedule {
    schedule: Vec<Slot>,
}

#[derive(Clone, Debug, Deserialize)]
struct Slot {
    domain: Option<String>,
    id: u64,
}

/// An address; a hexadecimal string in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(pub u64);

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.strip_prefix("0x").unwrap_or(&text);
        u64::from_str_radix(digits, 16).map(Self).map_err(|_| D::Error::custom(format!("no address: {text}")))
    }
}

impl System {
    /// The system of this JSON report. Programs are looked up in `folders` by the names of their files, and then at
    /// the paths in the report; a program that is not found has no names of events.
    ///
    /// # Errors
    /// A sentence that says why the report cannot be used.
    pub fn new(report: &str, folders: &[PathBuf]) -> Result<Self, String> {
        let report: Report =
            serde_json::from_str(report).map_err(|error| format!("the report cannot be used: {error}"))?;
        let mut known = BTreeMap::new();
        let programs = report.trace.iter().flat_map(|ring| &ring.programs);
        let sections = programs.map(|program| {
            known.entry(&program.symbols).or_insert_with(|| section_of(&program.symbols, folders)).clone()
        });
        let sections = sections.collect();
        Ok(Self { report, sections })
    }

    /// A system with these threads, and a name section for each.
    #[must_use]
    pub fn of_threads(threads: &[(&str, &[u8])]) -> Self {
        let names = threads.iter().map(|(name, _)| Named { name: (*name).to_owned() });
        let report = Report { threads: names.collect(), ..Report::default() };
        Self { report, sections: threads.iter().map(|(_, section)| section.to_vec()).collect() }
    }

    /// The place of the rings.
    #[must_use]
    pub fn place(&self) -> Place {
        self.ring().map_or(Place::UNKNOWN, |ring| Place {
            paddr: ring.paddr.map(|paddr| paddr.0),
            bytes: ring.bytes,
            rings: ring.rings.unwrap_or(1),
        })
    }

    /// The rings; `None` if the image has none.
    #[must_use]
    pub fn ring(&self) -> Option<&Ring> {
        self.report.trace.as_ref()
    }

    /// Names of the threads, by number.
    pub fn threads(&self) -> impl Iterator<Item = &str> {
        self.report.threads.iter().map(|named| named.name.as_str())
    }

    /// Name of a thread.
    #[must_use]
    pub fn thread(&self, thread: u16) -> String {
        match self.report.threads.get(usize::from(thread)) {
            Some(named) => plain(&named.name),
            None => format!("thread {thread}"),
        }
    }

    /// Name of an interrupt.
    #[must_use]
    pub fn interrupt(&self, line: u32) -> String {
        let owner = self.report.interrupts.iter().find(|interrupt| interrupt.line == u64::from(line));
        match owner {
            _ if line == u32::MAX => "timer".to_owned(),
            _ if u64::from(line) == MESSAGE_LINE => "message of another processor".to_owned(),
            Some(interrupt) => format!("interrupt {line} of {}", plain(&interrupt.owner)),
            None => format!("interrupt {line}"),
        }
    }

    /// Name of a scheduling domain.
    #[must_use]
    pub fn domain(&self, domain: u32) -> String {
        let schedules =
            self.report.domains.iter().flat_map(|it| std::iter::once(&it.schedule).chain(&it.others));
        let slots = schedules.flat_map(|schedule| &schedule.schedule);
        let mut slots = slots.filter(|slot| slot.id == u64::from(domain));
        let name = slots.find_map(|slot| slot.domain.as_deref());
        name.map_or_else(|| format!("domain {domain}"), plain)
    }

    /// Name of an event of a thread's program, from its offset in the program's section.
    #[must_use]
    pub fn event(&self, thread: Option<u16>, offset: u32) -> String {
        let name = thread.and_then(|thread| self.name_at(thread, offset));
        let name = name.map(|name| plain(&String::from_utf8_lossy(name)));
        name.unwrap_or_else(|| format!("event {offset:#x}"))
    }

    /// The bytes of the name at an offset in the section of a thread's program, without those that nothing shows; `None` if
    /// there are none.
    pub(crate) fn name_at(&self, thread: u16, offset: u32) -> Option<&[u8]> {
        let rest = self.sections.get(usize::from(thread))?.get(offset as usize..)?;
        let rest = &rest[..rest.len().min(4 * MOST_CHARACTERS)];
        rest.split(|byte| *byte == 0).next().filter(|name| !name.is_empty())
    }
}

/// The contents of a program's name section; empty if there is none.
fn section_of(file: &Path, folders: &[PathBuf]) -> Vec<u8> {
    let name = file.file_name().unwrap_or_default();
    let places = folders.iter().map(|folder| folder.join(name)).chain([file.to_owned()]);
    let is_small =
        |path: &PathBuf| fs::metadata(path).is_ok_and(|facts| facts.is_file() && facts.len() <= MOST_BYTES);
    let bytes = places.filter(is_small).find_map(|path| fs::read(path).ok()).unwrap_or_default();
    names_in(&bytes).unwrap_or_default()
}

/// The name section of an ELF file.
#[must_use]
pub fn names_in(file: &[u8]) -> Option<Vec<u8>> {
    let file = object::File::parse(file).ok()?;
    Some(file.section_by_name(NAME_SECTION)?.data().ok()?.to_vec())
}

/// A name without control characters and characters that change the direction of text, and not too long.
fn plain(name: &str) -> String {
    let mut text = String::new();
    for (count, character) in name.chars().enumerate() {
        if count == MOST_CHARACTERS {
            text.push('\u{2026}');
            break;
        }
        let is_strange = character.is_control()
            || matches!(character, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
        if is_strange {
            text.extend(character.escape_unicode());
        } else {
            text.push(character);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_cut() {
        let long = "x".repeat(200);
        let section = [b"plain\0a\x1b[31m\xffb\0".as_slice(), long.as_bytes()].concat();
        let system = System::of_threads(&[("one\n", &section)]);
        assert_eq!(system.thread(0), "one\\u{a}");
        assert_eq!(system.thread(9), "thread 9");
        assert_eq!(system.event(Some(0), 0), "plain");
        assert_eq!(system.event(Some(0), 2), "ain");
        assert_eq!(system.event(Some(0), 6), "a\\u{1b}[31m\u{fffd}b");
        assert_eq!(system.event(Some(0), 5), "event 0x5");
        assert_eq!(system.event(Some(0), u32::MAX), "event 0xffffffff");
        assert_eq!(system.event(None, 0), "event 0x0");
        assert_eq!(system.event(Some(0), 15).chars().count(), MOST_CHARACTERS + 1);
    }

    #[test]
    fn a_report_gives_names_and_the_place_of_the_ring() {
        let report = r#"{"threads": [{"name": "a"}], "interrupts": [{"line": 33, "owner": "a"}],
            "domains": {"schedule": [{"domain": "red", "id": 2}], "others": [{"schedule": [{"domain": "blue", "id": 4}]}]},
            "trace": {"paddr": "0x4000", "bytes": 4160, "frequency": null, "programs": []}}"#;
        let system = System::new(report, &[]).unwrap();
        let ring = system.ring().unwrap();
        assert_eq!((ring.paddr, ring.bytes, ring.frequency), (Some(Address(0x4000)), 4160, None));
        assert_eq!(system.place(), Place { paddr: Some(0x4000), bytes: 4160, rings: 1 });
        let several = System::new(&report.replace("4160,", "4160, \"rings\": 4,"), &[]).unwrap();
        assert_eq!(several.place().rings, 4);
        assert_eq!(system.threads().collect::<Vec<_>>(), ["a"]);
        assert_eq!(system.interrupt(33), "interrupt 33 of a");
        assert_eq!(
            (system.interrupt(u32::MAX), system.interrupt(7)),
            ("timer".to_owned(), "interrupt 7".to_owned())
        );
        assert_eq!([2, 3, 4].map(|domain| system.domain(domain)), ["red", "domain 3", "blue"]);
        assert!(System::new("{", &[]).unwrap_err().starts_with("the report cannot be used: "));
    }
}
