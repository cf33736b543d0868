//! Links the loader to run at any page-aligned address.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=loader.ld");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        println!("cargo:rustc-link-arg-bins=-T{folder}/loader.ld");
        // A position-independent link turns every absolute address into a relocation. No code applies relocations, so
        // the linker script rejects them.
        println!("cargo:rustc-link-arg-bins=--pie");
        println!("cargo:rustc-link-arg-bins=--no-dynamic-linker");
    }
}
