//! The text form of the report, one section per topic.

use std::fmt::{self, Write};

use super::{Capability, CapabilityTable, InterruptLine, Memory, Thread, UserMemory, UserRange};
use super::{Domains, ExpectedDigest, Hex, Home, Kernel, ProtectionDomain, Report, Schedule, Sizes, Trace};
use super::{ProcessorCrossing, Processors};

/// Renders the report. Writing to a string cannot fail, so the [`fmt::Write`] result is ignored.
pub(super) fn render(report: &Report) -> String {
    let mut out = String::new();
    let _ = write_report(&mut out, report);
    out
}

fn write_report(out: &mut String, report: &Report) -> fmt::Result {
    writeln!(out, "System report of Limen {}", report.version)?;
    writeln!(out, "board {}, configuration {}", report.board, report.config)?;
    section(out, "Sizes")?;
    sizes(out, &report.sizes)?;
    section(out, "Protection domains")?;
    report.protection_domains.iter().try_for_each(|domain| protection_domain(out, domain))?;
    if let Some(processors) = &report.processors {
        section(out, "Processors")?;
        processors.homes.iter().try_for_each(|home| processor(out, home))?;
        section(out, "Between processors")?;
        between_processors(out, processors)?;
    }
    if let Some(domains) = &report.domains {
        section(out, "Domain schedule")?;
        domain_schedule(out, &domains.schedule)?;
        for other in &domains.others {
            section(out, &format!("Domain schedule of processor {}", other.cpu))?;
            domain_schedule(out, &other.schedule)?;
        }
        section(out, "Sharing across domains")?;
        sharing(out, domains)?;
    }
    section(out, "Threads")?;
    report.graph.threads.iter().try_for_each(|thread| write_thread(out, thread))?;
    section(out, "Capabilities")?;
    report.graph.capability_tables.iter().try_for_each(|table| capability_table(out, table))?;
    section(out, "Interrupts")?;
    report.interrupts.iter().try_for_each(|line| interrupt(out, line))?;
    if !report.digests.is_empty() {
        section(out, "Digests at the start")?;
        report.digests.iter().try_for_each(|digest| expected_digest(out, digest))?;
    }
    if let Some(trace) = &report.trace {
        section(out, "Trace")?;
        write_trace(out, trace)?;
    }
    section(out, "Physical memory")?;
    report.physical_memory.iter().try_for_each(|memory| physical(out, memory))?;
    section(out, "Address spaces")?;
    report.address_spaces.iter().try_for_each(|space| address_space(out, space))?;
    section(out, "Kernel")?;
    kernel(out, &report.kernel)
}

fn write_trace(out: &mut String, trace: &Trace) -> fmt::Result {
    let place = trace.paddr.map_or("placed at boot".to_owned(), |paddr| format!("at 0x{paddr:x}"));
    match trace.rings {
        None => writeln!(out, "{:<20} 0x{:x} ({}), {place}", "ring", trace.bytes, human_bytes(trace.bytes))?,
        Some(rings) => writeln!(
            out,
            "{:<20} {rings} of 0x{:x} ({}) each, {place}",
            "rings",
            trace.bytes,
            human_bytes(trace.bytes)
        )?,
    }
    writeln!(out, "{:<20} {}", "records", trace.slots)?;
    let groups = if trace.groups.is_empty() { "none".to_owned() } else { trace.groups.join(", ") };
    writeln!(out, "{:<20} {groups}", "on from the start")
}

fn section(out: &mut String, title: &str) -> fmt::Result {
    writeln!(out, "\n# {title}\n")
}

fn sizes(out: &mut String, sizes: &Sizes) -> fmt::Result {
    for (what, bytes) in [
        ("output file", sizes.file_bytes),
        ("boot image tables", sizes.tables_bytes),
        ("boot image contents", sizes.contents_bytes),
        ("memory in use", sizes.used_bytes),
        ("page table pool", sizes.pool_bytes),
    ] {
        writeln!(out, "{what:<20} 0x{bytes:x} ({})", human_bytes(bytes))?;
    }
    Ok(())
}

