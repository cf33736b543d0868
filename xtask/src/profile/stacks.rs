//! Call stacks of everything that executes, from calls and returns: a stack for each program, and one for the kernel.
//!
//! Frames are the addresses to which functions return. A return to an address that is not on the stack, as by a switch
//! of cothreads or after work was interrupted, starts a new stack.

use std::collections::{HashMap, HashSet};

use limen_executed::{Account, Block, Event, Flow, Home, Instruction, Listener};

use crate::profile::owners::Owners;

/// Deeper frames are counted for the deepest.
const MOST_FRAMES: usize = 100;

/// Counts by call stack.
#[derive(Debug)]
pub struct Stacks {
    /// First addresses of programs; their stack is empty there.
    entries: HashSet<u64>,
    /// The account of the last run.
    account: Account,
    /// A call stack for each.
    stacks: HashMap<Account, Stack>,
    nodes: Vec<Node>,
    children: HashMap<(usize, u64), usize>,
    roots: HashMap<Account, usize>,
    runs: HashMap<Run, u64>,
    /// Those since the processor became idle. They count when a program runs again, because an idle kernel serves its
    /// timer until the emulator is stopped.
    idle: HashMap<Run, u64>,
}

/// A node, a block, its first instruction, and how many.
type Run = (usize, usize, usize, usize);

/// A stack in the tree of all stacks.
#[derive(Debug)]
enum Node {
    Root(Account),
    /// Called from before this address, in the stack of another node.
    Called(usize, u64),
}

#[derive(Debug, Default)]
struct Stack {
    /// Addresses to return to, with their nodes.
    frames: Vec<(u64, usize)>,
    /// Frames beyond the limit.
    skipped: usize,
    /// The last executed instruction, if it was a call or a return.
    last: Option<(Flow, u64, u64)>,
}

impl Stacks {
    /// Nothing has executed yet; programs start at these addresses.
    pub fn new(entries: HashSet<u64>) -> Self {
        Self {
            entries,
            account: Account::Boot,
            stacks: HashMap::new(),
            nodes: Vec::new(),
            children: HashMap::new(),
            roots: HashMap::new(),
            runs: HashMap::new(),
            idle: HashMap::new(),
        }
    }

    /// The node of the stack with which a block executes.
    fn node(&mut self, account: Account, block: &Block) -> usize {
        let nodes = &mut self.nodes;
        let mut new = |node| {
            nodes.push(node);
            nodes.len() - 1
        };
        let root = *self.roots.entry(account).or_insert_with(|| new(Node::Root(account)));
        let stack = self.stacks.entry(account).or_default();
        let enters = matches!(account, Account::Kernel(_) | Account::Idle) && self.account != account;
        if enters || self.entries.contains(&block.address()) {
            *stack = Stack::default();
        }
        match stack.last.take() {
            // An instruction that faulted executes again.
            Some((_, at, _)) if at == block.address() => {}
            Some((Flow::Call, _, back)) if stack.frames.len() < MOST_FRAMES => {
                let parent = stack.node(root);
                let child =
                    self.children.entry((parent, back)).or_insert_with(|| new(Node::Called(parent, back)));
                stack.frames.push((back, *child));
            }
            Some((Flow::Call, ..)) => stack.skipped += 1,
            Some((Flow::Return, ..)) => stack.return_to(block.address()),
            _ => {}
        }
        stack.node(root)
    }
}

impl Stack {
    fn node(&self, root: usize) -> usize {
        self.frames.last().map_or(root, |(_, node)| *node)
    }

    fn return_to(&mut self, address: u64) {
        if let Some(at) = self.frames.iter().rposition(|(back, _)| *back == address) {
            self.frames.truncate(at);
            self.skipped = 0;
        } else if self.skipped > 0 {
            self.skipped -= 1;
        } else {
            self.frames.clear();
        }
    }
}

impl Listener for Stacks {
    fn take(&mut self, blocks: &[Block], event: Event, account: Account) {
        let Event::Run { block: index, first, count } = event else { return };
        let Some(block) = blocks.get(index) else { return };
        let run = (self.node(account, block), index, first, count);
        if account == Account::Idle {
            *self.idle.entry(run).or_default() += 1;
        } else {
            self.idle.drain().for_each(|(run, times)| *self.runs.entry(run).or_default() += times);
            *self.runs.entry(run).or_default() += 1;
        }
        self.account = account;
        let Some(last) = block.code.get(first + count - 1) else { return };
        if let (Flow::Call | Flow::Return, Some(stack)) = (last.flow, self.stacks.get_mut(&account)) {
            stack.last = Some((last.flow, last.address, last.end()));
        }
    }
}

