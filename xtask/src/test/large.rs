//! Large descriptions: how many instructions the tool executes for them, and whether that grows linearly.
//!
//! Each shape makes a description long in its own way. Twice as many elements may take little more than twice as many
//! instructions; a step that visits all elements for each element takes four times as many. Valgrind counts
//! instructions, so the machine and its load do not matter.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use limen_report::Row;

use crate::bench::footprint;
use crate::bench::measure::CONFIG;
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::{self, Board};
use crate::shell::concurrent;
use crate::shell::files;
use crate::test::suite::Verdict;
use crate::workspace::Workspace;

/// The name by which filters select these rows.
pub const NAME: &str = "bench/large";

/// The name of the test.
pub const TEST: &str = "large descriptions";

/// The numbers of elements, each twice the previous one.
const COUNTS: [u64; 3] = [1000, 2000, 4000];

/// The limit on the ratio, in tenths, of the second growth of instructions to the first. Linear growth gives 20,
/// quadratic 40.
const MOST_TENTHS: u64 = 25;

/// The program of every protection domain.
const PROGRAM: &str = "program.elf";

/// A way to make a description long.
struct Shape {
    name: &'static str,
    /// The text before the protection domains, for each number.
    outside: fn(u64) -> String,
    /// The text in a protection domain (first argument), for each number.
    inside: fn(u64, u64) -> String,
    /// The number of protection domains.
    domains: u64,
}

fn nothing(_: u64) -> String {
    String::new()
}

fn region(n: u64) -> String {
    format!("<memory_region name=\"region_{n}\" size=\"0x1000\" />\n")
}

fn map(region: &str, n: u64) -> String {
    format!("<map mr=\"{region}\" vaddr=\"{:#x}\" />\n", 0x1000_0000 + 0x1000 * n)
}

/// Text for the first protection domain only.
fn first(domain: u64, text: String) -> String {
    if domain == 0 { text } else { String::new() }
}

const SHAPES: [Shape; 16] = [
    Shape { name: "regions", outside: region, inside: |_, _| String::new(), domains: 1 },
    Shape {
        name: "regions_in_one_line",
        outside: |n| region(n).replace('\n', " "),
        inside: |_, _| String::new(),
        domains: 1,
    },
    Shape { name: "maps", outside: region, inside: |_, n| map(&format!("region_{n}"), n), domains: 1 },
    Shape {
        name: "maps_of_one_region",
        outside: |n| if n == 0 { region(0) } else { String::new() },
        inside: |domain, n| first((n + domain) % 4, map("region_0", n)),
        domains: 4,
    },
    Shape {
        name: "regions_between_domains",
        outside: |n| {
            let domains = "<domains><domain name=\"d0\" /><domain name=\"d1\" /><domain_schedule>\
                           <schedule_entry domain=\"d0\" duration=\"1000 us\" />\
                           <schedule_entry domain=\"d1\" duration=\"1000 us\" /></domain_schedule></domains>\n";
            region(n) + if n == 0 { domains } else { "" }
        },
        inside: |_, n| map(&format!("region_{n}"), n),
        domains: 2,
    },
    Shape {
        name: "holes_in_memory",
        outside: |n| {
            let paddr = 0x8000_0000 + 0x2000 * n;
            let fixed =
                format!("<memory_region name=\"fixed_{n}\" size=\"0x1000\" phys_addr=\"{paddr:#x}\" />\n");
            fixed + &region(n)
        },
        inside: |_, n| map(&format!("region_{n}"), 2 * n) + &map(&format!("fixed_{n}"), 2 * n + 1),
        domains: 1,
    },
    Shape {
        name: "files",
        outside: |n| format!("<memory_region name=\"region_{n}\" prefill_path=\"one.txt\" />\n"),
        inside: |_, n| map(&format!("region_{n}"), n),
        domains: 1,
    },
    Shape {
        name: "files_that_are_missing",
        outside: |n| format!("<memory_region name=\"region_{n}\" prefill_path=\"file_{n}.txt\" />\n"),
        inside: |_, _| String::new(),
        domains: 1,
    },
    Shape {
        name: "misspelled_regions",
        outside: region,
        inside: |_, n| map(&format!("regoin_{n}"), n),
        domains: 1,
    },
    Shape {
        name: "overlapping_regions",
        outside: |n| {
            format!("<memory_region name=\"region_{n}\" size=\"0x1000\" phys_addr=\"0x80000000\" />\n")
        },
        inside: |_, _| String::new(),
        domains: 1,
    },
    Shape {
        name: "interrupts",
        outside: nothing,
        inside: |_, n| format!("<irq irq=\"{}\" id=\"{}\" />\n", 32 + n, n % 62),
        domains: 1,
    },
    Shape {
        name: "keys",
        outside: |n| format!("<static_key name=\"key_{n}\" />\n"),
        inside: |_, n| format!("<key name=\"key_{n}\" id=\"{}\" />\n", n % 32),
        domains: 1,
    },
    Shape {
        name: "wipes",
        outside: |n| if n == 0 { region(0) } else { String::new() },
        inside: |_, n| {
            format!("<irq irq=\"{0}\" id=\"{0}\" /><wipe region=\"region_0\" irq=\"{0}\" />\n", n % 62)
        },
        domains: 1,
    },
    Shape {
        name: "channels",
        outside: |_| {
            "<channel><end pd=\"p1\" id=\"1\" /><end pd=\"nobody\" id=\"1\" /></channel>\n".to_owned()
        },
        inside: |_, _| String::new(),
        domains: 2,
    },
    Shape { name: "text", outside: |_| "<!-- a -->b".to_owned(), inside: |_, _| String::new(), domains: 1 },
    Shape {
        name: "unknown_elements",
        outside: |_| "<memory_regoin />\n".to_owned(),
        inside: |_, _| String::new(),
        domains: 1,
    },
];

