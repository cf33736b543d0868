//! Tests of the finished SDK that need neither QEMU nor a kernel.

use std::fs;
use std::path::Path;
use std::process::Command;

use limen_report::Row;
use object::LittleEndian;
use object::elf::{DT_NEEDED, PT_INTERP};
use object::read::elf::{Dyn, ProgramHeader};

use crate::bench::counting::Counting;
use crate::bench::measure;
use crate::check::binary::{self, Elf, FloatAbi};
use crate::check::tidy;
use crate::failure::{Context, Failure, Outcome};
use crate::new::{self, Language};
use crate::profile;
use crate::run::board::{self, Board};
use crate::run::faults;
use crate::run::project::{Build, Project};
use crate::run::qemu::{self, Audience, Boot};
use crate::sdk::dist;
use crate::sdk::reproducible;
use crate::sdk::version;
use crate::shell::concurrent;
use crate::shell::files;
use crate::shell::process;
use crate::test::suite::Verdict;
use crate::workspace::Workspace;

type Test = fn(&Workspace) -> Outcome;

const TESTS: [Test; 13] = [
    linkers_tell_floating_point_abis_apart,
    cothread_objects_follow_their_options,
    cothreads_know_processors_by_names_in_any_case,
    links_of_documents_lead_somewhere,
    folders_with_the_same_last_part_are_built_apart,
    makefiles_report_wrong_variables,
    no_file_has_a_path_of_this_machine,
    the_tool_needs_no_library,
    a_new_project_builds_and_runs,
    so_does_one_in_rust,
    an_unpacked_archive_builds_and_boots,
    a_system_elsewhere_is_measured,
    a_profile_is_the_same_each_time,
];

/// Runs every test on the SDK in `build/sdk`.
pub fn run(workspace: &Workspace) -> Verdict {
    let verdicts = concurrent::map(TESTS.to_vec(), |test| Verdict::single(test(workspace)));
    let mut verdict = Verdict::default();
    verdicts.into_iter().for_each(|single| verdict.add(single));
    verdict
}

/// Every link in the SDK's documents leads to a file of the SDK.
fn links_of_documents_lead_somewhere(workspace: &Workspace) -> Outcome {
    let dead = tidy::dead_links_below(&workspace.sdk())?;
    let list = dead.iter().map(|objection| format!("\n  {objection}")).collect::<String>();
    if dead.is_empty() { Ok(()) } else { Err(Failure::new(format!("documents of the SDK:{list}"))) }
}

/// An archive works in a folder unrelated to the one where it was built.
fn an_unpacked_archive_builds_and_boots(workspace: &Workspace) -> Outcome {
    let folder = workspace.path("build/sdk-tests");
    let archive = dist::pack(workspace, &folder.join("dist"))?;
    dist::try_out(workspace, &archive, &folder.join("unpacked"))
}

/// Measures a copy of an example in a folder outside the repository.
fn a_system_elsewhere_is_measured(workspace: &Workspace) -> Outcome {
    let top = std::env::temp_dir().join(format!("limen-bench-{}", std::process::id()));
    files::mirror(&workspace.path("examples/measure"), &top, &std::collections::BTreeSet::new())?;
    let board = board::named(workspace, board::DEFAULT)?;
    let measured = Project::typed(workspace, &top.display().to_string()).and_then(|project| {
        let project = project.ok_or_else(|| Failure::new("a folder with a Makefile is no project"))?;
        measure::of_project(workspace, &board, &project, "debug", false, Counting::Off)
    });
    fs::remove_dir_all(&top).context(|| format!("cannot remove {}", top.display()))?;
    let rows = measured?.rows;
    let titles: Vec<_> = rows.iter().map(Row::title).collect();
    let is_exact = rows.iter().all(|row| row.n == 8 && row.min == row.max && row.median > 0);
    if titles == ["sum words=0", "sum words=4", "sum words=16"] && is_exact {
        return Ok(());
    }
    Err(Failure::new(format!("the rows of examples/measure are {rows:?}")))
}

/// Profiles a system twice. Its functions are known, in programs and in the kernel.
fn a_profile_is_the_same_each_time(workspace: &Workspace) -> Outcome {
    let board = board::named(workspace, board::DEFAULT)?;
    let project = Project::locate(workspace, "examples/measure")?;
    let image = project.build(workspace, &Build { board: &board, config: "debug", variables: &[] })?;
    let (audience, silence) = (Audience::Nobody, Some(qemu::SILENCE));
    let boot = Boot { board: &board, image: &image, extra: &qemu::DETERMINISTIC, audience, silence };
    let profiled = || {
        let symboliser = faults::symboliser(workspace, &board, "debug", &image);
        let profiled = profile::run(workspace, &boot, "measure", symboliser, |_| false)?;
        profiled.session.ending.outcome()?;
        Ok::<_, Failure>(profiled.text)
    };
    let (first, second) = (profiled()?, profiled()?);
    let known = ["client", "server", "protected", "limen_core::"];
    if first == second && known.iter().all(|name| first.contains(name)) {
        return Ok(());
    }
    Err(Failure::new(format!("two profiles of examples/measure:\n{first}\n{second}")))
}

