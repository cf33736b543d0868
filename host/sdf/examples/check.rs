//! Checks a description and prints what is wrong with it, or what the system consists of.
//!
//! ```sh
//! cargo run -p limen-sdf --example check -- examples/tour/tour.system
//! cargo run -p limen-sdf --example check        # a description with three mistakes
//! ```
//!
//! Files that prefill memory regions are looked for in the current folder.

use std::process::ExitCode;
use std::sync::Arc;
use std::{env, fs};

use limen_sdf::{FileError, Parsed, Target, parse, render_all};

/// A description with three mistakes.
const SAMPLE: &str = r#"<system>
    <memory_region name="ring" size="0x1000" />
    <protection_domain name="driver" priority="300">
        <program_image path="driver.elf" />
        <map mr="ring" vaddr="0x2000000" perm="rw" />
    </protection_domain>
    <protection_domain name="client">
        <program_image path="client.elf" />
    </protection_domain>
    <channel>
        <end pd="driver" id="64" />
        <end pd="client" id="0" />
    </channel>
</system>
"#;

fn main() -> ExitCode {
    let Some(name) = env::args().nth(1) else {
        return show("sample.system", SAMPLE);
    };
    match fs::read_to_string(&name) {
        Ok(text) => show(&name, &text),
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn show(name: &str, text: &str) -> ExitCode {
    match check(name, text) {
        Ok(summary) => {
            print!("{summary}");
            ExitCode::SUCCESS
        }
        Err(diagnostics) => {
            eprint!("{diagnostics}");
            ExitCode::FAILURE
        }
    }
}

/// The contents of a system, or every mistake of its description.
fn check(name: &str, text: &str) -> Result<String, String> {
    let Parsed { system, warnings } = parse(name, text, &Target::aarch64(), &read_file)
        .map_err(|diagnostics| render_all(&diagnostics, Some(text)))?;
    let mut summary = render_all(&warnings, Some(text));
    for domain in &system.protection_domains {
        let (name, priority, maps) = (&domain.name, domain.priority, domain.maps.len());
        summary += &format!("protection domain '{name}': priority {priority}, {maps} maps\n");
    }
    Ok(summary
        + &format!("{} memory regions, {} channels\n", system.memory_regions.len(), system.channels.len()))
}

/// Reads a file if it has at most this many bytes.
fn read_file(path: &str, most: u64) -> Result<Arc<[u8]>, FileError> {
    let metadata = fs::metadata(path).map_err(|_| FileError::NotFound)?;
    match metadata.len() {
        _ if !metadata.is_file() => Err(FileError::NotRegular),
        bytes if bytes > most => Err(FileError::TooLarge(bytes)),
        _ => fs::read(path).map(Arc::from).map_err(|_| FileError::Unreadable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mistake_is_shown_where_it_is() {
        let shown = check("sample.system", SAMPLE).unwrap_err();
        for place in ["sample.system:3:", "sample.system:5:", "sample.system:11:"] {
            assert!(shown.contains(place), "{shown}");
        }
    }

    #[test]
    fn a_correct_description_is_summarised() {
        let corrected = SAMPLE.replace("300", "200").replace("perm=", "perms=").replace("64", "1");
        let summary = "protection domain 'driver': priority 200, 1 maps\n\
                       protection domain 'client': priority 0, 0 maps\n\
                       1 memory regions, 1 channels\n";
        assert_eq!(check("sample.system", &corrected), Ok(summary.to_owned()));
    }
}
