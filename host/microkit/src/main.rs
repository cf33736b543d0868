//! The `microkit` tool.

fn main() {}