/// A function in the tree of functions.
#[derive(Debug, Default)]
pub struct Function {
    /// Name.
    pub name: String,
    /// Whether its code is part of its caller's.
    pub is_inlined: bool,
    /// Instructions that it executed itself.
    pub own: u64,
    /// The functions that it called, and those that are inlined into it, by name.
    pub callees: Vec<Self>,
}

impl Function {
    /// Instructions of the function and its callees.
    pub fn total(&self) -> u64 {
        self.own + self.callees.iter().map(Self::total).sum::<u64>()
    }

    fn at(&mut self, name: &str, is_inlined: bool) -> &mut Self {
        let is_same = |callee: &Self| callee.name == name && callee.is_inlined == is_inlined;
        let found = self.callees.iter().position(is_same);
        let index = found.unwrap_or_else(|| {
            self.callees.push(Self { name: name.to_owned(), is_inlined, ..Self::default() });
            self.callees.len() - 1
        });
        &mut self.callees[index]
    }

    /// Sorts by instructions, then by name, so that every run gives the same order.
    fn sort(&mut self) {
        self.callees.sort_by_cached_key(|callee| (std::cmp::Reverse(callee.total()), callee.name.clone()));
        self.callees.iter_mut().for_each(Self::sort);
    }
}

impl Stacks {
    /// The tree of functions: below the root boot and the programs, below each its functions and the kernel.
    pub fn tree(&self, blocks: &[Block], owners: &Owners) -> Function {
        let mut names = Names { owners, known: HashMap::new() };
        let mut tree = Function { name: "all".to_owned(), ..Function::default() };
        let mut counts: HashMap<(usize, u64), u64> = HashMap::new();
        for ((node, block, first, count), times) in &self.runs {
            let code = blocks.get(*block).and_then(|block| block.code.get(*first..*first + *count));
            for Instruction { address, .. } in code.unwrap_or_default() {
                *counts.entry((*node, *address)).or_default() += times;
            }
        }
        for ((node, address), count) in counts {
            let (account, calls) = self.path(node);
            let mut function = &mut tree;
            for name in account_names(account, owners) {
                function = function.at(&name, false);
            }
            for place in calls.iter().map(|back| back.wrapping_sub(1)).chain([address]) {
                for (depth, name) in names.at(account, place).iter().enumerate() {
                    function = function.at(name, depth > 0);
                }
            }
            function.own += count;
        }
        tree.sort();
        tree
    }

    /// The account of a node, and the addresses to return to, outermost first.
    fn path(&self, mut node: usize) -> (Account, Vec<u64>) {
        let mut calls = Vec::new();
        loop {
            match self.nodes.get(node) {
                Some(Node::Called(parent, back)) => {
                    calls.push(*back);
                    node = *parent;
                }
                Some(Node::Root(account)) => {
                    calls.reverse();
                    return (*account, calls);
                }
                None => return (Account::Boot, calls),
            }
        }
    }
}

fn account_names(account: Account, owners: &Owners) -> Vec<String> {
    match account {
        Account::Boot => vec![BOOT_NAME.to_owned()],
        Account::Program(home) => vec![owners.program(home)],
        Account::Kernel(home) => vec![owners.program(home), KERNEL_NAME.to_owned()],
        Account::Idle => vec!["idle".to_owned(), KERNEL_NAME.to_owned()],
    }
}

/// Everything before the first program.
pub const BOOT_NAME: &str = "boot";
/// The kernel's part of a program.
pub const KERNEL_NAME: &str = "kernel";

/// The functions at addresses, outermost first.
struct Names<'a> {
    owners: &'a Owners,
    known: HashMap<(Option<Home>, u64), Vec<String>>,
}

