//! Comparison with the texts in `tests/golden`.

use std::path::Path;
use std::{env, fs};

/// The difference between `text` and the golden file; empty if they are equal. `LIMEN_BLESS=1` rewrites the file.
pub(crate) fn difference(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if env::var_os("LIMEN_BLESS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    if golden == text {
        return String::new();
    }
    format!("{name}: expected\n{golden}\ngot\n{text}\n(LIMEN_BLESS=1 rewrites the file)\n")
}
