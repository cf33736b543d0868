//! The grammar of descriptions: elements, their attributes and children. The functions that read elements follow this
//! table, and [`mod@crate::schema`] makes an XML schema from it.

use limen_abi::SealCipher;

use crate::boot_info::BOOT_INFO_NAMES;
use Value::{Boolean, Duration, Number, OneOf, PciAddress, Permissions, Text};

/// An attribute of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    pub(crate) name: &'static str,
    pub(crate) value: Value,
    /// Whether the element must have it.
    pub(crate) required: bool,
}

/// The type of an attribute's value, as far as it does not depend on the rest of the description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Text,
    Number,
    Boolean,
    /// Letters for read, write and execute.
    Permissions,
    /// A number with its unit.
    Duration,
    /// Bus, device and function.
    PciAddress,
    OneOf(&'static [&'static str]),
}

/// An element.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    /// Its attributes, with one list per form of the element.
    pub(crate) forms: &'static [&'static [Attribute]],
    pub(crate) children: &'static [&'static Self],
    /// The number of children, if it is fixed.
    pub(crate) exactly: Option<usize>,
}

impl Rule {
    const fn leaf(name: &'static str, forms: &'static [&'static [Attribute]]) -> Self {
        Self { name, forms, children: &[], exactly: None }
    }

    /// The attributes of an element with one form.
    pub(crate) fn attributes(&self) -> &'static [Attribute] {
        self.forms.first().copied().unwrap_or_default()
    }

    /// Names of the allowed child elements.
    pub(crate) fn child_names(&self) -> Vec<&'static str> {
        self.children.iter().map(|child| child.name).collect()
    }
}

const fn required(name: &'static str, value: Value) -> Attribute {
    Attribute { name, value, required: true }
}

const fn optional(name: &'static str, value: Value) -> Attribute {
    Attribute { name, value, required: false }
}

const TRIGGER: Attribute = optional("trigger", OneOf(&["level", "edge"]));
const SETVAR_ID: Attribute = optional("setvar_id", Text);
const SHARED: Attribute = optional("shared", Boolean);

const DOMAIN: [Attribute; 11] = [
    required("name", Text),
    optional("priority", Number),
    optional("budget", Number),
    optional("period", Number),
    optional("passive", Boolean),
    optional("stack_size", Number),
    optional("cpu", Number),
    optional("smc", Boolean),
    optional("fpu", Boolean),
    optional("domain", Text),
    optional("timeout_fault", Boolean),
];
/// An extra attribute of protection domains for boards with an older name: peers may call the domain.
pub(crate) const OLDER_PP: Attribute = optional("pp", Boolean);
/// Extra attributes of a nested protection domain.
const IN_DOMAIN: [Attribute; 2] = [required("id", Number), SETVAR_ID];
const CHILD_DOMAIN_ATTRIBUTES: [Attribute; DOMAIN.len() + IN_DOMAIN.len()] = {
    let mut all = [SETVAR_ID; DOMAIN.len() + IN_DOMAIN.len()];
    all.split_at_mut(DOMAIN.len()).0.copy_from_slice(&DOMAIN);
    all.split_at_mut(DOMAIN.len()).1.copy_from_slice(&IN_DOMAIN);
    all
};

pub(crate) static SYSTEM: Rule = Rule {
    name: "system",
    forms: &[&[optional("boot_figures", Boolean)]],
    children: &[&PROTECTION_DOMAIN, &MEMORY_REGION, &CHANNEL, &STATIC_KEY, &DOMAINS],
    exactly: None,
};
pub(crate) static PROTECTION_DOMAIN: Rule =
    Rule { name: "protection_domain", forms: &[&DOMAIN], children: IN_PROTECTION_DOMAIN, exactly: None };
/// A nested protection domain.
pub(crate) static CHILD_DOMAIN: Rule = Rule { forms: &[&CHILD_DOMAIN_ATTRIBUTES], ..PROTECTION_DOMAIN };
static IN_PROTECTION_DOMAIN: &[&Rule] = &[
    &PROGRAM_IMAGE,
    &MAP,
    &SETVAR,
    &COUNTER,
    &FPU_COUNTERS,
    &FPU_POLICY,
    &PROBE,
    &TRACE,
    &IO_PORT,
    &IRQ,
    &KEY,
    &DIGEST,
    &RESET,
    &SEAL,
    &WIPE,
    &CSPACE,
    &CHILD_DOMAIN,
];
pub(crate) static PROGRAM_IMAGE: Rule =
    Rule::leaf("program_image", &[&[required("path", Text), optional("path_for_symbols", Text)]]);