impl Shape {
    /// A description with this many elements.
    fn description(&self, count: u64) -> String {
        let outside: String = (0..count).map(self.outside).collect();
        let has_schedule = outside.contains("<domains>");
        let domains = (0..self.domains).map(|domain| {
            let inside: String = (0..count).map(|n| (self.inside)(domain, n)).collect();
            let schedule = if has_schedule { format!(" domain=\"d{domain}\"") } else { String::new() };
            let image = format!("<program_image path=\"{PROGRAM}\" />");
            format!("<protection_domain name=\"p{domain}\"{schedule}>{image}\n{inside}</protection_domain>\n")
        });
        format!("<system>\n{outside}{}</system>\n", domains.collect::<String>())
    }
}

/// The tool's instructions for each shape and number of elements.
///
/// # Errors
/// When the tool or valgrind cannot be started.
pub fn rows(workspace: &Workspace, board: &Board) -> Outcome<Vec<Row>> {
    let folder = workspace.path("build/large");
    fs::create_dir_all(&folder).context(|| format!("cannot create {}", folder.display()))?;
    let program = footprint::smallest_program(workspace, board)?;
    fs::copy(&program, folder.join(PROGRAM)).context(|| format!("cannot copy {}", program.display()))?;
    files::write(&folder.join("one.txt"), "one")?;
    let tasks = SHAPES.iter().flat_map(|shape| COUNTS.map(|count| (shape, count))).collect();
    concurrent::try_map(tasks, |(shape, count)| {
        let name = format!("{}-{count}", shape.name);
        files::write(&folder.join(&name).with_extension("system"), shape.description(count))?;
        let params = [("shape", shape.name.to_owned()), ("elements", count.to_string())]
            .map(|(k, v)| (k.to_owned(), v));
        let count = instructions(workspace, board, &folder, &name)?;
        Ok(Row::single("tool_instructions", params.to_vec(), count))
    })
}

/// Checks that the tool's instructions grow linearly.
///
/// # Errors
/// When the tool or valgrind cannot be started.
pub fn run(workspace: &Workspace) -> Outcome<Verdict> {
    let rows = rows(workspace, &board::named(workspace, board::DEFAULT)?)?;
    let mut verdict = Verdict::default();
    for (shape, rows) in SHAPES.iter().zip(rows.chunks(COUNTS.len())) {
        let counts: Vec<_> = rows.iter().map(|row| row.median).collect();
        verdict.add(Verdict::single(is_proportional(shape.name, &counts)));
    }
    Ok(verdict)
}

fn is_proportional(shape: &str, counts: &[u64]) -> Outcome {
    let growth: Vec<_> = counts.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
    let is_even = growth.windows(2).all(|pair| pair[1] * 10 <= pair[0] * MOST_TENTHS);
    if is_even {
        return Ok(());
    }
    Err(Failure::new(format!(
        "descriptions of the shape {shape} with {COUNTS:?} elements take {counts:?} instructions: a step of the tool \
         visits every element for each of them"
    )))
}

/// The tool's instructions for a description, whether it accepts it or not.
fn instructions(workspace: &Workspace, board: &Board, folder: &Path, name: &str) -> Outcome<u64> {
    let [system, image, viper, log] =
        ["system", "img", "viper", "valgrind.txt"].map(|kind| folder.join(format!("{name}.{kind}")));
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    valgrind.arg(format!("--log-file={}", log.display())).arg(workspace.sdk().join("bin/microkit"));
    valgrind.arg(system).args(["--board", &board.name, "--config", CONFIG, "-o"]).arg(image);
    valgrind.arg("--viper-output").arg(viper).current_dir(folder).env("MICROKIT_SDK", workspace.sdk());
    valgrind.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    valgrind.status().context(|| "cannot start valgrind".to_owned())?;
    let text = files::read(&log)?;
    counted(&text).ok_or_else(|| Failure::new(format!("valgrind printed no count: {}", text.trim())))
}

/// The number in a line such as `==7== I   refs:      1,234`.
fn counted(log: &str) -> Option<u64> {
    let (_, number) = log.lines().find_map(|line| line.split_once("refs:"))?;
    number.trim().replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_read_from_a_log() {
        assert_eq!(counted("==7== Cachegrind\n==7== \n==7== I   refs:      1,234,567\n"), Some(1_234_567));
        assert_eq!(counted("==7== I refs:        89\n"), Some(89));
        assert_eq!(counted("killed"), None);
    }

    #[test]
    fn quadratic_growth_is_distinguished_from_linear() {
        let counts = |cost: fn(u64) -> u64| COUNTS.map(|count| 1_000_000 + cost(count)).to_vec();
        assert!(is_proportional("a", &counts(|n| 5000 * n)).is_ok());
        assert!(is_proportional("a", &counts(|n| 500 * n * u64::from(n.ilog2()))).is_ok());
        assert!(is_proportional("a", &counts(|_| 0)).is_ok());
        assert!(is_proportional("a", &counts(|n| 5000 * n + 5 * n * n)).is_err());
    }

    #[test]
    fn descriptions_have_the_requested_number_of_elements() {
        let text = SHAPES[3].description(4);
        assert_eq!((text.matches("<map ").count(), text.matches("<memory_region ").count()), (4, 1));
        assert_eq!(SHAPES[0].description(7).matches("<memory_region ").count(), 7);
    }
}
