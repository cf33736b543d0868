//! The kernel, compiled for size: boot, the general way through `limen_core`, and the port to each architecture. What is
//! for speed is marked to be made in `limen_entry`, the binary.

#![cfg_attr(not(test), no_std)]

pub mod address_space;
pub mod boot_check;
pub mod command_line;
pub mod page_table;

#[cfg(test)]
mod test_tables;

#[cfg(not(test))]
pub mod arch;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "makes the kernel's objects while nobody else can")]
pub mod boot;
#[cfg(not(test))]
pub mod boot_info;
#[cfg(not(test))]
pub mod console;
#[cfg(not(test))]
pub mod device_tree;
#[cfg(not(test))]
pub mod digest_rates;
#[cfg(not(test))]
pub mod driver;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "registers that the compiler does not know, saved by assembly")]
pub mod fpu;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "reaches RAM by physical address while boot lasts")]
pub mod identity_map;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "lends out the one kernel between trap entry and return")]
pub mod kernel_cell;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "names what the linker has collected")]
pub mod keys;
#[cfg(not(test))]
pub mod machine;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "device registers are memory that the compiler does not know")]
pub mod mmio;
#[cfg(not(test))]
pub mod panic;
#[cfg(not(test))]
pub mod program_sites;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "registers that the compiler does not know, put aside by assembly")]
pub mod section;
#[cfg(not(test))]
pub mod section_costs;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "is at work at boot, and looks at saved registers")]
pub mod section_test;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "memory that only assembly names")]
pub mod stack;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "writes the kernel's own code")]
pub mod text;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "memory that is cleared as far as the image has threads")]
pub mod thread_memory;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "names what the linker has placed")]
pub mod unmap_boot;
#[cfg(not(test))]
#[expect(unsafe_code, reason = "memory that is mapped for work alone, at addresses that the image tells")]
pub mod work;