pub(crate) static MAP: Rule = Rule::leaf(
    "map",
    &[&[
        required("mr", Text),
        required("vaddr", Number),
        optional("perms", Permissions),
        optional("cached", Boolean),
        optional("setvar_vaddr", Text),
        optional("setvar_size", Text),
        optional("setvar_prefill_size", Text),
    ]],
);
pub(crate) static SETVAR: Rule =
    Rule::leaf("setvar", &[&[required("symbol", Text), required("region_paddr", Text)]]);
pub(crate) static COUNTER: Rule = Rule::leaf("counter", &[&[SHARED]]);
pub(crate) static FPU_COUNTERS: Rule = Rule::leaf("fpu_counters", &[&[]]);
pub(crate) static FPU_POLICY: Rule = Rule::leaf("fpu_policy", &[&[]]);
pub(crate) static PROBE: Rule =
    Rule::leaf("probe", &[&[SHARED, optional("ring_vaddr", Number), optional("setvar_ring", Text)]]);
pub(crate) static TRACE: Rule = Rule::leaf(
    "trace",
    &[&[required("vaddr", Number), optional("setvar_vaddr", Text), optional("size", Number), SHARED]],
);
pub(crate) static IO_PORT: Rule = Rule::leaf(
    "ioport",
    &[&[
        required("id", Number),
        required("addr", Number),
        required("size", Number),
        SETVAR_ID,
        optional("setvar_addr", Text),
    ]],
);
/// A line of an interrupt controller.
pub(crate) const IRQ_LINE: &[Attribute] =
    &[required("irq", Number), required("id", Number), TRIGGER, SETVAR_ID];
/// A pin of an I/O APIC.
pub(crate) const IRQ_PIN: &[Attribute] = &[
    optional("ioapic", Number),
    required("pin", Number),
    required("vector", Number),
    required("id", Number),
    TRIGGER,
    optional("polarity", OneOf(&["low", "high"])),
    SETVAR_ID,
];
/// A message of a PCI device.
pub(crate) const IRQ_MESSAGE: &[Attribute] = &[
    required("pcidev", PciAddress),
    required("handle", Number),
    required("vector", Number),
    required("id", Number),
    SETVAR_ID,
];
pub(crate) static IRQ: Rule = Rule::leaf("irq", &[IRQ_LINE, IRQ_PIN, IRQ_MESSAGE]);
pub(crate) static KEY: Rule =
    Rule::leaf("key", &[&[required("name", Text), optional("id", Number), optional("symbol", Text), SHARED]]);
pub(crate) static DIGEST: Rule = Rule::leaf(
    "digest",
    &[&[
        required("id", Number),
        optional("region", Text),
        optional("pd", Text),
        optional("kernel", Boolean),
        SETVAR_ID,
    ]],
);
pub(crate) static RESET: Rule =
    Rule::leaf("reset", &[&[required("id", Number), required("pd", Text), SETVAR_ID]]);
/// The ciphers of a seal; without the attribute, the first.
const SEAL_CIPHERS: &[&str] = &[SealCipher::ChaCha20Poly1305.name(), SealCipher::Aes256Gcm.name()];
pub(crate) static SEAL: Rule = Rule::leaf(
    "seal",
    &[&[
        required("id", Number),
        required("key", Text),
        required("from", Text),
        required("to", Text),
        optional("irq", Number),
        optional("record", Number),
        optional("used", Text),
        optional("used_offset", Number),
        optional("entries", Number),
        optional("cipher", OneOf(SEAL_CIPHERS)),
        optional("vector", Boolean),
        SETVAR_ID,
    ]],
);
pub(crate) static WIPE: Rule =
    Rule::leaf("wipe", &[&[required("region", Text), optional("irq", Number), optional("fault", Boolean)]]);
