//! Selects the port. Every port has the same modules with the same functions.

/// A port's trap code with the operands that it needs besides those of every port. `enter_fault` is the port's own.
macro_rules! trap_code {
    ($($operand:tt)*) => {
        core::arch::global_asm!(
            limen_keys::assembly!(),
            include_str!("trap.S"),
            EMERGENCY_OFFSET = const $crate::stack::EMERGENCY_OFFSET,
            kernel = sym $crate::entry::KERNEL,
            serve_call = sym limen_core::Kernel::<$crate::machine::Hardware>::serve_call,
            serve_answer = sym limen_core::Kernel::<$crate::machine::Hardware>::serve_answer,
            serve_send = sym limen_core::Kernel::<$crate::machine::Hardware>::serve_send,
            serve_receive = sym limen_core::Kernel::<$crate::machine::Hardware>::serve_receive,
            enter_syscall = sym $crate::entry::enter_syscall,
            // Numbers of system calls are below zero, and those of instructions above it.
            CALL = const -limen_abi::Syscall::Call.as_raw(),
            REPLY_RECV = const -limen_abi::Syscall::ReplyRecv.as_raw(),
            SEND = const -limen_abi::Syscall::Send.as_raw(),
            RECV = const -limen_abi::Syscall::Recv.as_raw(),
            enter_fault = sym enter_fault,
            PROBING = sym $crate::keys::PROBING,
            exit_stamp = sym $crate::entry::exit_stamp,
            STAMP_PLAIN = const limen_core::object::probe::ExitStamp::Plain as u8,
            run_work = sym $crate::work::run,
            finish_work = sym $crate::work::finish,
            REPORT_BYTES = const size_of::<limen_services::Report>(),
            $($operand)*
        );
    };
}

/// A port's code of sections, with the operands that it needs besides those of every port, and what comes behind it.
macro_rules! section_code {
    ($after:literal, $($operand:tt)*) => {
        core::arch::global_asm!(
            include_str!("section.S"),
            include_str!("../section.S"),
            $after,
            COUNT = const REGISTERS,
            REGISTERS = const NUMBERED.start,
            $($operand)*
        );
    };
}

#[cfg(not(target_arch = "aarch64"))]
pub mod no_caches;
#[cfg(not(target_arch = "x86_64"))]
pub mod no_ports;

#[cfg(target_arch = "aarch64")]
pub mod aarch64;
#[cfg(target_arch = "aarch64")]
pub(crate) use aarch64::*;

#[cfg(target_arch = "riscv64")]
pub mod riscv64;
#[cfg(target_arch = "riscv64")]
pub(crate) use riscv64::*;

#[cfg(target_arch = "x86_64")]
pub mod x86_64;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::*;
