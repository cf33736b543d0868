//! Estimates the cycles of a path with a model of a processor's pipeline: `./x bench --model`.
//!
//! The input is the instructions executed between the two counter reads of a sample, in the kernel and in programs. The
//! model, llvm-mca, knows neither caches nor the cost of a trap. Its results for the same instructions differ between
//! versions, so the version is the one with which the reference's figures were made.

use std::io::Write;
use std::process::{Command, Stdio};

use limen_report::Row;

use crate::bench::trace::{MOST_GIB, Recording};
use crate::failure::{Context, Failure, Outcome};
use crate::run::board::Board;
use crate::run::project::Project;
use crate::shell::files;
use crate::workspace::Workspace;

/// The model, and the disassembler of the same version.
pub const MODEL: &str = "llvm-mca-19";
const DISASSEMBLER: &str = "llvm-mc-19";

/// How often the model repeats a path. The figure is the mean, so the time to fill the pipeline has little weight.
const ITERATIONS: u64 = 20;

/// A path: its name in rows, the `bench` system and build that executes it, the row, and how often it is executed.
struct Path {
    params: &'static [(&'static str, &'static str)],
    system: &'static str,
    build: &'static str,
    row: &'static str,
    times: u64,
}

const PATHS: [Path; 6] = [
    Path {
        params: &[("path", "call"), ("server", "passive"), ("fpu", "off")],
        system: "bench/ppc",
        build: "FPU=off",
        row: "ppc_rt server=passive words=0 fpu=off",
        times: 1,
    },
    Path {
        params: &[("path", "call"), ("server", "passive"), ("fpu", "on")],
        system: "bench/ppc",
        build: "FPU=on",
        row: "ppc_rt server=passive words=0 fpu=on",
        times: 1,
    },
    Path {
        params: &[("path", "call"), ("server", "active"), ("fpu", "on")],
        system: "bench/ppc",
        build: "FPU=on",
        row: "ppc_rt server=active words=0 fpu=on",
        times: 1,
    },
    Path {
        params: &[("path", "notify"), ("server", "passive"), ("fpu", "on")],
        system: "bench/notify",
        build: "FPU=on",
        row: "notify_rt server=passive_hi fpu=on",
        times: 1,
    },
    Path {
        params: &[("path", "fault"), ("kind", "exception"), ("parent", "passive"), ("fpu", "on")],
        system: "bench/fault",
        build: "FPU=on",
        row: "fault_rt kind=exception parent=passive fpu=on",
        times: 1,
    },
    Path {
        params: &[("path", "cothread"), ("fpu", "off")],
        system: "bench/cothreads",
        build: "",
        row: "co_switch fpu=off",
        times: 2,
    },
];

/// The processors of an instruction set, by their names in the model.
const PROCESSORS: [(&str, &[&str]); 3] = [
    ("aarch64", &["cortex-a53", "cortex-a55", "cortex-a72"]),
    ("riscv64", &["sifive-u74"]),
    ("x86_64", &["skylake"]),
];

/// Instruction set extensions for the disassembler.
const EXTENSIONS: [(&str, &str); 3] =
    [("aarch64", "+fp-armv8,+neon"), ("riscv64", "+m,+a,+f,+d,+c"), ("x86_64", "+xsaveopt")];

/// A row for each path and processor of the board's instruction set.
///
/// # Errors
/// When a system does not run, or the model cannot be started.
pub fn rows(workspace: &Workspace, board: &Board) -> Outcome<Vec<Row>> {
    let processors =
        PROCESSORS.iter().find(|(name, _)| *name == board.architecture).map_or(&[][..], |(_, names)| names);
    let mut rows = Vec::new();
    let mut last: Option<(&str, &str, Recording)> = None;
    for path in PATHS.iter().filter(|path| path.can_be_told(&board.architecture)) {
        let recording = match last.take() {
            Some((system, build, recording)) if (system, build) == (path.system, path.build) => recording,
            _ => record(workspace, board, path)?,
        };
        let instructions =
            instructions(&recording, path, &board.architecture).context(|| path.row.to_owned())?;
        files::write(&workspace.path("build/model").join(path.file(board)), instructions.join("\n") + "\n")?;
        for processor in processors {
            let cycles =
                cycles(&instructions, &board.architecture, processor).context(|| path.row.to_owned())?;
            let params = path.params.iter().copied().chain([("processor", *processor)]);
            let params = params.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
            rows.push(Row::single("model_cycles", params, cycles * path.times));
        }
        last = Some((path.system, path.build, recording));
    }
    Ok(rows)
}

impl Path {
    /// Whether a trace can identify samples of the path. On x86_64, a switch of cothreads takes as many instructions as
    /// the code between its samples.
    fn can_be_told(&self, architecture: &str) -> bool {
        architecture != "x86_64" || !self.row.starts_with("co_switch")
    }

    /// The file that keeps its instructions for inspection.
    fn file(&self, board: &Board) -> String {
        let values: Vec<_> = self.params.iter().map(|(_, value)| *value).collect();
        format!("{}-{}.s", board.name, values.join("-"))
    }
}