pub(crate) static CSPACE: Rule = Rule {
    name: "cspace",
    forms: &[&[]],
    children: &[&CAP_TCB, &CAP_SC, &CAP_VSPACE, &CAP_SCHED_CONTROL],
    exactly: None,
};
/// The attributes of a capability to an object of a protection domain.
const CAP_OF: &[Attribute] = &[required("slot", Number), required("pd", Text)];
pub(crate) static CAP_TCB: Rule = Rule::leaf("cap_tcb", &[CAP_OF]);
pub(crate) static CAP_SC: Rule = Rule::leaf("cap_sc", &[CAP_OF]);
pub(crate) static CAP_VSPACE: Rule = Rule::leaf("cap_vspace", &[CAP_OF]);
pub(crate) static CAP_SCHED_CONTROL: Rule = Rule::leaf("cap_sched_control", &[&[required("slot", Number)]]);
pub(crate) static MEMORY_REGION: Rule = Rule::leaf(
    "memory_region",
    &[&[
        required("name", Text),
        optional("size", Number),
        optional("page_size", Number),
        optional("phys_addr", Number),
        optional("prefill_path", Text),
        optional("prefill_bootinfo", OneOf(&BOOT_INFO_NAMES)),
        SHARED,
    ]],
);
pub(crate) static CHANNEL: Rule =
    Rule { name: "channel", forms: &[&[]], children: &[&END], exactly: Some(2) };
pub(crate) static END: Rule = Rule::leaf(
    "end",
    &[&[
        required("pd", Text),
        required("id", Number),
        optional("pp", Boolean),
        optional("notify", Boolean),
        SETVAR_ID,
    ]],
);
pub(crate) static STATIC_KEY: Rule = Rule::leaf(
    "static_key",
    &[&[required("name", Text), optional("default", Boolean), optional("group", Text), SHARED]],
);
pub(crate) static DOMAINS: Rule =
    Rule { name: "domains", forms: &[&[]], children: &[&SCHEDULING_DOMAIN, &DOMAIN_SCHEDULE], exactly: None };
pub(crate) static SCHEDULING_DOMAIN: Rule =
    Rule::leaf("domain", &[&[required("name", Text), optional("id", Number)]]);
pub(crate) static DOMAIN_SCHEDULE: Rule = Rule {
    name: "domain_schedule",
    forms: &[&[optional("cpu", Number), optional("start_index", Number), optional("index_shift", Number)]],
    children: &[&SCHEDULE_ENTRY, &SCHEDULE_END_MARKER],
    exactly: None,
};
pub(crate) static SCHEDULE_ENTRY: Rule =
    Rule::leaf("schedule_entry", &[&[required("domain", Text), required("duration", Duration)]]);
