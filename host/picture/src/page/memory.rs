//! Maps of memory: bars with a logarithmic length, because sizes differ by a factor of a million.

use limen_builder::Report;
use limen_builder::report::{Hex, MemoryRegion, UserMemory, human_bytes};
use limen_page::{escaped, line};

use super::{line_of, list, most};

/// Bytes of the shortest and the longest bar.
const SCALE: [u64; 2] = [0x1000, 1 << 30];

pub(super) fn memory(report: &Report) -> String {
    let spaces: String = report.address_spaces.iter().map(address_space).collect();
    format!(
        "{}<h3>Physical memory</h3>\n<p>The length of a bar follows the \
         logarithm of the size.</p>\n{}<h3>Address spaces</h3>\n<p>Accesses to an unmapped range are faults. The range below a stack is its guard.</p>\n\
         <div class=\"spaces\">\n{spaces}</div>\n",
        regions(report),
        physical(report),
    )
}

/// The length of a bar in percent.
fn percent(bytes: u64) -> u32 {
    let logarithm = |bytes: u64| bytes.clamp(SCALE[0], SCALE[1]).ilog2() - SCALE[0].ilog2();
    (4 + logarithm(bytes) * 96 / logarithm(SCALE[1])).min(100)
}

/// A row of a map: address, bar with the purpose, size.
fn extent(start: Hex, class: &str, bytes: u64, what: &str, facts: &str) -> String {
    format!(
        "<tr class=\"{class}\"><th scope=\"row\"><code>{start:x}</code></th><td><i style=\"width:{}%\"></i><span>{}</span> <small>{}</small></td>\
         <td>{}</td></tr>\n",
        percent(bytes),
        escaped(what),
        escaped(facts),
        human_bytes(bytes)
    )
}

fn map(caption: &str, rows: &[String]) -> String {
    let shown = most(rows, 3);
    let caption =
        if caption.is_empty() { String::new() } else { format!("<caption>{}</caption>\n", escaped(caption)) };
    format!("<div class=\"table map\"><table>\n{caption}<tbody>\n{shown}</tbody>\n</table></div>\n")
}

/// The rows of ranges, with the gaps between them.
fn with_gaps<T>(
    ranges: &[T],
    bounds: impl Fn(&T) -> (u64, u64),
    row: impl Fn(&T) -> String,
    gap: impl Fn(&T) -> &'static str,
) -> Vec<String> {
    let mut rows = Vec::new();
    let mut end = None;
    for range in ranges {
        let (start, next) = bounds(range);
        if let Some(end) = end.filter(|end| *end < start) {
            rows.push(extent(Hex(end), "gap", start - end, gap(range), ""));
        }
        rows.push(row(range));
        end = Some(next);
    }
    rows
}

fn physical(report: &Report) -> String {
    let rows = with_gaps(
        &report.physical_memory,
        |memory| (memory.start.0, memory.end.0),
        |memory| {
            let facts = if matches!(memory.kind, "device" | "fixed") { memory.kind } else { "" };
            extent(memory.start, memory.kind, memory.end.0 - memory.start.0, &memory.purpose, facts)
        },
        |_| "not used",
    );
    map("", &rows)
}

fn address_space(space: &UserMemory) -> String {
    let rows = with_gaps(
        &space.ranges,
        |range| (range.start.0, range.end.0),
        |range| {
            let class = match (range.perms.contains('x'), range.perms.contains('w')) {
                (true, _) => "code",
                (false, true) => "data",
                (false, false) => "constant",
            };
            let cached = if range.cached { "" } else { ", uncached" };
            let large = if range.page_bytes > 0x1000 { ", large pages" } else { "" };
            // The caption names the program.
            let own = format!(" of {}", space.owner);
            let what = range.purpose.strip_suffix(own.as_str()).unwrap_or(&range.purpose);
            extent(
                range.start,
                class,
                range.end.0 - range.start.0,
                what,
                &format!("{}{cached}{large}", range.perms),
            )
        },
        |range| if range.purpose.starts_with("stack of ") { "guard" } else { "unmapped" },
    );
    map(&space.owner, &rows)
}

fn regions(report: &Report) -> String {
    if report.memory_regions.is_empty() {
        return String::new();
    }
    let rows: Vec<String> = report.memory_regions.iter().map(region).collect();
    "<h3>Memory regions</h3>\n".to_owned() + &list(&["Region", "Size", "Where", "Mapped by", "Line"], &rows)
}

fn region(region: &MemoryRegion) -> String {
    let contents = match (region.prefill, region.prefill_bytes) {
        (Some(_), Some(bytes)) => format!(", from a file of {}", human_bytes(bytes)),
        (Some(_), None) => ", boot information".to_owned(),
        _ => String::new(),
    };
    let place = match region.paddr {
        Some(paddr) => format!("<code>{paddr:x}</code>{}", if region.fixed { ", fixed" } else { "" }),
        None => "not in use".to_owned(),
    };
    let kind = if region.kind == "device" { "<small>device</small>" } else { "" };
    let maps = region.maps.iter().take(12).map(|map| {
        let cached = if map.cached { "" } else { " uncached" };
        format!("{} <small>{}{cached} at {:x}</small>", escaped(&map.pd), escaped(&map.perms), map.vaddr)
    });
    let more = match region.maps.len().saturating_sub(12) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    let pages = if region.page_bytes > 0x1000 {
        format!(", pages of {}", human_bytes(region.page_bytes))
    } else {
        String::new()
    };
    let name = escaped(&region.name) + kind;
    line(
        &name,
        [
            human_bytes(region.bytes) + &pages + &contents,
            place,
            maps.collect::<Vec<_>>().join(", ") + &more,
            line_of(&region.at).to_owned(),
        ],
    )
}
