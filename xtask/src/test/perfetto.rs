//! A reader of Perfetto's files that shares nothing with their writer.
//!
//! It knows the wire format of protocol buffers and the numbers of the fields from Perfetto's published descriptions, and
//! reads processes, their tracks, and the slices and counters on these.

use std::collections::BTreeMap;

use crate::failure::{Failure, Outcome};

/// A start or an end of a slice, or a value of a counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A slice with this name and value begins.
    Begin(String, Option<u64>),
    /// The innermost slice, which has this name, ends.
    End(String),
    /// A counter has this value.
    Count(u64),
    /// Something without duration.
    Instant,
}

/// A track.
#[derive(Clone, Debug, Default)]
pub(super) struct Track {
    /// Its own name, or that of its process or thread.
    pub name: String,
    /// Name of the track above it.
    parent: Option<String>,
    /// Its events, with their times in nanoseconds.
    pub events: Vec<(u64, Event)>,
    /// Names of the open slices.
    open: Vec<String>,
}

/// A file.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    tracks: BTreeMap<u64, Track>,
    names: BTreeMap<u64, String>,
}

impl File {
    /// Reads a file.
    ///
    /// # Errors
    /// A sentence about the first event that no reader could place: an end without a begin, a begin without an end, a track that
    /// was not described, or time that runs backwards.
    pub(super) fn read(bytes: &[u8]) -> Outcome<Self> {
        let mut file = Self::default();
        let whole = Message::read(bytes)?;
        for packet in whole.messages(1) {
            let packet = packet?;
            for track in packet.messages(60) {
                file.describe(&track?)?;
            }
            for interned in packet.messages(12) {
                for name in interned?.messages(2) {
                    let name = name?;
                    let text = name.text(2).unwrap_or_default();
                    file.names.insert(name.number(1).unwrap_or(0), text);
                }
            }
            for event in packet.messages(11) {
                file.add(packet.number(8).unwrap_or(0), &event?)?;
            }
        }
        match file.tracks.values().find_map(|track| track.open.last()) {
            Some(name) => Err(Failure::new(format!("the slice '{name}' never ends"))),
            None => Ok(file),
        }
    }

    /// The tracks with this name below a process.
    pub(super) fn tracks_of(&self, process: &str, name: &str) -> Vec<&Track> {
        let is_meant = |track: &&Track| track.name == name && track.parent.as_deref() == Some(process);
        self.tracks.values().filter(is_meant).collect()
    }

    /// Whether a track with this name has events.
    pub(super) fn has_events_on(&self, name: &str) -> bool {
        self.tracks.values().any(|track| track.name == name && !track.events.is_empty())
    }

    fn describe(&mut self, message: &Message<'_>) -> Outcome {
        let named = |field, name| message.messages(field).next().transpose().map(|part| part?.text(name));
        let name = named(3, 6)?.or(named(4, 5)?).or(message.text(2)).unwrap_or_default();
        let parent = message.number(5).and_then(|parent| self.tracks.get(&parent));
        let parent = parent.map(|parent| parent.name.clone());
        let track = Track { name, parent, ..Track::default() };
        self.tracks.insert(message.number(1).unwrap_or(0), track);
        Ok(())
    }

    fn add(&mut self, time: u64, message: &Message<'_>) -> Outcome {
        let track = message.number(11).and_then(|track| self.tracks.get_mut(&track));
        let Some(track) = track else { return Err(Failure::new("an event is on no track")) };
        if track.events.last().is_some_and(|(last, _)| *last > time) {
            return Err(Failure::new(format!("time runs backwards on the track '{}'", track.name)));
        }
        let name = message.number(10).and_then(|name| self.names.get(&name)).cloned().unwrap_or_default();
        let event = match message.number(9) {
            Some(1) => {
                track.open.push(name.clone());
                let facts = message.messages(4).collect::<Outcome<Vec<_>>>()?;
                let value = facts.iter().find(|fact| fact.text(10).as_deref() == Some("value"));
                Event::Begin(name, value.and_then(|value| value.number(3)))
            }
            Some(2) => match track.open.pop() {
                Some(name) => Event::End(name),
                None => {
                    return Err(Failure::new(format!("a slice ends on '{}' without a begin", track.name)));
                }
            },
            Some(4) => Event::Count(message.number(30).unwrap_or(0)),
            _ => Event::Instant,
        };
        track.events.push((time, event));
        Ok(())
    }
}

/// A message of protocol buffers: its fields with their numbers.
#[derive(Debug)]
struct Message<'m>(Vec<(u64, Field<'m>)>);

#[derive(Debug)]
enum Field<'m> {
    Number(u64),
    Bytes(&'m [u8]),
}

impl<'m> Message<'m> {
    fn read(mut bytes: &'m [u8]) -> Outcome<Self> {
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let field = field(&mut bytes);
            fields.push(field.ok_or_else(|| Failure::new("the file is no sequence of protocol buffers"))?);
        }
        Ok(Self(fields))
    }

    fn number(&self, wanted: u64) -> Option<u64> {
        self.0.iter().find_map(|(number, field)| match field {
            Field::Number(value) if *number == wanted => Some(*value),
            _ => None,
        })
    }

    fn bytes(&self, wanted: u64) -> impl Iterator<Item = &'m [u8]> {
        self.0.iter().filter_map(move |(number, field)| match field {
            Field::Bytes(bytes) if *number == wanted => Some(*bytes),
            _ => None,
        })
    }

    fn messages(&self, wanted: u64) -> impl Iterator<Item = Outcome<Self>> {
        self.bytes(wanted).map(Self::read)
    }

    fn text(&self, wanted: u64) -> Option<String> {
        self.bytes(wanted).next().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }
}

fn field<'m>(bytes: &mut &'m [u8]) -> Option<(u64, Field<'m>)> {
    let key = varint(bytes)?;
    let field = match key & 7 {
        0 => Field::Number(varint(bytes)?),
        1 => Field::Number(u64::from_le_bytes(*bytes.split_off(..8)?.first_chunk()?)),
        2 => {
            let length = usize::try_from(varint(bytes)?).ok()?;
            Field::Bytes(bytes.split_off(..length)?)
        }
        _ => return None,
    };
    Some((key >> 3, field))
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.split_off_first()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field with bytes.
    fn part(number: u8, bytes: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, bytes.len() as u8], bytes].concat()
    }

    /// A packet with the description of the track 7, and one with an event on it.
    fn file(kind: u8) -> Vec<u8> {
        let track = [&[0xe2, 3, 5, 8, 7, 0x12, 1][..], b"t"].concat();
        let event = part(11, &[9 << 3, kind, 11 << 3, 7]);
        [part(1, &track), part(1, &[&[8 << 3, 42][..], &event].concat())].concat()
    }

    #[test]
    fn slices_must_nest_and_end() {
        let refusal = |bytes: &[u8]| File::read(bytes).err().map(|failure| failure.to_string());
        assert_eq!(refusal(&file(1)).as_deref(), Some("the slice '' never ends"));
        assert_eq!(refusal(&file(2)).as_deref(), Some("a slice ends on 't' without a begin"));
        assert_eq!(refusal(&[0x0b]).as_deref(), Some("the file is no sequence of protocol buffers"));
        let file = File::read(&file(3)).unwrap();
        assert_eq!(file.tracks[&7].events, [(42, Event::Instant)]);
    }
}
