//! Selects the port. All ports have the same modules with the same functions.

/// Assembles a port's trap code with the shared operands and its own. `enter_fault` is a function of the port.
macro_rules! trap_code {
    ($($operand:tt)*) => {
        core::arch::global_asm!(
            limen_keys::assembly!(),
            include_str!("trap.S"),
            EMERGENCY_OFFSET = const limen_platform::stack::EMERGENCY_OFFSET,
            kernel = sym limen_platform::kernel_cell::KERNEL,
            serve_call = sym limen_core::Kernel::<limen_platform::machine::Hardware>::serve_call,
            serve_reply_recv = sym limen_core::Kernel::<limen_platform::machine::Hardware>::serve_reply_recv,
            serve_send = sym limen_core::Kernel::<limen_platform::machine::Hardware>::serve_send,
            serve_recv = sym limen_core::Kernel::<limen_platform::machine::Hardware>::serve_recv,
            enter_syscall = sym $crate::entry::enter_syscall,
            // System-call numbers are negative; immediate operands must be positive.
            CALL = const -limen_abi::Syscall::Call.as_raw(),
            REPLY_RECV = const -limen_abi::Syscall::ReplyRecv.as_raw(),
            SEND = const -limen_abi::Syscall::Send.as_raw(),
            RECV = const -limen_abi::Syscall::Recv.as_raw(),
            enter_fault = sym enter_fault,
            PROBING = sym limen_platform::keys::PROBING,
            exit_stamp = sym $crate::entry::exit_stamp,
            STAMP_PLAIN = const limen_core::object::probe::ExitStamp::Plain as u8,
            run_work = sym limen_platform::service_work::run,
            finish_work = sym $crate::entry::finish_work,
            RESULT_BYTES = const size_of::<limen_services::ResultWords>(),
            $($operand)*
        );
    };
}

#[cfg(target_arch = "aarch64")]
pub mod aarch64;
#[cfg(target_arch = "aarch64")]
pub use aarch64::trap;

#[cfg(target_arch = "riscv64")]
pub mod riscv64;
#[cfg(target_arch = "riscv64")]
pub use riscv64::trap;

#[cfg(target_arch = "x86_64")]
pub mod x86_64;
#[cfg(target_arch = "x86_64")]
pub use x86_64::trap;
