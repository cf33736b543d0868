//! Selects how branches on keys are compiled, for measurements and for machines that cannot patch code.

/// Set by `xtask`: one of [`BUILDS`].
const VARIABLE: &str = "LIMEN_KEYS";
/// A patched instruction; a load, a test and a branch; a constant.
const BUILDS: [&str; 3] = ["patched", "fallback", "none"];
/// Instruction sets with a file in `src/arch`.
const PATCHED: [&str; 3] = ["aarch64", "riscv64", "x86_64"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed={VARIABLE}");
    println!("cargo:rustc-check-cfg=cfg(limen_keys, values(\"patched\", \"fallback\", \"none\"))");
    let architecture = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    // Miri executes no assembly.
    let is_patched = PATCHED.contains(&architecture.as_str()) && std::env::var_os("CARGO_CFG_MIRI").is_none();
    let usual = if is_patched { "patched" } else { "fallback" };
    let wanted = std::env::var(VARIABLE).unwrap_or_default();
    let build = BUILDS.iter().find(|build| **build == wanted).unwrap_or(&usual);
    println!("cargo:rustc-cfg=limen_keys=\"{build}\"");
}
