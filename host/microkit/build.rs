//! Passes the target triple of the build to the tool.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-env=TARGET={}", std::env::var("TARGET").unwrap_or_default());
}
