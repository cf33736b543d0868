//! `seal`: records that the kernel encrypts and authenticates, when an interrupt arrives or at the program's request.

use limen_abi::SealCipher;
use limen_abi::limits::{SEAL_ALIGNMENT, SEAL_RECORD_BYTES, SEAL_RING_ENTRIES};

use crate::attribute::{Attributes, Reported, value_error};
use crate::code;
use crate::diagnostic::Problems;
use crate::draft::{RingDraft, SealDraft, ServiceDraft, ServiceTargetDraft};
use crate::grammar;
use crate::service;
use crate::symbols::Symbols;
use crate::target::{Architecture, Target};
use crate::xml::Element;

/// Reads one `seal` element.
pub(crate) fn read<'a>(
    element: Element<'a>,
    target: &Target,
    symbols: &mut Symbols<'a>,
    problems: &mut Problems,
) -> Result<ServiceDraft<'a>, Reported> {
    let mut attributes = Attributes::read(element, grammar::SEAL.attributes(), problems);
    let id = service::read_id(&mut attributes);
    let (key, from, to) =
        (attributes.required("key"), attributes.required("from"), attributes.required("to"));
    let irq = attributes.optional_number("irq");
    let record_bytes = read_record(&mut attributes);
    let ring = read_ring(&mut attributes);
    let cipher = read_cipher(target, &mut attributes);
    let target = || {
        let irq = irq?.map(|id| u8::try_from(id).unwrap_or(u8::MAX));
        let (key, from, to, record_bytes, ring, cipher) = (key?, from?, to?, record_bytes?, ring?, cipher?);
        Ok(ServiceTargetDraft::Seal(SealDraft { key, from, to, irq, record_bytes, ring, cipher }))
    };
    service::finish(limen_abi::ServiceKind::Seal, attributes, id, target(), symbols)
}

fn read_record(attributes: &mut Attributes) -> Result<u64, Reported> {
    let bytes = attributes.number_or("record", SEAL_RECORD_BYTES)?;
    if (SEAL_ALIGNMENT..=SEAL_RECORD_BYTES).contains(&bytes) && bytes.is_multiple_of(SEAL_ALIGNMENT) {
        return Ok(bytes);
    }
    let text = format!("record must be a multiple of {SEAL_ALIGNMENT} up to {SEAL_RECORD_BYTES}");
    let help = "record is the size in bytes of what is sealed at once: the record at the start of from, or each buffer.";
    Err(attributes.value_error(code::SEAL_RECORD, "record", &text, help))
}

/// AES-GCM has no plain code, and on RISC-V no other.
fn read_cipher(target: &Target, attributes: &mut Attributes) -> Result<SealCipher, Reported> {
    let is_vector = attributes.boolean_or("vector", true)?;
    let written = attributes.optional("cipher").unwrap_or(SealCipher::ChaCha20Poly1305.name());
    let named = SealCipher::ALL.iter().find(|(_, name, _)| *name == written).map(|(cipher, ..)| *cipher);
    let (text, help) = match named {
        Some(SealCipher::ChaCha20Poly1305) if is_vector => return Ok(SealCipher::ChaCha20Poly1305),
        Some(SealCipher::ChaCha20Poly1305) => return Ok(SealCipher::PlainChaCha20Poly1305),
        Some(SealCipher::Aes256Gcm) if target.architecture == Architecture::Riscv64 => (
            "the kernel has no aes_256_gcm for RISC-V",
            "Remove the attribute; the default is chacha20_poly1305.",
        ),
        Some(SealCipher::Aes256Gcm) if is_vector => return Ok(SealCipher::Aes256Gcm),
        Some(SealCipher::Aes256Gcm) => {
            ("aes_256_gcm needs vector registers", "Remove vector, or use chacha20_poly1305.")
        }
        Some(SealCipher::PlainChaCha20Poly1305) | None => (
            "cipher must be either 'chacha20_poly1305' or 'aes_256_gcm'",
            "The default is chacha20_poly1305.",
        ),
    };
    Err(attributes.value_error(code::SEAL_CIPHER, "cipher", text, help))
}

fn read_ring<'a>(attributes: &mut Attributes<'a, '_>) -> Result<Option<RingDraft<'a>>, Reported> {
    let entries = attributes.optional_number("entries")?;
    let offset = attributes.optional_number("used_offset")?;
    match (attributes.optional("used"), entries, offset.unwrap_or(0)) {
        (None, None, _) if offset.is_none() => Ok(None),
        (Some(region), Some(entries), offset)
            if entries.is_power_of_two() && entries <= SEAL_RING_ENTRIES && offset.is_multiple_of(4) =>
        {
            Ok(Some(RingDraft { region, offset, entries }))
        }
        _ => {
            let help = format!(
                "A used ring needs used=\"MEMORY REGION\" and entries=\"NUMBER\", a power of two up to \
                 {SEAL_RING_ENTRIES}; used_offset is a multiple of 4."
            );
            let element = attributes.element();
            let text = "used, used_offset and entries do not describe a ring";
            attributes.problems().push(value_error(code::SEAL_RING, &element, text, help));
            Err(Reported)
        }
    }
}
