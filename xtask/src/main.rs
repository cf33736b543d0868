//! The commands behind `./x`.

fn main() {}
