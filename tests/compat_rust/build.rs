//! Generates bindings from what the SDK has for that: options, system calls, methods of objects, and bit fields.
//!
//! Numbers of calls and methods are not in the files: they are places, and are counted as the reference counts them.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use roxmltree::{Document, Node};
use serde_json::{Map, Value};

const WORD_BITS: usize = 64;

type Options = Map<String, Value>;

fn main() {
    println!("cargo::rerun-if-env-changed=SEL4_INCLUDE_DIRS");
    let include =
        PathBuf::from(env::var("SEL4_INCLUDE_DIRS").expect("SEL4_INCLUDE_DIRS names the SDK's headers"));
    let read = |name: &str| {
        let file = include.join(name);
        println!("cargo::rerun-if-changed={}", file.display());
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    };
    let parse = |name: &str| serde_json::from_str::<Options>(&read(name)).expect("an object");
    let options = parse("kernel/gen_config.json");
    let mut bindings = constants(options.iter().chain(&parse("sel4/gen_config.json")));
    bindings += &calls(&read("api/syscall.xml"), &options);
    // The order in which labels are counted.
    let interfaces = ["object-api.xml", "object-api-sel4-arch.xml", "object-api-arch.xml"];
    bindings += &methods(&interfaces.map(|name| read(&format!("interfaces/{name}"))), &options);
    bindings += &info(&blocks(&read("sel4/shared_types.pbf")));
    bindings += &faults(&read("sel4/sel4_arch/types.pbf"));
    let output = PathBuf::from(env::var("OUT_DIR").expect("cargo says where"));
    fs::write(output.join("bindings.rs"), bindings).expect("the output folder can be written");
    println!("cargo::rustc-check-cfg=cfg(printing)");
    if is_on(&options, "PRINTING") {
        println!("cargo::rustc-cfg=printing");
    }
    let script = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo says where")).join("buffer.ld");
    println!("cargo::rustc-link-arg=-T{}", script.display());
}

fn is_on(options: &Options, name: &str) -> bool {
    options.get(name).is_some_and(|value| value.as_bool().expect("a flag"))
}

fn constants<'a>(options: impl Iterator<Item = (&'a String, &'a Value)>) -> String {
    let constant = |(name, value): (&String, &Value)| match value {
        Value::Bool(value) => format!("pub const CONFIG_{name}: bool = {value};\n"),
        Value::String(value) => format!("pub const CONFIG_{name}: &str = {value:?};\n"),
        other => panic!("{name} is {other}"),
    };
    options.map(constant).collect()
}

fn children<'a>(node: Node<'a, 'a>, tag: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name(tag))
}

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    node.attribute(name).unwrap_or_else(|| panic!("{node:?} has no {name}"))
}

/// Whether what `node` describes is there.
fn is_there(node: Node<'_, '_>, options: &Options) -> bool {
    children(node, "condition").all(|condition| {
        assert_eq!(condition.children().count(), 1);
        condition.children().all(|child| holds(child, options))
    })
}

fn holds(condition: Node<'_, '_>, options: &Options) -> bool {
    let mut parts = condition.children().filter(Node::is_element).map(|part| holds(part, options));
    match condition.tag_name().name() {
        "config" => is_on(options, attribute(condition, "var").strip_prefix("CONFIG_").expect("an option")),
        "not" => !parts.all(|part| part),
        "and" => parts.all(|part| part),
        "or" => parts.any(|part| part),
        other => panic!("unknown condition {other}"),
    }
}

/// A call that is not there has a number all the same.
fn calls(text: &str, options: &Options) -> String {
    let document = Document::parse(text).expect("well-formed");
    let sections =
        ["api-mcs", "debug"].map(|tag| children(document.root_element(), tag).next().expect("a section"));
    let mut output = String::from("pub mod call {\n");
    let mut number = 0;
    for set in sections.into_iter().flat_map(|section| children(section, "config")) {
        for call in children(set, "syscall") {
            number -= 1;
            if is_there(set, options) {
                writeln!(output, "    pub const {}: i64 = {number};", attribute(call, "name")).expect("text");
            }
        }
    }
    output + "}\n"
}

/// The type of a parameter.
enum Kind {
    Capability,
    /// A number of this many bits.
    Bits(usize),
    /// This many words.
    Struct(usize),
}

fn kind(name: &str, structs: &[(String, usize)]) -> Kind {
    if let Some((_, words)) = structs.iter().find(|(known, _)| known == name) {
        return Kind::Struct(*words);
    }
    match name {
        "seL4_Bool" => Kind::Bits(1),
        "seL4_Uint8" => Kind::Bits(8),
        "seL4_Uint16" => Kind::Bits(16),
        "seL4_Uint32" => Kind::Bits(32),
        "seL4_Word" | "seL4_Time" | "seL4_CapRights_t" => Kind::Bits(WORD_BITS),
        other if other.ends_with("_VMAttributes") => Kind::Bits(WORD_BITS),
        _ => Kind::Capability,
    }
}

/// The first bit of a parameter that follows `used` bits.
fn place(used: usize, bits: usize) -> usize {
    used.next_multiple_of(bits.min(WORD_BITS))
}

fn methods(texts: &[String], options: &Options) -> String {
    let documents: Vec<_> = texts.iter().map(|text| Document::parse(text).expect("well-formed")).collect();
    let roots = || documents.iter().map(Document::root_element);
    let structs = roots().flat_map(|root| children(root, "struct"));
    let structs = structs.map(|node| (attribute(node, "name").to_owned(), children(node, "member").count()));
    let structs: Vec<_> = structs.collect();
    let words = |(name, words): &(String, usize)| format!("pub const {name}_words: usize = {words};\n");
    let mut output: String = structs.iter().map(words).collect();
    let mut label = 0;
    for interface in roots().flat_map(|root| children(root, "interface")) {
        for method in children(interface, "method").filter(|method| is_there(*method, options)) {
            label += 1;
            let name = format!("{}_{}", attribute(interface, "name"), attribute(method, "name"));
            output += &function(&name, label, method, &structs);
        }
    }
    output
}

