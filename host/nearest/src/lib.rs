//! Suggestions for mistyped names, as sentences for error messages.

#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![forbid(unsafe_code)]

use std::collections::HashSet;

use strsim::damerau_levenshtein;

/// Most names in a suggestion.
const MOST_OFFERED: usize = 3;

/// Most names in a list.
const MOST_LISTED: usize = 8;

/// Longest name to compare letter by letter.
const LONGEST: usize = 128;

/// Fewest letters of a part that identifies a name.
const LEAST_PART: usize = 3;

/// Asks whether the user meant one of the `known` names, if any is similar in spelling or contains `name`. If a known
/// name is a path and `name` is not, the last component of the path is compared as well.
///
/// ```
/// let known = ["examples/hello", "examples/tour"];
/// assert_eq!(limen_nearest::did_you_mean("helo", known).as_deref(), Some("did you mean `examples/hello`?"));
/// ```
pub fn did_you_mean<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<String> {
    let mut seen = HashSet::from([name]);
    let others: Vec<&str> = known.into_iter().filter(|known| seen.insert(known)).collect();
    let distances: Vec<_> = others.iter().map(|known| distance(name, known)).collect();
    let mut near: Vec<String> = match distances.iter().flatten().min() {
        Some(least) => {
            let nearest =
                others.iter().zip(&distances).filter(|(_, distance)| distance.as_ref() == Some(least));
            nearest.take(MOST_OFFERED).map(|(known, _)| format!("`{known}`")).collect()
        }
        None => with_part(name, &others),
    };
    let last = near.pop()?;
    let first = if near.is_empty() { String::new() } else { format!("{} or ", near.join(", ")) };
    Some(format!("did you mean {first}{last}?"))
}

/// The names in one line, if they are few.
pub fn list<'k>(known: impl IntoIterator<Item = &'k str>) -> Option<String> {
    let known: Vec<&str> = known.into_iter().collect();
    (1..=MOST_LISTED).contains(&known.len()).then(|| known.join(", "))
}

/// Help for a `name` that is not `known`: the likely intended names, a list if the names are few, or else
/// `otherwise`.
pub fn advice(name: &str, known: &[&str], otherwise: &str) -> String {
    let near = did_you_mean(name, known.iter().copied());
    let few = || list(known.iter().copied()).map(|names| format!("choose from: {names}"));
    near.or_else(few).unwrap_or_else(|| otherwise.to_owned())
}

/// The long options in a help text, sorted.
pub fn options_in(help: &str) -> Vec<&str> {
    let words = help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let mut options: Vec<_> = words.filter(|word| word.len() > 2 && word.starts_with("--")).collect();
    options.sort_unstable();
    options.dedup();
    options
}

/// The names that contain `part`, unless they are too many.
fn with_part(part: &str, known: &[&str]) -> Vec<String> {
    let names = known.iter().filter(|known| part.chars().count() >= LEAST_PART && known.contains(part));
    let names: Vec<_> = names.map(|known| format!("`{known}`")).collect();
    if names.len() <= MOST_OFFERED { names } else { Vec::new() }
}

/// Number of letters in which two names differ, if it is at most about a third. A transposition counts once, and case
/// does not count. Leading dashes do not count; a path's directory and a file's extension count only if they differ.
fn distance(name: &str, known: &str) -> Option<usize> {
    let (name, known) = (name.to_lowercase(), known.to_lowercase());
    let (name, known) = (name.trim_start_matches('-'), known.trim_start_matches('-'));
    let (folder, last) = known.rsplit_once('/').unwrap_or(("", known));
    match name.rsplit_once('/') {
        None => between(name, last),
        Some((same, name)) if same == folder => between(name, last),
        Some(_) => between(name, known),
    }
}

