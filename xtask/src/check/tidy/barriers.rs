//! Rules for barriers and for instructions that maintain caches and TLBs: each has its place in a table with the manual's
//! rule that it satisfies.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::{Objection, Rule, SourceFile};

pub(super) const RULES: &[Rule] = &[each_barrier_has_a_row];

/// The page with the table.
const PAGE: &str = "docs/soundness.md";
/// The heading above the table.
const HEADING: &str = "## Barriers and maintenance";
/// Source of programs that run on the target.
const FOLDERS: [&str; 2] = ["kernel", "user"];

/// An instruction, with the operand that selects what it does, or a fence of the language.
static INSTRUCTION: LazyLock<Regex> = LazyLock::new(|| {
    let aarch64 =
        r"(?:dsb|dmb|tlbi|ic|dc|at)\s+[a-z]\w+|isb|csdb|pssbb|ssbb|cfp\s+rctx|cpp\s+rctx|dvp\s+rctx";
    let riscv64 =
        r"fence\.(?:i|tso)|fence(?:\s+[iorw]+,\s*[iorw]+)?|[sh]fence\.[.a-z]+|[sh]inval\.[.a-z]+|cbo\.\w+";
    let x86_64 =
        r"[mls]fence|invlpg|invpcid|invd|wbinvd|wbnoinvd|clflush(?:opt)?|clwb|serialize|verw|mov\s+cr[34]";
    pattern(&format!(r"(?:^|\s)({aarch64}|{riscv64}|{x86_64})(?:[\s,]|$)"))
});

/// A fence of Rust or C, or a call of a function that is one instruction.
static FENCE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:fence\(Ordering::\w+\)|(?:__)?atomic_thread_fence\(\w+\)|__sync_synchronize\(\)|_mm_[mls]fence\(\))",
    )
});

static STRING: LazyLock<Regex> = LazyLock::new(|| pattern(r#""[^"]*""#));

#[expect(clippy::expect_used, reason = "the patterns are constants, which the tests below compile")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern of this file is correct")
}

/// Compares, for each file, the instructions in their order with those of its rows in theirs. A second instruction of a
/// kind, and one that moved, need a look at the table too.
fn each_barrier_has_a_row(files: &[SourceFile]) -> Vec<Objection> {
    let Some(page) = files.iter().find(|file| file.path == PAGE) else { return Vec::new() };
    let rows = rows(page);
    let is_program = |file: &&SourceFile| {
        FOLDERS.iter().any(|folder| file.is_below(folder))
            && !file.path.split('/').any(|part| part == "tests")
    };
    let mut objections = Vec::new();
    for file in files.iter().filter(is_program) {
        let mut explained = rows.iter().filter(|row| row.path == file.path);
        let mut found = instructions(file).into_iter();
        let wrong = loop {
            match (found.next(), explained.next()) {
                (None, None) => break None,
                (Some((line, name)), None) => {
                    break Some((file, line, format!("`{name}` has no row in {PAGE}")));
                }
                (None, Some(row)) => {
                    break Some((
                        page,
                        row.line,
                        format!("{} has no further `{}`", file.path, row.instruction),
                    ));
                }
                (Some((line, name)), Some(row)) if name != row.instruction => {
                    let message = format!("{PAGE}:{} has `{}` here, not `{name}`", row.line, row.instruction);
                    break Some((file, line, message));
                }
                _ => {}
            }
        };
        objections.extend(wrong.map(|(file, line, message)| file.object(line, message)));
    }
    let is_gone = |row: &&Row| !files.iter().filter(is_program).any(|file| file.path == row.path);
    let gone = rows.iter().filter(is_gone);
    objections.extend(gone.map(|row| page.object(row.line, format!("there is no {}", row.path))));
    objections
}

/// An instruction in the table.
struct Row<'a> {
    line: usize,
    path: &'a str,
    instruction: &'a str,
}

/// The instructions of the table: the first cell names a file, the second one or several instructions, in their order.
fn rows(page: &SourceFile) -> Vec<Row<'_>> {
    let lines = page.text.lines().enumerate().skip_while(|(_, text)| *text != HEADING).skip(1);
    let section = lines.take_while(|(_, text)| !text.starts_with("## "));
    let table = section.filter_map(|(number, text)| {
        let mut cells = text.strip_prefix("| `")?.split(" | ");
        Some((number + 1, cells.next()?.trim_end_matches('`'), cells.next()?, cells.next()?))
    });
    table
        .flat_map(|(line, path, instructions, _)| {
            instructions.split('`').skip(1).step_by(2).map(move |instruction| Row { line, path, instruction })
        })
        .collect()
}

