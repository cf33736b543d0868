//! Data files in TOML, read into types.

use serde::de::DeserializeOwned;

use crate::failure::{Failure, Outcome};

/// Parses a data file. `name` is what the user knows it by.
///
/// # Errors
/// When it is not TOML, or does not fit the type: with name, line and reason.
pub fn parse<T: DeserializeOwned>(text: &str, name: &str) -> Outcome<T> {
    toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        Failure::new(format!("{name}:{line}: {}", error.message()))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn errors_have_a_line() {
        let reason = |text| parse::<BTreeMap<String, u8>>(text, "a.toml").unwrap_err().to_string();
        assert_eq!(reason("one = 1\ntwo = 'x'"), "a.toml:2: invalid type: string \"x\", expected u8");
        assert!(reason("one = 1\n\n=").starts_with("a.toml:3: "));
    }
}
