//! Links the kernel at its virtual addresses.

/// The load address in the kernel's file: physical where a boot loader reads the file, virtual where Limen's own loader
/// places it.
const LOAD_ADDRESSES: [(&str, &str); 2] = [("x86_64", "0x200000"), ("", "KERNEL_BASE")];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=kernel.ld");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        let architecture = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
        let address = LOAD_ADDRESSES.iter().find(|(name, _)| name.is_empty() || *name == architecture);
        let address = address.map_or("0", |(_, address)| address);
        println!("cargo:rerun-if-changed=src/arch/{architecture}/order.ld");
        println!("cargo:rustc-link-arg-bins=-L{folder}/src/arch/{architecture}");
        println!("cargo:rustc-link-arg-bins=-T{folder}/kernel.ld");
        println!("cargo:rustc-link-arg-bins=--defsym=LOAD_ADDRESS={address}");
        println!("cargo:rustc-link-arg-bins=-zmax-page-size=0x1000");
    }
}
