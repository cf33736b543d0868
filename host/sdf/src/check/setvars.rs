//! Symbols that receive a property of a memory region: the region exists and has the property.

use crate::attribute::Reported;
use crate::code;
use crate::diagnostic::{Diagnostic, Problems};
use crate::draft::{MapDraft, SetvarDraft, SystemDraft};
use crate::meant;
use crate::model::{MemoryRegion, Setvar};
use crate::target::{Architecture, Target};

/// Checked setvars of each protection domain. Invalid ones are reported and left out.
pub(super) fn resolve(draft: &SystemDraft, target: &Target, problems: &mut Problems) -> Vec<Vec<Setvar>> {
    let mut all = Vec::new();
    for domain in &draft.protection_domains {
        for map in &domain.contents.maps {
            problems.extend(prefill_size(draft, map));
        }
        let setvars = domain.contents.setvars.iter();
        all.push(setvars.filter_map(|setvar| resolve_one(draft, setvar, target, problems).ok()).collect());
    }
    all
}

fn resolve_one(
    draft: &SystemDraft,
    setvar: &SetvarDraft,
    target: &Target,
    problems: &mut Problems,
) -> Result<Setvar, Reported> {
    let Some((index, region)) = draft.region(setvar.region_paddr) else {
        let problem = unknown_region(draft, setvar, problems);
        problems.push(problem);
        return Err(Reported);
    };
    if target.architecture == Architecture::X86_64 && region.phys_addr.is_none() {
        problems.push(address_not_known(region));
    }
    Ok(Setvar { symbol: setvar.symbol.clone(), region_paddr: index })
}

/// Only a file has a size that is known before boot.
fn prefill_size(draft: &SystemDraft, map: &MapDraft) -> Option<Diagnostic> {
    let symbol = map.setvar_prefill_size.as_ref()?;
    let (_, region) = draft.region(map.region).filter(|(_, region)| region.prefill_bytes().is_none())?;
    let (name, location) = (&region.name, &region.span);
    let message =
        format!("Error: 'setvar_prefill_size' used for MR without a `prefill_path` @ '{name}' {location}");
    let help = "Give the memory region a prefill_path, or use setvar_size for the size of the region.";
    Some(Diagnostic::new(code::SETVAR_PREFILL_SIZE, &symbol.span, message, help))
}

fn unknown_region(draft: &SystemDraft, setvar: &SetvarDraft, problems: &Problems) -> Diagnostic {
    let (name, span) = (setvar.region_paddr, &setvar.symbol.span);
    let message = format!("Error: invalid memory region name '{name}' on 'setvar' @ {span}");
    let rule = "region_paddr must be the name of a memory_region in this file";
    let help = meant::help(problems, rule, name, draft.region_names());
    Diagnostic::new(code::SETVAR_MR_UNKNOWN, span, message, help)
}

fn address_not_known(region: &MemoryRegion) -> Diagnostic {
    let (name, span) = (&region.name, &region.span);
    let message = format!(
        "Error: setvar with 'region_paddr' for MR without a specified paddr is unsupported on x86-64 @ '{name}' \
         {span}"
    );
    let help = "This architecture assigns addresses at boot; give the memory region a phys_addr.";
    Diagnostic::new(code::SETVAR_PADDR_UNSPECIFIED, span, message, help)
}
