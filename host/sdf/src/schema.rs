//! The XML schema of descriptions, for editors: elements, attributes and the notation of values.
//!
//! It rejects constructs outside the language. The tool checks rules across elements and most numeric limits. The
//! schema language is XML Schema 1.0, because editors support it.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::grammar::{self, Attribute, Rule, Value};

/// A number in the tool's notation.
const NUMBER: &str = r"\+?_*[0-9][0-9_]*|0x_*[0-9a-fA-F][0-9a-fA-F_]*";

/// The schema.
#[must_use]
pub fn schema() -> String {
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!-- System descriptions of Limen {}. Written by the tool microkit. -->\n\
         <xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n\
         \x20 <xs:element name=\"system\" type=\"system\"/>\n",
        env!("CARGO_PKG_VERSION")
    );
    // Writing to a string cannot fail.
    for (name, values) in simple_types() {
        _ = writeln!(out, "  <xs:simpleType name=\"{name}\">\n    <xs:restriction base=\"xs:string\">");
        _ = values.iter().try_for_each(|value| writeln!(out, "      {value}"));
        _ = writeln!(out, "    </xs:restriction>\n  </xs:simpleType>");
    }
    let mut rules = BTreeMap::new();
    collect(&grammar::SYSTEM, &mut rules);
    for (name, rule) in rules {
        _ = write_type(&mut out, name, rule);
    }
    out + "</xs:schema>\n"
}

/// The types of restricted values, and their facets.
fn simple_types() -> [(&'static str, Vec<String>); 5] {
    let pattern = |text: &str| vec![format!("<xs:pattern value=\"{text}\"/>")];
    [
        ("value.number", pattern(NUMBER)),
        ("value.boolean", ["true", "false"].map(enumeration).to_vec()),
        ("value.permissions", pattern("[rx]+|[rwx]*r[rwx]*")),
        ("value.duration", pattern(&format!("({NUMBER}) (us|ticks)"))),
        ("value.pci_address", pattern(r"[0-9a-fA-F]+:[0-9a-fA-F]+\.[0-9a-fA-F]+")),
    ]
}

fn enumeration(word: &str) -> String {
    format!("<xs:enumeration value=\"{word}\"/>")
}

/// This rule and the rules below it, by the names of their types.
fn collect(rule: &'static Rule, rules: &mut BTreeMap<&'static str, &'static Rule>) {
    if rules.insert(type_name(rule), rule).is_none() {
        rule.children.iter().for_each(|child| collect(child, rules));
    }
}

/// The type name of an element: the element's name, unless that has two meanings.
fn type_name(rule: &Rule) -> &'static str {
    if std::ptr::eq(rule, &raw const grammar::CHILD_DOMAIN) { "child_protection_domain" } else { rule.name }
}

fn write_type(out: &mut String, name: &str, rule: &Rule) -> std::fmt::Result {
    writeln!(out, "  <xs:complexType name=\"{name}\">")?;
    if !rule.children.is_empty() {
        let count = |usual: &str| rule.exactly.map_or_else(|| usual.to_owned(), |count| count.to_string());
        let (least, most) = (count("0"), count("unbounded"));
        writeln!(out, "    <xs:choice minOccurs=\"{least}\" maxOccurs=\"{most}\">")?;
        for child in rule.children {
            writeln!(out, "      <xs:element name=\"{}\" type=\"{}\"/>", child.name, type_name(child))?;
        }
        writeln!(out, "    </xs:choice>")?;
    }
    all_forms(rule).iter().try_for_each(|attribute| write_attribute(out, attribute))?;
    writeln!(out, "  </xs:complexType>")
}

/// The attributes of all forms; an attribute is required if every form requires it.
fn all_forms(rule: &Rule) -> Vec<Attribute> {
    let mut all: Vec<Attribute> = Vec::new();
    for attribute in rule.forms.iter().copied().flatten() {
        if all.iter().all(|present| present.name != attribute.name) {
            let is_required =
                |form: &&[Attribute]| form.iter().any(|other| other.name == attribute.name && other.required);
            all.push(Attribute { required: rule.forms.iter().all(is_required), ..*attribute });
        }
    }
    all
}

fn write_attribute(out: &mut String, attribute: &Attribute) -> std::fmt::Result {
    let named = match attribute.value {
        Value::Text => "xs:string",
        Value::Number => "value.number",
        Value::Boolean => "value.boolean",
        Value::Permissions => "value.permissions",
        Value::Duration => "value.duration",
        Value::PciAddress => "value.pci_address",
        Value::OneOf(words) => return write_choice(out, attribute, words),
    };
    writeln!(out, "    <xs:attribute name=\"{}\" type=\"{named}\"{}/>", attribute.name, used(attribute))
}

fn write_choice(out: &mut String, attribute: &Attribute, words: &[&str]) -> std::fmt::Result {
    writeln!(out, "    <xs:attribute name=\"{}\"{}>", attribute.name, used(attribute))?;
    writeln!(out, "      <xs:simpleType>\n        <xs:restriction base=\"xs:string\">")?;
    words.iter().try_for_each(|word| writeln!(out, "          {}", enumeration(word)))?;
    writeln!(out, "        </xs:restriction>\n      </xs:simpleType>\n    </xs:attribute>")
}

fn used(attribute: &Attribute) -> &'static str {
    if attribute.required { " use=\"required\"" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_name_is_defined_once() {
        let schema = schema();
        let document = roxmltree::Document::parse(&schema).unwrap();
        let types = || document.descendants().filter(|node| node.tag_name().name().ends_with("Type"));
        let defined: Vec<_> = types().filter_map(|node| node.attribute("name")).collect();
        let named = document.descendants().filter_map(|node| node.attribute("type"));
        for name in named.filter(|name| !name.starts_with("xs:")) {
            assert_eq!(defined.iter().filter(|other| **other == name).count(), 1, "{name}");
        }
        assert!(defined.contains(&"child_protection_domain") && defined.contains(&"cap_sched_control"));
    }

    #[test]
    fn an_interrupt_has_the_attributes_of_every_kind() {
        let all = all_forms(&grammar::IRQ);
        let required: Vec<_> = all.iter().filter(|a| a.required).map(|a| a.name).collect();
        assert_eq!(required, ["id"]);
        assert_eq!(all.iter().filter(|a| ["irq", "pin", "pcidev", "vector"].contains(&a.name)).count(), 4);
    }
}
