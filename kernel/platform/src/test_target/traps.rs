//! Traps into a kernel in its cell, as assembly makes them: it clears memory by address, keeps a pointer to the registers of the
//! running thread between two borrows of the kernel, and writes through it. Miri judges that.

use core::ptr::with_exposed_provenance_mut;

use limen_abi::message::BufferWord;
use limen_abi::{MessageInfo, Syscall};
use limen_core::event::Event;
use limen_core::kernel::Threads;
use limen_core::machine::Context as _;
use limen_image::{
    Architecture, Board, Cap, CapKind, Counts, Image, ImageWriter, NONE, Range, Rights, SchedContext, Thread,
};

use crate::arch::context::Context;
use crate::kernel_cell::{KERNEL, KernelCell, check, context_to_run};
use crate::machine::Hardware;
use crate::thread_memory;

/// Slots of both threads.
const ENDPOINT: u64 = 10;
const REPLY: u64 = 11;

/// As in `boot.S`.
#[unsafe(no_mangle)]
unsafe extern "C" fn clear_pages(start: u64, end: u64) {
    // SAFETY: the caller names memory that nothing borrows.
    unsafe { with_exposed_provenance_mut::<u8>(start as usize).write_bytes(0, (end - start) as usize) }
}

/// As in `trap.S`; no test starts a program.
#[unsafe(no_mangle)]
extern "Rust" fn enter_first(_: &KernelCell, _: u64) -> ! {
    unreachable!("there is no program")
}

/// A client, and a server of a higher priority.
fn image() -> Vec<u64> {
    let mut writer = ImageWriter::new(Architecture::Aarch64);
    writer.board = Board { user_top: 0xff_ffff_ffff, ..Board::default() };
    writer.counts = Counts { endpoints: 1, replies: 2, vspaces: 2, ..Counts::default() };
    writer.ram = vec![Range { start: 0x4000_0000, end: 0x4800_0000 }];
    writer.reserved = vec![Range { start: 0x4000_0000, end: 0x4200_0000 }];
    writer.pool = Range { start: 0x4200_0000, end: 0x4300_0000 };
    writer.sched_contexts = vec![SchedContext { budget_us: 1000, period_us: 1000, processor: 0 }; 2];
    for (index, priority) in [(0, 50), (1, 60)] {
        writer.threads.push(Thread {
            priority,
            vspace: index,
            stack_top: 0x7000_0000,
            ipc_buffer: 0x6000_0000,
            sched_context: index,
            notification: NONE,
            fault_slot: NONE,
            timeout_slot: NONE,
            ..Thread::default()
        });
        let cap = Cap { table: index, ..Cap::default() };
        writer.caps.push(Cap {
            slot: ENDPOINT,
            kind: CapKind::Endpoint as u64,
            rights: Rights::ALL,
            badge: 7,
            ..cap
        });
        writer.caps.push(Cap { slot: REPLY, kind: CapKind::Reply as u64, object: index, ..cap });
    }
    writer.finish(0x4100_0000, 0x10_0000)
}

/// The registers of the running thread, which the exit leaves to the next entry.
struct Running(*mut Context);

impl Running {
    /// Boots the image in the kernel's own cell and memory.
    fn boot(image: &Image<'_>) -> Self {
        thread_memory::clear(image);
        thread_memory::fill(image);
        // SAFETY: there is no other borrow: only one test boots.
        let kernel = unsafe { KERNEL.open() };
        kernel.populate(image, 0, |index, _| Some(index));
        kernel.start(0);
        Self(context_to_run(kernel))
    }

    /// The running thread sends words; those that do not fit into registers are in the buffer of thread `number`.
    fn trap(self, number: u64, syscall: Syscall, words: &[u64]) -> Self {
        let in_registers = core::array::from_fn(|place| words.get(place).copied().unwrap_or(0));
        // SAFETY: the pointer is that of the last exit, and nothing has borrowed the kernel since.
        let registers = unsafe { &mut *self.0 };
        registers.set_words(in_registers, words.len());
        registers.set_reply_cptr(REPLY);
        registers.trap(syscall.as_raw(), ENDPOINT, MessageInfo::new(5, words.len()));
        for (place, word) in words.iter().enumerate().skip(in_registers.len()) {
            buffer_of(number).set_word(BufferWord::MESSAGE + place, *word);
        }
        // SAFETY: the borrow of the last exit has ended.
        let kernel = unsafe { KERNEL.open() };
        kernel.handle(Event::Syscall(syscall.as_raw()));
        check(kernel);
        Self(context_to_run(kernel))
    }

    fn words(&self) -> [u64; 4] {
        // SAFETY: as in `trap`.
        unsafe { (*self.0).words() }
    }
}

fn buffer_of(number: u64) -> &'static limen_core::message::MessageBuffer {
    &thread_memory::message_buffers()[Threads::<Hardware>::id(number).unwrap()]
}

#[test]
fn a_call_and_its_reply_cross_the_cell_of_the_kernel() {
    const CLIENT: u64 = 0;
    const SERVER: u64 = 1;
    let words = image();
    let running = Running::boot(&Image::validate(&words).unwrap());
    let running = running.trap(SERVER, Syscall::Recv, &[]);
    let running = running.trap(CLIENT, Syscall::Call, &[1, 2, 3, 4, 5, 6]);
    assert_eq!(running.words(), [1, 2, 3, 4]);
    assert_eq!(buffer_of(SERVER).word(BufferWord::MESSAGE + 5), 6);
    let running = running.trap(SERVER, Syscall::ReplyRecv, &[9, 8, 7, 6, 5]);
    assert_eq!(running.words(), [9, 8, 7, 6]);
    assert_eq!(buffer_of(CLIENT).word(BufferWord::MESSAGE + 4), 5);
}
