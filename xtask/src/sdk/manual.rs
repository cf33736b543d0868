//! Generates the reference chapter of the book: the numbers of `limen-abi` as tables.
//!
//! It shows what the generated C headers define, in their order, and the limits of the kernel.

use std::path::PathBuf;

use limen_abi::limits;

use crate::sdk::headers;
use crate::sdk::headers::c_header::{CHeader, Entry, Item};

const FILE: &str = "docs/reference.md";

const INTRODUCTION: &str = "# Reference

Every number that programs share with the kernel, as the SDK's headers define it. [kernel.md](kernel.md) describes
system calls, methods and faults; [programs.md](programs.md) describes how a program uses slots and badges.

`./x headers` generates this file from the tables of the crate `limen-abi`: change those, not this file.
";

/// The chapter: its path below the repository's top folder, and its text.
pub fn file() -> (PathBuf, String) {
    let chapters: String = headers::all().iter().map(|(name, header)| chapter(name, header)).collect();
    (FILE.into(), format!("{INTRODUCTION}{chapters}{}", limits()))
}

fn chapter(name: &str, header: &CHeader) -> String {
    let mut text = format!("\n## `limen/{name}`\n\n{}\n", header.purpose);
    let mut in_table = false;
    for item in &header.items {
        let is_constant = matches!(item, Item::Constant { .. });
        if is_constant && !in_table {
            text += &head(["name", "value", "meaning"]);
        }
        in_table = is_constant;
        text += &section(item);
    }
    text
}

fn section(item: &Item) -> String {
    match item {
        Item::Title(title) => format!("\n### {title}\n"),
        Item::Constant { sentence, name, value } => row([&code(name), &code(value), sentence]),
        Item::Enumeration { sentence, name, entries } => {
            format!("\n### `{name}`\n\n{sentence}\n{}", enumeration(entries))
        }
        Item::ForEach { sentence, name, names } => {
            let rows = names.iter().enumerate().map(|(place, name)| row([&place.to_string(), &code(name)]));
            format!("\n### `{name}`\n\n{sentence}\n{}{}", head(["place", "name"]), rows.collect::<String>())
        }
    }
}

/// A table of numbers; the words of fault messages need no sentence.
fn enumeration(entries: &[Entry]) -> String {
    if entries.iter().all(|(_, _, sentence)| sentence.is_empty()) {
        let rows = entries.iter().map(|(name, value, _)| row([&value.to_string(), &code(name)]));
        return head(["number", "name"]) + &rows.collect::<String>();
    }
    let rows =
        entries.iter().map(|(name, value, sentence)| row([&value.to_string(), &code(name), sentence.trim()]));
    head(["number", "name", "meaning"]) + &rows.collect::<String>()
}

fn limits() -> String {
    let rows: [(&str, u64); 16] = [
        ("processors", limits::PROCESSORS as u64),
        ("protection domains, nested ones included", limits::PROTECTION_DOMAINS as u64),
        ("threads: the protection domains and the monitor", limits::THREADS as u64),
        ("endpoints", limits::ENDPOINTS as u64),
        ("notifications", limits::NOTIFICATIONS as u64),
        ("reply objects", limits::REPLIES as u64),
        ("scheduling contexts", limits::SCHED_CONTEXTS as u64),
        ("address spaces", limits::VSPACES as u64),
        ("interrupts of all programs together", limits::INTERRUPTS as u64),
        ("slots of a capability table", limits::CAP_SLOTS as u64),
        ("priorities of the scheduler, from 0", limits::PRIORITIES as u64),
        ("highest priority of a protection domain", u64::from(limits::MAX_USER_PRIORITY)),
        ("highest id of a channel, child or interrupt", u64::from(limits::MAX_CHANNEL_ID)),
        ("bytes of a name that a program sees", limits::NAME_BYTES as u64),
        ("bytes of a page", limits::PAGE_BYTES),
        ("bytes of a large page", limits::LARGE_PAGE_BYTES),
    ];
    let rows: String = rows.iter().map(|(what, limit)| row([what, &limit.to_string()])).collect();
    format!("\n## Limits\n{}{rows}", head(["of", "limit"]))
}

fn head<const N: usize>(columns: [&str; N]) -> String {
    format!("\n{}{}", row(columns), row(["---"; N]))
}

fn row<const N: usize>(cells: [&str; N]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_under_a_head_of_their_own_table() {
        let mut header = CHeader::new("GUARD", "Purpose.");
        header.title("Group");
        header.constant("First.", "A", 1);
        header.constant("Second.", "B", 2);
        let table = "| name | value | meaning |\n| --- | --- | --- |\n| `A` | `1` | First. |\n| `B` | `2` | Second. |\n";
        assert_eq!(chapter("a.h", &header), format!("\n## `limen/a.h`\n\nPurpose.\n\n### Group\n\n{table}"));
    }
}
