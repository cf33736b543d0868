//! Readers of a valid image return what was written.

use limen_image::{
    FixedRegionFlags, HEADER_WORDS, Image, InterruptController, InterruptFlags, Options, Region, Rights,
    Service, Table, Thread, ThreadFlags, bytes_of, name_words, words_of,
};

use crate::sample::{IMAGE_BYTES, IMAGE_PADDR, fix_checksum, homes, sample, spread};

#[test]
fn counts_are_those_of_the_tables() {
    let writer = sample();
    let words = writer.finish(IMAGE_PADDR, IMAGE_BYTES);
    let image = Image::validate(&words).expect("the sample is valid");
    assert_eq!(image.thread_count(), writer.threads.len() as u64);
    assert_eq!(image.mapping_count(), writer.mappings.len() as u64);
    assert_eq!(image.tables_bytes(), words.len() as u64 * 8);
    assert_eq!(writer.tables_bytes(), image.tables_bytes());
    assert_eq!(image.fixed_regions().collect::<Vec<_>>(), writer.fixed_regions);
}

#[test]
fn each_object_has_its_own_home() {
    let mut writer = sample();
    spread(&mut writer);
    writer.processors = 4;
    writer.caps.clear();
    writer.homes = homes(&[3, 2, 1, 0, 1, 2, 3]);
    let words = writer.finish(IMAGE_PADDR, IMAGE_BYTES);
    let image = Image::validate(&words).expect("a valid image");
    assert_eq!(image.homes().collect::<Vec<_>>(), writer.homes);
    assert_eq!([0, 1].map(|index| image.endpoint_home(index)), [3, 2]);
    assert_eq!([0, 1, 2].map(|index| image.notification_home(index)), [1, 0, 1]);
    assert_eq!([0, 1].map(|index| image.reply_home(index)), [2, 3]);
}

#[test]
fn nothing_is_read_past_the_end_of_a_table() {
    let mut words = sample().finish(IMAGE_PADDR, IMAGE_BYTES);
    // The empty table of homes may lie anywhere, here where the board is.
    words[HEADER_WORDS - 2 * (Table::COUNT - Table::Homes as usize)] = HEADER_WORDS as u64;
    fix_checksum(&mut words);
    let image = Image::validate(&words).expect("a valid image");
    assert_ne!(words[HEADER_WORDS], 0);
    assert_eq!(image.endpoint_home(0), 0);
    assert_eq!(image.thread(image.thread_count()), None);
}

#[test]
fn options_are_the_bits_of_the_format() {
    assert_eq!(Options::PRINTING, 0x1);
    assert_eq!(Options::CHECK_INVARIANTS, 0x2);
    assert_eq!(Options::MEASURE_UTILISATION, 0x4);
    assert_eq!(Options::BOOT_FIGURES, 0x8);
    assert_eq!(Options::RECORDING, 0x10);
    assert_eq!(Options::ALL, Options::TRACE | 0x1f);
    assert_eq!(Options::TRACE & 0x1f, 0);
}

#[test]
fn flags_of_records_are_the_bits_of_the_format() {
    assert_eq!([FixedRegionFlags::NEEDS_RAM, FixedRegionFlags::ALL], [1, 1]);
    assert_eq!([InterruptFlags::EDGE, InterruptFlags::ACTIVE_LOW, InterruptFlags::ALL], [1, 2, 3]);
    assert_eq!([ThreadFlags::COUNTER, ThreadFlags::FPU_DISABLED, ThreadFlags::ALL], [1, 2, 3]);
    let rights = [Rights::SEND, Rights::RECEIVE, Rights::GRANT, Rights::GRANT_REPLY, Rights::ALL];
    assert_eq!(rights, [1, 2, 4, 8, 15]);
}

#[test]
fn sizes_of_a_seal_are_those_of_its_devices() {
    assert_eq!([0, 1, 16].map(Service::ring_bytes), [6, 14, 134]);
    assert_eq!([0, 16].map(Service::sealed_bytes), [32, 48]);
}

#[test]
fn a_region_is_filled_from_a_file_or_by_the_kernel() {
    for (source, source_bytes, is_filled) in
        [(0, 0, false), (6, 0, true), (0, 0x1000, true), (0x1000, 0x1000, true)]
    {
        let region = Region { source, source_bytes, ..Region::default() };
        assert_eq!(region.is_filled(), is_filled, "{source:#x}, {source_bytes:#x}");
    }
}

#[test]
fn a_thread_has_the_name_that_was_written() {
    let longest = "x".repeat(64);
    for name in ["", "a", "program", &longest] {
        let (bytes, length) = Thread { name: name_words(name), ..Thread::default() }.name_bytes();
        assert_eq!(&bytes[..length], name.as_bytes());
        assert!(bytes[length..].iter().all(|&byte| byte == 0));
    }
}

#[test]
fn a_file_holds_whole_words_lowest_byte_first() {
    let bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0, 0x80];
    let words = [0x0807_0605_0403_0201, 0x8000_0000_0000_0009];
    assert_eq!(bytes_of(&words), bytes);
    assert_eq!(words_of(&bytes), words);
    assert_eq!(words_of(&bytes[..15]), words[..1]);
}

#[test]
fn a_controller_has_registers_of_its_size() {
    for (kind, bytes) in [
        (InterruptController::GicV2, [0x1_0000, 0x2_0000]),
        (InterruptController::Plic, [0x400_0000, 0x1000]),
        (InterruptController::Apic, [0x1000, 0x1000]),
    ] {
        assert_eq!(kind.register_bytes(), bytes, "{kind:?}");
        let mut board = sample().board;
        board.interrupt_controller_kind = kind as u64;
        let registers = board.interrupt_registers();
        assert_eq!(registers.map(|range| range.end - range.start), bytes, "{kind:?}");
        assert_eq!(registers[0].start, board.interrupt_controller_paddr);
        assert_eq!(registers[1].start, board.interrupt_cpu_paddr);
    }
}

#[test]
fn an_interrupt_controller_has_its_number() {
    for kind in [InterruptController::GicV2, InterruptController::Plic, InterruptController::Apic] {
        assert_eq!(InterruptController::from_raw(kind as u64), Some(kind));
    }
    assert_eq!(InterruptController::from_raw(0), None);
}