/// A path would make the SDK differ between machines.
fn no_file_has_a_path_of_this_machine(workspace: &Workspace) -> Outcome {
    let leaks = reproducible::leaks(workspace, &workspace.sdk())?;
    let list = leaks.iter().map(|file| format!("\n  {}", file.display())).collect::<String>();
    if leaks.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("files of the SDK with a path of this machine:{list}")))
}

/// The tool runs on every Linux of its instruction set.
fn the_tool_needs_no_library(workspace: &Workspace) -> Outcome {
    let is_dynamic = |elf: &Elf<'_>| {
        elf.elf_program_headers().iter().try_fold(false, |found, header| {
            let entries = header.dynamic(LittleEndian, elf.data())?.unwrap_or_default();
            let needs_library = entries.iter().any(|entry| entry.tag32(LittleEndian) == Some(DT_NEEDED));
            Ok::<_, object::Error>(found || needs_library || header.p_type(LittleEndian) == PT_INTERP)
        })
    };
    if cfg!(target_os = "linux")
        && binary::read(&workspace.sdk().join("bin/microkit"), is_dynamic)? != [false]
    {
        return Err(Failure::new("bin/microkit is linked dynamically: it needs a linker or a library"));
    }
    Ok(())
}

fn a_new_project_builds_and_runs(workspace: &Workspace) -> Outcome {
    builds_and_runs(workspace, "greeter", Language::C)
}

fn so_does_one_in_rust(workspace: &Workspace) -> Outcome {
    builds_and_runs(workspace, "greeter_in_rust", Language::Rust)
}

/// A new project builds and runs without changes. Tests run beside each other, so each has a folder of its own.
fn builds_and_runs(workspace: &Workspace, name: &str, language: Language) -> Outcome {
    let folder = workspace.path("build/sdk-tests").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).context(|| format!("cannot remove {}", folder.display()))?;
    }
    new::create(workspace, &folder, language)?;
    if new::create(workspace, &folder, language).is_ok() {
        return Err(Failure::new("`./x new` did not refuse an existing folder"));
    }
    let mut make = Command::new("make");
    for variable in ["BUILD_DIR", "MICROKIT_SDK", "MICROKIT_BOARD", "MICROKIT_CONFIG"] {
        make.env_remove(variable);
    }
    process::capture(make.arg("--no-print-directory").arg("-C").arg(&folder))?;
    let board = board::named(workspace, board::DEFAULT)?;
    let image = folder.join("build").join(&board.name).join("debug/loader.img");
    let silence = Some(qemu::SILENCE);
    let session = Boot { board: &board, image: &image, extra: &[], audience: Audience::Nobody, silence }
        .run(|_| false)?;
    session.ending.outcome()?;
    let banner = format!("Limen {} on ", version::NUMBER);
    if session.lines.iter().any(|line| line.starts_with(&banner)) {
        return Ok(());
    }
    Err(Failure::new(format!("the kernel does not start with the line '{banner}...'")))
}

/// Builds two projects outside the repository, both called `app`. The path of one contains a space.
fn folders_with_the_same_last_part_are_built_apart(workspace: &Workspace) -> Outcome {
    let top = std::env::temp_dir().join(format!("limen-sdk-tests-{}", std::process::id()));
    let outcome = build_alike(workspace, &top);
    fs::remove_dir_all(&top).context(|| format!("cannot remove {}", top.display()))?;
    outcome
}

fn build_alike(workspace: &Workspace, top: &Path) -> Outcome {
    let board = board::named(workspace, board::DEFAULT)?;
    let mut images = Vec::new();
    for parent in ["first", "the second"] {
        let folder = top.join(parent).join("app");
        new::create(workspace, &folder, Language::C)?;
        let program = folder.join("app.c");
        files::write(&program, files::read(&program)?.replace("Hello from", &format!("This is {parent},")))?;
        let project = Project::locate(workspace, &folder.to_string_lossy())?;
        let image = project.build(workspace, &Build { board: &board, config: "debug", variables: &[] })?;
        images.push((parent, project, image));
    }
    for (parent, project, image) in images {
        let contents = fs::read(&image).context(|| format!("cannot read {}", image.display()))?;
        let text = format!("This is {parent},");
        if !contents.windows(text.len()).any(|window| window == text.as_bytes()) {
            return Err(Failure::new(format!("{} has the program of another project", image.display())));
        }
        let output = workspace.path("build/systems").join(&project.name);
        fs::remove_dir_all(&output).context(|| format!("cannot remove {}", output.display()))?;
    }
    Ok(())
}

