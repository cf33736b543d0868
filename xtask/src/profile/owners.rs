//! The programs to which code belongs, and the functions at its addresses.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use limen_executed::{Block, Home, KERNEL, home};
use limen_symbolise::Symboliser;
use limen_symbolise::program::ProgramFile;

/// The programs and their files.
#[derive(Debug, Default)]
pub struct Owners {
    /// Programs by the home of their code: name and file.
    programs: HashMap<Home, (String, Option<Rc<ProgramFile>>)>,
    kernel: Option<Rc<ProgramFile>>,
}

/// The code of a program, as the report places it.
struct Placed {
    name: String,
    file: Option<Rc<ProgramFile>>,
    /// Physical minus virtual address. On a PC, where boot places the image, both are relative.
    distance: u64,
}

impl Owners {
    /// Finds the program of each home among these blocks.
    pub fn of(symboliser: &mut Symboliser, blocks: &[Block]) -> Self {
        let kernel = symboliser.kernel();
        let code = symboliser.system().code();
        let placed: Vec<_> = code
            .into_iter()
            .map(|(index, name, distance)| Placed { file: symboliser.program(index), name, distance })
            .collect();
        let shift = shift(&placed, blocks);
        let named = placed
            .into_iter()
            .map(|placed| (placed.distance.wrapping_add(shift), (placed.name, placed.file)));
        Self { programs: named.collect(), kernel }
    }

    /// The name of the program with this home.
    pub fn program(&self, home: Home) -> String {
        #[cfg(test)]
        if self.programs.is_empty() {
            return format!("program-{home}");
        }
        self.programs.get(&home).map_or_else(|| "other code".to_owned(), |(name, _)| name.clone())
    }

    /// The function at an address, and those that are inlined there, outermost first. Without a home it is the kernel's,
    /// or firmware's.
    pub fn functions(&self, home: Option<Home>, address: u64) -> Vec<String> {
        #[cfg(test)]
        if self.programs.is_empty() {
            return vec![format!("{:x}", address & !0xff)];
        }
        let file = match home {
            Some(home) => self.programs.get(&home).and_then(|(_, file)| file.as_ref()),
            None if address >= KERNEL => self.kernel.as_ref(),
            None => return vec!["firmware and loader".to_owned()],
        };
        let frames = file.map(|file| file.frames(address)).unwrap_or_default();
        let names: Vec<_> =
            frames.into_iter().rev().filter_map(|frame| frame.function).map(without_offset).collect();
        if names.is_empty() { vec!["(no symbol)".to_owned()] } else { names }
    }

    /// No files: functions are named after their addresses.
    #[cfg(test)]
    pub fn of_addresses() -> Self {
        Self::default()
    }
}

/// Drops the offset in a function that is only known from a symbol.
fn without_offset(name: String) -> String {
    match name.rsplit_once("+0x") {
        Some((function, offset)) if offset.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            function.to_owned()
        }
        _ => name,
    }
}

/// The distance from the report's physical addresses to places in the emulator's memory. It is the one for which most
/// code is where the report says, and has the bytes of the program that the report names.
fn shift(placed: &[Placed], blocks: &[Block]) -> u64 {
    let user: Vec<_> = blocks.iter().filter(|block| block.place != 0 && block.address() < KERNEL).collect();
    let homes: BTreeSet<_> = user.iter().map(|block| home(block)).collect();
    let candidates: BTreeSet<_> = homes
        .iter()
        .flat_map(|home| placed.iter().map(|placed| home.wrapping_sub(placed.distance)))
        .collect();
    let by_home = |shift: u64| -> HashMap<_, _> {
        placed.iter().map(|placed| (placed.distance.wrapping_add(shift), placed)).collect()
    };
    let known = |shift: &u64| {
        let by_home = by_home(*shift);
        homes.iter().filter(|home| by_home.contains_key(home)).count()
    };
    let most = candidates.iter().map(known).max();
    let fits = |shift: &u64| {
        let by_home = by_home(*shift);
        let is_own = |block: &&&Block| {
            let file = by_home.get(&home(block)).and_then(|placed| placed.file.as_ref());
            file.is_some_and(|file| block.code.iter().all(|step| file.has_code(step.address, &step.bytes)))
        };
        user.iter().filter(is_own).count()
    };
    candidates.into_iter().filter(|shift| Some(known(shift)) == most).max_by_key(fits).unwrap_or(0)
}