pub(crate) static SCHEDULE_END_MARKER: Rule = Rule::leaf("schedule_end_marker", &[&[]]);

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails if it cannot read its file")]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Diagnostic, Target, code, no_files, parse};

    /// An element with these attributes, inside its parents.
    fn within(parents: &[&Rule], name: &str, attributes: &[Attribute]) -> String {
        let written: String =
            attributes.iter().map(|a| format!(" {}=\"{}\"", a.name, sample(a.value))).collect();
        let element = format!("<{name}{written}/>");
        parents.iter().rev().fold(element, |inside, parent| {
            let attributes = parent.attributes().iter().filter(|a| a.required);
            let written: String =
                attributes.map(|a| format!(" {}=\"{}\"", a.name, sample(a.value))).collect();
            format!("<{0}{written}>{inside}</{0}>", parent.name)
        })
    }

    fn sample(value: Value) -> &'static str {
        match value {
            Text => "x",
            Number => "1",
            Boolean => "false",
            Permissions => "r",
            Duration => "1 us",
            PciAddress => "0:0.0",
            OneOf(words) => words[0],
        }
    }

    /// The tool's messages with this code, for each machine.
    fn said(text: &str, code: &str) -> [Vec<String>; 2] {
        [Target::aarch64(), Target::x86_64()].map(|target| {
            let problems: Vec<Diagnostic> = parse("t", text, &target, &no_files).err().unwrap_or_default();
            let problems = problems.into_iter().filter(|problem| problem.code == code);
            problems.map(|problem| problem.message).collect()
        })
    }

    /// Some elements exist for one machine only.
    fn refused_everywhere(text: &str, code: &str) -> bool {
        said(text, code).iter().all(|messages| !messages.is_empty())
    }

    fn refused_somewhere(text: &str, code: &str) -> bool {
        said(text, code).iter().any(|messages| !messages.is_empty())
    }

    fn each(
        rule: &'static Rule,
        parents: &mut Vec<&'static Rule>,
        look: &mut impl FnMut(&[&'static Rule], &'static Rule),
    ) {
        look(parents, rule);
        // One level of nesting is enough.
        if !parents.iter().any(|parent| std::ptr::eq(*parent, rule)) {
            parents.push(rule);
            rule.children.iter().for_each(|child| each(child, parents, look));
            parents.pop();
        }
    }

    /// Calls `look` with every element of the table and its parents.
    fn everywhere(mut look: impl FnMut(&[&'static Rule], &'static Rule)) {
        each(&SYSTEM, &mut Vec::new(), &mut look);
    }

    #[test]
    fn every_attribute_of_the_table_is_known_to_its_reader() {
        everywhere(|parents, rule| {
            for form in rule.forms {
                let text = within(parents, rule.name, form);
                for code in [code::UNKNOWN_ATTRIBUTE, code::UNKNOWN_ELEMENT, code::CSPACE_CAP_UNKNOWN] {
                    assert!(!refused_everywhere(&text, code), "{code}: {text}");
                }
            }
        });
    }

    #[test]
    fn readers_miss_the_attributes_that_the_table_requires_and_no_others() {
        everywhere(|parents, rule| {
            for (form, attribute) in rule.forms.iter().flat_map(|form| form.iter().map(move |a| (form, a))) {
                let others: Vec<_> =
                    form.iter().filter(|other| other.name != attribute.name).copied().collect();
                let text = within(parents, rule.name, &others);
                let sentence =
                    format!("Missing required attribute '{}' on element '{}'", attribute.name, rule.name);
                let missed = said(&text, code::MISSING_ATTRIBUTE).concat();
                let is_missed = missed.iter().any(|said| said.contains(&sentence));
                // Without the attribute that selects the form, the element has another form.
                let is_form = ["irq", "pin", "pcidev"].contains(&attribute.name) && rule.name == "irq";
                assert!(is_form || is_missed == attribute.required, "{text}");
            }
        });
    }

    /// Names in the first two columns of the tables under this title of `docs/compatibility.md`, and the state.
    fn compared(title: &str) -> Vec<(String, String, String)> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compatibility.md");
        let text = std::fs::read_to_string(path).unwrap();
        let section = text.split_once(&format!("\n### {title}\n")).unwrap().1;
        let section = section.split("\n#").next().unwrap();
        let cells = |line: &str| line.split('|').map(|cell| cell.trim().replace('`', "")).collect::<Vec<_>>();
        let rows = section.lines().filter(|line| line.starts_with("| `")).map(cells);
        rows.map(|row| (row[1].clone(), row[2].clone(), row[3].clone())).collect()
    }

    /// Checks that a row is `there` exactly if its state is not missing, and that it occurs once.
    fn check_compared(title: &str, there: &BTreeSet<(String, String)>) {
        let mut listed = BTreeSet::new();
        for (name, of, state) in compared(title) {
            assert!(
                ["same", "differs", "missing", "added"].contains(&state.as_str()),
                "{name} of {of}: {state}"
            );
            let is_there = there.contains(&(name.clone(), of.clone()));
            assert_eq!(is_there, state != "missing", "{name} of {of}: {state}");
            assert!(listed.insert((name.clone(), of.clone())), "{name} of {of} occurs twice");
        }
        let unlisted: Vec<_> = there.difference(&listed).collect();
        assert!(unlisted.is_empty(), "docs/compatibility.md lacks, under {title}: {unlisted:?}");
    }

    #[test]
    fn every_element_and_attribute_is_compared_with_the_reference() {
        let (mut elements, mut attributes) = (BTreeSet::new(), BTreeSet::new());
        everywhere(|parents, rule| {
            let name = rule.name.to_owned();
            elements.insert((name.clone(), parents.last().map_or(String::new(), |p| p.name.to_owned())));
            attributes
                .extend(rule.forms.iter().copied().flatten().map(|a| (a.name.to_owned(), name.clone())));
        });
        check_compared("Elements", &elements);
        check_compared("Attributes", &attributes);
    }

    #[test]
    fn readers_refuse_what_is_not_in_the_table() {
        everywhere(|parents, rule| {
            let strange = Attribute { name: "strange", value: Text, required: false };
            let form = [rule.attributes(), &[strange]].concat();
            let text = within(parents, rule.name, &form);
            assert!(refused_somewhere(&text, code::UNKNOWN_ATTRIBUTE), "{text}");
            let inside = within(&[parents, &[rule]].concat(), "strange", &[]);
            let refused = [code::UNKNOWN_ELEMENT, code::CSPACE_CAP_UNKNOWN, code::CHANNEL_ENDS];
            assert!(refused.iter().any(|code| refused_somewhere(&inside, code)), "{inside}");
        });
    }
}
