//! The kernel, compiled for size: boot, the slow paths of `limen_core`, and the port to each architecture. Code that
//! must be fast is instantiated in `limen_entry`, the binary.

#![cfg_attr(not(test), no_std)]
#![cfg_attr(test, allow(private_interfaces, reason = "hardware and registers of tests are not for others"))]

pub mod address_space;
pub mod boot_check;
pub mod command_line;
pub mod page_table;

#[cfg(test)]
mod test_tables;
#[cfg(test)]
#[expect(unsafe_code, reason = "does what assembly does with the kernel's memory")]
#[path = "test_target/traps.rs"]
mod traps;

#[cfg(not(test))]
pub mod arch;
#[cfg(test)]
#[path = "test_target/arch.rs"]
pub mod arch;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "creates the kernel's objects before the first trap")]
pub mod boot;
#[cfg(not(test))]
pub mod boot_info;
#[cfg(not(test))]
pub mod console;
#[cfg(test)]
#[path = "test_target/console.rs"]
pub mod console;
#[cfg(not(test))]
pub mod device_tree;
#[cfg(not(test))]
pub mod digest_rates;
#[cfg(not(test))]
pub mod driver;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "assembly saves registers that the compiler does not know")]
pub mod fpu;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "accesses RAM by physical address during boot")]
pub mod identity_map;
#[expect(unsafe_code, reason = "borrows the one kernel between trap entry and return")]
pub mod kernel_cell;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "reads sections that the linker collects")]
pub mod keys;
#[cfg(not(test))]
pub mod machine;
#[cfg(test)]
#[path = "test_target/machine.rs"]
pub mod machine;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "device registers are memory that the compiler does not know")]
pub mod mmio;
#[cfg(not(test))]
pub mod panic;
#[cfg(test)]
#[path = "test_target/panic.rs"]
pub mod panic;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "copies the private part of the kernel's image")]
pub mod processors;
#[cfg(not(test))]
pub mod program_sites;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "assembly saves registers that the compiler does not know")]
pub mod section;
#[cfg(not(test))]
pub mod section_costs;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "runs as work at boot, and inspects saved registers")]
pub mod section_test;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "memory that is mapped for work alone, at the image's addresses")]
pub mod service_work;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "memory that only assembly accesses")]
pub mod stack;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "writes the kernel's own code")]
pub mod text;
#[expect(unsafe_code, reason = "memory that boot clears only for the image's threads")]
pub mod thread_memory;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "memory that boot has mapped at a fixed address")]
pub mod trace_memory;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "declares symbols of the linker script")]
pub mod unmap_boot;
#[cfg(test)]
#[path = "test_target/unmap_boot.rs"]
pub mod unmap_boot;
