//! Reads the descriptions as generators of bindings do, and compares what they find with the tables of `limen-abi`.

use std::collections::BTreeMap;

use limen_abi::benchmark::BenchmarkCall;
use limen_abi::label::FIRST_LIMEN_LABEL;
use limen_abi::{FaultLabel, Label, MessageInfo, Syscall, method, register};
use roxmltree::{Document, Node};

use super::files;

const ARCHITECTURES: [&str; 3] = ["aarch64", "riscv64", "x86_64"];

fn text(architecture: &str, file: &str) -> String {
    files(architecture).into_iter().find(|(name, _)| *name == file).map(|(_, text)| text).unwrap()
}

fn children<'a>(node: Node<'a, 'a>, tag: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name(tag))
}

/// Evaluates the condition of a node, which has one child and nothing else, not even a space.
fn holds(node: Node<'_, '_>, options: &[&str]) -> bool {
    let Some(condition) = children(node, "condition").next() else { return true };
    assert_eq!(condition.children().count(), 1);
    let condition = condition.first_child().unwrap();
    let is_on = |node: Node<'_, '_>| {
        let option = node.attribute("var").unwrap().strip_prefix("CONFIG_").unwrap();
        options.contains(&option)
    };
    match condition.tag_name().name() {
        "and" => condition.children().all(is_on),
        _ => is_on(condition),
    }
}

/// Labels by name: each method that is there has the next number, beginning with 1.
fn labels(architecture: &str) -> BTreeMap<String, u64> {
    let mut labels = BTreeMap::new();
    // The order in which the reference counts.
    for file in ["object-api.xml", "object-api-sel4-arch.xml", "object-api-arch.xml"] {
        let text = text(architecture, &format!("interfaces/{file}"));
        let document = Document::parse(&text).unwrap();
        for interface in children(document.root_element(), "interface") {
            for method in children(interface, "method").filter(|method| holds(*method, &[])) {
                let next = labels.len() as u64 + 1;
                assert_eq!(labels.insert(method.attribute("id").unwrap().to_owned(), next), None);
            }
        }
    }
    labels
}

/// Numbers of calls by name: each has the next lower one, whether or not it is there.
fn calls(options: &[&str]) -> BTreeMap<String, i64> {
    let text = text("aarch64", "api/syscall.xml");
    let document = Document::parse(&text).unwrap();
    let sections: Vec<_> = document.root_element().children().filter(Node::is_element).collect();
    let names: Vec<_> = sections.iter().map(|section| section.tag_name().name()).collect();
    assert_eq!(names, ["api-master", "api-mcs", "debug"]);
    let mut next = 0;
    let mut calls = BTreeMap::new();
    for set in sections[1..].iter().flat_map(|section| children(*section, "config")) {
        for call in children(set, "syscall") {
            next -= 1;
            if holds(set, options) {
                calls.insert(format!("seL4_Sys{}", call.attribute("name").unwrap()), next);
            }
        }
    }
    calls
}

/// The facts about fields: name, lowest bit, bits. From the highest bit, as they are written.
type Fields = Vec<(String, u32, u32)>;

#[derive(Default)]
struct Bitfields {
    blocks: BTreeMap<String, (u32, Fields)>,
    tags: BTreeMap<String, u64>,
}

fn bitfields(text: &str) -> Bitfields {
    let mut read = Bitfields::default();
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        let name = words.next().unwrap().to_owned();
        match word {
            "base" => assert_eq!(name, "64"),
            "block" => {
                assert_eq!(words.next(), Some("{"));
                read.blocks.insert(name, block(&mut words));
            }
            "tagged_union" => {
                assert_eq!(
                    (name.as_str(), words.next(), words.next()),
                    ("seL4_Fault", Some("seL4_FaultType"), Some("{"))
                );
                while words.next() == Some("tag") {
                    let tag = words.next().unwrap().to_owned();
                    read.tags.insert(tag, words.next().unwrap().parse().unwrap());
                }
            }
            other => panic!("unknown word '{other}'"),
        }
    }
    read
}

/// Bits of a block, and its fields.
fn block<'a>(words: &mut impl Iterator<Item = &'a str>) -> (u32, Fields) {
    let mut parts = Vec::new();
    loop {
        let name = match words.next().unwrap() {
            "}" => break,
            "padding" => None,
            "field" => words.next(),
            other => panic!("unknown word '{other}'"),
        };
        parts.push((name, words.next().unwrap().parse::<u32>().unwrap()));
    }
    let bits = parts.iter().map(|(_, bits)| bits).sum();
    let mut place = bits;
    let mut fields = Vec::new();
    for (name, bits) in parts {
        place -= bits;
        fields.extend(name.map(|name| (name.to_owned(), place, bits)));
    }
    (bits, fields)
}

#[test]
fn counted_labels_are_those_of_the_kernel() {
    let found = ARCHITECTURES.map(labels);
    for (label, id, _) in Label::ALL.iter().filter(|(label, ..)| label.as_raw() < FIRST_LIMEN_LABEL) {
        let numbers: Vec<_> = found.iter().filter_map(|labels| labels.get(*id)).collect();
        assert!(
            !numbers.is_empty() && numbers.iter().all(|number| **number == label.as_raw()),
            "{id}: {numbers:?}"
        );
    }
    let x86 = &found[2];
    assert_eq!((x86["UntypedRetype"], x86["X86IRQIssueIRQHandlerMSI"], x86.len()), (1, 58, 58));
}

