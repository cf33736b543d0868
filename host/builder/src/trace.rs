//! The trace: the key of programs that trace, and the options that turn groups on.

use limen_abi::KernelKey;
use limen_abi::trace::{DEFAULT_BYTES, GROUPS, MAX_BYTES};
use limen_sdf::SystemDescription;
use limen_sdf::model::{KeyUse, StaticKey, Symbol};

use crate::config::Config;
use crate::program::Program;

/// The key on which a program's tracepoints branch unless they name another; part of the libraries.
const PROGRAM_KEY: &str = "limen_trace_on";

/// The groups with these names, as options of an image; all of them if no name is given.
///
/// # Errors
/// The first name that is no group.
pub fn groups<'a>(names: impl Iterator<Item = &'a str>) -> Result<u64, &'a str> {
    let mut options = 0;
    for name in names {
        let group = GROUPS.iter().find(|(_, known, _)| *known == name);
        options |= group.map(|(key, ..)| key.option()).ok_or(name)?;
    }
    Ok(if options == 0 { KernelKey::TRACE } else { options })
}

/// Gives the system a ring if groups are on from the start, and binds the tracepoints of programs to the kernel's key.
pub(crate) fn bind(system: &mut SystemDescription, programs: &[Program], config: &Config) {
    if config.recording {
        // Nothing traces, and the programs are those of an image without a recording.
        system.trace_bytes = Some(MAX_BYTES);
        return;
    }
    if config.trace != 0 {
        system.trace_bytes.get_or_insert(DEFAULT_BYTES);
    }
    if system.trace_bytes.is_none() {
        return;
    }
    let keys = &mut system.static_keys;
    for (domain, program) in system.protection_domains.iter_mut().zip(programs) {
        let is_bound = |key: &KeyUse| key.symbol.as_ref().is_some_and(|symbol| symbol.name == PROGRAM_KEY);
        if !program.symbols.contains(PROGRAM_KEY) || domain.keys.iter().any(is_bound) {
            continue;
        }
        let kernel = KernelKey::TracePrograms;
        let known = keys.iter().position(|key| key.kernel == Some(kernel));
        let key = known.unwrap_or_else(|| {
            let name = KernelKey::ALL.iter().find(|(key, ..)| *key == kernel).map_or("", |(_, name, _)| name);
            let (name, span) = (name.to_owned(), domain.span.clone());
            keys.push(StaticKey {
                name,
                default: false,
                shared: true,
                group: None,
                kernel: Some(kernel),
                span,
            });
            keys.len() - 1
        });
        let symbol = Symbol { name: PROGRAM_KEY.to_owned(), span: domain.span.clone() };
        let span = domain.span.clone();
        domain.keys.push(KeyUse { key, id: None, symbol: Some(symbol), shared: true, span });
    }
}
