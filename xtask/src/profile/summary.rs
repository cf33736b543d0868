//! A profile as tables for a console: programs, and the functions that execute most.

use std::collections::BTreeMap;

use crate::profile::stacks::{BOOT_NAME, Function, KERNEL_NAME};

/// Functions in the table.
pub const MOST_FUNCTIONS: usize = 25;

/// A program's instructions.
pub struct Program<'a> {
    /// Name.
    pub name: &'a str,
    /// In user mode.
    own: u64,
    /// In the kernel for it.
    pub kernel: u64,
}

impl Program<'_> {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.own + self.kernel
    }
}

/// The tables. Instructions of the kernel count for the program for which it worked; those of inlined code for the function
/// that it is inlined into.
pub fn text(tree: &Function, title: &str) -> String {
    let (programs, functions) = (programs(tree), functions(tree));
    let all = programs.iter().map(Program::total).sum();
    let mut rows = vec![["program", "instructions", "share", "in the kernel"].map(str::to_owned)];
    rows.extend(programs.iter().map(|program| {
        let total = program.total();
        [program.name.to_owned(), total.to_string(), percent(total, all), percent(program.kernel, total)]
    }));
    rows.push(["all".to_owned(), all.to_string(), percent(all, all), String::new()]);
    let boot = tree.total() - all;
    let mut text = format!(
        "{title}: instructions by program\n{}{boot} more were executed before the first program\n",
        aligned(&rows)
    );
    let mut rows = vec![["function", "instructions", "share", "program"].map(str::to_owned)];
    rows.extend(functions.iter().take(MOST_FUNCTIONS).map(|((program, function), count)| {
        [function.clone(), count.to_string(), percent(*count, all), program.clone()]
    }));
    let others = functions.iter().skip(MOST_FUNCTIONS);
    let rest: u64 = others.clone().map(|(_, count)| count).sum();
    if rest > 0 {
        rows.push([
            format!("{} others", others.count()),
            rest.to_string(),
            percent(rest, all),
            String::new(),
        ]);
    }
    text += &format!("\ninstructions by function, without those that it calls\n{}\n", aligned(&rows));
    text
}

/// The programs; most instructions first, as in the tree.
pub fn programs(tree: &Function) -> Vec<Program<'_>> {
    let kernel = |function: &Function| {
        function.callees.iter().filter(|callee| callee.name == KERNEL_NAME).map(Function::total).sum()
    };
    let program = |function| {
        let kernel = kernel(function);
        Program { name: &function.name, own: function.total() - kernel, kernel }
    };
    tree.callees.iter().filter(|callee| callee.name != BOOT_NAME).map(program).collect()
}

/// The functions of each program and of the kernel for it, with their own instructions; most first.
pub fn functions(tree: &Function) -> Vec<((String, String), u64)> {
    let mut counts = BTreeMap::new();
    for program in tree.callees.iter().filter(|callee| callee.name != BOOT_NAME) {
        for function in &program.callees {
            if function.name == KERNEL_NAME {
                let owner = format!("{}, in the kernel", program.name);
                function.callees.iter().for_each(|callee| add(callee, &owner, "", &mut counts));
            } else {
                add(function, &program.name, "", &mut counts);
            }
        }
    }
    let mut functions: Vec<_> = counts.into_iter().collect();
    functions.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    functions
}

/// Adds a function that is called, or inlined, by the function `caller`.
fn add(function: &Function, program: &str, caller: &str, counts: &mut BTreeMap<(String, String), u64>) {
    let name = if function.is_inlined { caller } else { &function.name };
    if function.own > 0 {
        *counts.entry((program.to_owned(), name.to_owned())).or_default() += function.own;
    }
    function.callees.iter().for_each(|callee| add(callee, program, name, counts));
}

/// A part of a whole, as in `12.3 %`.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

/// Rows whose numbers, the two columns in the middle, are aligned to the right.
fn aligned(rows: &[[String; 4]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let (name, count, share) = (width(0), width(1), width(2));
    let line = |[a, b, c, d]: &[String; 4]| {
        format!("{a:name$}  {b:>count$}  {c:>share$}  {d}").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A function in a tree.
    pub fn function(name: &str, own: u64, callees: Vec<Function>) -> Function {
        Function { name: name.to_owned(), own, callees, is_inlined: false }
    }

    #[test]
    fn programs_and_functions_are_listed() {
        let kernel = function("kernel", 0, vec![function("trap", 30, vec![function("call", 25, vec![])])]);
        let inlined = Function { is_inlined: true, ..function("add", 5, vec![]) };
        let client = function(
            "client",
            0,
            vec![function("main", 35, vec![inlined, function("call", 5, vec![])]), kernel],
        );
        let tree = function("all", 0, vec![client, function("boot", 0, vec![function("start", 7, vec![])])]);
        assert_eq!(
            text(&tree, "a system"),
            "a system: instructions by program\n\
             program  instructions    share  in the kernel\n\
             client            100  100.0 %  55.0 %\n\
             all               100  100.0 %\n\
             7 more were executed before the first program\n\
             \n\
             instructions by function, without those that it calls\n\
             function  instructions   share  program\n\
             main                40  40.0 %  client\n\
             trap                30  30.0 %  client, in the kernel\n\
             call                25  25.0 %  client, in the kernel\n\
             call                 5   5.0 %  client\n\
             \n"
        );
    }

    #[test]
    fn rare_functions_are_summed() {
        let many = (0..30).map(|number| function(&format!("f{number}"), 1, vec![])).collect();
        let tree = function("all", 0, vec![function("client", 0, many)]);
        assert!(text(&tree, "t").contains("\n5 others             5  16.7 %\n"), "{}", text(&tree, "t"));
    }
}
