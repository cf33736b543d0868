//! Every function of the C headers has a counterpart in the tables at the top of `src/lib.rs`.

use std::collections::BTreeSet;

const TABLES: &str = include_str!("../src/lib.rs");
const MICROKIT: &str = include_str!("../../libmicrokit/include/microkit.h");
const LIMEN: [&str; 6] = [
    include_str!("../../libmicrokit/include/limen.h"),
    include_str!("../../libmicrokit/include/limen/probe.h"),
    include_str!("../../libmicrokit/include/limen/ring.h"),
    include_str!("../../libmicrokit/include/limen/service.h"),
    include_str!("../../libmicrokit/include/limen/static_key.h"),
    include_str!("../../libmicrokit/include/limen/trace.h"),
];
const DEFINITIONS: [&str; 6] =
    ["static inline ", "LIMEN_INLINE ", "void ", "extern ", "#define ", "static void "];

/// Functions, variables and macros that a header defines and whose names begin so. Functions for several widths are
/// those of 8 bits, and the code of crossings is one.
fn defined(header: &str, prefix: &str) -> BTreeSet<String> {
    let definitions = header.lines().map(str::trim_start);
    let definitions = definitions.filter(|line| DEFINITIONS.iter().any(|start| line.starts_with(start)));
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_#".contains(c);
    let name = |line: &str| {
        let before = line.split(['(', ';', '[']).next()?;
        let name = before.rsplit(|c| !is_part(c)).next()?;
        let is_crossing = name.starts_with("limen_cross");
        let family = || if is_crossing { "limen_cross_...".to_owned() } else { name.replace("##bits", "8") };
        name.starts_with(prefix).then(family)
    };
    definitions.filter_map(name).collect()
}

fn missing(names: &BTreeSet<String>) -> Vec<&String> {
    let rows: Vec<_> = TABLES.lines().filter(|line| line.starts_with("//! | `")).collect();
    names.iter().filter(|name| !rows.iter().any(|row| row.contains(&format!("`{name}`")))).collect()
}

#[test]
fn every_function_of_microkit_h_has_a_counterpart() {
    let mut names = defined(MICROKIT, "microkit_");
    names.extend(defined(MICROKIT, "memzero"));
    assert!(names.len() >= 30, "{names:?}");
    for known in
        ["microkit_ppcall", "microkit_x86_ioport_write_8", "microkit_dbg_put8", "microkit_name", "memzero"]
    {
        assert!(names.contains(known), "{known}");
    }
    assert_eq!(missing(&names), Vec::<&String>::new());
}

#[test]
fn every_function_of_limen_h_has_a_counterpart() {
    let names: BTreeSet<_> = LIMEN.iter().flat_map(|header| defined(header, "limen_")).collect();
    assert!(names.len() >= 20, "{names:?}");
    assert_eq!(missing(&names), Vec::<&String>::new());
}

#[test]
fn a_function_without_a_counterpart_is_found() {
    let names = defined("static inline void microkit_fly(void)\nint microkit_x;\n", "microkit_");
    assert_eq!(missing(&names), ["microkit_fly"]);
}