fn between(name: &str, known: &str) -> Option<usize> {
    let (name, known) = match (name.rsplit_once('.'), known.rsplit_once('.')) {
        (Some((name, ending)), Some((known, same))) if ending == same => (name, known),
        _ => (name, known),
    };
    let (letters, known_letters) = (name.chars().count(), known.chars().count());
    let length = letters.max(known_letters);
    // The length difference is a lower bound of the distance. Very long names are not compared letter by letter.
    if length > LONGEST || letters.abs_diff(known_letters) > length.div_ceil(3) {
        return None;
    }
    let distance = damerau_levenshtein(name, known);
    (distance <= length.div_ceil(3) && distance < length).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(name: &str, known: &[&str]) -> String {
        did_you_mean(name, known.iter().copied()).unwrap_or_default()
    }

    #[test]
    fn similar_names_are_suggested() {
        let known = ["run", "test", "check", "bench", "fuzz", "sdk", "new", "headers"];
        assert_eq!(meant("rnu", &known), "did you mean `run`?");
        assert_eq!(meant("tset", &known), "did you mean `test`?");
        assert_eq!(meant("Check", &known), "did you mean `check`?");
        assert_eq!(meant("header", &known), "did you mean `headers`?");
        for far in ["", "x", "boot", "kitchen"] {
            assert_eq!(meant(far, &known), "", "{far}");
        }
    }

    #[test]
    fn only_the_few_nearest_names_are_suggested() {
        assert_eq!(
            meant("ring3", &["ring1", "ring2", "rings", "string"]),
            "did you mean `ring1`, `ring2` or `rings`?"
        );
        assert_eq!(
            meant("ring3", &["ring1", "ring2", "ring4", "ring5"]),
            "did you mean `ring1`, `ring2` or `ring4`?"
        );
        assert_eq!(meant("buffr", &["buffer", "buffers", "buffer"]), "did you mean `buffer`?");
        assert_eq!(meant("a", &["b", "c"]), "");
    }

    #[test]
    fn a_part_identifies_a_name_if_none_is_similar() {
        let boards = ["qemu_virt_aarch64", "qemu_virt_riscv64", "zcu102"];
        assert_eq!(meant("riscv64", &boards), "did you mean `qemu_virt_riscv64`?");
        assert_eq!(meant("qemu", &boards), "did you mean `qemu_virt_aarch64` or `qemu_virt_riscv64`?");
        assert_eq!(meant("v6", &boards), "");
        assert_eq!(meant("qemu", &["qemu_virt_a", "qemu_virt_b", "qemu_virt_c", "qemu_virt_d"]), "");
    }

    #[test]
    fn dashes_before_options_do_not_count() {
        assert_eq!(meant("--bord", &["--board", "--config"]), "did you mean `--board`?");
        assert_eq!(meant("--bogus", &["--board", "--config"]), "");
    }

    #[test]
    fn very_long_names_are_similar_to_none() {
        let known = "x".repeat(LONGEST - 1);
        assert_eq!(meant(&format!("{known}y"), &[&known]), format!("did you mean `{known}`?"));
        assert_eq!(meant(&format!("{known}yy"), &[&known]), "");
    }

    #[test]
    fn equal_endings_of_files_do_not_count() {
        assert_eq!(meant("sever.elf", &["server.elf", "client.elf"]), "did you mean `server.elf`?");
        assert_eq!(meant("two.elf", &["one.elf"]), "");
        assert_eq!(meant("a.elf", &["b.elf"]), "");
    }

    #[test]
    fn the_last_part_of_a_path_counts() {
        assert_eq!(meant("helo", &["examples/hello", "tests/hostile"]), "did you mean `examples/hello`?");
        assert_eq!(meant("example/helo", &["examples/hello"]), "did you mean `examples/hello`?");
        assert_eq!(meant("bench/ppc_", &["bench/ppc", "tests/ppc"]), "did you mean `bench/ppc`?");
        assert_eq!(meant("tests/ip", &["tests/fpu", "tests/irq_work"]), "");
    }

    #[test]
    fn help_texts_name_options() {
        assert_eq!(
            options_in("[--quiet] -- [-o FILE]\n  --board BOARD  where;\n  -q, --quiet"),
            ["--board", "--quiet"]
        );
    }

    #[test]
    fn advice_prefers_a_suggestion_to_a_list() {
        assert_eq!(advice("atlo", &["alto", "bass"], "sing"), "did you mean `alto`?");
        assert_eq!(advice("tenor", &["alto", "bass"], "sing"), "choose from: alto, bass");
        assert_eq!(advice("tenor", &["alto"; 9], "sing"), "sing");
    }

    #[test]
    fn few_names_are_listed() {
        assert_eq!(list(["a", "b"]).as_deref(), Some("a, b"));
        assert_eq!((list([]), list(["a"; 9])), (None, None));
    }
}
