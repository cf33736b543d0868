//! Attributes of `protection_domain`, read in the order in which Microkit users see their errors.

use limen_abi::limits::{MAX_CHANNEL_ID, MAX_PERIOD_US, MAX_USER_PRIORITY, MIN_BUDGET_US, PAGE_BYTES};

use crate::attribute::{Attributes, Reported};
use crate::code;
use crate::cpu;
use crate::diagnostic::{Diagnostic, Problems, Span};
use crate::domains::Declared;
use crate::draft::Header;
use crate::grammar;
use crate::meant;
use crate::model::{ChildOf, Symbol};
use crate::target::{Architecture, Target};
use crate::xml::Element;

const DEFAULT_BUDGET_US: u64 = 1000;
const DEFAULT_STACK_BYTES: u64 = 0x2000;
const MIN_STACK_BYTES: u64 = 0x1000;
const MAX_STACK_BYTES: u64 = 0x100_0000;

/// Reads the attributes of a protection domain; `parent` is the index of its parent.
pub(crate) fn read(
    element: Element,
    parent: Option<usize>,
    target: &Target,
    domains: &Declared,
    problems: &mut Problems,
) -> Result<Header, Reported> {
    let rule = if parent.is_some() { &grammar::CHILD_DOMAIN } else { &grammar::PROTECTION_DOMAIN };
    let older = if target.older_name { Some(grammar::OLDER_PP) } else { None };
    let known: Vec<_> = rule.attributes().iter().copied().chain(older).collect();
    let mut attributes = Attributes::read(element, &known, problems);
    let name = attributes.required("name");
    let parent = parent.map(|parent| read_child_of(parent, &mut attributes)).transpose();
    let times = read_times(&mut attributes);
    let passive = attributes.boolean_or("passive", false);
    let stack_size = attributes.number_or("stack_size", DEFAULT_STACK_BYTES);
    let smc = read_smc(target, &mut attributes);
    let cpu = cpu::read(code::PD_CPU_RANGE, target, &mut attributes);
    let domain = read_domain(domains, &mut attributes);
    let stack_bytes = stack_size.and_then(|bytes| check_stack_bytes(bytes, &mut attributes));
    let priority = read_priority(&mut attributes);
    let fpu = attributes.boolean_or("fpu", true);
    let older_pp = read_older_pp(target, &mut attributes);
    let (budget_us, period_us) = times?;
    let timeout_fault = read_timeout_fault(budget_us < period_us || passive?, &mut attributes);
    Ok(Header {
        name: name?.to_owned(),
        parent: parent?,
        priority: priority?,
        budget_us,
        period_us,
        passive: passive?,
        stack_bytes: stack_bytes?,
        fpu: fpu?,
        older_pp: older_pp?,
        // Nested protection domains do not inherit their parent's.
        cpu: cpu?.unwrap_or(0),
        domain: domain?,
        timeout_fault: timeout_fault?,
        smc: smc?,
    })
}

fn read_child_of(parent: usize, attributes: &mut Attributes) -> Result<ChildOf, Reported> {
    let span = attributes.element().span();
    let setvar_id = attributes.optional("setvar_id").map(|name| Symbol { name: name.to_owned(), span });
    let id = attributes.required_number("id")?;
    match u8::try_from(id) {
        Ok(id) if id <= MAX_CHANNEL_ID => Ok(ChildOf { parent, id, setvar_id }),
        _ => {
            let text = format!("id must be < {}", MAX_CHANNEL_ID + 1);
            let help = "Child ids are 0 to 61.";
            Err(attributes.value_error(code::PD_CHILD_ID_RANGE, "id", &text, help))
        }
    }
}

/// Location of `pp`, which lets peers call the protection domain. For current board names it is an unknown attribute.
fn read_older_pp(target: &Target, attributes: &mut Attributes) -> Result<Option<Span>, Reported> {
    let name = grammar::OLDER_PP.name;
    let may_be_called = target.older_name && attributes.boolean_or(name, false)?;
    Ok(may_be_called.then(|| attributes.element().attribute_span(name)))
}

fn read_times(attributes: &mut Attributes) -> Result<(u64, u64), Reported> {
    let budget = attributes.number_or("budget", DEFAULT_BUDGET_US);
    let period = attributes.optional_number("period");
    let (budget, period) = (budget?, period?.unwrap_or(budget?));
    if budget > period {
        let text = format!("budget ({budget}) must be less than, or equal to, period ({period})");
        let help = "Both are in microseconds; the default budget is 1000, the default period is the budget.";
        return Err(attributes.value_error(code::PD_BUDGET_PERIOD, "period", &text, help));
    }
    if budget == 0 {
        let help = "It would never run; for a protection domain without its own time after init, use passive=\"true\".";
        return Err(attributes.value_error(code::PD_BUDGET_ZERO, "budget", "budget must not be zero", help));
    }
    check_kernel_can(budget, period, attributes)
}

