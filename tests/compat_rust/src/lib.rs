//! The common parts of the programs: their first instruction, system calls, the IPC buffer, reports of tests.
#![no_std]

use core::panic::PanicInfo;

pub mod arch;

/// Everything that the build script has read from the SDK.
#[allow(
    dead_code,
    non_snake_case,
    non_upper_case_globals,
    clippy::all,
    reason = "generated, with the names of the interface"
)]
pub mod bindings {
    use crate::{Answer, IpcBuffer};

    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}

use arch::trap;
use bindings::{call, info};

/// The endpoint or notification on which a protection domain receives.
pub const INPUT: u64 = 1;
/// Its reply object.
pub const REPLY: u64 = 4;
/// Set in the badge of a call, with the channel in the lowest bits.
pub const CALLED: u64 = 1 << 63;
/// Set in the badge of a child's fault, with the child in the lowest bits.
pub const FAULTED: u64 = 1 << 62;

/// The notification of the program at the other end of a channel.
pub const fn notification(channel: u64) -> u64 {
    10 + channel
}

/// The endpoint of the program at the other end of a channel.
pub const fn endpoint(channel: u64) -> u64 {
    74 + channel
}

/// The thread of a child.
pub const fn child_thread(child: u64) -> u64 {
    202 + child
}

/// The result of a method.
#[derive(Debug)]
pub struct Answer<const COUNT: usize> {
    /// 0 if the method was carried out.
    pub error: u64,
    /// Its values.
    pub outputs: [u64; COUNT],
}

/// The memory that a program shares with the kernel.
#[repr(C)]
#[derive(Debug)]
pub struct IpcBuffer {
    tag: u64,
    /// The words of a message.
    pub message: [u64; 120],
    user_data: u64,
    /// Capabilities that a method takes.
    pub caps: [u64; 3],
    receive: [u64; 3],
}

unsafe extern "C" {
    /// The buffer's place in the linker script.
    static mut __sel4_ipc_buffer_obj: IpcBuffer;
    /// Every program's own.
    fn program() -> !;
}

/// The buffer. A program takes it once.
pub fn ipc_buffer() -> &'static mut IpcBuffer {
    // SAFETY: every program calls this once, at its start, so that there is one reference.
    unsafe { &mut *(&raw mut __sel4_ipc_buffer_obj) }
}

/// A received message.
#[derive(Clone, Copy, Debug)]
pub struct Received {
    /// The message info.
    pub info: u64,
    /// The badge of its sender.
    pub badge: u64,
}

impl IpcBuffer {
    /// Puts a number at a place in the message, counted in bits. It must not cross a word.
    pub fn put(&mut self, first: usize, bits: usize, value: u64) {
        let mask = u64::MAX >> (64 - bits);
        let word = &mut self.message[first / 64];
        *word = *word & !(mask << (first % 64)) | (value & mask) << (first % 64);
    }

    /// The number at a place in the message.
    pub fn get(&self, first: usize, bits: usize) -> u64 {
        self.message[first / 64] >> (first % 64) & u64::MAX >> (64 - bits)
    }

    /// Carries out a method; the capabilities and words that it takes are in the buffer.
    pub fn invoke(&mut self, service: u64, label: u64, caps: u64, words: usize) -> u64 {
        bindings::info_label(self.call(service, info(label, 0, caps, words as u64)))
    }

    /// Calls, with the message in the buffer, and returns the info of the answer.
    pub fn call(&mut self, endpoint: u64, info: u64) -> u64 {
        self.system_call(call::Call, endpoint, info, 0).info
    }

    /// Waits for a message.
    pub fn receive(&mut self) -> Received {
        self.system_call(call::Recv, INPUT, 0, REPLY)
    }

    /// Answers the last call or fault, then waits for a message.
    pub fn answer(&mut self, info: u64) -> Received {
        self.system_call(call::ReplyRecv, INPUT, info, REPLY)
    }

    /// Signals.
    pub fn signal(&mut self, notification: u64) {
        self.system_call(call::Send, notification, 0, 0);
    }

    /// Prints a character on the kernel's console.
    #[cfg(printing)]
    pub fn debug_put_char(&mut self, character: u8) {
        self.system_call(call::DebugPutChar, character.into(), 0, 0);
    }

    /// The first four words travel in registers.
    fn system_call(&mut self, number: i64, capability: u64, info: u64, reply: u64) -> Received {
        let [first, second, third, fourth, ..] = self.message;
        let mut words = [first, second, third, fourth];
        let received = trap(number, capability, info, &mut words, reply);
        self.message[..4].copy_from_slice(&words);
        received
    }
}

/// A variable that the tool fills in. It has contents in the file, because the tool finds it by its symbol.
#[macro_export]
macro_rules! filled_in {
    ($name:ident: $type:ty = $value:expr) => {{
        #[unsafe(no_mangle)]
        #[unsafe(link_section = ".data")]
        #[allow(non_upper_case_globals, reason = "the name of the interface")]
        static $name: $type = $value;
        // SAFETY: the variable is initialised, and no code writes it while the program runs. The compiler must not know
        // its value.
        unsafe { core::ptr::read_volatile(&raw const $name) }
    }};
}

/// Reports a test to the program that prints.
pub fn report(ipc: &mut IpcBuffer, name: &str, passed: bool) {
    let (label, outcome) = if passed { (1, " PASS\n") } else { (2, " FAIL\n") };
    let bytes = ["TEST ", name, outcome].into_iter().flat_map(str::bytes);
    let mut count = 0;
    for (place, byte) in bytes.enumerate() {
        ipc.put(8 * place, 8, byte.into());
        count = place / 8 + 1;
    }
    let last = ["TEST ", name, outcome].map(str::len).iter().sum::<usize>();
    (last..8 * count).for_each(|place| ipc.put(8 * place, 8, 0));
    ipc.call(endpoint(UART), info(label, 0, 0, count as u64));
}

/// Says that there are no more tests.
pub fn end(ipc: &mut IpcBuffer) {
    ipc.call(endpoint(UART), info(3, 0, 0, 0));
}

/// The channel to the program that prints.
const UART: u64 = 30;

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // Only the suite waits for a program without further output, and then counts too few tests.
    loop {
        core::hint::spin_loop();
    }
}