/// The instructions of a file, with their lines.
fn instructions(file: &SourceFile) -> Vec<(usize, String)> {
    let is_assembly = file.has_ending(&["S", "s"]);
    if !is_assembly && !file.has_ending(&["rs", "c", "h"]) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (number, text) in file.text.lines().enumerate() {
        let code = text.split("//").next().unwrap_or_default();
        let code = if code.trim_start().starts_with(['*', '#']) && is_assembly { "" } else { code };
        let pieces: Vec<String> = match is_assembly {
            true => code.split(';').map(str::to_owned).collect(),
            false => STRING
                .find_iter(code)
                .flat_map(|text| {
                    let inside = text.as_str().trim_matches('"').replace("\\n", ";").replace("\\t", " ");
                    inside.split(';').map(|piece| piece.trim().to_owned()).collect::<Vec<_>>()
                })
                .collect(),
        };
        // In a string, an instruction is at the beginning; in assembly, it may be the argument of a macro.
        let named = pieces.iter().filter_map(|piece| {
            let name = INSTRUCTION.captures(piece)?.get(1)?;
            (is_assembly || name.start() == 0).then(|| name.as_str())
        });
        let fences = FENCE.find_iter(code).map(|fence| fence.as_str());
        let spaced = |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ");
        found.extend(named.chain(fences).map(|name| (number + 1, spaced(name))));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::{file, shown};
    use super::*;

    fn objections(table: &str, path: &str, code: &str) -> Vec<String> {
        let page = format!("{HEADING}\n\n| file | instructions | rule |\n|---|---|---|\n{table}");
        shown(&each_barrier_has_a_row(&[file(PAGE, &page), file(path, code)]))
    }

    #[test]
    fn a_barrier_without_a_row_is_an_objection() {
        let places = [
            ("kernel/a.rs", "asm!(\"nop\", \"dsb  ish\")", "dsb ish"),
            ("kernel/a.rs", "asm!(\"sfence.vma {}, zero\", in(reg) page)", "sfence.vma"),
            ("kernel/a.rs", "asm!(\"mov cr3, {}\", in(reg) root)", "mov cr3"),
            ("kernel/a.rs", "fence(Ordering::Release);", "fence(Ordering::Release)"),
            ("kernel/a.S", "1:  dc      ivac, x9 // stale lines", "dc ivac"),
            ("kernel/a.S", "2:  stamped_return isb", "isb"),
            ("kernel/a.S", "    fence   rw, w", "fence rw, w"),
            ("user/a.h", "__asm__ volatile (\"nop\\n\\tlfence\\n\\trdtsc\" : : : \"memory\");", "lfence"),
            (
                "user/a.c",
                "    __atomic_thread_fence(__ATOMIC_ACQUIRE);",
                "__atomic_thread_fence(__ATOMIC_ACQUIRE)",
            ),
        ];
        for (path, code, name) in places {
            assert_eq!(objections("", path, code), [format!("{path}:1: `{name}` has no row in {PAGE}")]);
            assert_eq!(objections(&format!("| `{path}` | `{name}` | why |"), path, code), [""; 0]);
        }
    }

    #[test]
    fn prose_and_tests_need_no_row() {
        for (path, code) in [
            (
                "kernel/a.rs",
                "// \"isb\" is not needed\nuse core::sync::atomic::fence;\npanic!(\"stopped at isb\")",
            ),
            ("kernel/a.S", "// dsb sy\n    mov     rax, cr3"),
            ("kernel/tests/a.rs", "fence(Ordering::Release);"),
            ("host/a.rs", "fence(Ordering::Release);"),
            ("user/a.md", "isb"),
        ] {
            assert_eq!(objections("", path, code), [""; 0], "{path}");
        }
    }

    #[test]
    fn number_and_order_of_barriers_are_those_of_the_rows() {
        let table = "| `kernel/a.S` | `dsb sy`, `isb` | why |\n| `kernel/a.S` | `dsb sy` | why |";
        assert_eq!(objections(table, "kernel/a.S", "dsb sy\nisb\ndsb sy"), [""; 0]);
        let fourth = format!("kernel/a.S:4: `dsb sy` has no row in {PAGE}");
        assert_eq!(objections(table, "kernel/a.S", "dsb sy\nisb\ndsb sy\ndsb sy"), [fourth]);
        let moved = format!("kernel/a.S:1: {PAGE}:5 has `dsb sy` here, not `isb`");
        assert_eq!(objections(table, "kernel/a.S", "isb\ndsb sy\ndsb sy"), [moved]);
        let fewer = format!("{PAGE}:6: kernel/a.S has no further `dsb sy`");
        assert_eq!(objections(table, "kernel/a.S", "dsb sy\nisb"), [fewer]);
        let gone = format!("{PAGE}:5: there is no kernel/b.S");
        assert_eq!(objections("| `kernel/b.S` | `isb` | why |", "kernel/a.S", ""), [gone]);
    }
}
