//! Every error of the tool and the builder, verbatim: `tests/golden/<name>.txt`.
//!
//! `LIMEN_BLESS=1 cargo test -p microkit` rewrites the files. No error may create or change a file.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use object::elf::{EM_RISCV, EM_X86_64, ET_DYN, ET_REL, PF_R, PF_W, PF_X};
use support::test_elf::TestElf;
use support::{BASE, Workspace, golden};

/// Name of the golden file, the words after the options of [`BASE`], and a change to the workspace.
type Case = (&'static str, &'static str, fn(&Workspace));

const READ_WRITE: u32 = PF_R | PF_W;
const READ_EXECUTE: u32 = PF_R | PF_X;
const PC: &str = include_str!("../../builder/boards/x86_64_generic.toml");
const VIRT_RISCV: &str = include_str!("../../builder/boards/qemu_virt_riscv64.toml");
const DEBUG: &str = "sdk/board/qemu_virt_aarch64/debug";

#[test]
fn command_lines() {
    check_raw(&[
        ("cli-help", "--help", |_| {}),
        ("cli-nothing", "", |_| {}),
        ("cli-no-board", "one.system --config debug", |_| {}),
        ("cli-unknown-board", "one.system --board pdp11 --config debug", |_| {}),
        ("cli-unknown-config", "one.system --board qemu_virt_aarch64 --config fast", |_| {}),
        ("cli-misspelled-board", "one.system --board qemu_virt_arch64 --config debug", |_| {}),
        ("cli-misspelled-config", "one.system --board qemu_virt_aarch64 --config relase", |_| {}),
        ("cli-misspelled-option", "one.system --bord qemu_virt_aarch64 --config debug", |_| {}),
    ]);
    check(&[
        ("cli-unknown-option-first", "--bogus one.system", |_| {}),
        ("cli-unknown-option-last", "one.system --bogus=1", |_| {}),
        ("cli-older-capdl", "one.system --capdl graph.json", |_| {}),
        ("cli-unknown-letter", "-capdl one.system", |_| {}),
        ("cli-second-system", "one.system two.system", |_| {}),
        ("cli-search-path-is-greedy", "--search-path build one.system", |_| {}),
        ("cli-output-without-value", "one.system -o", |_| {}),
        ("cli-report-before-option", "one.system -r --search-path", |_| {}),
        ("cli-unknown-image-type", "one.system --image-type tape", |_| {}),
        ("cli-unsupported-image-type", "one.system --image-type uimage", |_| {}),
        ("cli-unknown-trace-group", "one.system --trace=entries,memery", |_| {}),
        ("cli-empty-trace-group", "one.system --trace=entries,", |_| {}),
        ("cli-trace-group-apart", "one.system --trace entries", |_| {}),
        ("cli-viper-folder-is-file", "one.system --viper-output one.elf", |_| {}),
        ("cli-viper-after-error", "one.system --viper-output new/folder -o nowhere/loader.img", |_| {}),
        ("cli-shared-output", "one.system -o x -r x", |_| {}),
        ("cli-output-is-directory", "one.system -o sdk", |_| {}),
        ("cli-output-directory-missing", "one.system -o nowhere/loader.img", |_| {}),
        ("cli-report-directory-missing", "one.system -r nowhere/report.txt", |_| {}),
    ]);
}

