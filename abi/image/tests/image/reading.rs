//! Readers of a valid image return what was written.

use limen_image::{Image, InterruptController};

use crate::sample::{IMAGE_BYTES, IMAGE_PADDR, sample};

#[test]
fn counts_are_those_of_the_tables() {
    let writer = sample();
    let words = writer.finish(IMAGE_PADDR, IMAGE_BYTES);
    let image = Image::validate(&words).expect("the sample is valid");
    assert_eq!(image.thread_count(), writer.threads.len() as u64);
    assert_eq!(image.mapping_count(), writer.mappings.len() as u64);
}

#[test]
fn an_interrupt_controller_has_its_number() {
    for kind in [InterruptController::GicV2, InterruptController::Plic, InterruptController::Apic] {
        assert_eq!(InterruptController::from_raw(kind as u64), Some(kind));
    }
    assert_eq!(InterruptController::from_raw(0), None);
}
