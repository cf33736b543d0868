//! Outputs of successful builds.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

mod support;

use std::os::unix::fs::symlink;
use std::path::Path;

use object::elf::{EM_AARCH64, EM_RISCV, EM_X86_64, PF_R};
use support::test_elf::TestElf;
use support::{BASE, ONE, SMP, Workspace, golden};

const PAIR: &str = r#"<system>
    <memory_region name="shared" size="0x200000" />
    <memory_region name="uart" size="0x1000" phys_addr="0x9000000" />
    <memory_region name="forgotten" size="0x1000" />
    <protection_domain name="client" priority="10" budget="100" period="400">
        <program_image path="one.elf" />
        <map mr="shared" vaddr="0x400000" setvar_vaddr="word" />
        <map mr="uart" vaddr="0x1000000" perms="r" cached="false" />
        <irq irq="33" id="4" />
        <digest id="0" pd="server" />
        <digest id="1" kernel="true" />
        <protection_domain name="child" id="7" priority="5">
            <program_image path="one.elf" />
        </protection_domain>
    </protection_domain>
    <protection_domain name="server" priority="20" passive="true">
        <program_image path="one.elf" />
        <setvar symbol="zero_word" region_paddr="shared" />
    </protection_domain>
    <channel><end pd="client" id="1" pp="true" /><end pd="server" id="2" /></channel>
</system>
"#;

/// The version appears once in the reports, and changes with releases.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs the tool, which must succeed, and returns its output.
fn succeed(workspace: &Workspace, line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let output = workspace.run(&words);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), error.as_str()), (Some(0), ""));
    String::from_utf8(output.stdout).unwrap()
}

fn pair() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("pair.system", PAIR);
    workspace
}