/// Wrong values of Makefile variables, and the expected messages.
const WRONG: [(&str, &str); 5] = [
    ("MICROKIT_SDK=/nowhere", "MICROKIT_SDK=/nowhere is not an SDK: /nowhere/bin/microkit does not exist; "),
    ("MICROKIT_SDK=/no where", "MICROKIT_SDK must be given, as one word without spaces."),
    ("MICROKIT_CONFIG=", "MICROKIT_CONFIG must be given, as one word without spaces."),
    ("MICROKIT_BOARD=pdp11", "the SDK has no board 'pdp11'; it has: hifive_unleashed "),
    (
        "MICROKIT_CONFIG=fast",
        "board 'qemu_virt_aarch64' has no configuration 'fast'; \
         it has: benchmark debug release smp-benchmark smp-debug smp-release.",
    ),
];

/// Makefiles report them in one sentence before a compiler runs. Each example has the check, because it may be copied
/// alone.
fn makefiles_report_wrong_variables(workspace: &Workspace) -> Outcome {
    let output = workspace.path("build/sdk-tests/wrong");
    for project in Project::on_shelf(workspace, "examples")? {
        for (assignment, sentence) in WRONG {
            let mut make = Command::new("make");
            make.arg("--no-print-directory").arg("-C").arg(&project.folder).env("LC_ALL", "C");
            make.arg(format!("BUILD_DIR={}", output.display()));
            make.arg(format!("MICROKIT_SDK={}", workspace.sdk().display()));
            make.arg(format!("MICROKIT_BOARD={}", board::DEFAULT))
                .args(["MICROKIT_CONFIG=debug", assignment]);
            let said =
                process::capture(&mut make).err().map(|failure| failure.to_string()).unwrap_or_default();
            let lines: Vec<_> = said.lines().skip(1).collect();
            if output.exists() || lines.len() != 1 || !lines[0].contains(&format!(" *** {sentence}")) {
                let failure =
                    format!("make {assignment} in {} does not say '{sentence}'\n{said}", project.name);
                return Err(Failure::new(failure));
            }
        }
    }
    Ok(())
}

/// In a shared build folder, programs with different options get the same objects as in a new folder.
fn cothread_objects_follow_their_options(workspace: &Workspace) -> Outcome {
    let folder = workspace.path("build/sdk-tests/cothreads");
    if folder.exists() {
        fs::remove_dir_all(&folder).context(|| format!("cannot remove {}", folder.display()))?;
    }
    for (options, cothreads) in [("three", 3), ("four", 4)] {
        write_options(&folder.join(options), cothreads)?;
    }
    let [three, four, again] =
        ["three", "four", "three"].map(|options| cothread_object(workspace, &folder, options));
    let three = three?;
    if three == four? {
        return Err(Failure::new("a program with other options got the previous program's objects"));
    }
    if three != again? {
        return Err(Failure::new("the same options gave a different object"));
    }
    write_options(&folder.join("three"), 5)?;
    if three == cothread_object(workspace, &folder, "three")? {
        return Err(Failure::new("the object did not change with the contents of the options"));
    }
    let archive = folder.join("output/libmicrokitco/libmicrokitco.a");
    let members = process::capture(Command::new("llvm-ar").arg("t").arg(&archive))?;
    if members != "libmicrokitco_aarch64-none-elf.o\n" {
        return Err(Failure::new(format!("{} holds: {members}", archive.display())));
    }
    Ok(())
}

/// Projects spell processor names as vendors do.
fn cothreads_know_processors_by_names_in_any_case(workspace: &Workspace) -> Outcome {
    let folder = workspace.path("build/sdk-tests/cothreads_tuned");
    write_options(&folder.join("options"), 3)?;
    for (target, cpu) in
        [("aarch64-none-elf", "Cortex-A53"), ("x86_64-none-elf", "Nehalem"), ("riscv64-none-elf", "medany")]
    {
        let folder = folder.join(target);
        build_cothreads(workspace, &folder, &folder.join("../options"), target, cpu)?;
    }
    Ok(())
}

fn write_options(folder: &Path, cothreads: u32) -> Outcome {
    let text = format!("#define LIBMICROKITCO_MAX_COTHREADS {cothreads}\n");
    files::write(&folder.join("libmicrokitco_opts.h"), text)
}