#[test]
fn several_processors() {
    const SMP: &str = "one.system --board qemu_virt_aarch64 --config smp-debug";
    fn on(workspace: &Workspace, attributes: &str, children: &str) {
        workspace.add_config("smp-debug");
        domain(workspace, attributes, children, "");
    }
    check_raw(&[
        ("cpu-not-in-configuration", "one.system --board qemu_virt_aarch64 --config debug", |w| {
            on(w, r#"cpu="1""#, "");
        }),
        ("cpu-not-on-board", SMP, |w| on(w, r#"cpu="4""#, "")),
        ("cpu-misspelled-config", "one.system --board qemu_virt_aarch64 --config smp-debgu", |w| {
            on(w, "", "")
        }),
        // Under the address of the second ring.
        ("cpu-map-over-trace", SMP, |w| {
            w.add_config("smp-debug");
            let children = "<trace vaddr=\"0x4000000\" />\n<map mr=\"shared\" vaddr=\"0x4200000\" />\n";
            domain(w, "", children, "<memory_region name=\"shared\" size=\"0x1000\" />\n");
        }),
    ]);
}

#[test]
fn incomplete_sdks() {
    check(&[
        ("sdk-missing", "one.system", |w| w.remove("sdk")),
        ("sdk-without-boards", "one.system", |w| w.remove("sdk/board")),
        ("sdk-board-file-missing", "one.system", |w| w.remove(&format!("{DEBUG}/board.toml"))),
        ("sdk-board-file-broken", "one.system", |w| w.write(&format!("{DEBUG}/board.toml"), "name = 1")),
        ("sdk-board-file-unknown-key", "one.system", |w| {
            let board = include_str!("../../builder/boards/qemu_virt_aarch64.toml");
            w.write(&format!("{DEBUG}/board.toml"), board.replace("[timer]", "[clock]"));
        }),
        ("sdk-board-file-impossible", "one.system", |w| {
            let board = include_str!("../../builder/boards/qemu_virt_aarch64.toml");
            w.write(&format!("{DEBUG}/board.toml"), board.replace("lines = 288", "lines = 100000"));
        }),
        ("sdk-kernel-missing", "one.system", |w| w.remove(&format!("{DEBUG}/elf/sel4.elf"))),
        ("sdk-loader-missing", "one.system", |w| w.remove(&format!("{DEBUG}/elf/loader.elf"))),
        ("sdk-monitor-missing", "one.system", |w| w.remove(&format!("{DEBUG}/elf/monitor.elf"))),
        ("kernel-not-elf", "one.system --override-kernel one.system", |_| {}),
        ("kernel-device", "one.system --override-kernel /dev/zero", |_| {}),
        ("sdk-board-file-device", "one.system", |w| {
            let board = format!("{DEBUG}/board.toml");
            w.remove(&board);
            symlink("/dev/zero", w.path(&board)).unwrap();
        }),
        ("kernel-unaligned", "one.system --override-kernel k.elf", |w| {
            elf(w, "k.elf", &TestElf::new(0x8010).segment(READ_EXECUTE, 0x8010, b"k", 1));
        }),
        ("kernel-two-zero-segments", "one.system --override-kernel k.elf", |w| {
            let kernel = TestElf::kernel().segment(READ_WRITE, 0x8000, &[], 0x1000);
            elf(w, "k.elf", &kernel);
        }),
        ("kernel-too-many-segments", "one.system --override-kernel k.elf", |w| {
            let kernel = TestElf::kernel();
            elf(w, "k.elf", &(0..3).fold(kernel, |k, n| k.segment(PF_R, 0x8000 + n * 0x1000, b"k", 1)));
        }),
        ("kernel-too-large", "one.system --override-kernel k.elf", |w| {
            let kernel = TestElf::new(0).segment(READ_EXECUTE, 0, b"kernel", 0x8000_0000);
            elf(w, "k.elf", &kernel);
        }),
        ("loader-entry", "one.system", |w| {
            elf(w, &format!("{DEBUG}/elf/loader.elf"), &TestElf { entry: 4, ..TestElf::loader() });
        }),
        ("loader-too-large", "one.system", |w| {
            let loader = TestElf::loader().segment(PF_R, 0x1_0000_0000, b"far", 3);
            elf(w, &format!("{DEBUG}/elf/loader.elf"), &loader);
        }),
    ]);
}

#[test]
fn descriptions() {
    check(&[
        ("system-missing", "two.system", |_| {}),
        ("system-misspelled", "onne.system", |_| {}),
        ("system-is-directory", "sdk", |_| {}),
        ("system-not-text", "one.system", |w| w.write("one.system", [0xff, 0xfe])),
        ("system-device", "/dev/zero", |_| {}),
        ("system-pipe", "pipe", |w| pipe(w, "pipe")),
        ("system-too-large", "one.system", |w| sparse(w, "one.system", (32 << 20) + 1)),
        ("system-many-errors", "one.system", |w| {
            let errors = "<map />\n".repeat(70);
            w.write("one.system", format!("<system>\n{errors}{errors}</system>\n"));
        }),
        ("system-two-errors", "one.system", |w| {
            w.write("one.system", r#"<system><protection_domain nam="a" priority="x" /></system>"#);
        }),
        ("irq-of-kernel", "one.system", |w| domain(w, "", "<irq irq=\"27\" id=\"0\" />\n", "")),
        ("irq-beyond-controller", "one.system", |w| domain(w, "", "<irq irq=\"288\" id=\"0\" />\n", "")),
        ("irq-between-processors", "one.system", |w| domain(w, "", "<irq irq=\"15\" id=\"0\" />\n", "")),
        ("irq-too-many", "one.system", many_irqs),
        ("system-wrong-period", "one.system", |w| domain(w, r#"budget="100" period="3600000001""#, "", "")),
        ("domains-share-device", "one.system", |w| {
            let uart = r#"<memory_region name="uart" size="0x1000" phys_addr="0x9000000" />"#;
            two_domains(w, r#"<map mr="uart" vaddr="0x1000000" cached="false" />"#, uart);
        }),
        ("domains-share-counter", "one.system", |w| two_domains(w, "<counter />", "")),
        ("key-symbol-missing", "one.system", |w| key(w, "missing")),
        ("key-symbol-misspelled", "one.system", |w| key(w, "half_wrod")),
        ("key-symbol-not-a-key", "one.system", |w| key(w, "half_word")),
        ("key-symbol-beyond-array", "one.system", |w| key(w, "word[1]")),
        ("key-symbol-writable", "one.system", |w| {
            elf(w, "one.elf", &TestElf { reads_keys: true, ..TestElf::program() });
            key(w, "word");
        }),
        ("key-site-jumps-elsewhere", "one.system", |w| {
            let mut program = TestElf::program().with_branches(1);
            program.key_sites[0][1] += 4;
            elf(w, "one.elf", &program);
        }),
        ("key-site-is-no-jump", "one.system", |w| {
            let mut program = TestElf::program().with_branches(1);
            program.segments[0].data[3] = 0x94;
            elf(w, "one.elf", &program);
        }),
        ("key-site-in-data", "one.system", |w| {
            let mut program = TestElf::program().with_branches(1);
            program.key_sites[0][0] = 0x20_1000;
            elf(w, "one.elf", &program);
        }),
        ("key-site-outside", "one.system", |w| {
            let mut program = TestElf::program().with_branches(1);
            program.key_sites[0][0] = 0x40_0000;
            elf(w, "one.elf", &program);
        }),
        ("key-site-without-key", "one.system", |w| {
            let mut program = TestElf::program().with_branches(1);
            program.key_sites[0][2] = 4;
            elf(w, "one.elf", &program);
        }),
        ("key-sites-too-many", "one.system", |w| {
            elf(w, "one.elf", &TestElf::program().with_branches(16385));
            key(w, "word");
        }),
        ("domains-notice-probe", "one.system", |w| two_domains(w, "<probe />", "")),
        ("domains-see-trace", "one.system", |w| two_domains(w, "<trace vaddr=\"0x4000000\" />", "")),
        ("trace-over-program", "one.system", |w| domain(w, "", "<trace vaddr=\"0x200000\" />\n", "")),
        ("domains-notice-key", "one.system", |w| {
            two_domains(w, r#"<key name="kernel.self_check" id="0" />"#, "");
        }),
        ("service-device", "one.system", |w| {
            let uart = "<memory_region name=\"m\" size=\"0x1000\" phys_addr=\"0x9000000\" />\n";
            domain(w, "", "<digest id=\"0\" region=\"m\" />\n", uart);
        }),
        ("service-uncached", "one.system", |w| {
            let map = "<map mr=\"m\" vaddr=\"0x1000000\" cached=\"false\" />\n";
            let children = format!("{map}<digest id=\"0\" region=\"m\" />\n");
            domain(w, "", &children, "<memory_region name=\"m\" size=\"0x1000\" />\n");
        }),
        ("service-too-large", "one.system", |w| {
            let log = "<memory_region name=\"m\" size=\"0x80200000\" page_size=\"0x200000\" />\n";
            domain(w, "", "<digest id=\"0\" region=\"m\" />\n", log);
        }),
        ("domains-share-key", "one.system", |w| {
            two_domains(w, r#"<key name="trace" id="0" />"#, r#"<static_key name="trace" />"#);
        }),
    ]);
}

#[test]
fn descriptions_for_a_pc() {
    check_raw(&[("irq-pin-beyond-controller", "one.system --board x86_64_generic --config debug", |w| {
        w.add_board("x86_64_generic", PC, EM_X86_64);
        domain(w, "", "<irq pin=\"24\" vector=\"0\" id=\"0\" />\n", "");
    })]);
}

#[test]
fn descriptions_for_riscv() {
    check_raw(&[("memory-beyond-image", "one.system --board qemu_virt_riscv64 --config debug", |w| {
        w.add_board("qemu_virt_riscv64", VIRT_RISCV, EM_RISCV);
        region(w, "0xfffffffff000", "0x1000000", "0x2000");
    })]);
}

#[test]
fn programs() {
    check(&[
        ("program-missing", "one.system --search-path sdk", |w| w.remove("one.elf")),
        ("program-device", "one.system", |w| image(w, r#"path_for_symbols="/dev/zero""#)),
        ("program-pipe", "one.system --search-path build", |w| {
            w.remove("one.elf");
            w.write("build/x", "");
            pipe(w, "build/one.elf");
        }),
        ("program-many-bytes", "one.system", |w| sparse(w, "one.elf", (1 << 30) + 1)),
        ("program-misspelled", "one.system --search-path build", |w| {
            w.remove("one.elf");
            w.write("build/noe.elf", "");
            w.write("build/one.o", "");
        }),
        ("program-symbols-missing", "one.system", |w| image(w, r#"path_for_symbols="two.elf""#)),
        ("program-symbols-not-elf", "one.system", |w| image(w, r#"path_for_symbols="one.system""#)),
        ("program-symbols-other-build", "one.system", |w| {
            let mut other = TestElf::program();
            other.segments[1].data[0x70] ^= 1;
            symbols_in(w, &other);
        }),
        ("program-symbols-other-id", "one.system", |w| {
            image(w, r#"path_for_symbols="two.elf""#);
            elf(w, "two.elf", &TestElf { build_id: Some(&[1, 2, 3, 4]), ..TestElf::program() });
            one(w, TestElf { build_id: Some(&[1, 2, 3, 5]), ..TestElf::program().stripped() });
        }),
        ("program-symbols-other-entry", "one.system", |w| {
            symbols_in(w, &TestElf { entry: 0x20_0002, ..TestElf::program() });
        }),
        ("program-symbols-other-segments", "one.system", |w| {
            symbols_in(w, &TestElf::program().segment(PF_R, 0x30_0000, b"more", 4));
        }),
        ("program-symbols-cut", "one.system", |w| {
            let mut other = TestElf::program();
            other.segments[1].data.truncate(0x10);
            symbols_in(w, &other);
        }),
        ("program-symbols-other-machine", "one.system", |w| {
            symbols_in(w, &TestElf { machine: EM_X86_64, ..TestElf::program() });
        }),
        ("program-symbols-stripped", "one.system", |w| symbols_in(w, &TestElf::program().stripped())),
        ("program-not-elf", "one.system", |w| w.write("one.elf", "#!/bin/sh")),
        ("program-empty", "one.system", |w| w.write("one.elf", "")),
        ("program-cut", "one.system", |w| w.write("one.elf", &TestElf::program().bytes()[..100])),
        ("program-other-machine", "one.system", |w| {
            one(w, TestElf { machine: EM_X86_64, ..TestElf::program() })
        }),
        ("program-object-file", "one.system", |w| one(w, TestElf { kind: ET_REL, ..TestElf::program() })),
        ("program-pie", "one.system", |w| one(w, TestElf { kind: ET_DYN, ..TestElf::program() })),
        ("program-without-segments", "one.system", |w| one(w, TestElf::new(0))),
        ("program-entry", "one.system", |w| one(w, TestElf { entry: 0x20_1000, ..TestElf::program() })),
        ("program-segments-overlap", "one.system", |w| {
            one(w, TestElf::program().segment(PF_R, 0x20_1080, b"over", 4));
        }),
        ("program-segments-share-page", "one.system", |w| {
            one(w, TestElf::program().segment(READ_WRITE, 0x20_0800, b"data", 4));
        }),
        ("program-segment-overflow", "one.system", |w| {
            one(w, TestElf::program().segment(PF_R, u64::MAX - 4, b"end", 8));
        }),
        ("program-segment-larger-in-file", "one.system", |w| {
            one(w, TestElf::program().segment(PF_R, 0x30_0000, b"file", 3));
        }),
        ("program-over-stack", "one.system", |w| {
            one(w, TestElf::program().segment(READ_WRITE, 0xff_ffff_b000, &[], 0x1001));
        }),
        ("ipc-buffer-over-program", "one.system", |w| one(w, with_buffer(0x20_1000))),
        ("ipc-buffer-over-stack", "one.system", |w| one(w, with_buffer(0xff_ffff_d000))),
        ("ipc-buffer-inside-page", "one.system", |w| one(w, with_buffer(0x1f_f800))),
        ("ipc-buffer-too-high", "one.system", |w| one(w, with_buffer(0x100_0000_0000))),
        ("program-too-large", "one.system", |w| {
            one(w, TestElf::program().segment(READ_WRITE, 0x1000_0000, &[], 0x6000_0000));
        }),
        ("program-under-map", "one.system", |w| region(w, "", "0x200000", "0x1000")),
        ("program-under-ring", "one.system", |w| ring(w, 0x20_1000)),
        ("ipc-buffer-over-ring", "one.system", |w| {
            one(w, with_buffer(0x40_0000));
            ring(w, 0x40_0000);
        }),
    ]);
}

/// A stripped program, with this file for its symbols.
fn symbols_in(workspace: &Workspace, file: &TestElf) {
    image(workspace, r#"path_for_symbols="two.elf""#);
    elf(workspace, "two.elf", file);
    one(workspace, TestElf::program().stripped());
}

/// A program that says where its IPC buffer is to be.
fn with_buffer(vaddr: u64) -> TestElf {
    TestElf::program().symbol("__sel4_ipc_buffer_obj", vaddr, 0)
}

#[test]
fn symbols() {
    check(&[
        ("symbol-of-library-missing", "one.system", |w| one(w, without(TestElf::program(), "microkit_name"))),
        ("program-stripped", "one.system", |w| {
            one(w, TestElf { symbols: Vec::new(), ..TestElf::program() });
        }),
        ("symbol-of-library-size", "one.system", |w| {
            one(w, without(TestElf::program(), "microkit_pps").symbol("microkit_pps", 0x20_1058, 4));
        }),
        ("symbol-of-library-outside", "one.system", |w| {
            one(w, without(TestElf::program(), "microkit_pps").symbol("microkit_pps", 0x40_0000, 8));
        }),
        ("symbol-of-monitor-missing", "one.system", |w| {
            elf(w, &format!("{DEBUG}/elf/monitor.elf"), &without(TestElf::monitor(), "pd_names"));
        }),
        ("setvar-symbol-missing", "one.system", |w| setvar(w, "missing")),
        ("setvar-symbol-misspelled", "one.system", |w| setvar(w, "wrod")),
        ("setvar-symbol-twice", "one.system", |w| {
            setvar(w, "word");
            one(w, TestElf::program().symbol("word", 0x20_1078, 8));
        }),
        ("setvar-symbol-size", "one.system", |w| setvar(w, "half_word")),
        ("setvar-symbol-function", "one.system", |w| {
            setvar(w, "eight_bytes_of_code");
            one(w, TestElf::program().function("eight_bytes_of_code", 0x20_0000, 8));
        }),
        ("setvar-symbols-overlap", "one.system", |w| {
            one(w, TestElf::program().symbol("alias", 0x20_106c, 8));
            let region = "<memory_region name=\"shared\" size=\"0x1000\" />\n";
            let set = |symbol| format!("<setvar symbol=\"{symbol}\" region_paddr=\"shared\" />\n");
            domain(w, "", &["alias", "word"].map(set).concat(), region);
        }),
        ("setvar-symbol-of-library", "one.system", |w| setvar(w, "microkit_pps")),
        ("setvar-symbol-outside", "one.system", |w| {
            setvar(w, "far");
            one(w, TestElf::program().symbol("far", 0x20_2ff9, 8));
        }),
    ]);
}

#[test]
fn memory() {
    check(&[
        ("memory-over-image", "one.system", |w| region(w, "0x70000000", "0x1000000", "0x1000")),
        ("memory-over-interrupt-controller", "one.system", |w| region(w, "0x8010000", "0x1000000", "0x1000")),
        ("memory-over-interrupt-end", "one.system", |w| region(w, "0x8011000", "0x1000000", "0x1000")),
        ("prefill-device", "one.system", |w| {
            let uart = "<memory_region name=\"m\" phys_addr=\"0x9000000\" prefill_path=\"one.elf\" size=\"0x10000\" />\n";
            domain(w, "", "<map mr=\"m\" vaddr=\"0x1000000\" />\n", uart);
        }),
        ("prefill-misspelled", "one.system --search-path files", |w| {
            w.write("files/parts/disc.bin", "disc");
            let region = "<memory_region name=\"m\" prefill_path=\"parts/disk.bin\" />\n";
            domain(w, "", "<map mr=\"m\" vaddr=\"0x1000000\" />\n", region);
        }),
        ("prefill-missing", "one.system --search-path sdk", |w| {
            let region = "<memory_region name=\"m\" prefill_path=\"disk.bin\" />\n";
            domain(w, "", "<map mr=\"m\" vaddr=\"0x1000000\" />\n", region);
        }),
        ("prefill-directory", "one.system", |w| {
            let region = "<memory_region name=\"m\" prefill_path=\"sdk\" />\n";
            domain(w, "", "<map mr=\"m\" vaddr=\"0x1000000\" />\n", region);
        }),
        ("prefill-device-file", "one.system", |w| prefill(w, "/dev/zero", "")),
        ("prefill-link-to-device", "one.system", |w| {
            symlink("/dev/zero", w.path("disk.bin")).unwrap();
            prefill(w, "disk.bin", "");
        }),
        ("prefill-pipe", "one.system", |w| {
            pipe(w, "disk.bin");
            prefill(w, "disk.bin", "");
        }),
        ("prefill-larger-than-region", "one.system", |w| {
            // The file is sparse: it takes no disk space, and must take no memory.
            sparse(w, "disk.bin", 1 << 40);
            prefill(w, "disk.bin", "size=\"0x1000\"");
        }),
        ("prefill-too-much", "one.system", |w| {
            sparse(w, "disk.bin", (1 << 30) + 1);
            prefill(w, "disk.bin", "");
        }),
        ("memory-too-many", "one.system", |w| {
            let maps: String = (0..1 << 16).map(|n| map(&format!("m{n}"), n)).collect();
            let region = |n| format!("<memory_region name=\"m{n}\" size=\"0x1000\" />\n");
            domain(w, "", &maps, &(0..1 << 16).map(region).collect::<String>());
        }),
        ("maps-too-many", "one.system", |w| {
            let maps: String = (0..1 << 16).map(|n| map("m", n)).collect();
            domain(w, "", &maps, "<memory_region name=\"m\" size=\"0x1000\" />\n");
        }),
        ("memory-partly-ram", "one.system", |w| region(w, "0x3ffff000", "0x1000000", "0x2000")),
        ("memory-outside-machine", "one.system", |w| region(w, "0xfffffff000", "0x1000000", "0x2000")),
        ("memory-region-too-large", "one.system", |w| region(w, "", "0x1000000", "0x70000000")),
        ("memory-without-rest", "one.system", |w| {
            // The largest free range, and the range below the loader.
            let regions = [("above", "0x4ffec000"), ("below", "0x10000000")];
            let (maps, regions): (String, String) = regions.iter().zip(1..).map(fixed_size).unzip();
            domain(w, "", &maps, &regions);
        }),
    ]);
}

fn prefill(workspace: &Workspace, path: &str, attributes: &str) {
    let region = format!("<memory_region name=\"m\" prefill_path=\"{path}\" {attributes} />\n");
    domain(workspace, "", &map("m", 0), &region);
}

/// A map of one page; `place` selects the address.
fn map(region: &str, place: u64) -> String {
    format!("<map mr=\"{region}\" vaddr=\"{:#x}\" />\n", 0x100_0000 + 0x1000 * place)
}

/// A sparse file.
fn sparse(workspace: &Workspace, name: &str, bytes: u64) {
    fs::File::create(workspace.path(name)).unwrap().set_len(bytes).unwrap();
}

/// A pipe without a writer.
fn pipe(workspace: &Workspace, name: &str) {
    assert!(Command::new("mkfifo").arg(workspace.path(name)).status().unwrap().success());
}

/// Runs cases with [`BASE`] before their words.
fn check(cases: &[Case]) {
    run_cases(cases, BASE);
}

fn check_raw(cases: &[Case]) {
    run_cases(cases, "");
}

fn run_cases(cases: &[Case], base: &str) {
    let mut wrong = String::new();
    for (name, words, prepare) in cases {
        let workspace = Workspace::new();
        prepare(&workspace);
        let line = format!("{base} {words}");
        let text = transcript(&workspace, line.trim());
        wrong += &golden::difference(&format!("{name}.txt"), &text);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The command, its exit code and output. Checks that the command changes no file.
fn transcript(workspace: &Workspace, line: &str) -> String {
    let before = workspace.files();
    let words: Vec<&str> = line.split_whitespace().collect();
    let output = workspace.run(&words);
    assert!(workspace.files() == before, "'{line}' has changed files");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let code = output.status.code().unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let explained = err.is_empty() || err.starts_with("microkit: error:") || err.contains("\nhelp: ");
    assert!(explained, "'{line}' does not say what to do:\n{err}");
    format!("$ microkit {line}\nexit {code}\n--- stdout\n{out}--- stderr\n{err}")
}

fn elf(workspace: &Workspace, name: &str, elf: &TestElf) {
    workspace.write(name, elf.bytes());
}

fn one(workspace: &Workspace, program: TestElf) {
    elf(workspace, "one.elf", &program);
}

fn without(mut program: TestElf, symbol: &str) -> TestElf {
    program.symbols.retain(|(name, ..)| *name != symbol);
    program
}

/// The system with one program, and extra attributes, children and elements.
fn domain(workspace: &Workspace, attributes: &str, children: &str, others: &str) {
    let text = format!(
        "<system>\n{others}<protection_domain name=\"one\" {attributes}>\n<program_image path=\"one.elf\" />\n\
         {children}</protection_domain>\n</system>\n"
    );
    workspace.write("one.system", text);
}

/// A system whose program has a key bound to a key of the system.
fn key(workspace: &Workspace, symbol: &str) {
    let bound = format!("<key name=\"trace\" symbol=\"{symbol}\" />\n");
    domain(workspace, "", &bound, "<static_key name=\"trace\" />\n");
}

/// A system with two scheduling domains, each with a protection domain that has these children.
fn two_domains(workspace: &Workspace, children: &str, others: &str) {
    let domain = |name: &str| {
        format!(
            "<protection_domain name=\"{name}\" domain=\"{name}\">\n<program_image path=\"one.elf\" />\n{children}\n\
             </protection_domain>\n"
        )
    };
    let schedule = "<domains>\n<domain name=\"a\" />\n<domain name=\"b\" />\n<domain_schedule>\n\
                    <schedule_entry domain=\"a\" duration=\"10 us\" />\n<schedule_entry domain=\"b\" duration=\"10 us\" />\n\
                    </domain_schedule>\n</domains>\n";
    let text = format!("<system>\n{schedule}{others}\n{}{}</system>\n", domain("a"), domain("b"));
    workspace.write("one.system", text);
}

fn image(workspace: &Workspace, attributes: &str) {
    let text = format!(
        "<system>\n<protection_domain name=\"one\">\n<program_image path=\"one.elf\" {attributes} />\n\
         </protection_domain>\n</system>\n"
    );
    workspace.write("one.system", text);
}

/// The system with one program and a mapped region; `paddr` may be empty.
fn region(workspace: &Workspace, paddr: &str, vaddr: &str, bytes: &str) {
    let fixed = if paddr.is_empty() { String::new() } else { format!("phys_addr=\"{paddr}\"") };
    let others = format!("<memory_region name=\"shared\" size=\"{bytes}\" page_size=\"0x1000\" {fixed} />\n");
    domain(workspace, "", &format!("<map mr=\"shared\" vaddr=\"{vaddr}\" />\n"), &others);
}

/// The system with one program that maps a ring.
fn ring(workspace: &Workspace, vaddr: u64) {
    domain(workspace, "", &format!("<probe ring_vaddr=\"{vaddr:#x}\" />\n"), "");
}

/// The map and the element of a region of small pages, each at a separate address.
fn fixed_size((&(name, bytes), place): (&(&str, &str), u64)) -> (String, String) {
    let vaddr = place << 32;
    (
        format!("<map mr=\"{name}\" vaddr=\"{vaddr:#x}\" />\n"),
        format!("<memory_region name=\"{name}\" size=\"{bytes}\" page_size=\"0x1000\" />\n"),
    )
}

/// Three programs with the maximum number of interrupts each.
fn many_irqs(workspace: &Workspace) {
    let irq = |id: u64, first: u64| format!("<irq irq=\"{}\" id=\"{id}\" />\n", first + id);
    let irqs = |first: u64| (0..62).map(|id| irq(id, first)).collect::<String>();
    let other = |(name, first): (&str, u64)| {
        format!(
            "<protection_domain name=\"{name}\">\n<program_image path=\"one.elf\" />\n{}</protection_domain>\n",
            irqs(first)
        )
    };
    domain(workspace, "", &irqs(156), &[("two", 32), ("three", 94)].map(other).concat());
}

fn setvar(workspace: &Workspace, symbol: &str) {
    let region = "<memory_region name=\"shared\" size=\"0x1000\" />\n";
    domain(workspace, "", &format!("<setvar symbol=\"{symbol}\" region_paddr=\"shared\" />\n"), region);
}
