//! Rules for architecture ports: where code may test the target architecture, and which files a port has.

use std::collections::{BTreeMap, BTreeSet};

use super::{Objection, Rule, SourceFile};

pub(super) const RULES: &[Rule] = &[questions_stay_in_arch, ports_have_the_same_files];

const PORTS: [&str; 3] = ["kernel/platform/src/arch/", "kernel/entry/src/arch/", "user/limen/src/arch/"];

fn questions_stay_in_arch(files: &[SourceFile]) -> Vec<Objection> {
    let rust = files.iter().filter(|file| file.has_ending(&["rs"]) && !file.path.starts_with("xtask/"));
    let portable = rust.filter(|file| !file.path.split('/').any(|part| part == "arch" || part == "arch.rs"));
    portable
        .flat_map(|file| {
            let asking = file.text.lines().enumerate().filter(|(_, line)| line.contains("target_arch"));
            asking
                .map(|(index, _)| file.object(index + 1, "only arch/ may test target_arch"))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Checks that no port lacks a file that all others have. A port may add files.
fn ports_have_the_same_files(files: &[SourceFile]) -> Vec<Objection> {
    PORTS.iter().flat_map(|folder| ports_of(folder, files)).collect()
}

fn ports_of(folder: &str, files: &[SourceFile]) -> Vec<Objection> {
    let mut ports: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in files {
        if let Some((port, name)) = file.path.strip_prefix(folder).and_then(|rest| rest.split_once('/')) {
            ports.entry(port).or_default().insert(name);
        }
    }
    let mut objections = Vec::new();
    for (port, names) in &ports {
        let mut others = ports.iter().filter(|(other, _)| *other != port).map(|(_, names)| names);
        let Some(first) = others.next().cloned() else { continue };
        let common = others.fold(first, |common, names| &common & names);
        for missing in &common - names {
            let path = format!("{folder}{port}/{missing}");
            objections.push(Objection {
                path,
                line: 1,
                message: "the other ports have this file, but this one does not".to_owned(),
            });
        }
    }
    objections
}

#[cfg(test)]
mod tests {
    use super::super::{file, shown};
    use super::*;

    #[test]
    fn a_test_of_the_architecture_outside_arch_is_found() {
        let question = "#[cfg(target_arch = \"aarch64\")]\n";
        let files =
            [file("kernel/platform/src/arch/mod.rs", question), file("kernel/core/src/boot.rs", question)];
        assert_eq!(
            shown(&questions_stay_in_arch(&files)),
            ["kernel/core/src/boot.rs:1: only arch/ may test target_arch"]
        );
    }

    #[test]
    fn a_file_that_one_port_lacks_is_found_and_an_extra_one_is_not() {
        let folder = PORTS[1];
        let port = |arch: &str, name: &str| file(&format!("{folder}{arch}/{name}"), "");
        let files = [
            port("aarch64", "mmu.rs"),
            port("aarch64", "trap.rs"),
            port("riscv64", "mmu.rs"),
            port("x86_64", "mmu.rs"),
            port("x86_64", "trap.rs"),
            port("x86_64", "segments.rs"),
        ];
        let found = ports_have_the_same_files(&files);
        assert_eq!(
            shown(&found),
            [format!("{folder}riscv64/trap.rs:1: the other ports have this file, but this one does not")]
        );
    }

    #[test]
    fn a_single_port_has_nothing_to_compare() {
        assert!(ports_have_the_same_files(&[file(&format!("{}aarch64/mmu.rs", PORTS[0]), "")]).is_empty());
    }
}