fn record(workspace: &Workspace, board: &Board, path: &Path) -> Outcome<Recording> {
    eprintln!("tracing {} {}", path.system, path.build);
    let project = Project::locate(workspace, path.system)?;
    let build: Vec<_> = path.build.split_whitespace().map(str::to_owned).collect();
    Recording::of(workspace, board, &project, &build, MOST_GIB).context(|| path.system.to_owned())
}

/// The path in assembly, a line for each instruction.
fn instructions(recording: &Recording, path: &Path, architecture: &str) -> Outcome<Vec<String>> {
    let row = recording.rows.iter().find(|row| row.title() == path.row);
    let steps = row.and_then(|row| recording.sample(row));
    let steps = steps.ok_or_else(|| Failure::new("the trace has no sample of this row"))?;
    let code = |byte: &u8| format!("{byte:#04x}");
    let lines =
        steps.iter().map(|step| recording.code(*step).iter().map(code).collect::<Vec<_>>().join(" ") + "\n");
    let extensions =
        EXTENSIONS.iter().find(|(name, _)| *name == architecture).map_or("", |(_, extensions)| extensions);
    let triple = format!("--triple={architecture}");
    let arguments = ["--disassemble", &triple, &format!("--mattr={extensions}")];
    let (text, complaints) = piped(DISASSEMBLER, &arguments, &lines.collect::<String>())?;
    let assembly: Vec<_> =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && *line != ".text").map(jump).collect();
    if assembly.len() == steps.len() {
        return Ok(assembly);
    }
    Err(Failure::new(format!("{} of {} instructions were read\n{complaints}", assembly.len(), steps.len())))
}

/// The cycles of one iteration. Instructions that the model does not support are left out.
fn cycles(instructions: &[String], architecture: &str, processor: &str) -> Outcome<u64> {
    let mut lines = instructions.to_vec();
    let arguments = [
        format!("--mtriple={architecture}"),
        format!("--mcpu={processor}"),
        format!("--iterations={ITERATIONS}"),
    ];
    let arguments = arguments.each_ref().map(String::as_str);
    loop {
        let (text, complaints) = piped(MODEL, &arguments, &(lines.join("\n") + "\n"))?;
        if let Some(total) = total_cycles(&text) {
            return Ok((total + ITERATIONS / 2) / ITERATIONS);
        }
        let Some(unknown) =
            unsupported(&complaints).filter(|name| lines.iter().any(|line| mnemonic(line) == *name))
        else {
            return Err(Failure::new(format!("{MODEL} for {processor} prints no number\n{complaints}")));
        };
        lines.retain(|line| mnemonic(line) != unknown);
    }
}

/// Turns calls into jumps. The model assumes a hundred cycles for a call, because it does not know its target, and on
/// RISC-V treats each jump to a register as a call. Here both lead to the next line.
fn jump(line: &str) -> String {
    match mnemonic(line) {
        "bl" => line.replacen("bl", "b", 1),
        "blr" => line.replacen("blr", "br", 1),
        "callq" => line.replacen("callq", "jmp", 1),
        "jal" | "jalr" | "jr" => "j\t0".to_owned(),
        _ => line.to_owned(),
    }
}

fn mnemonic(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

fn total_cycles(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("Total Cycles:"))?.trim().parse().ok()
}

/// The model's complaints about an instruction that it cannot model.
const UNSUPPORTED: [&str; 2] = ["unsupported instruction", "unable to resolve scheduling class"];

/// The instruction of `note: instruction: sret`, with which the model reports an unsupported one.
fn unsupported(complaints: &str) -> Option<&str> {
    UNSUPPORTED.iter().any(|sentence| complaints.contains(sentence)).then_some(())?;
    complaints.lines().find_map(|line| line.split_once("instruction: ")?.1.split_whitespace().next())
}

/// The output and error output of a program for this input.
fn piped(program: &str, arguments: &[&str], input: &str) -> Outcome<(String, String)> {
    let cannot = || format!("cannot run {program}");
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context(cannot)?;
    let stdin = child.stdin.take();
    let output = std::thread::scope(|scope| {
        // A program that does not read all input reports why on its error output.
        scope.spawn(move || stdin.map(|mut stdin| _ = stdin.write_all(input.as_bytes())));
        child.wait_with_output()
    });
    let output = output.context(cannot)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((text(&output.stdout), text(&output.stderr)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_and_unsupported_instructions_are_found() {
        assert_eq!(total_cycles("Iterations:        20\nTotal Cycles:      412\n"), Some(412));
        let complaint =
            "error: found an unsupported instruction in the input.\nnote: instruction: \tsret\t\n";
        assert_eq!(unsupported(complaint), Some("sret"));
        let complaint =
            "error: unable to resolve scheduling class for write variant.\nnote: instruction: \tudf\t#0\n";
        assert_eq!(unsupported(complaint), Some("udf"));
        assert_eq!(unsupported("llvm-mca: error: unknown target"), None);
    }

    #[test]
    fn calls_become_jumps() {
        assert_eq!(
            ["bl\t#8168", "jalr\ta0", "ldp\tx0, x1, [x2]"].map(jump),
            ["b\t#8168", "j\t0", "ldp\tx0, x1, [x2]"]
        );
    }
}