#[test]
fn counted_calls_are_those_of_the_kernel() {
    let all = calls(&["PRINTING", "DEBUG_BUILD", "ENABLE_BENCHMARKS", "BENCHMARK_TRACK_UTILISATION"]);
    let numbers = Syscall::ALL.iter().map(|(call, name, _)| (*name, call.as_raw()));
    let benchmark = BenchmarkCall::ALL.iter().map(|(call, name, _)| (*name, call.as_raw()));
    // The documents have no calls of Limen's own.
    for (name, number) in numbers.chain(benchmark).filter(|(name, _)| name.starts_with("seL4_")) {
        assert_eq!(all.get(name), Some(&number), "{name}");
    }
    let few = calls(&["DEBUG_BUILD"]);
    assert!(few.contains_key("seL4_SysDebugHalt") && !few.contains_key("seL4_SysDebugSendIPI"));
    assert!(!few.contains_key("seL4_SysDebugPutChar"));
}

#[test]
fn every_type_of_a_parameter_is_known_to_generators() {
    let scalar = ["Uint8", "Uint16", "Uint32", "Time", "Word", "Bool", "CapRights_t"]
        .map(|name| format!("seL4_{name}"));
    for architecture in ARCHITECTURES {
        let text = ["object-api-sel4-arch.xml", "object-api-arch.xml", "object-api.xml"]
            .map(|file| text(architecture, &format!("interfaces/{file}")));
        let documents = text.each_ref().map(|text| Document::parse(text).unwrap());
        let names = |tag| {
            let all = documents.iter().flat_map(move |document| children(document.root_element(), tag));
            all.map(|node| node.attribute("name").unwrap().to_owned()).collect::<Vec<_>>()
        };
        let (structs, interfaces) = (names("struct"), names("interface"));
        for parameter in
            documents.iter().flat_map(Document::descendants).filter(|node| node.has_tag_name("param"))
        {
            let kind = parameter.attribute("type").unwrap().to_owned();
            let is_known = scalar.contains(&kind) || structs.contains(&kind) || interfaces.contains(&kind);
            let is_other =
                ["seL4_CPtr", "seL4_X64_PML4"].contains(&kind.as_str()) || kind.ends_with("_VMAttributes");
            assert!(is_known || is_other, "{architecture}: {kind}");
            assert!(["in", "out"].contains(&parameter.attribute("dir").unwrap()));
        }
    }
}

#[test]
fn contexts_list_registers_in_their_order() {
    for (architecture, registers) in
        ARCHITECTURES.into_iter().zip([register::AARCH64, register::RISCV64, register::X86_64])
    {
        let text = text(architecture, "interfaces/object-api-sel4-arch.xml");
        let document = Document::parse(&text).unwrap();
        let context = children(document.root_element(), "struct").next().unwrap();
        let members: Vec<_> =
            children(context, "member").map(|member| member.attribute("name").unwrap()).collect();
        assert_eq!(members, registers.context);
    }
}

#[test]
fn message_info_has_the_fields_of_the_kernel() {
    let read = bitfields(&text("aarch64", "sel4/shared_types.pbf"));
    let (bits, fields) = &read.blocks["seL4_MessageInfo"];
    assert_eq!(*bits, 64);
    let put = |name: &str, value: u64| {
        let (_, place, _) = fields.iter().find(|(field, ..)| field == name).unwrap();
        value << place
    };
    let info = MessageInfo::from_raw(put("label", 5) | put("extraCaps", 2) | put("length", 7));
    assert_eq!((info.label(), info.extra_caps(), info.length()), (5, 2, 7));
    assert_eq!((read.blocks["seL4_CapRights"].0, read.blocks["seL4_CNode_CapData"].0), (64, 64));
}

#[test]
fn faults_have_the_words_of_their_messages() {
    let lengths = ARCHITECTURES.map(|architecture| {
        let read = bitfields(&text(architecture, "sel4/sel4_arch/types.pbf"));
        let sizes: Vec<_> = read.blocks.values().map(|(bits, _)| bits / 64).collect();
        assert!(sizes.iter().all(|size| *size == sizes[0]), "one union: {sizes:?}");
        for (label, name, _) in
            FaultLabel::ALL.iter().filter(|(label, ..)| *label != FaultLabel::DebugException)
        {
            let fault = name.strip_prefix("seL4_Fault_").unwrap();
            assert_eq!(read.tags[fault], label.as_raw(), "{fault}");
            assert_eq!(read.blocks[fault].1.last(), Some(&("seL4_FaultType".to_owned(), 0, 4)), "{fault}");
        }
        read.blocks["UnknownSyscall"].1.len() - 1
    });
    let registers = [register::AARCH64, register::RISCV64, register::X86_64];
    assert_eq!(lengths, registers.map(|map| map.unknown_syscall.len()));
    let total = method::COMMON.iter().map(|interface| interface.methods.len()).sum::<usize>();
    assert_eq!(total, 38);
}