/// Puts inputs into the buffer, calls, and takes outputs out of it.
fn function(name: &str, label: u64, method: Node<'_, '_>, structs: &[(String, usize)]) -> String {
    let (mut parameters, mut body, mut outputs) = (String::new(), String::new(), Vec::new());
    let (mut caps, mut used, mut got) = (0, 0, 0);
    for parameter in children(method, "param") {
        let (variable, kind) =
            (format!("r#{}", attribute(parameter, "name")), kind(attribute(parameter, "type"), structs));
        let (bits, kind_in_rust) = match kind {
            Kind::Capability => (0, "u64".to_owned()),
            Kind::Bits(bits) => (bits, "u64".to_owned()),
            Kind::Struct(words) => (words * WORD_BITS, format!("&[u64; {words}]")),
        };
        if attribute(parameter, "dir") == "out" {
            let first = place(got, bits);
            got = first + bits;
            outputs.extend(
                (first..got).step_by(WORD_BITS).map(|bit| format!("ipc.get({bit}, {})", bits.min(WORD_BITS))),
            );
            continue;
        }
        write!(parameters, ", {variable}: {kind_in_rust}").expect("text");
        let first = place(used, bits.max(1));
        match kind {
            Kind::Capability => {
                writeln!(body, "    ipc.caps[{caps}] = {variable};").expect("text");
                caps += 1;
                continue;
            }
            Kind::Bits(bits) => writeln!(body, "    ipc.put({first}, {bits}, {variable});").expect("text"),
            Kind::Struct(words) => {
                let from = first / WORD_BITS;
                writeln!(body, "    ipc.message[{from}..{from} + {words}].copy_from_slice({variable});")
                    .expect("text");
            }
        }
        used = first + bits;
    }
    let words = used.div_ceil(WORD_BITS);
    format!(
        "pub fn {name}(ipc: &mut IpcBuffer, service: u64{parameters}) -> Answer<{count}> {{\n    ipc.message[..{words}].fill(0);\n\
         {body}    let error = ipc.invoke(service, {label}, {caps}, {words});\n    Answer {{ error, outputs: [{outputs}] }}\n}}\n",
        count = outputs.len(),
        outputs = outputs.join(", "),
    )
}

/// A block and its fields: name, lowest bit, bits. The first is the highest.
type Block = (String, Vec<(String, usize, usize)>);

fn blocks(text: &str) -> Vec<Block> {
    let bodies = text.split("block ").skip(1).map(|part| part.split_once('}').expect("an end").0);
    let block = |body: &str| {
        let (name, body) = body.split_once('{').expect("a beginning");
        let words: Vec<_> = body.split_whitespace().collect();
        let mut parts = Vec::new();
        let mut rest = words.as_slice();
        while let [first, more @ ..] = rest {
            let count = if *first == "field" { 2 } else { 1 };
            let bits: usize = more[count - 1].parse().expect("a number of bits");
            parts
                .push((*first == "field").then_some(more[0]).map_or((None, bits), |name| (Some(name), bits)));
            rest = &more[count..];
        }
        let mut top = parts.iter().map(|(_, bits)| bits).sum::<usize>();
        let fields = parts.into_iter().filter_map(|(name, bits)| {
            top -= bits;
            name.map(|name| (name.to_owned(), top, bits))
        });
        (name.trim().to_owned(), fields.collect())
    };
    bodies.map(block).collect()
}

fn info(blocks: &[Block]) -> String {
    let (_, fields) = blocks.iter().find(|(name, _)| name == "seL4_MessageInfo").expect("a message info");
    let mut output = String::new();
    let parameters: Vec<_> = fields.iter().map(|(name, ..)| format!("{name}: u64")).collect();
    let values: Vec<_> = fields.iter().map(|(name, low, _)| format!("{name} << {low}")).collect();
    writeln!(output, "pub const fn info({}) -> u64 {{ {} }}", parameters.join(", "), values.join(" | "))
        .expect("text");
    for (name, low, bits) in fields {
        writeln!(
            output,
            "pub const fn info_{name}(info: u64) -> u64 {{ info >> {low} & ((1 << {bits}) - 1) }}"
        )
        .expect("text");
    }
    output
}

/// For every kind of fault its number, and where each field is in its message: fields are as many words, in order.
fn faults(text: &str) -> String {
    let (structs, union) = text.split_once("tagged_union ").expect("a union");
    let (head, tags) = union.split_once('{').expect("a beginning");
    let tag_field = head.split_whitespace().nth(1).expect("the field that says which");
    let mut output = String::new();
    for (fault, fields) in blocks(structs) {
        let mut tag = tags
            .lines()
            .filter_map(|line| line.trim().strip_prefix("tag ")?.strip_prefix(&fault)?.strip_prefix(' '));
        let tag = tag.next().expect("the number of the fault");
        assert_eq!(fields.last().map(|(name, ..)| name.as_str()), Some(tag_field));
        writeln!(output, "pub mod {fault} {{\n    pub const TAG: u64 = {tag};").expect("text");
        for (place, (name, ..)) in fields[..fields.len() - 1].iter().enumerate() {
            writeln!(output, "    pub const {name}: usize = {place};").expect("text");
        }
        output += "}\n";
    }
    output
}
