//! Calls a server, signals, is called by a child, and is the handler of its faults.
#![no_std]
#![no_main]

use compat_rust::arch;
use compat_rust::bindings::{self, *};
use compat_rust::{
    Answer, CALLED, FAULTED, IpcBuffer, Received, child_thread, end, endpoint, filled_in, ipc_buffer,
    notification, report,
};

const SERVER: u64 = 1;
const CHILD_CHANNEL: u64 = 2;
const CHILD: u64 = 5;
/// The address to which the child writes without permission.
const FORBIDDEN: u64 = 0xdead_0000;

#[unsafe(no_mangle)]
extern "C" fn program() -> ! {
    let ipc = ipc_buffer();
    print_on_the_console(ipc);
    report(ipc, "options_are_those_of_the_kernel", options());
    let place = (&raw const *ipc).addr();
    report(
        ipc,
        "the_buffer_is_where_the_linker_puts_it",
        place.is_multiple_of(0x1000) && place < 0x1000_0000,
    );
    report(ipc, "the_tool_fills_variables_in", variables());
    let passed = words(ipc);
    report(ipc, "calls_carry_words", passed);
    let passed = memory(ipc);
    report(ipc, "memory_is_shared", passed);
    ipc.signal(notification(SERVER));
    let received = ipc.receive();
    report(ipc, "signals_are_exchanged", received.badge == 1 << SERVER);
    let passed = refused(ipc);
    report(ipc, "methods_that_are_not_there_are_refused", passed);
    child(ipc);
    end(ipc);
    loop {
        ipc.receive();
    }
}

#[cfg(printing)]
fn print_on_the_console(ipc: &mut IpcBuffer) {
    "printed by a system call\n".bytes().for_each(|byte| ipc.debug_put_char(byte));
}

#[cfg(not(printing))]
fn print_on_the_console(_: &mut IpcBuffer) {}

fn options() -> bool {
    CONFIG_KERNEL_MCS
        && CONFIG_SEL4_ARCH == arch::NAME
        && (CONFIG_WORD_SIZE, CONFIG_MAX_NUM_NODES) == ("64", "1")
        && CONFIG_PRINTING == cfg!(printing)
        && !CONFIG_VTX
        && !CONFIG_ARM_HYPERVISOR_SUPPORT
}

fn variables() -> bool {
    let name = filled_in!(microkit_name: [u8; 16] = [0; 16]);
    let signals = filled_in!(microkit_notifications: u64 = 0);
    let calls = filled_in!(microkit_pps: u64 = 0);
    name.starts_with(b"tester\0")
        && signals == 1 << SERVER | 1 << CHILD_CHANNEL | 1 << 30
        && calls == 1 << SERVER | 1 << 30
}

/// Asks the server for the sum of words, the first of which are in registers and the others in the buffer.
fn words(ipc: &mut IpcBuffer) -> bool {
    for (place, word) in ipc.message[..120].iter_mut().enumerate() {
        *word = place as u64 + 1;
    }
    let answer = ipc.call(endpoint(SERVER), bindings::info(77, 0, 0, 120));
    info_label(answer) == 78 && info_length(answer) == 7 && ipc.message[6] == 120 * 121 / 2
}

fn memory(ipc: &mut IpcBuffer) -> bool {
    let shared = filled_in!(shared: usize = 0) as *mut u64;
    // SAFETY: the tool has written the address of a region that is mapped here; the server runs only while this program
    // waits for it.
    unsafe { shared.write_volatile(41) };
    ipc.call(endpoint(SERVER), bindings::info(0, 0, 0, 0));
    // SAFETY: as above.
    unsafe { shared.read_volatile() == 42 }
}

/// The object is there, the method is one of another object.
fn refused(ipc: &mut IpcBuffer) -> bool {
    const ILLEGAL_OPERATION: u64 = 3;
    seL4_Untyped_Retype(ipc, child_thread(CHILD), 1, 2, 3, 4, 5, 6, 7).error == ILLEGAL_OPERATION
        && seL4_IRQHandler_Ack(ipc, child_thread(CHILD)).error == ILLEGAL_OPERATION
}

/// The child has a lower priority, so that it runs only while this program waits.
fn child(ipc: &mut IpcBuffer) {
    let Received { info, badge } = ipc.receive();
    let (question, second_life) = (ipc.message[0], ipc.message[1]);
    report(
        ipc,
        "a_child_calls",
        badge == CALLED | CHILD_CHANNEL && (info_label(info), info_length(info), question) == (5, 2, 20),
    );

    ipc.message[0] = question + 1;
    let Received { info, badge } = ipc.answer(bindings::info(6, 0, 0, 1));
    let (ip, address, prefetch) =
        (ipc.message[VMFault::IP], ipc.message[VMFault::Addr], ipc.message[VMFault::PrefetchFault]);
    let passed = badge == FAULTED | CHILD
        && info_label(info) == VMFault::TAG
        && (address, prefetch) == (FORBIDDEN + 21, 0);
    report(ipc, "its_fault_arrives", passed);

    let count = seL4_UserContext_words as u64;
    let Answer { error, outputs: mut registers } =
        seL4_TCB_ReadRegisters(ipc, child_thread(CHILD), 0, 0, count);
    report(ipc, "its_registers_are_read", error == 0 && registers[0] == ip);

    registers[0] = second_life;
    let written = seL4_TCB_WriteRegisters(ipc, child_thread(CHILD), 1, 0, count, &registers).error;
    let received = ipc.receive();
    report(ipc, "it_goes_on_with_others", written == 0 && received.badge == 1 << CHILD_CHANNEL);

    let stopped = seL4_TCB_Suspend(ipc, child_thread(CHILD)).error;
    let priority = seL4_TCB_SetPriority(ipc, child_thread(CHILD), 0, 10).error;
    report(ipc, "it_is_stopped", stopped == 0 && priority != 0);
}
