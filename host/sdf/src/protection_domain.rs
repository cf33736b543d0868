//! `protection_domain`: a program with its own address space, and nested protection domains.

use limen_abi::limits::PROTECTION_DOMAINS;

use crate::attribute::{Attributes, Reported, value_error};
use crate::code;
use crate::diagnostic::{Diagnostic, Problems};
use crate::domains::Declared;
use crate::draft::{
    CapDraft, Contents, KeyDraft, MapDraft, ProtectionDomainDraft, ServiceDraft, SetvarDraft, WipeDraft,
};
use crate::grammar::{self, Rule};
use crate::model::{IoPort, Irq, ProgramImage, Ring, Shareable};
use crate::symbols::Symbols;
use crate::target::{Architecture, Target};
use crate::xml::Element;
use crate::{
    cspace, header, ioport, irq, map, program_image, ring, seal, service, setvar, static_key, unexpected,
    wipe,
};

/// An element that grants a right, at most once.
struct Grant {
    rule: &'static Rule,
    duplicate: &'static str,
    what: &'static str,
}

const COUNTER: Grant =
    Grant { rule: &grammar::COUNTER, duplicate: code::COUNTER_DUPLICATE, what: "the cycle counter" };
const FPU_COUNTERS: Grant = Grant {
    rule: &grammar::FPU_COUNTERS,
    duplicate: code::FPU_COUNTERS_DUPLICATE,
    what: "the counters of floating-point switches",
};
const PROBE: Grant = Grant {
    rule: &grammar::PROBE,
    duplicate: code::PROBE_DUPLICATE,
    what: "the right to sample its own crossings",
};
const TRACE: Grant =
    Grant { rule: &grammar::TRACE, duplicate: code::TRACE_DUPLICATE, what: "the right to read the trace" };
const FPU_POLICY: Grant = Grant {
    rule: &grammar::FPU_POLICY,
    duplicate: code::FPU_POLICY_DUPLICATE,
    what: "the right to set the floating-point policy",
};

/// Reads protection domains and their contents.
pub(crate) struct Reader<'a, 'p> {
    pub(crate) target: &'p Target,
    pub(crate) scheduling: Declared<'p>,
    pub(crate) problems: &'p mut Problems,
    /// In pre-order; an entry with reported problems is `None`.
    pub(crate) domains: Vec<Option<ProtectionDomainDraft<'a>>>,
    /// Number of protection domains above the limit.
    pub(crate) too_many: usize,
}

/// The parent of an element.
#[derive(Clone, Copy)]
struct Parent {
    index: usize,
    /// Nesting depth.
    depth: usize,
}

/// Contents of a protection domain that is being read.
#[derive(Default)]
struct Inside<'a> {
    program_image: Option<Result<ProgramImage, Reported>>,
    counter: Option<Result<Shareable, Reported>>,
    fpu_counters: bool,
    fpu_policy: bool,
    probe: Option<Result<Shareable, Reported>>,
    sample_ring: Option<Result<Ring, Reported>>,
    trace: Option<Result<Shareable, Reported>>,
    trace_ring: Option<Result<Ring, Reported>>,
    trace_bytes: Option<Result<u64, Reported>>,
    ioports: Vec<Result<IoPort, Reported>>,
    irqs: Vec<Result<Irq, Reported>>,
    keys: Vec<Result<KeyDraft<'a>, Reported>>,
    services: Vec<Result<ServiceDraft<'a>, Reported>>,
    wipes: Vec<Result<WipeDraft<'a>, Reported>>,
    caps: Option<Result<Vec<CapDraft<'a>>, Reported>>,
    maps: Vec<Result<MapDraft<'a>, Reported>>,
    setvars: Vec<Result<SetvarDraft<'a>, Reported>>,
    symbols: Symbols<'a>,
}