/// Bytes in the largest unit with a value of at least one.
#[must_use]
pub fn human_bytes(bytes: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.into_iter().find(|(unit, _)| bytes >= *unit) {
        // One decimal is enough, and integer arithmetic gives the same text on every machine.
        Some((unit, name)) => format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit),
        None => format!("{bytes} bytes"),
    }
}

fn protection_domain(out: &mut String, domain: &ProtectionDomain) -> fmt::Result {
    writeln!(out, "{}", domain.name)?;
    if let Some(parent) = &domain.parent {
        writeln!(out, "  child of  {parent}")?;
    }
    writeln!(out, "  program   {}", limen_sdf::one_line(&domain.program))?;
    writeln!(out, "  priority  {}", domain.priority)?;
    writeln!(out, "  budget    {} us every {} us", domain.budget_us, domain.period_us)?;
    if let Some(cpu) = &domain.cpu {
        writeln!(out, "  cpu       {cpu}")?;
    }
    if let Some(domain) = &domain.domain {
        writeln!(out, "  domain    {domain}")?;
    }
    writeln!(out, "  stack     [0x{:x}..0x{:x})", domain.stack_start, domain.stack_end)?;
    let facts = [(domain.passive, "passive"), (domain.fpu, "fpu"), (domain.counter, "counter")];
    let facts: Vec<_> = facts.into_iter().filter(|(is, _)| *is).map(|(_, name)| name).collect();
    writeln!(out, "  facts     {}", facts.join(" "))
}

fn processor(out: &mut String, home: &Home) -> fmt::Result {
    let programs = if home.programs.is_empty() { "nothing".to_owned() } else { home.programs.join(", ") };
    writeln!(out, "{:>3}  {programs}", home.cpu)
}

fn between_processors(out: &mut String, processors: &Processors) -> fmt::Result {
    if processors.crossings.is_empty() {
        writeln!(out, "nothing")?;
    }
    for ProcessorCrossing { kind, from, id, to, passive } in &processors.crossings {
        let channel = id.map(|id| format!(", channel {id}")).unwrap_or_default();
        let passive = if *passive { ", which is passive" } else { "" };
        writeln!(
            out,
            "{kind:<12}  {} on {}{channel} -> {} on {}{passive}",
            from.name, from.cpu, to.name, to.cpu
        )?;
    }
    Ok(())
}

fn domain_schedule(out: &mut String, schedule: &Schedule) -> fmt::Result {
    for slot in &schedule.schedule {
        let start = if slot.index == schedule.start { "  <- starts here" } else { "" };
        match &slot.domain {
            Some(name) => {
                writeln!(out, "{:>3}  {}  {name} (domain {}){start}", slot.index, slot.duration, slot.id)?
            }
            None => writeln!(out, "{:>3}  starts again", slot.index)?,
        }
    }
    Ok(())
}

fn sharing(out: &mut String, domains: &Domains) -> fmt::Result {
    if domains.crossings.is_empty() {
        writeln!(out, "nothing")?;
    }
    for crossing in &domains.crossings {
        let sides = crossing.between.iter().map(|side| match side.domain.as_str() {
            "" => side.name.clone(),
            domain => format!("{} in {domain}", side.name),
        });
        let sides: Vec<_> = sides.collect();
        writeln!(out, "{:<10} {}: {}", crossing.kind, crossing.what, sides.join(", "))?;
    }
    Ok(())
}