/// Checks the limits of the kernel's time accounting.
fn check_kernel_can(budget: u64, period: u64, attributes: &mut Attributes) -> Result<(u64, u64), Reported> {
    if budget < period && budget < MIN_BUDGET_US {
        let text = format!("budget ({budget}) is less than the least share of a period, {MIN_BUDGET_US} us");
        let help = format!("Make budget at least {MIN_BUDGET_US}, or equal to period for round robin.");
        return Err(attributes.value_error(code::PD_BUDGET_LEAST, "budget", &text, help));
    }
    if period > MAX_PERIOD_US {
        let text = format!("period ({period}) is too long");
        let help = format!("A period is at most {MAX_PERIOD_US} microseconds (one hour).");
        return Err(attributes.value_error(code::PD_PERIOD_RANGE, "period", &text, help));
    }
    Ok((budget, period))
}

/// A round-robin slice never runs out; a scheduling context that a caller donates to a passive protection domain may.
fn read_timeout_fault(has_share: bool, attributes: &mut Attributes) -> Result<bool, Reported> {
    let wanted = attributes.boolean_or("timeout_fault", false)?;
    if wanted && !has_share {
        let text = "timeout_fault needs a budget that is less than the period";
        let help = "With equal budget and period, a used-up slice causes no fault; set period above budget.";
        return Err(attributes.value_error(code::PD_TIMEOUT_FAULT, "timeout_fault", text, help));
    }
    Ok(wanted)
}

/// Id of the scheduling domain.
fn read_domain(domains: &Declared, attributes: &mut Attributes) -> Result<u8, Reported> {
    let help = "In a system with <domains>, every protection domain needs one of them.";
    match domains {
        Declared::None => match attributes.optional("domain") {
            None => Ok(0),
            Some(name) => {
                let text = format!(
                    "Specifying a domain '{name}' without declaring a domain schedule is not allowed:"
                );
                Err(attributes.value_error(code::PD_DOMAIN_UNDECLARED, "domain", &text, help))
            }
        },
        Declared::Names(ids) => {
            let name = attributes.required("domain")?;
            ids.get(name).copied().ok_or_else(|| {
                let text = format!("domain '{name}' not declared in <domains>:");
                let mut known: Vec<_> = ids.keys().copied().collect();
                known.sort_unstable();
                let help = meant::help(
                    attributes.problems(),
                    "domain must be the name of a domain in <domains>",
                    name,
                    known,
                );
                attributes.value_error(code::PD_DOMAIN_UNKNOWN, "domain", &text, help)
            })
        }
        Declared::Faulty => Err(Reported),
    }
}

/// The known wording for other architectures has neither element nor location.
fn read_smc(target: &Target, attributes: &mut Attributes) -> Result<bool, Reported> {
    let wanted = attributes.boolean_or("smc", false)?;
    if !wanted || target.smc {
        return Ok(wanted);
    }
    let help = "Remove the attribute; this board has no secure monitor that the kernel can call.";
    if target.architecture == Architecture::Aarch64 {
        let text =
            "Using SMC support without ARM SMC forwarding support enabled in the kernel for this platform";
        return Err(attributes.value_error(code::PD_SMC, "smc", text, help));
    }
    let span = attributes.element().span();
    let message = format!("ARM SMC forwarding support is not available for this architecture: {span}");
    attributes.problems().push(Diagnostic::new(code::PD_SMC, &span, message, help));
    Err(Reported)
}

fn check_stack_bytes(bytes: u64, attributes: &mut Attributes) -> Result<u64, Reported> {
    if !(MIN_STACK_BYTES..=MAX_STACK_BYTES).contains(&bytes) {
        let text =
            format!("stack size must be between {MIN_STACK_BYTES:#x} bytes and {MAX_STACK_BYTES:#x} bytes");
        let help = "The default is 0x2000 bytes.";
        return Err(attributes.value_error(code::PD_STACK_SIZE_RANGE, "stack_size", &text, help));
    }
    if !bytes.is_multiple_of(PAGE_BYTES) {
        let text = format!("stack size must be aligned to the smallest page size, {PAGE_BYTES} bytes");
        let help = format!("Round up to {:#x}.", bytes.next_multiple_of(PAGE_BYTES));
        return Err(attributes.value_error(code::PD_STACK_SIZE_ALIGNMENT, "stack_size", &text, help));
    }
    Ok(bytes)
}

fn read_priority(attributes: &mut Attributes) -> Result<u8, Reported> {
    let priority = attributes.number_or("priority", 0)?;
    match u8::try_from(priority) {
        Ok(priority) if priority <= MAX_USER_PRIORITY => Ok(priority),
        _ => {
            let text = format!("priority must be between 0 and {MAX_USER_PRIORITY}");
            let help = "0 is the lowest priority and the default.";
            Err(attributes.value_error(code::PD_PRIORITY_RANGE, "priority", &text, help))
        }
    }
}