impl<'a> Reader<'a, '_> {
    /// Reads one `protection_domain` element directly inside `system`.
    pub(crate) fn read(&mut self, element: Element<'a>) {
        self.read_nested(element, None);
    }

    fn read_nested(&mut self, element: Element<'a>, parent: Option<Parent>) {
        let depth = parent.map_or(0, |parent| parent.depth);
        // Deeper or further protection domains are skipped, to bound stack and time.
        if depth >= PROTECTION_DOMAINS || self.domains.len() > PROTECTION_DOMAINS {
            self.too_many +=
                element.descendants().filter(|inside| inside.name() == "protection_domain").count();
            return;
        }
        let index = self.domains.len();
        self.domains.push(None);
        let parent_index = parent.map(|parent| parent.index);
        let header = header::read(element, parent_index, self.target, &self.scheduling, self.problems);
        let stack_bytes = header.as_ref().map_or(0, |header| header.stack_bytes);
        let contents = self.read_contents(element, Parent { index, depth: depth + 1 }, stack_bytes);
        if let (Ok(header), Ok(contents)) = (header, contents)
            && let Some(domain) = self.domains.get_mut(index)
        {
            *domain = Some(ProtectionDomainDraft { span: element.span(), header, contents });
        }
    }

    fn read_contents(
        &mut self,
        element: Element<'a>,
        this: Parent,
        stack_bytes: u64,
    ) -> Result<Contents<'a>, Reported> {
        let mut inside = Inside::default();
        for child in element.children() {
            match child.name() {
                "program_image" => self.read_program_image(element, child, &mut inside),
                "map" => {
                    let limit = self.target.map_limit(stack_bytes);
                    inside.maps.push(map::read(child, limit, &mut inside.symbols, self.problems));
                }
                "setvar" => inside.setvars.push(setvar::read(child, &mut inside.symbols, self.problems)),
                "ioport" if self.target.architecture == Architecture::X86_64 => {
                    inside.ioports.push(ioport::read(child, &mut inside.symbols, self.problems));
                }
                "irq" => inside.irqs.push(irq::read(child, self.target, &mut inside.symbols, self.problems)),
                "key" => {
                    inside.keys.push(static_key::read_use(child, &mut inside.symbols, self.problems));
                }
                "digest" => {
                    inside.services.push(service::read_digest(child, &mut inside.symbols, self.problems));
                }
                "reset" => {
                    inside.services.push(service::read_reset(child, &mut inside.symbols, self.problems));
                }
                "seal" => {
                    inside.services.push(seal::read(child, self.target, &mut inside.symbols, self.problems))
                }
                "wipe" => inside.wipes.push(wipe::read(child, self.problems)),
                "cspace" => {
                    let caps = cspace::read(child, self.problems);
                    if inside.caps.replace(caps).is_some() {
                        self.problems.push(cspace::duplicate(&element));
                    }
                }
                "counter" => {
                    let attributes = Attributes::read(child, grammar::COUNTER.attributes(), self.problems);
                    read_shareable(attributes, element, &mut inside.counter, &COUNTER);
                }
                "fpu_counters" => {
                    self.read_grant(element, child, &mut inside.fpu_counters, &FPU_COUNTERS);
                }
                "probe" => {
                    let limit = self.target.map_limit(stack_bytes);
                    let mut attributes = Attributes::read(child, grammar::PROBE.attributes(), self.problems);
                    let ring = ring::read(&mut attributes, limit, &mut inside.symbols);
                    inside.sample_ring = ring.transpose();
                    read_shareable(attributes, element, &mut inside.probe, &PROBE);
                }
                "trace" => {
                    let limit = self.target.map_limit(stack_bytes);
                    let mut attributes = Attributes::read(child, grammar::TRACE.attributes(), self.problems);
                    inside.trace_ring = Some(ring::read_trace(&mut attributes, limit, &mut inside.symbols));
                    inside.trace_bytes = ring::read_trace_bytes(&mut attributes).transpose();
                    read_shareable(attributes, element, &mut inside.trace, &TRACE);
                }
                "fpu_policy" => self.read_grant(element, child, &mut inside.fpu_policy, &FPU_POLICY),
                "protection_domain" => {
                    self.read_nested(child, Some(this));
                    if let Some(symbol) = child.attribute("setvar_id") {
                        inside.symbols.claim(&child, symbol, self.problems);
                    }
                }
                _ => self.problems.push(self.unexpected_child(&element, &child)),
            }
        }
        let program_image = inside.program_image.unwrap_or_else(|| Err(self.missing_program_image(&element)));
        Ok(Contents {
            program_image: program_image?,
            counter: inside.counter.transpose()?,
            fpu_counters: inside.fpu_counters,
            fpu_policy: inside.fpu_policy,
            probe: inside.probe.transpose()?,
            sample_ring: inside.sample_ring.transpose()?,
            trace: inside.trace.transpose()?,
            trace_ring: inside.trace_ring.transpose()?,
            trace_bytes: inside.trace_bytes.transpose()?,
            ioports: inside.ioports.into_iter().collect::<Result<_, _>>()?,
            irqs: inside.irqs.into_iter().collect::<Result<_, _>>()?,
            keys: inside.keys.into_iter().collect::<Result<_, _>>()?,
            services: inside.services.into_iter().collect::<Result<_, _>>()?,
            wipes: inside.wipes.into_iter().collect::<Result<_, _>>()?,
            caps: inside.caps.transpose()?.unwrap_or_default(),
            maps: inside.maps.into_iter().collect::<Result<_, _>>()?,
            setvars: inside.setvars.into_iter().collect::<Result<_, _>>()?,
            symbols: inside.symbols,
        })
    }

    fn read_program_image(&mut self, parent: Element, child: Element, inside: &mut Inside) {
        let image = program_image::read(child, self.problems);
        if inside.program_image.replace(image).is_some() {
            self.problems.push(value_error(
                code::PROGRAM_IMAGE_DUPLICATE,
                &parent,
                "program_image must only be specified once",
                "A protection domain runs one program; keep one program_image.",
            ));
        }
    }

    fn missing_program_image(&mut self, element: &Element) -> Reported {
        let (name, span) = (element.attribute("name").unwrap_or_default(), element.span());
        self.problems.push(Diagnostic::new(
            code::PROGRAM_IMAGE_MISSING,
            &span,
            format!("Error: missing 'program_image' element on protection_domain: '{name}': {span}"),
            "Add <program_image path=\"...\"/> with the ELF file of the program.",
        ));
        Reported
    }

    fn read_grant(&mut self, parent: Element, child: Element, granted: &mut bool, grant: &Grant) {
        Attributes::read(child, grant.rule.attributes(), self.problems);
        unexpected::children(child, self.problems);
        if std::mem::replace(granted, true) {
            self.problems.push(granted_twice(&parent, &child, grant));
        }
    }

    fn unexpected_child(&self, parent: &Element, child: &Element) -> Diagnostic {
        match child.name() {
            "ioport" => {
                let help = "This architecture has memory-mapped device registers; map a memory_region with phys_addr.";
                let text = "I/O Ports are only available on x86";
                value_error(code::IOPORT_ARCHITECTURE, parent, text, help)
            }
            "virtual_machine" => unexpected::virtual_machine(parent, child),
            _ => {
                let problem = unexpected::unknown_element(child, &grammar::PROTECTION_DOMAIN.child_names());
                // The known wording has no "Error: " and starts with a capital letter.
                let message = problem.message.replacen("Error: invalid", "Invalid", 1);
                Diagnostic { message, ..problem }
            }
        }
    }
}

fn read_shareable(
    mut attributes: Attributes,
    parent: Element,
    granted: &mut Option<Result<Shareable, Reported>>,
    grant: &Grant,
) {
    let child = attributes.element();
    let shared = attributes.boolean_or("shared", false);
    unexpected::children(child, attributes.problems());
    let shareable = shared.map(|shared| Shareable { shared, span: child.span() });
    if granted.replace(shareable).is_some() {
        attributes.problems().push(granted_twice(&parent, &child, grant));
    }
}

fn granted_twice(parent: &Element, child: &Element, grant: &Grant) -> Diagnostic {
    let text = format!("{} must only be specified once", child.name());
    let help = format!("One element grants {}; remove the others.", grant.what);
    value_error(grant.duplicate, parent, &text, &help)
}
