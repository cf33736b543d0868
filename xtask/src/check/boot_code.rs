//! Checks of `./x check` on boot code, which the kernel unmaps after boot: no code that stays refers to it. The same
//! for the invariant checks with the printing of faults, and for the code of seals, the trace, messages between processors, probes and digests, which are
//! unmapped unless an image can ask for them; they are entered by few functions only.
//!
//! The linker script selects all of them by function names. Code outside of boot code that only boot calls may refer to it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use crate::check::disassembly;
use crate::check::symbols::Symbols;
use crate::failure::{Failure, Outcome};

/// The linker script's symbols for the start and end of boot code.
pub const BOOT: [&str; 2] = ["__boot_start", "__boot_end"];
/// The same for the invariant checks and the printing of faults.
pub const CHECKS: [&str; 2] = ["__boot_end", "__check_end"];
/// The same for the code of seals.
pub const SEALS: [&str; 2] = ["__check_end", "__seal_end"];
/// The same for the code of the trace.
pub const TRACE: [&str; 2] = ["__seal_end", "__trace_end"];
/// The same for the code of messages between processors.
pub const PROCESSORS: [&str; 2] = ["__trace_end", "__processors_end"];
/// The same for the code of probes.
pub const PROBES: [&str; 2] = ["__processors_end", "__probe_end"];
/// The same for the code of digests.
pub const DIGESTS: [&str; 2] = ["__probe_end", "__digest_end"];
/// The same for the code that stays.
pub const STAYING: [&str; 2] = ["__text_start", "__text_last"];

/// The entry points of the checks, which code that stays calls behind a static key.
const CHECKED: [&str; 3] = [
    "limen_platform::kernel_cell::check",
    "limen_core::fast::fault::serve_watched_fault",
    "limen_core::fault_line::print_fault_line",
];
/// The entry points of seals, which services of an image with seals call.
const SEALED: [&str; 2] =
    ["limen_platform::service_work::seal::at_once", "limen_platform::service_work::seal::on_request"];
/// The entry points of the trace, which code that stays calls if the image has a ring.
const TRACED: [&str; 14] = [
    "limen_core::trace::trace_begin",
    "limen_core::trace::trace_end",
    "limen_core::trace::trace_program",
    "limen_core::trace::recording::note_clock",
    "limen_core::trace::recording::record_boot",
    "limen_core::trace::recording::record_begin",
    "limen_core::trace::recording::record_begin_of",
    "limen_core::trace::recording::record_entry",
    "limen_core::trace::recording::record_sampled",
    "limen_core::trace::recording::record_end",
    "limen_core::trace::recording::record_mail",
    "limen_core::trace::recording::record_recall",
    "limen_core::trace::recording::record_signals",
    "limen_core::trace::recording::record_patching",
];

/// The entry points of messages between processors, which code that stays calls for objects of other processors, and for
/// code that they execute.
const CROSSED: [&str; 16] = [
    "limen_core::processors::outbox::serve_call_elsewhere",
    "limen_core::processors::outbox::call_elsewhere",
    "limen_core::processors::outbox::send_elsewhere",
    "limen_core::processors::outbox::configure_elsewhere",
    "limen_core::processors::outbox::signal_elsewhere",
    "limen_core::processors::outbox::report_elsewhere",
    "limen_core::processors::outbox::awaits_reply_elsewhere",
    "limen_core::processors::outbox::recall",
    "limen_core::processors::visitor::take_messages",
    "limen_core::processors::visitor::take_recorded_messages",
    "limen_core::processors::visitor::part_visitors",
    "limen_core::processors::visitor::serve_reply_beside_visitors",
    "limen_core::processors::message_time::lend_time_of_visitor",
    "limen_core::processors::holder::release_elsewhere",
    "limen_platform::keys::SystemKeys::patch_shared",
    "limen_platform::keys::SystemKeys::probe_shared",
];

/// The entry points of probes, which code that stays calls for a program that may probe.
const PROBED: [&str; 3] = [
    "limen_core::invoke::invoke_probe",
    "limen_core::object::probe::take_sample",
    "limen_core::object::probe::sample",
];

/// The entry points of digests, which the work of an image with digests calls.
const DIGESTED: [&str; 2] =
    ["limen_platform::service_work::digest::of_memory", "limen_platform::service_work::digest::of_kernel"];

/// Whether the invariant checks stay mapped after boot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checks {
    /// They stay, because the image can turn them on.
    Stay,
    /// They are unmapped with boot code.
    Go,
}

/// The size in bytes of the kernel's code that stays mapped after boot.
///
/// # Errors
/// When the file is not a kernel, or cannot be read.
pub fn staying_bytes(kernel: &Path, checks: Checks) -> Outcome<u64> {
    let symbols = Symbols::of(kernel)?;
    let bytes = |ends| range(&symbols, ends).map(|range| range.end - range.start);
    Ok(bytes(STAYING)? + if checks == Checks::Stay { bytes(CHECKS)? } else { 0 })
}

