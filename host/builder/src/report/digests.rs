//! The expected digests of a system at its start, for comparison with a measured boot.

use limen_abi::limits::PAGE_BYTES;
use limen_sdf::model::{Prefill, Service, ServiceTarget};
use serde::Serialize;

use super::object_graph;
use crate::address_space::Purpose;
use crate::build::Built;

const PAGE: usize = PAGE_BYTES as usize;

/// A digest that a protection domain may request.
#[derive(Clone, Debug, Serialize)]
pub struct ExpectedDigest {
    /// The protection domain.
    pub owner: String,
    /// Its id in that protection domain.
    pub id: u8,
    /// The target.
    pub what: String,
    /// 64 hexadecimal digits, first byte first, if it is known before boot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blake3: Option<String>,
    /// The code has static keys, so the digest is valid only while they are at their defaults.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub follows_keys: bool,
}

/// Every digest, in the order of the description.
pub(super) fn digests(built: &Built) -> Vec<ExpectedDigest> {
    let domains = &built.parts.system.protection_domains;
    let services = domains.iter().flat_map(|domain| domain.services.iter().map(move |s| (domain, s)));
    let described = services.enumerate().filter(|(_, (_, service))| service.is_digest());
    described
        .map(|(index, (domain, service))| ExpectedDigest {
            owner: domain.name.clone(),
            id: service.id,
            what: object_graph::service(built, index),
            blake3: expected(built, service),
            follows_keys: matches!(service.target, ServiceTarget::Program(program) if follows_keys(built, program)),
        })
        .collect()
}

fn follows_keys(built: &Built, program: usize) -> bool {
    built.parts.system.protection_domains[program].keys.iter().any(|key| key.symbol.is_some())
}

fn expected(built: &Built, service: &Service) -> Option<String> {
    let mut hasher = blake3::Hasher::new();
    match service.target {
        ServiceTarget::Kernel | ServiceTarget::Seal(_) => return None,
        ServiceTarget::Program(program) => add_constants(&mut hasher, built, program),
        ServiceTarget::Region(region) => add_region(&mut hasher, built, region)?,
    }
    Some(hasher.finalize().to_hex().to_string())
}

/// The pages in the window of a digest of a program, in the same order.
fn add_constants(hasher: &mut blake3::Hasher, built: &Built, program: usize) {
    for extent in built.spaces.constant_contents(program) {
        let extent = &built.spaces.extents[extent];
        if let Purpose::Contents { program, vaddr } = extent.purpose {
            for page in built.parts.programs[program].contents(vaddr, extent.bytes) {
                hasher.update(page);
            }
        }
    }
}

/// The file of the region, if any, then zeros. Boot information is not known here.
fn add_region(hasher: &mut blake3::Hasher, built: &Built, region: usize) -> Option<()> {
    let described = &built.parts.system.memory_regions[region];
    let contents = match &described.prefill {
        Some(Prefill::File(contents)) => &contents[..],
        Some(Prefill::BootInfo(_)) => return None,
        None => &[],
    };
    hasher.update(contents);
    let mut zeros = described.bytes - contents.len() as u64;
    while zeros > 0 {
        let piece = zeros.min(PAGE_BYTES);
        hasher.update(&[0; PAGE][..piece as usize]);
        zeros -= piece;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Report;
    use crate::test_system::built;

    const WATCHED: &str = r#"<system>
        <static_key name="trace" />
        <memory_region name="zeros" size="0x5000" />
        <memory_region name="file" prefill_path="f" size="0x3000" />
        <memory_region name="tree" prefill_bootinfo="fdt" />
        <protection_domain name="boss"><program_image path="p" />
            <digest id="3" region="zeros" /><digest id="1" pd="worker" /><reset id="2" pd="worker" />
            <digest id="4" kernel="true" /><digest id="5" region="tree" /><digest id="6" region="file" />
            <protection_domain name="worker" id="7"><program_image path="p" />
                <key name="trace" symbol="word" /></protection_domain>
        </protection_domain></system>"#;

    /// BLAKE3 of 20 KiB of zeros, computed with the published program.
    const OF_ZEROS: &str = "e167f67235472bd2670e221f4403433ca2f58085c2a2aaf05d3f9ebf35669cbc";

    fn of_filled(pages: usize, contents: &[u8]) -> String {
        let mut bytes = contents.to_vec();
        bytes.resize(pages * PAGE, 0);
        blake3::hash(&bytes).to_hex().to_string()
    }

    #[test]
    fn digests_cover_the_initial_contents() {
        let found = digests(&built(WATCHED));
        let listed: Vec<_> = found.iter().map(|d| (d.id, d.blake3.clone(), d.follows_keys)).collect();
        let expected = [
            (3, Some(OF_ZEROS.to_owned()), false),
            (1, Some(of_filled(1, b"text")), true),
            (4, None, false),
            (5, None, false),
            (6, Some(of_filled(3, &[7; 0x1800])), false),
        ];
        assert_eq!(listed, expected);
    }

    #[test]
    fn the_text_report_names_the_targets_of_digests() {
        let report = Report::new(&built(WATCHED)).to_text();
        let (_, section) = report.split_once("# Digests at the start\n\n").unwrap();
        let worker = of_filled(1, b"text");
        let expected = format!(
            "boss, id 3: digest of memory region zeros\n  {OF_ZEROS}\n\
             boss, id 1: digest of worker\n  {worker}, while all static keys of its code are at their defaults\n\
             boss, id 4: kernel digest\n  known on the target only\n"
        );
        assert!(section.starts_with(&expected), "{section}");
    }

    #[test]
    fn systems_without_digests_have_no_such_section() {
        let text =
            r#"<system><protection_domain name="p"><program_image path="p" /></protection_domain></system>"#;
        let report = Report::new(&built(text));
        assert!(!report.to_text().contains("Digests") && !report.to_json().contains("digests"));
    }
}
