//! Names that a mistyped one may stand for, as sentences for error messages.

#![forbid(unsafe_code)]

use std::collections::HashSet;

use strsim::damerau_levenshtein;

/// How many names a question offers.
const MOST_OFFERED: usize = 3;

/// How many names a sentence may list.
const MOST_LISTED: usize = 8;

/// How many letters a name has at most for it to be spelled nearly like another one.
const LONGEST: usize = 128;

/// How many letters of a part of a name say which name it is.
const LEAST_PART: usize = 3;

/// The question whether one of the `known` names was meant, if any is near: spelled nearly alike, or with `name` as a
/// part. Where a known name is a path and `name` is not, the last part of the path counts as well.
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

/// The names in one line, if they are few enough to be read there.
pub fn list<'k>(known: impl IntoIterator<Item = &'k str>) -> Option<String> {
    let known: Vec<&str> = known.into_iter().collect();
    (1..=MOST_LISTED).contains(&known.len()).then(|| known.join(", "))
}

/// What to do about a `name` that is not one of the `known`: what was probably meant, a choice if there are few, or what
/// `otherwise` says.
pub fn advice(name: &str, known: &[&str], otherwise: &str) -> String {
    let near = did_you_mean(name, known.iter().copied());
    let few = || list(known.iter().copied()).map(|names| format!("choose from: {names}"));
    near.or_else(few).unwrap_or_else(|| otherwise.to_owned())
}

/// The long options that a help text names, sorted.
pub fn options_in(help: &str) -> Vec<&str> {
    let words = help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let mut options: Vec<_> = words.filter(|word| word.len() > 2 && word.starts_with("--")).collect();
    options.sort_unstable();
    options.dedup();
    options
}

/// The names of which `part` is a part, unless they are so many that it says little.
fn with_part(part: &str, known: &[&str]) -> Vec<String> {
    let names = known.iter().filter(|known| part.chars().count() >= LEAST_PART && known.contains(part));
    let names: Vec<_> = names.map(|known| format!("`{known}`")).collect();
    if names.len() <= MOST_OFFERED { names } else { Vec::new() }
}

/// In how many letters two names differ, if in no more than about a third. Letters that changed places count once, and
/// small letters equal capital ones. Dashes before an option do not count; the folder of a path and the ending of a file
/// count only if they are others.
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
    // They differ in at least as many letters as one is longer, and what is very long is not compared letter by letter.
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
    fn names_that_are_spelled_nearly_alike_are_offered() {
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
    fn only_the_nearest_are_offered_and_not_too_many() {
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
    fn a_part_says_which_name_it_is_if_none_is_near() {
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
    fn what_is_very_long_is_near_nothing() {
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
    fn advice_is_the_shortest_that_helps() {
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