fn write_thread(out: &mut String, thread: &Thread) -> fmt::Result {
    writeln!(out, "{}", thread.name)?;
    writeln!(out, "  entry 0x{:x}, stack pointer 0x{:x}", thread.entry, thread.stack_top)?;
    writeln!(out, "  IPC buffer 0x{:x}", thread.ipc_buffer)?;
    writeln!(
        out,
        "  priority {}, scheduling context {} us every {} us",
        thread.priority, thread.budget_us, thread.period_us
    )?;
    if let Some(notification) = &thread.bound_notification {
        writeln!(out, "  bound to notification of {notification}")?;
    }
    if let Some(slot) = thread.fault_slot {
        writeln!(out, "  faults go to slot {slot}")?;
    }
    if let Some(slot) = thread.timeout_slot {
        writeln!(out, "  exhausted budgets go to slot {slot}")?;
    }
    Ok(())
}

fn capability_table(out: &mut String, table: &CapabilityTable) -> fmt::Result {
    writeln!(out, "{}", table.owner)?;
    table.slots.iter().try_for_each(|slot| capability(out, slot))
}

fn capability(out: &mut String, cap: &Capability) -> fmt::Result {
    let slot = cap.root_slot.map_or_else(|| cap.slot.to_string(), |slot| format!("r{slot}"));
    write!(out, "  {slot:>3}  {} of {}", cap.kind, cap.object)?;
    if !cap.rights.is_empty() {
        write!(out, ", {}", cap.rights.join(" "))?;
    }
    if cap.badge != Hex(0) {
        write!(out, ", badge 0x{:x}", cap.badge)?;
    }
    writeln!(out)
}

fn interrupt(out: &mut String, interrupt: &InterruptLine) -> fmt::Result {
    let InterruptLine { line, source, trigger, owner, id } = interrupt;
    writeln!(out, "{line:>4}  {source}, {trigger} -> {owner}, id {id}")
}

fn expected_digest(out: &mut String, digest: &ExpectedDigest) -> fmt::Result {
    let ExpectedDigest { owner, id, what, blake3, follows_keys } = digest;
    let value = blake3.as_deref().unwrap_or("known on the target only");
    let remark = if *follows_keys { ", while all static keys of its code are at their defaults" } else { "" };
    writeln!(out, "{owner}, id {id}: {what}\n  {value}{remark}")
}

fn physical(out: &mut String, memory: &Memory) -> fmt::Result {
    let Memory { start, end, kind, purpose } = memory;
    let size = human_bytes(end.0 - start.0);
    writeln!(out, "[0x{start:010x}..0x{end:010x})  {size:>10}  {kind:<8}  {purpose}")
}

fn address_space(out: &mut String, space: &UserMemory) -> fmt::Result {
    writeln!(out, "{}", space.owner)?;
    space.ranges.iter().try_for_each(|range| user_range(out, range))
}

fn user_range(out: &mut String, range: &UserRange) -> fmt::Result {
    let UserRange { start, end, perms, page_bytes, purpose, .. } = range;
    let paddr = range.paddr.map_or_else(|| "by kernel".to_owned(), |paddr| format!("0x{paddr:x}"));
    let cached = if range.cached { "cached" } else { "uncached" };
    let page = human_bytes(*page_bytes);
    writeln!(
        out,
        "  [0x{start:010x}..0x{end:010x}) -> {paddr:<12} {perms:<3} {cached:<8} {page:<7}  {purpose}"
    )
}

fn kernel(out: &mut String, kernel: &Kernel) -> fmt::Result {
    writeln!(out, "entry 0x{:x}", kernel.entry)?;
    for segment in &kernel.segments {
        let flag = |bit: u32, letter: char| if segment.flags & bit != 0 { letter } else { '-' };
        let perms: String = [flag(4, 'r'), flag(2, 'w'), flag(1, 'x')].iter().collect();
        let (file, memory) = (human_bytes(segment.file_bytes), human_bytes(segment.memory_bytes));
        writeln!(
            out,
            "0x{:x} -> 0x{:x}  {perms}  {memory} ({file} in the file)",
            segment.vaddr, segment.paddr
        )?;
    }
    Ok(())
}