/// Checks that no function that stays mapped refers to boot code, or to the invariant checks or the code of seals
/// except at their entry points.
///
/// # Errors
/// When some do (the failure names them), or the file cannot be disassembled.
pub fn is_left_alone(kernel: &Path) -> Outcome {
    let symbols = Symbols::readable(kernel)?;
    let listing = disassembly::listing(kernel)?;
    let boot = range(&symbols, BOOT)?;
    for (what, ends, entered) in [
        ("boot", BOOT, &[][..]),
        ("the checks", CHECKS, &CHECKED),
        ("seals", SEALS, &SEALED),
        ("the trace", TRACE, &TRACED),
        ("messages between processors", PROCESSORS, &CROSSED),
        ("probes", PROBES, &PROBED),
        ("digests", DIGESTS, &DIGESTED),
    ] {
        match objections(&listing, &symbols, &boot, &range(&symbols, ends)?, entered) {
            Some(found) if found.is_empty() => (),
            Some(found) => return Err(Failure::new(format!("{}: {}", kernel.display(), found.join("; ")))),
            None => return Err(Failure::new(format!("{} has no code of {what}", kernel.display()))),
        }
    }
    Ok(())
}

fn range(symbols: &Symbols, [start, end]: [&str; 2]) -> Outcome<Range<u64>> {
    Ok(symbols.address(start)?..symbols.address(end)?)
}

/// References from outside of `boot` to `code`. `None` if that has no functions. References to functions with these
/// names are allowed.
fn objections(
    listing: &str,
    symbols: &Symbols,
    boot: &Range<u64>,
    code: &Range<u64>,
    entered: &[&str],
) -> Option<Vec<String>> {
    let references = references(listing, symbols);
    let functions = || symbols.functions().map(|(_, function)| function.start);
    functions().find(|start| code.contains(start))?;
    let mut leaving: BTreeSet<u64> =
        functions().filter(|start| boot.contains(start) || code.contains(start)).collect();
    let mut referring: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for (from, to) in &references {
        referring.entry(*to).or_default().insert(*from);
    }
    // A function that only unmapped functions refer to is not called after boot either.
    while let Some(next) = referring
        .iter()
        .find(|(function, from)| !leaving.contains(*function) && from.is_subset(&leaving))
        .map(|(function, _)| *function)
    {
        leaving.insert(next);
    }
    let name = |function: u64| symbols.function_at(function);
    let wrong = references
        .iter()
        .filter(|(from, to)| code.contains(to) && !leaving.contains(from) && !entered.contains(&name(*to)));
    Some(
        wrong
            .map(|(from, to)| format!("{} stays mapped, but refers to {}", name(*from), name(*to)))
            .collect(),
    )
}

/// The references from functions to others.
fn references(listing: &str, symbols: &Symbols) -> BTreeSet<(u64, u64)> {
    let references = disassembly::references(listing).into_iter();
    let pairs = references.filter_map(|(from, to)| Some((symbols.start_of(from)?, symbols.start_of(to)?)));
    pairs.filter(|(from, to)| from != to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::symbols::tests::functions;

    const LISTING: &str = "
       0: \tbl\t0x20 <map>
       4: \tb\t0x28 <leave>
      20: \tb\t0x8 <table>
      28: \tret
      30: \tb\t0x28 <leave>
";

    fn found(listing: &str, code: Range<u64>, entered: &[&str]) -> Option<Vec<String>> {
        let symbols = functions(&[
            ("start", 0),
            ("table", 8),
            ("map", 0x20),
            ("leave", 0x28),
            ("trap", 0x30),
            ("end", 0x40),
        ]);
        objections(listing, &symbols, &(0..0), &code, entered)
    }

    #[test]
    fn boot_code_may_refer_to_other_code_that_leaves() {
        let symbols = functions(&[("start", 0), ("check", 0x20), ("trap", 0x30), ("end", 0x40)]);
        let listing = "\n       0: \tbl\t0x20 <check>\n      30: \tbl\t0x20 <check>\n";
        let found = |boot| objections(listing, &symbols, &boot, &(0x20..0x30), &[]);
        assert_eq!(found(0..0x20), Some(vec!["trap stays mapped, but refers to check".to_owned()]));
        assert_eq!(found(0..0).map(|found| found.len()), Some(2));
    }

    #[test]
    fn functions_that_only_boot_calls_may_refer_to_it() {
        assert_eq!(found(LISTING, 0..0x20, &[]), Some(Vec::new()));
        assert_eq!(found(LISTING, 1..2, &[]), None);
    }

    #[test]
    fn a_staying_function_that_refers_to_boot_is_named() {
        let listing = LISTING.replace("0x28 <leave>", "0x8 <table>");
        let sentence = "trap stays mapped, but refers to table".to_owned();
        assert_eq!(found(&listing, 0..0x20, &[]), Some(vec![sentence]));
        assert_eq!(found(&listing, 0..0x20, &["table"]), Some(Vec::new()));
    }
}