impl Names<'_> {
    fn at(&mut self, account: Account, address: u64) -> &[String] {
        let home = match account {
            Account::Program(home) => Some(home),
            _ => None,
        };
        self.known.entry((home, address)).or_insert_with(|| self.owners.functions(home, address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use limen_executed::Accounts;
    use limen_executed::KERNEL;

    /// Runs blocks of one instruction each, given as flow and address; an instruction has four bytes.
    fn stacks(steps: &[(Flow, u64, Home)]) -> (Stacks, Vec<Block>) {
        let block = |(flow, address, home): &(Flow, u64, Home)| Block {
            place: address.wrapping_add(*home),
            code: vec![Instruction {
                address: *address,
                bytes: vec![0; 4],
                flow: *flow,
                reads_counter: false,
            }],
        };
        let blocks: Vec<_> = steps.iter().map(block).collect();
        let mut stacks = Stacks::new(HashSet::from([0x200]));
        let mut accounts = Accounts::boot();
        for (index, block) in blocks.iter().enumerate() {
            let account = accounts.take(block, block.code[0].flow);
            stacks.take(&blocks, Event::Run { block: index, first: 0, count: 1 }, account);
        }
        (stacks, blocks)
    }

    fn text(function: &Function, depth: usize) -> String {
        let line = format!("{}{} {}\n", " ".repeat(depth), function.name, function.own);
        function.callees.iter().fold(line, |text, callee| text + &self::text(callee, depth + 1))
    }

    /// The tree; functions are named after the last digits of their address, without the offset.
    fn tree(steps: &[(Flow, u64, Home)]) -> String {
        let (stacks, blocks) = stacks(steps);
        text(&stacks.tree(&blocks, &Owners::of_addresses()), 0)
    }

    const K: u64 = KERNEL;
    use Flow::{Call, Other, Return, Wait};

    #[test]
    fn callees_are_below_their_callers() {
        let steps =
            [(Other, 0x200, 7), (Call, 0x204, 7), (Other, 0x300, 7), (Return, 0x304, 7), (Other, 0x208, 7)];
        let with_kernel = [&[(Other, K, 1)], &steps[..]].concat();
        assert_eq!(
            tree(&with_kernel),
            "all 0\n program-7 0\n  200 3\n   300 2\n boot 0\n  8000000000000000 1\n"
        );
    }

    #[test]
    fn the_kernel_works_for_the_program_that_ran_last() {
        let steps = [
            (Other, K, 1),
            (Call, 0x200, 7),
            (Other, K | 0x100, 1),
            (Other, 0x300, 7),
            (Return, 0x304, 7),
            (Other, 0x204, 7),
            (Other, 0x200, 8),
            (Call, K | 0x100, 1),
            (Wait, K | 0x200, 1),
            (Other, K | 0x100, 1),
            (Other, 0x204, 8),
        ];
        assert_eq!(
            tree(&steps),
            "all 0\n program-7 0\n  200 2\n   300 2\n  kernel 0\n   8000000000000100 1\n program-8 0\n  200 2\n  kernel 0\n   8000000000000100 1\n    8000000000000200 1\n boot 0\n  8000000000000000 1\n idle 0\n  kernel 0\n   8000000000000100 1\n"
        );
    }

    #[test]
    fn firmware_below_the_kernel_works_for_programs_too() {
        let steps = [
            (Other, 0x900, 3),
            (Other, K, 1),
            (Other, 0x200, 7),
            (Other, K, 1),
            (Other, 0x900, 3),
            (Other, K, 1),
        ];
        assert_eq!(
            tree(&steps),
            "all 0\n program-7 0\n  kernel 0\n   8000000000000000 2\n   900 1\n  200 1\n boot 0\n  8000000000000000 1\n  900 1\n"
        );
    }

    #[test]
    fn a_faulting_call_is_one_call() {
        let steps = [
            (Other, K, 1),
            (Call, 0x200, 7),
            (Other, K, 1),
            (Call, 0x200, 7),
            (Return, 0x300, 7),
            (Other, 0x204, 7),
        ];
        let (stacks, _) = stacks(&steps);
        assert!(stacks.stacks[&Account::Program(7)].frames.is_empty());
        assert_eq!(stacks.nodes.iter().filter(|node| matches!(node, Node::Called(..))).count(), 1);
    }

    #[test]
    fn a_return_skips_frames_or_starts_a_new_stack() {
        let calls = [(Other, K, 1), (Call, 0x200, 7), (Call, 0x300, 7), (Call, 0x400, 7), (Return, 0x500, 7)];
        let frames = |to: u64| {
            let (stacks, _) = stacks(&[&calls[..], &[(Other, to, 7)]].concat());
            stacks.stacks[&Account::Program(7)].frames.len()
        };
        assert_eq!((frames(0x404), frames(0x304), frames(0x204), frames(0x700)), (2, 1, 0, 0));
    }

    #[test]
    fn a_restarted_program_has_an_empty_stack() {
        let steps = [
            (Other, K, 1),
            (Call, 0x204, 7),
            (Call, 0x300, 7),
            (Other, 0x400, 7),
            (Other, K, 1),
            (Other, 0x200, 7),
        ];
        let (stacks, _) = stacks(&steps);
        assert!(stacks.stacks[&Account::Program(7)].frames.is_empty());
    }

    #[test]
    fn endless_recursion_has_an_end() {
        let mut steps = vec![(Other, K, 1)];
        steps.extend((0..1000).flat_map(|_| [(Call, 0x300, 7), (Other, 0x310, 7)]));
        let (stacks, blocks) = stacks(&steps);
        assert!(stacks.nodes.len() <= MOST_FRAMES + 2);
        assert_eq!(stacks.tree(&blocks, &Owners::of_addresses()).total(), 2001);
    }
}
