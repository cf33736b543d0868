//! Rules for dependencies: the contract is below kernel, programs and tools, which do not depend on each other; and
//! every external crate has a line with its reason.

use toml::de::{DeTable, DeValue};

use super::{Objection, Rule, SourceFile};

pub(super) const RULES: &[Rule] = &[layers, external_crates_have_a_reason];

/// The page with a reason for every external crate.
const REASONS: &str = "docs/decisions/dependencies.md";

/// Folders whose crates form a layer, and what each layer may use besides itself.
const LAYERS: [(&str, &[&str], External); 5] = [
    ("abi", &[], External::Forbidden),
    ("kernel", &["abi"], External::Forbidden),
    ("user", &["abi"], External::Forbidden),
    ("host", &["abi"], External::Allowed),
    ("xtask", &["abi", "host"], External::Allowed),
];

/// Whether a layer may use external crates (tests always may).
#[derive(Clone, Copy, PartialEq, Eq)]
enum External {
    Allowed,
    Forbidden,
}

fn layers(files: &[SourceFile]) -> Vec<Objection> {
    let own: Vec<_> = packages(files).filter_map(|file| Some((name(file)?, layer(&file.path)?.0))).collect();
    let check = |file: &SourceFile| {
        let Some((layer, below, external)) = layer(&file.path) else { return Vec::new() };
        let allowed = |user: &String| match own.iter().find(|(name, _)| name == user) {
            Some((_, used)) => *used == layer || below.contains(used),
            None => external == External::Allowed,
        };
        let wrong =
            used(file, &["dependencies", "build-dependencies"]).into_iter().filter(|user| !allowed(user));
        wrong.map(|user| file.object(1, format!("a crate in {layer}/ must not use {user}"))).collect()
    };
    packages(files).flat_map(check).collect()
}

fn external_crates_have_a_reason(files: &[SourceFile]) -> Vec<Objection> {
    let own: Vec<_> = packages(files).filter_map(name).collect();
    let reasons = files.iter().find(|file| file.path == REASONS).map_or("", |file| file.text.as_str());
    let explained = |user: &String| own.contains(user) || reasons.contains(&format!("`{user}`"));
    let check = |file: &SourceFile| {
        let all = used(file, &["dependencies", "dev-dependencies", "build-dependencies"]);
        let unexplained = all.into_iter().filter(|user| !explained(user));
        unexplained.map(|user| file.object(1, format!("{user} has no line in {REASONS}"))).collect::<Vec<_>>()
    };
    packages(files).flat_map(check).collect()
}

fn packages(files: &[SourceFile]) -> impl Iterator<Item = &SourceFile> {
    files.iter().filter(|file| file.path.ends_with("/Cargo.toml"))
}

fn layer(path: &str) -> Option<(&'static str, &'static [&'static str], External)> {
    let top = path.split('/').next()?;
    LAYERS.into_iter().find(|(folder, ..)| *folder == top)
}

fn name(file: &SourceFile) -> Option<String> {
    let table = DeTable::parse(&file.text).ok()?;
    let package = table.get_ref().get("package")?.get_ref().get("name")?;
    package.get_ref().as_str().map(str::to_owned)
}

fn used(file: &SourceFile, sections: &[&str]) -> Vec<String> {
    let Ok(table) = DeTable::parse(&file.text) else { return Vec::new() };
    let section = |name: &&str| table.get_ref().get(*name).map(|value| value.get_ref());
    let tables = sections.iter().filter_map(section).filter_map(DeValue::as_table);
    tables.flat_map(|table| table.keys().map(|key| key.get_ref().to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{file, shown};
    use super::*;

    fn package(path: &str, name: &str, rest: &str) -> SourceFile {
        file(&format!("{path}/Cargo.toml"), &format!("[package]\nname = \"{name}\"\n{rest}"))
    }

    fn repository(kernel_uses: &str) -> Vec<SourceFile> {
        vec![
            package("abi/abi", "limen-abi", ""),
            package(
                "host/sdf",
                "limen-sdf",
                "[dependencies]\nlimen-abi.workspace = true\nroxmltree = \"1\"\n",
            ),
            package("kernel/core", "limen-core", &format!("[dependencies]\n{kernel_uses}\n")),
        ]
    }

    #[test]
    fn a_use_across_layers_is_found() {
        assert!(layers(&repository("limen-abi.workspace = true")).is_empty());
        let found = layers(&repository("limen-sdf.workspace = true"));
        assert_eq!(shown(&found), ["kernel/core/Cargo.toml:1: a crate in kernel/ must not use limen-sdf"]);
    }

    #[test]
    fn a_crate_from_outside_in_the_kernel_is_found() {
        assert_eq!(layers(&repository("bitflags = \"2\"")).len(), 1);
    }

    #[test]
    fn a_crate_without_a_reason_is_found() {
        let mut files = repository("");
        assert_eq!(external_crates_have_a_reason(&files).len(), 1);
        files.push(file(REASONS, "| `roxmltree` | reads XML with positions |\n"));
        assert!(external_crates_have_a_reason(&files).is_empty());
    }
}
