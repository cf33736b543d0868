//! Writes the descriptions of the programming interface from which bindings of other languages are generated.
//!
//! Those of rust-sel4 are: its build scripts look for these files in the folder with the headers, and count calls and
//! methods. `read_back` counts as they do, to compare the numbers with those of `limen-abi`.

pub mod bitfields;
#[cfg(test)]
mod read_back;

use limen_abi::method::{self, ArchitectureMethods, Interface, Method, Parameter};
use limen_abi::register::{self, RegisterMap};
use limen_abi::{Label, Syscall, syscall};

/// The description of a method that no object of Limen has.
const ABSENT: &str = "Limen has no object with this method: the kernel refuses it.";
const OPENING: &str =
    "<?xml version=\"1.0\" ?>\n<!-- Generated with the SDK from the tables of the crate limen-abi. -->\n";
/// The prefix of the calls' names in C.
const CALL_PREFIX: &str = "seL4_Sys";

/// The files for one instruction set, with names relative to an `include` folder; none if it is unknown.
pub fn files(architecture: &str) -> Vec<(&'static str, String)> {
    let (methods, registers) = match architecture {
        "aarch64" => (method::AARCH64, register::AARCH64),
        "riscv64" => (method::RISCV64, register::RISCV64),
        "x86_64" => (method::X86_64, register::X86_64),
        _ => return Vec::new(),
    };
    vec![
        ("api/syscall.xml", calls()),
        ("interfaces/object-api.xml", objects("ObjectApi", "", method::COMMON)),
        ("interfaces/object-api-sel4-arch.xml", specific(&methods, &registers)),
        ("interfaces/object-api-arch.xml", objects("ObjectApiFamily", "", methods.family)),
        ("sel4/shared_types.pbf", bitfields::shared()),
        ("sel4/sel4_arch/types.pbf", bitfields::faults(&registers)),
    ]
}

fn specific(methods: &ArchitectureMethods, registers: &RegisterMap) -> String {
    let context = ("seL4_UserContext", registers.context);
    let structs = [context].into_iter().chain(methods.structs.iter().copied()).map(|(name, members)| {
        let members: String =
            members.iter().map(|member| format!("        <member name=\"{member}\"/>\n")).collect();
        format!("    <struct name=\"{name}\">\n{members}    </struct>\n")
    });
    objects("ObjectApiArchitecture", &structs.collect::<String>(), methods.specific)
}

fn objects(name: &str, structs: &str, interfaces: &[Interface]) -> String {
    let interfaces: String = interfaces.iter().map(object).collect();
    format!("{OPENING}<api name=\"{name}\">\n{structs}{interfaces}</api>\n")
}

fn object(Interface { name, methods }: &Interface) -> String {
    let methods: String = methods.iter().map(object_method).collect();
    format!("    <interface name=\"{name}\">\n{methods}    </interface>\n")
}

fn object_method(method: &Method) -> String {
    let sentence =
        Label::ALL.iter().find(|(label, id, _)| (label.as_raw(), *id) == (method.label, method.id));
    let brief = escaped(sentence.map_or(ABSENT, |(_, _, sentence)| sentence.trim()));
    let parameter = |direction: &'static str| {
        move |(name, kind): &Parameter| {
            format!("            <param dir=\"{direction}\" name=\"{name}\" type=\"{kind}\"/>\n")
        }
    };
    let inputs: String = method.inputs.iter().map(parameter("in")).collect();
    let outputs: String = method.outputs.iter().map(parameter("out")).collect();
    format!(
        "        <method id=\"{}\" name=\"{}\">\n            <brief>{brief}</brief>\n{inputs}{outputs}        </method>\n",
        method.id, method.name
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Calls without options, then those with.
fn calls() -> String {
    let always = Syscall::ALL.iter().filter(|(call, ..)| call.as_raw() >= Syscall::Yield.as_raw());
    let always = always.map(|(_, name, _)| name.strip_prefix(CALL_PREFIX).unwrap_or(name));
    let always = call_set("", always);
    let optional = syscall::OPTIONAL
        .iter()
        .map(|(options, calls)| call_set(&condition(options), calls.iter().map(|(_, name)| *name)));
    let optional: String = optional.collect();
    format!(
        "{OPENING}<syscalls>\n    <!-- The interface of kernels without scheduling contexts, which Limen does not have. -->\n    \
         <api-master/>\n    <api-mcs>\n{always}    </api-mcs>\n    <debug>\n{optional}    </debug>\n</syscalls>\n"
    )
}

fn call_set<'a>(condition: &str, names: impl Iterator<Item = &'a str>) -> String {
    let names: String = names.map(|name| format!("            <syscall name=\"{name}\"/>\n")).collect();
    format!("        <config>\n{condition}{names}        </config>\n")
}

/// An element without any space in it, which generators would take for a second child.
fn condition(options: &[&str]) -> String {
    let all: String = options.iter().map(|option| format!("<config var=\"CONFIG_{option}\"/>")).collect();
    let all = if options.len() > 1 { format!("<and>{all}</and>") } else { all };
    format!("            <condition>{all}</condition>\n")
}
