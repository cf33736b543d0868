//! Lines about faults, found in a console that may be damaged.
//!
//! ```text
//! LIMEN|FAULT program=3 pc=0x20012c sp=0xffffffbfd0 lr=0x200144 to=monitor vm address=0x8 fetch=0 status=0x92000006 end
//! LIMEN|STACK program=3 pc=0x20012c fp=0xffffffbfd0
//! LIMEN|STACK program=3 0xffffffbfd8:0x2001ac 0xffffffbfe8:0x200018
//! LIMEN|STACK program=3 end
//! The kernel stopped: ...
//! ```

/// The contents of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A fault, from the kernel.
    Fault(FaultRecord),
    /// Words of a program's stack, from the monitor.
    Stack(StackRecord),
    /// The kernel stopped.
    Stop,
}

/// A fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultRecord {
    /// Index of the protection domain.
    pub program: usize,
    /// Program counter.
    pub pc: u64,
    /// Stack pointer.
    pub sp: u64,
    /// Register with the return address, where there is one.
    pub link: Option<u64>,
    /// Its receiver: `monitor`, `parent` or `nobody`.
    pub to: String,
    /// The kind.
    pub kind: Kind,
    /// Further faults of this program are not printed.
    pub is_last: bool,
}

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A memory access.
    Vm {
        /// The address.
        address: u64,
        /// An instruction fetch.
        fetch: bool,
        /// The processor's fault status.
        status: u64,
    },
    /// An exception.
    Exception {
        /// Its number; on AArch64, the syndrome.
        number: u64,
        /// Its code.
        code: u64,
    },
    /// A capability that could not be used.
    Cap {
        /// The capability pointer.
        cptr: u64,
        /// In the receiving half of the call.
        receive: bool,
        /// It is outside of the table.
        outside: bool,
    },
    /// An unknown system call.
    Syscall {
        /// Its number.
        number: i64,
    },
    /// The end of the budget.
    Timeout {
        /// Microseconds used.
        consumed_us: u64,
    },
}

/// A part of a program's stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackRecord {
    /// Index of the protection domain.
    pub program: usize,
    /// The program counter.
    pub pc: Option<u64>,
    /// The frame pointer.
    pub frame_pointer: Option<u64>,
    /// Addresses and words.
    pub words: Vec<(u64, u64)>,
    /// Nothing follows.
    pub is_last: bool,
}

impl FaultRecord {
    /// Whether a handler receives it. In the debug configuration, the monitor then prints the stack.
    #[must_use]
    pub fn has_handler(&self) -> bool {
        self.to != "nobody"
    }
}

/// Reads a line about a fault; `None` for any other line, and if it is damaged.
#[must_use]
pub fn parse(line: &str) -> Option<Record> {
    if line.contains("The kernel stopped: ") {
        return Some(Record::Stop);
    }
    // Another program may have printed the start of the line.
    let (_, rest) = line.split_once("LIMEN|")?;
    let (kind, rest) = rest.split_once(' ')?;
    match kind {
        "FAULT" => fault(rest).map(Record::Fault),
        "STACK" => stack(rest).map(Record::Stack),
        _ => None,
    }
}

/// The values of a line, `name=value` each, and its other words.
struct Words<'a>(&'a str);

impl Words<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        self.0.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }

    fn number(&self, name: &str) -> Option<u64> {
        number(self.text(name)?)
    }

    fn flag(&self, name: &str) -> Option<bool> {
        Some(self.number(name)? != 0)
    }

    fn has(&self, word: &str) -> bool {
        self.0.split_whitespace().any(|other| other == word)
    }
}

/// A number as the target writes it: hexadecimal with `0x`, or decimal.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The hexadecimal numbers of a line.
pub(crate) fn numbers(line: &str) -> impl Iterator<Item = u64> {
    line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.starts_with("0x")).filter_map(number)
}

fn program(words: &Words<'_>) -> Option<usize> {
    words.number("program")?.try_into().ok()
}

fn fault(text: &str) -> Option<FaultRecord> {
    let words = Words(text);
    if !words.has("end") {
        return None;
    }
    let kind = if words.has("vm") {
        let (address, fetch) = (words.number("address")?, words.flag("fetch")?);
        Kind::Vm { address, fetch, status: words.number("status")? }
    } else if words.has("exception") {
        Kind::Exception { number: words.number("number")?, code: words.number("code")? }
    } else if words.has("cap") {
        let (cptr, receive) = (words.number("cptr")?, words.flag("receive")?);
        Kind::Cap { cptr, receive, outside: words.flag("outside")? }
    } else if words.has("syscall") {
        Kind::Syscall { number: words.text("number")?.parse().ok()? }
    } else if words.has("timeout") {
        Kind::Timeout { consumed_us: words.number("consumed_us")? }
    } else {
        return None;
    };
    Some(FaultRecord {
        program: program(&words)?,
        pc: words.number("pc")?,
        sp: words.number("sp")?,
        link: words.number("lr"),
        to: words.text("to")?.to_owned(),
        kind,
        is_last: words.has("last"),
    })
}

fn stack(text: &str) -> Option<StackRecord> {
    let words = Words(text);
    let pair = |word: &str| {
        let (address, value) = word.split_once(':')?;
        Some((number(address)?, number(value)?))
    };
    Some(StackRecord {
        program: program(&words)?,
        pc: words.number("pc"),
        frame_pointer: words.number("fp"),
        words: text.split_whitespace().filter_map(pair).collect(),
        is_last: words.has("end"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "LIMEN|FAULT program=3 pc=0x20012c sp=0xffd0 lr=0x2 to=parent vm address=0x8 fetch=0 status=0x92000006 \
         end";

    #[test]
    fn a_line_is_found_behind_text_of_another_program() {
        let Some(Record::Fault(fault)) = parse(&format!("TEST cou{LINE}\r")) else { panic!() };
        assert_eq!((fault.program, fault.pc, fault.sp, fault.link), (3, 0x20_012c, 0xffd0, Some(2)));
        assert_eq!(fault.kind, Kind::Vm { address: 8, fetch: false, status: 0x9200_0006 });
        assert!(fault.has_handler() && !fault.is_last);
    }

    #[test]
    fn a_shortened_line_says_nothing() {
        for end in 0..LINE.len() {
            assert_eq!(parse(&LINE[..end]), None, "{}", &LINE[..end]);
        }
    }

    #[test]
    fn negative_system_calls_are_read() {
        let line = "LIMEN|FAULT program=0 pc=0x1 sp=0x2 to=monitor syscall number=-1000 last end";
        let Some(Record::Fault(fault)) = parse(line) else { panic!() };
        assert_eq!((fault.kind, fault.link, fault.is_last), (Kind::Syscall { number: -1000 }, None, true));
    }

    #[test]
    fn words_of_a_stack_have_addresses() {
        let Some(Record::Stack(stack)) = parse("LIMEN|STACK program=1 0x10:0x20 junk 0x18:0x30") else {
            panic!()
        };
        assert_eq!((stack.words, stack.is_last), (vec![(0x10, 0x20), (0x18, 0x30)], false));
        let Some(Record::Stack(stack)) = parse("LIMEN|STACK program=1 pc=0x4 fp=0x5 end") else { panic!() };
        assert_eq!((stack.pc, stack.frame_pointer, stack.is_last), (Some(4), Some(5), true));
    }
}