/// Builds the cothread library and removes its object, as projects do that build it several times.
fn cothread_object(workspace: &Workspace, folder: &Path, options: &str) -> Outcome<Vec<u8>> {
    let output = folder.join("output");
    build_cothreads(workspace, &output, &folder.join(options), "aarch64-none-elf", "cortex-a53")?;
    let object = output.join("libmicrokitco/libmicrokitco_aarch64-none-elf.o");
    let contents = fs::read(&object).context(|| format!("cannot read {}", object.display()))?;
    fs::remove_file(&object).context(|| format!("cannot remove {}", object.display()))?;
    Ok(contents)
}

/// Builds the cothread library for the first board of the target's instruction set.
fn build_cothreads(workspace: &Workspace, output: &Path, options: &Path, target: &str, cpu: &str) -> Outcome {
    let boards = board::all(workspace)?;
    let board = boards.iter().find(|board| target.starts_with(&board.architecture));
    let board = board.ok_or_else(|| Failure::new(format!("there is no board for {target}")))?;
    let library = workspace.sdk().join("libmicrokitco");
    let mut make = Command::new("make");
    make.arg("--no-print-directory").arg("-f").arg(library.join("Makefile"));
    make.arg(format!("LIBMICROKITCO_PATH={}", library.display()));
    make.arg(format!("LIBMICROKITCO_OPT_PATH={}", options.display()));
    make.arg(format!("MICROKIT_SDK={}", workspace.sdk().display()));
    make.arg(format!("MICROKIT_BOARD={}", board.name)).args(["MICROKIT_CONFIG=debug", "LLVM=1"]);
    make.arg(format!("BUILD_DIR={}", output.display()));
    process::capture(make.arg(format!("TARGET={target}")).arg(format!("CPU={cpu}"))).map(drop)
}

/// The smallest program that links with the library.
const PROGRAM: &str =
    "#include <microkit.h>\nvoid init(void) {}\nvoid notified(microkit_channel ch) { (void)ch; }\n";

/// Each compiler with its linker.
const TOOLCHAINS: [(&str, &str); 2] = [
    ("clang -target riscv64-none-elf", "ld.lld"),
    ("riscv64-unknown-elf-gcc -fno-pic", "riscv64-unknown-elf-ld"),
];

/// Programs link only with the library of their own floating-point ABI.
fn linkers_tell_floating_point_abis_apart(workspace: &Workspace) -> Outcome {
    let folder = workspace.path("build/sdk-tests");
    files::write(&folder.join("program.c"), PROGRAM)?;
    for board in board::all_names(workspace)? {
        let Some(own) = board.float_abi() else { continue };
        for (compiler, linker) in TOOLCHAINS {
            for abi in [FloatAbi::Soft, FloatAbi::Double] {
                compile(workspace, &folder, &board, compiler, abi)?;
                let linked = link(workspace, &folder, &board, linker);
                judge(abi == own, linked)
                    .context(|| format!("a program for {abi:?} with {linker} on {}", board.name))?;
            }
        }
    }
    Ok(())
}

fn judge(is_wanted: bool, linked: Outcome) -> Outcome {
    match linked {
        Err(failure) if is_wanted => Err(failure),
        Ok(()) if !is_wanted => Err(Failure::new("it linked, although it has another floating-point ABI")),
        _ => Ok(()),
    }
}

fn compile(workspace: &Workspace, folder: &Path, board: &Board, compiler: &str, abi: FloatAbi) -> Outcome {
    let flags = match abi {
        FloatAbi::Soft => ["-march=rv64imac", "-mabi=lp64"],
        FloatAbi::Double => ["-march=rv64imafdc", "-mabi=lp64d"],
    };
    let include = workspace.sdk().join("board").join(&board.name).join("debug/include");
    let mut words = compiler.split(' ');
    let mut compile = Command::new(words.next().unwrap_or_default());
    compile.args(words).args(flags).args(["-mcmodel=medany", "-ffreestanding", "-O2", "-c"]);
    compile.arg("-I").arg(include).arg(folder.join("program.c"));
    process::capture(compile.arg("-o").arg(folder.join("program.o"))).map(drop)
}

fn link(workspace: &Workspace, folder: &Path, board: &Board, linker: &str) -> Outcome {
    let library = workspace.sdk().join("board").join(&board.name).join("debug/lib");
    let mut link = Command::new(linker);
    link.arg("-L").arg(library).arg(folder.join("program.o")).args(["-lmicrokit", "-Tmicrokit.ld"]);
    process::capture(link.arg("-o").arg(folder.join("program.elf"))).map(drop)
}
