//! Writes the configuration headers of an SDK folder, which programs include and Makefiles read as text.
//!
//! An enabled option is `#define CONFIG_NAME  value` with two spaces, a disabled one is a comment: Makefiles of
//! existing projects take the value of `CONFIG_SEL4_ARCH` from the fourth field of its line.

use limen_abi::limits::{DOMAIN_SCHEDULE, DOMAINS};

use crate::check::binary::FloatAbi;
use crate::run::board::Board;
use crate::workspace::{base, is_smp};

/// The condition under which an option is enabled.
#[derive(Clone, Copy)]
enum When {
    Always,
    Never,
    /// In the debug configuration.
    Debug,
    /// In the benchmark configuration.
    Benchmark,
    /// In configurations for several processors.
    Smp,
    /// On one instruction set.
    On(&'static str),
    /// On RISC-V with the hard-float ABI.
    HardFloat,
    /// In the folder of a board's older name.
    OlderName,
}
use When::{Always, Benchmark, Debug, HardFloat, Never, OlderName, On, Smp};

impl When {
    fn holds(self, board: &Board, config: &str) -> bool {
        match self {
            Always => true,
            Never => false,
            Debug => base(config) == "debug",
            Benchmark => base(config) == "benchmark",
            Smp => is_smp(config),
            On(name) => board.architecture == name,
            HardFloat => board.float_abi() == Some(FloatAbi::Double),
            OlderName => board.renamed.is_some(),
        }
    }
}

/// An option: its name without `CONFIG_`, its value (empty for a plain flag), and where it is enabled.
type Row = (&'static str, &'static str, When);

/// Options of the kernel that programs and Makefiles test. [`kernel`] adds those that name the instruction set and the
/// platform.
const KERNEL: &[Row] = &[
    ("ARCH_AARCH64", "", On("aarch64")),
    ("ARCH_AARCH32", "", Never),
    ("ARCH_ARM_HYP", "", Never),
    ("ARCH_ARM", "", On("aarch64")),
    ("ARCH_ARM_V8A", "", On("aarch64")),
    ("ARCH_RISCV", "", On("riscv64")),
    ("ARCH_RISCV64", "", On("riscv64")),
    ("ARCH_RISCV32", "", Never),
    ("ARCH_X86", "", On("x86_64")),
    ("ARCH_X86_64", "", On("x86_64")),
    ("ARCH_IA32", "", Never),
    ("WORD_SIZE", "64", Always),
    ("KERNEL_MCS", "", Always),
    ("NUM_PRIORITIES", "256", Always),
    ("ENABLE_SMP_SUPPORT", "", Smp),
    ("HAVE_FPU", "", Always),
    ("RISCV_EXT_F", "", HardFloat),
    ("RISCV_EXT_D", "", HardFloat),
    ("DEBUG_BUILD", "", Debug),
    ("PRINTING", "", Debug),
    ("HARDWARE_DEBUG_API", "", Never),
    ("ENABLE_BENCHMARKS", "", Benchmark),
    ("BENCHMARK_TRACK_UTILISATION", "", Benchmark),
    ("BENCHMARK_TRACK_KERNEL_ENTRIES", "", Never),
    ("ARM_CORTEX_A53", "", On("aarch64")),
    ("ARM_HYPERVISOR_SUPPORT", "", Never),
    ("ALLOW_SMC_CALLS", "", On("aarch64")),
    ("AARCH64_USER_CACHE_ENABLE", "", On("aarch64")),
    ("L1_CACHE_LINE_SIZE_BITS", "6", Always),
    ("EXPORT_PCNT_USER", "", On("aarch64")),
    ("EXPORT_PTMR_USER", "", On("aarch64")),
    ("EXPORT_VCNT_USER", "", On("aarch64")),
    ("EXPORT_VTMR_USER", "", Never),
    ("EXPORT_PMU_USER", "", Benchmark),
    ("VTX", "", Never),
    ("IOMMU", "", Never),
    // What bindings of other languages ask besides: they take an option without a value here for a mistake of theirs.
    ("ARM_PA_SIZE_BITS_40", "", On("aarch64")),
    ("ARM_PA_SIZE_BITS_44", "", Never),
    ("AARCH64_VSPACE_S2_START_L1", "", Never),
    ("ARM_GIC_V3_SUPPORT", "", Never),
    ("ARM_SMMU", "", Never),
    ("TK1_SMMU", "", Never),
    ("DISABLE_WFI_WFE_TRAPS", "", Never),
    ("PT_LEVELS", "3", On("riscv64")),
    ("SYSCALL", "", On("x86_64")),
    ("SYSENTER", "", Never),
    ("FSGSBASE_INST", "", On("x86_64")),
    ("FSGSBASE_GDT", "", Never),
    ("FSGSBASE_MSR", "", Never),
    ("HUGE_PAGE", "", On("x86_64")),
    ("X86_64_VTX_64BIT_GUESTS", "", Never),
    ("KERNEL_X86_DANGEROUS_MSR", "", Never),
    ("SET_TLS_BASE_SELF", "", Never),
    ("MAX_NUM_BOOTINFO_UNTYPED_CAPS", "230", Always),
    ("RETYPE_FAN_OUT_LIMIT", "256", Always),
    ("FASTPATH", "", Always),
    ("SIGNAL_FASTPATH", "", Always),
    ("EXCEPTION_FASTPATH", "", Always),
    ("VERIFICATION_BUILD", "", Never),
    ("BINARY_VERIFICATION_BUILD", "", Never),
    ("DANGEROUS_CODE_INJECTION", "", Never),
    ("KERNEL_INVOCATION_REPORT_ERROR_IPC", "", Never),
    ("KERNEL_LOG_BUFFER", "", Never),
    ("BENCHMARK_GENERIC", "", Never),
    ("BENCHMARK_TRACEPOINTS", "", Never),
    ("COLOUR_PRINTING", "", Never),
    ("LIMEN", "", Always),
];

/// Platforms that existing programs distinguish.
const PLATFORMS: [&str; 4] = ["QEMU_ARM_VIRT", "QEMU_RISCV_VIRT", "HIFIVE", "PC99"];

/// Options of the programming interface.
const INTERFACE: [Row; 4] = [
    ("LIB_SEL4_INLINE_INVOCATIONS", "", Always),
    ("LIB_SEL4_PRINT_INVOCATION_ERRORS", "", Never),
    ("LIB_SEL4_PUBLIC_SYMBOLS", "", Never),
    ("LIB_LIMEN_OLDER_NAME", "", OlderName),
];

/// An option with its final value.
struct Setting {
    /// Without `CONFIG_`.
    name: String,
    /// Its value if it is enabled; empty for a plain flag.
    value: Option<String>,
}

impl Setting {
    fn enabled(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: Some(value.into()) }
    }

