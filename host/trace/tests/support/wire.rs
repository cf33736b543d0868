//! An independent reader of Perfetto files: it knows the wire format of protocol buffers and the numbers of the fields
//! from Perfetto's published descriptions, and nothing of the writer.

use std::collections::BTreeMap;

/// A field's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Number(u64),
    Bytes(Vec<u8>),
}

/// A message: number and value of each field in order.
pub(crate) type Message = Vec<(u64, Value)>;

/// Reads a message; panics if it is not one.
pub(crate) fn message(mut bytes: &[u8]) -> Message {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = match key & 7 {
            0 => Value::Number(varint(&mut bytes)),
            1 => Value::Number(u64::from_le_bytes(take(&mut bytes, 8).try_into().unwrap())),
            2 => {
                let length = varint(&mut bytes) as usize;
                Value::Bytes(take(&mut bytes, length).to_vec())
            }
            other => panic!("wire type {other}"),
        };
        fields.push((key >> 3, value));
    }
    fields
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(bytes, 1)[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return value;
        }
    }
    panic!("a number of more than ten bytes");
}

fn take<'b>(bytes: &mut &'b [u8], count: usize) -> &'b [u8] {
    let (taken, rest) = bytes.split_at(count);
    *bytes = rest;
    taken
}

/// The number in a field.
pub(crate) fn number(message: &Message, field: u64) -> Option<u64> {
    message.iter().find_map(|(number, value)| match value {
        Value::Number(value) if *number == field => Some(*value),
        _ => None,
    })
}

/// The numbers in a repeated field.
pub(crate) fn numbers(message: &Message, field: u64) -> Vec<u64> {
    let numbers = message.iter().filter_map(|(number, value)| match value {
        Value::Number(value) if *number == field => Some(*value),
        _ => None,
    });
    numbers.collect()
}

/// The messages in a field.
pub(crate) fn parts(whole: &Message, field: u64) -> Vec<Message> {
    let parts = whole.iter().filter_map(|(number, value)| match value {
        Value::Bytes(bytes) if *number == field => Some(message(bytes)),
        _ => None,
    });
    parts.collect()
}

/// The text in a field.
pub(crate) fn text(message: &Message, field: u64) -> Option<String> {
    message.iter().find_map(|(number, value)| match value {
        Value::Bytes(bytes) if *number == field => Some(String::from_utf8(bytes.clone()).unwrap()),
        _ => None,
    })
}

/// A file as lines of text, checked: tracks are described before they are used, names are interned before they are
/// used, slices of a track nest and end, times of a track do not decrease, and each arrow ends at most once, after its start.
pub(crate) fn lines(file: &[u8]) -> Vec<String> {
    let (mut lines, mut names, mut tracks) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    let (mut open, mut last) = (BTreeMap::<u64, Vec<String>>::new(), BTreeMap::<u64, u64>::new());
    let (mut flows, mut ends) = (BTreeMap::new(), Vec::new());
    for packet in parts(&message(file), 1) {
        for track in parts(&packet, 60) {
            let uuid = number(&track, 1).unwrap();
            let process =
                parts(&track, 3).first().map(|process| format!("process {}", text(process, 6).unwrap()));
            let thread =
                parts(&track, 4).first().map(|thread| format!("thread {}", text(thread, 5).unwrap()));
            let name = process.or(thread).or_else(|| text(&track, 2)).unwrap();
            let parent = number(&track, 5).map(|parent| format!(" below {parent}")).unwrap_or_default();
            assert!(number(&track, 5).is_none_or(|parent| tracks.contains_key(&parent)), "{name}");
            let about = text(&track, 14).map(|about| format!(": {about}")).unwrap_or_default();
            let unit = parts(&track, 8).first().and_then(|counter| number(counter, 3));
            let unit = unit.map(|unit| format!(", unit {unit}")).unwrap_or_default();
            lines.push(format!("track {uuid}{parent}: {name}{unit}{about}"));
            tracks.insert(uuid, name);
        }
        for interned in parts(&packet, 12).iter().flat_map(|interned| parts(interned, 2)) {
            names.insert(number(&interned, 1).unwrap(), text(&interned, 2).unwrap());
        }
        for event in parts(&packet, 11) {
            let (uuid, time) = (number(&event, 11).unwrap(), number(&packet, 8).unwrap());
            assert!(tracks.contains_key(&uuid), "an event of the unknown track {uuid}");
            assert!(time >= last.insert(uuid, time).unwrap_or(0), "time runs backwards on {}", tracks[&uuid]);
            let name = number(&event, 10).map(|iid| names[&iid].clone()).unwrap_or_default();
            let facts = parts(&event, 4)
                .into_iter()
                .map(|fact| format!(" {}={}", text(&fact, 10).unwrap(), number(&fact, 3).unwrap()));
            let facts: String = facts.collect();
            let stack = open.entry(uuid).or_default();
            let indent = "  ".repeat(stack.len());
            let line = match number(&event, 9).unwrap() {
                1 => {
                    stack.push(name.clone());
                    format!("{indent}begin {name}")
                }
                2 => {
                    let name = stack.pop().expect("an end without a start");
                    format!("{}end {name}", "  ".repeat(stack.len()))
                }
                3 => format!("{indent}at {name}"),
                4 => format!("counter {}", number(&event, 30).unwrap()),
                other => panic!("type {other}"),
            };
            for flow in numbers(&event, 47) {
                assert!(flows.insert(flow, time).is_none(), "arrow {flow} starts twice");
            }
            ends.extend(numbers(&event, 48).into_iter().map(|flow| (flow, time)));
            let arrows = [(47, " starts"), (48, " ends")].map(|(field, verb)| {
                numbers(&event, field).iter().map(|flow| format!("{verb} arrow {flow}")).collect::<String>()
            });
            lines.push(format!("{time:>8} {uuid:>2} {line}{facts}{}", arrows.concat()));
        }
    }
    assert!(open.values().all(Vec::is_empty), "slices without ends: {open:?}");
    ends.sort_unstable();
    for (flow, end) in &ends {
        assert!(flows.get(flow).is_some_and(|start| start <= end), "arrow {flow} ends before it starts");
    }
    assert!(ends.windows(2).all(|pair| pair[0].0 != pair[1].0), "an arrow ends twice");
    lines
}