#[test]
fn reports_match_the_golden_files() {
    let workspace = pair();
    let printed = succeed(&workspace, &format!("pair.system {BASE} --capdl-json graph.json"));
    let text = |name| String::from_utf8(workspace.read(name)).unwrap().replacen(VERSION, "VERSION", 1);
    let wrong = golden::difference("success.txt", &printed)
        + &golden::difference("success.report.txt", &text("report.txt"))
        + &golden::difference("success.report.json", &text("report.json"))
        + &golden::difference("success.graph.json", &text("graph.json"));
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_system_on_several_processors_is_in_the_image_and_the_report() {
    let workspace = Workspace::new();
    workspace.add_config("smp-debug");
    workspace.write("p", workspace.read("one.elf"));
    workspace.write("spread.system", include_str!("spread.system"));
    succeed(&workspace, &format!("spread.system {SMP}"));
    let file = workspace.read("loader.img");
    let start = file.windows(8).position(|bytes| bytes == b"LIMENIMG").unwrap();
    let words = limen_image::words_of(&file[start..]);
    let image = limen_image::Image::validate(&words).unwrap();
    assert_eq!(image.processors(), 4);
    assert_eq!(image.threads().map(|thread| thread.processor).collect::<Vec<_>>(), [1, 2, 2, 3, 0, 0]);
    let text = |name| String::from_utf8(workspace.read(name)).unwrap().replacen(VERSION, "VERSION", 1);
    let wrong = golden::difference("spread.report.txt", &text("report.txt"))
        + &golden::difference("spread.report.json", &text("report.json"));
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_processor_has_the_slots_of_its_schedule_in_the_image_and_the_report() {
    let workspace = Workspace::new();
    workspace.add_config("smp-debug");
    workspace.write("p", workspace.read("one.elf"));
    workspace.write("spread.system", include_str!("spread_domains.system"));
    succeed(&workspace, &format!("spread.system {SMP}"));
    let file = workspace.read("loader.img");
    let start = file.windows(8).position(|bytes| bytes == b"LIMENIMG").unwrap();
    let words = limen_image::words_of(&file[start..]);
    let slots = limen_image::Image::validate(&words).unwrap().domain_schedule();
    let slots: Vec<_> = slots.map(|slot| (slot.processor, slot.domain, slot.duration_us)).collect();
    let expected = [
        (0, 0, 300),
        (0, 1, 100),
        (1, 0, 300),
        (1, 1, 100),
        (2, 1, 350),
        (2, 0, 50),
        (3, 0, 300),
        (3, 1, 100),
    ];
    assert_eq!(slots, expected);
    let text = String::from_utf8(workspace.read("report.txt")).unwrap().replacen(VERSION, "VERSION", 1);
    let wrong = golden::difference("spread_domains.report.txt", &text);
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn viper_files_list_the_rights_of_each_protection_domain() {
    let workspace = pair();
    succeed(&workspace, &format!("pair.system {BASE} --viper-output new/viper"));
    let wrong: String = ["client", "child", "server"]
        .map(|name| {
            let text = workspace.read(&format!("new/viper/{name}.vpr"));
            golden::difference(&format!("success.{name}.vpr"), &String::from_utf8(text).unwrap())
        })
        .concat();
    assert!(wrong.is_empty(), "{wrong}");
    succeed(&workspace, &format!("pair.system {BASE} --viper-output new/viper"));
}

#[test]
fn names_invalid_in_viper_are_changed() {
    let workspace = Workspace::new();
    let regions =
        r#"<memory_region name="dma/a" size="0x1000" /><memory_region name="dma a" size="0x1000" />"#;
    let maps = r#"<map mr="dma/a" vaddr="0x400000" /><map mr="dma a" vaddr="0x500000" perms="x" />
        <map mr="dma/a" vaddr="0x600000" perms="r" />"#;
    let text = ONE.replace("<system>", &format!("<system>{regions}")).replace("\"one\"", "\"../on e\"");
    workspace.write("one.system", text.replace("</prot", &format!("{maps}</prot")));
    succeed(&workspace, &format!("one.system {BASE} --viper-output viper"));
    let text = String::from_utf8(workspace.read("viper/.._on e.vpr")).unwrap();
    let expected = "define mem_dma_a_contains(x) (4194304 <= x && x < 4198400)
define mem_dma_a_2_contains(x) (5242880 <= x && x < 5246976)
define mem_dma_a_3_contains(x) (6291456 <= x && x < 6295552)
define mem_readable(x) (mem_dma_a_contains(x) || mem_dma_a_3_contains(x))
define f_mem_readable(heap,gv,x) (mem_readable(x))
define mem_writeable(x) (mem_dma_a_contains(x))
define f_mem_writeable(heap,gv,x) (mem_writeable(x))
";
    assert!(text.ends_with(expected), "{text}");
    let is_macro = |line: &str| line.starts_with("define ") && line.ends_with(')');
    assert!(text.starts_with("// ") && text.lines().skip(1).all(is_macro), "{text}");
}

#[test]
fn the_version_names_the_commit_of_the_sdk_around_the_tool() {
    let workspace = Workspace::new();
    let version = |commit: &str| format!("microkit {VERSION} (commit {commit}, {}-", std::env::consts::ARCH);
    let printed = succeed(&workspace, "--version --board");
    assert!(printed.starts_with(&version("unknown")), "{printed}");
    workspace.write("own/VERSION", "1.2.3\ncommit 0123456789ab-dirty\n");
    workspace.write("own/bin/microkit", "");
    let tool = workspace.path("own/bin/microkit");
    std::fs::copy(env!("CARGO_BIN_EXE_microkit"), &tool).unwrap();
    let output = std::process::Command::new(tool).arg("-V").output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.starts_with(&version("0123456789ab-dirty")), "{printed}");
}

#[test]
fn probable_mistakes_are_warnings() {
    let mut wrong = String::new();
    for (name, map) in [
        ("map-device-cached", r#"<map mr="uart" vaddr="0x1000000" />"#),
        ("map-device-executable", r#"<map mr="uart" vaddr="0x1000000" perms="rx" cached="false" />"#),
    ] {
        let workspace = pair();
        let text = PAIR.replace(r#"<map mr="uart" vaddr="0x1000000" perms="r" cached="false" />"#, map);
        workspace.write("pair.system", text.replace("forgotten", "unused"));
        let printed = succeed(&workspace, &format!("pair.system {BASE}"));
        let (warnings, _) = printed.split_once("MICROKIT|").unwrap();
        let (_, last) = warnings.split_once("[mr-unused]\n").unwrap();
        wrong += &golden::difference(&format!("{name}.txt"), last);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn cached_and_uncached_maps_of_one_region_are_warnings() {
    const SYSTEM: &str = r#"<system>
    <memory_region name="buffer" size="0x1000" />
    <memory_region name="uncached" size="0x1000" />
    <memory_region name="reversed" size="0x1000" />
    <memory_region name="device" size="0x1000" phys_addr="0x8_0000_0000" />
    <protection_domain name="driver">
        <program_image path="one.elf" />
        <map mr="buffer" vaddr="0x1000000" cached="false" />
        <map mr="uncached" vaddr="0x1001000" cached="false" />
        <map mr="reversed" vaddr="0x1002000" />
        <map mr="device" vaddr="0x1003000" cached="false" />
    </protection_domain>
    <protection_domain name="client">
        <program_image path="one.elf" />
        <map mr="uncached" vaddr="0x1001000" cached="false" />
        <map mr="device" vaddr="0x1003000" />
        <map mr="buffer" vaddr="0x1000000" perms="r" />
        <map mr="buffer" vaddr="0x1004000" />
        <map mr="reversed" vaddr="0x1002000" cached="false" />
    </protection_domain>
</system>
"#;
    let mut wrong = String::new();
    for (name, board, machine) in [
        ("qemu_virt_aarch64", include_str!("../../builder/boards/qemu_virt_aarch64.toml"), EM_AARCH64),
        ("qemu_virt_riscv64", include_str!("../../builder/boards/qemu_virt_riscv64.toml"), EM_RISCV),
        ("x86_64_generic", include_str!("../../builder/boards/x86_64_generic.toml"), EM_X86_64),
    ] {
        let workspace = Workspace::new();
        workspace.add_board(name, board, machine);
        workspace.write("mixed.system", SYSTEM);
        let printed = succeed(&workspace, &format!("mixed.system --board {name} --config debug"));
        let (warnings, _) = printed.split_once("MICROKIT|").unwrap();
        wrong += &golden::difference(&format!("map-cached-and-uncached-{name}.txt"), warnings);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn setting_a_constant_is_a_warning() {
    const SYSTEM: &str = r#"<system>
    <memory_region name="shared" size="0x1000" />
    <protection_domain name="one">
        <program_image path="one.elf" />
        <map mr="shared" vaddr="0x1000000" setvar_vaddr="word" setvar_size="limit" />
        <setvar symbol="origin" region_paddr="shared" />
    </protection_domain>
</system>
"#;
    let workspace = Workspace::new();
    workspace.write("constant.system", SYSTEM);
    let constants = [0; 0x40];
    let program = TestElf::program().segment(PF_R, 0x20_4000, &constants, 0x40);
    let program = program.symbol("limit", 0x20_4000, 8).symbol("origin", 0x20_4010, 8);
    workspace.write("one.elf", program.bytes());
    let printed = succeed(&workspace, &format!("constant.system {BASE}"));
    let (warnings, _) = printed.split_once("MICROKIT|").unwrap();
    let wrong = golden::difference("setvar-constant.txt", warnings);
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_incompatible_capdl_format_is_only_a_warning() {
    let workspace = Workspace::new();
    let printed = succeed(&workspace, &format!("one.system {BASE} --capdl-json graph.json"));
    let (warnings, _) = printed.split_once("MICROKIT|").unwrap();
    let wrong = golden::difference("capdl-form.txt", warnings);
    assert!(wrong.is_empty(), "{wrong}");
    assert!(workspace.path("loader.img").exists() && workspace.path("graph.json").exists());
    assert!(!succeed(&workspace, &format!("one.system {BASE}")).contains("WARNING"));
}

#[test]
fn outputs_are_reproducible() {
    let outputs = |_| {
        let workspace = pair();
        let pictures = "--html page.html --dot graph.dot --mermaid graph.mmd";
        succeed(&workspace, &format!("pair.system {BASE} --capdl-json graph.json {pictures}"));
        let reports = ["loader.img", "report.txt", "report.json", "graph.json"];
        [&reports[..], &["page.html", "graph.dot", "graph.mmd"]]
            .concat()
            .into_iter()
            .map(|name| workspace.read(name))
            .collect::<Vec<_>>()
    };
    assert!(outputs(1) == outputs(2));
}

#[test]
fn outputs_replace_older_ones_and_nothing_else_is_left() {
    let workspace = Workspace::new();
    let before = workspace.files().len();
    for _ in 0..2 {
        succeed(&workspace, &format!("one.system {BASE} -o out.img -r out.txt"));
        assert_eq!(workspace.files().len(), before + 3);
    }
    workspace.write("one.system", "<system />");
    let complete = workspace.files();
    let failed = workspace.run(&["one.system", "--board", "qemu_virt_aarch64", "--config", "debug"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(workspace.files() == complete);
}

#[test]
fn links_stay_links() {
    let workspace = Workspace::new();
    workspace.write("real.img", "old");
    symlink("real.img", workspace.path("link.img")).unwrap();
    succeed(&workspace, &format!("one.system {BASE} -o link.img -r report.json"));
    assert!(workspace.path("link.img").is_symlink());
    assert!(workspace.read("real.img").starts_with(b"loader"));
    assert!(workspace.read("report.json.json").starts_with(b"{"));
}

#[test]
fn nothing_is_written_beside_a_device() {
    let workspace = Workspace::new();
    let before = workspace.files();
    succeed(&workspace, &format!("one.system {BASE} -o /dev/null -r /dev/null"));
    assert!(workspace.files() == before && !Path::new("/dev/null.json").exists());
}

#[test]
fn old_board_names_are_directories_of_the_sdk() {
    let workspace = Workspace::new();
    symlink("qemu_virt_aarch64", workspace.path("sdk/board/qemu_arm_virt")).unwrap();
    succeed(&workspace, "one.system --board qemu_arm_virt --config release");
}

#[test]
fn older_descriptions_are_accepted_only_under_an_old_board_name() {
    let workspace = Workspace::new();
    symlink("qemu_virt_aarch64", workspace.path("sdk/board/qemu_arm_virt")).unwrap();
    workspace
        .write("older.system", ONE.replacen("<protection_domain ", "<protection_domain pp=\"true\" ", 1));
    let run = |board: &str| workspace.run(&["older.system", "--board", board, "--config", "release"]);
    let older = run("qemu_arm_virt");
    assert!(older.status.success() && String::from_utf8_lossy(&older.stdout).contains("[pd-older-pp]"));
    let now = run("qemu_virt_aarch64");
    assert_eq!(now.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&now.stderr).contains("invalid attribute 'pp'"));
}

#[test]
fn programs_come_from_the_first_search_path_that_has_them() {
    let workspace = Workspace::new();
    workspace.write("two/bad.elf", "not a program");
    workspace.write("one/bad.elf", workspace.read("one.elf"));
    workspace.write("one.system", ONE.replace("one.elf", "bad.elf"));
    succeed(&workspace, &format!("one.system {BASE} --search-path none one --search-path two"));
    let words = format!("one.system {BASE} --search-path two one");
    assert_eq!(workspace.run(&words.split(' ').collect::<Vec<_>>()).status.code(), Some(1));
}