    fn flag(name: impl Into<String>, is_enabled: bool) -> Self {
        Self { name: name.into(), value: is_enabled.then(String::new) }
    }
}

/// The files of one board and configuration, with names relative to its `include` folder.
pub fn files(board: &Board, config: &str) -> [(&'static str, String); 4] {
    let kernel = kernel(board, config);
    let interface = decide(&INTERFACE, board, config);
    [
        ("kernel/gen_config.h", header("The kernel's build options.", &kernel)),
        ("kernel/gen_config.json", json(&kernel)),
        ("sel4/gen_config.h", header("The programming interface's build options.", &interface)),
        ("sel4/gen_config.json", json(&interface)),
    ]
}

fn kernel(board: &Board, config: &str) -> Vec<Setting> {
    let (architecture, platform) = (board.architecture.as_str(), board.platform.as_str());
    let family = match architecture {
        "aarch64" => "arm",
        "riscv64" => "riscv",
        _ => "x86",
    };
    let mut settings = vec![Setting::enabled("SEL4_ARCH", architecture), Setting::enabled("ARCH", family)];
    for name in ["aarch64", "riscv64", "x86_64"] {
        settings.push(Setting::flag(format!("SEL4_ARCH_{}", name.to_uppercase()), name == architecture));
    }
    settings.push(Setting::enabled("PLAT", platform.to_lowercase().replace('_', "-")));
    settings.push(Setting::flag(format!("PLAT_{platform}"), true));
    let others = PLATFORMS.iter().filter(|name| **name != platform);
    settings.extend(others.map(|name| Setting::flag(format!("PLAT_{name}"), false)));
    settings.extend(numbers(board, config));
    settings.extend(decide(KERNEL, board, config));
    settings
}

/// The limits of systems. A schedule also needs an end marker.
fn numbers(board: &Board, config: &str) -> impl Iterator<Item = Setting> {
    let processors = if is_smp(config) { usize::from(board.processors) } else { 1 };
    [("MAX_NUM_NODES", processors), ("NUM_DOMAINS", DOMAINS), ("NUM_DOMAIN_SCHEDULES", DOMAIN_SCHEDULE + 1)]
        .into_iter()
        .map(|(name, value)| Setting::enabled(name, value.to_string()))
}

fn decide(rows: &[Row], board: &Board, config: &str) -> Vec<Setting> {
    let decide = |(name, value, when): &Row| Setting {
        name: (*name).to_owned(),
        value: when.holds(board, config).then(|| (*value).to_owned()),
    };
    rows.iter().map(decide).collect()
}

fn header(sentence: &str, settings: &[Setting]) -> String {
    let line = |Setting { name, value }: &Setting| match value.as_deref() {
        Some("") => format!("#define CONFIG_{name}  1\n"),
        Some(value) => format!("#define CONFIG_{name}  {value}\n"),
        None => format!("/* disabled: CONFIG_{name} */\n"),
    };
    format!("/* {sentence} */\n#pragma once\n\n{}", settings.iter().map(line).collect::<String>())
}

fn json(settings: &[Setting]) -> String {
    let line = |Setting { name, value }: &Setting| match value.as_deref() {
        Some("") => format!("  \"{name}\": true"),
        Some(value) => format!("  \"{name}\": \"{value}\""),
        None => format!("  \"{name}\": false"),
    };
    format!("{{\n{}\n}}\n", settings.iter().map(line).collect::<Vec<_>>().join(",\n"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::run::board::BootProtocol;

    fn board(architecture: &str, platform: &str) -> Board {
        Board {
            name: "now".into(),
            aliases: vec!["older".into()],
            renamed: None,
            architecture: architecture.into(),
            platform: platform.into(),
            boot: BootProtocol::Loader,
            qemu: Vec::new(),
            qemu_smp: Vec::new(),
            processors: 4,
            variants: BTreeMap::new(),
            simulated: BTreeMap::new(),
            repeatable_with: Vec::new(),
            chosen: Vec::new(),
            is_simulated: false,
            file: "now.toml".into(),
        }
    }

    fn kernel_header(config: &str) -> String {
        header("", &kernel(&board("aarch64", "QEMU_ARM_VIRT"), config))
    }

    #[test]
    fn makefiles_find_the_instruction_set_in_the_fourth_field() {
        let text = kernel_header("debug");
        let line = text.lines().find(|line| line.contains("CONFIG_SEL4_ARCH  ")).unwrap();
        assert_eq!(line.split(' ').nth(3), Some("aarch64"));
    }

    #[test]
    fn only_debug_prints() {
        assert!(kernel_header("debug").contains("#define CONFIG_PRINTING  1\n"));
        assert!(kernel_header("release").contains("/* disabled: CONFIG_PRINTING */\n"));
        assert!(kernel_header("benchmark").contains("#define CONFIG_EXPORT_PMU_USER  1\n"));
    }

    #[test]
    fn headers_say_for_how_many_processors_they_are() {
        let one = kernel_header("debug");
        assert!(one.contains("#define CONFIG_MAX_NUM_NODES  1\n"));
        assert!(one.contains("/* disabled: CONFIG_ENABLE_SMP_SUPPORT */\n"));
        assert!(one.contains("#define CONFIG_NUM_DOMAINS  16\n"));
        assert!(one.contains("#define CONFIG_NUM_DOMAIN_SCHEDULES  100\n"));
        let several = kernel_header("smp-debug");
        assert!(several.contains("#define CONFIG_MAX_NUM_NODES  4\n"));
        assert!(several.contains("#define CONFIG_ENABLE_SMP_SUPPORT  1\n"));
        assert!(several.contains("#define CONFIG_NUM_DOMAINS  16\n"));
        assert!(several.contains("#define CONFIG_PRINTING  1\n"));
        assert!(kernel_header("smp-benchmark").contains("#define CONFIG_ENABLE_BENCHMARKS  1\n"));
    }

    #[test]
    fn flags_and_numbers_of_one_differ_in_json() {
        let text = json(&kernel(&board("aarch64", "QEMU_ARM_VIRT"), "release"));
        assert!(text.contains("\"KERNEL_MCS\": true"));
        assert!(text.contains("\"MAX_NUM_NODES\": \"1\""));
        assert!(text.contains("\"PRINTING\": false"));
    }

    #[test]
    fn older_names_have_the_options_of_their_sdks() {
        let now = board("riscv64", "QEMU_RISCV_VIRT");
        let older = now.under_older_names().remove(0);
        let text = |board| files(board, "debug").map(|(_, text)| text).concat();
        assert!(text(&now).contains("#define CONFIG_RISCV_EXT_D  1\n"));
        assert!(text(&now).contains("/* disabled: CONFIG_LIB_LIMEN_OLDER_NAME */\n"));
        assert!(text(&older).contains("/* disabled: CONFIG_RISCV_EXT_D */\n"));
        assert!(text(&older).contains("#define CONFIG_LIB_LIMEN_OLDER_NAME  1\n"));
    }
}
