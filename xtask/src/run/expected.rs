//! `expected.txt` of a project: lines that its console must show, in this order.
//!
//! Other lines may occur between them, because the kernel's boot report differs between configurations.

use crate::failure::{Failure, Outcome};
use crate::run::project::Project;
use crate::shell::files;

/// The lines that have not appeared yet.
#[derive(Debug)]
pub struct Expected {
    lines: Vec<String>,
    seen: usize,
}

impl Expected {
    /// Reads the project's `expected.txt`; `None` if it has none.
    ///
    /// # Errors
    /// When the file exists but cannot be read.
    pub fn of(project: &Project) -> Outcome<Option<Self>> {
        let file = project.folder.join("expected.txt");
        if !file.exists() {
            return Ok(None);
        }
        files::read(&file).map(|text| Some(Self::parse(&text)))
    }

    fn parse(text: &str) -> Self {
        let lines = text.lines().map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty());
        Self { lines: lines.collect(), seen: 0 }
    }

    /// Consumes the next line of the console; true once every expected line has appeared.
    pub fn complete_with(&mut self, line: &str) -> bool {
        if self.missing() == Some(line) {
            self.seen += 1;
        }
        self.missing().is_none()
    }

    /// Success if every line has appeared.
    ///
    /// # Errors
    /// Names the first missing line.
    pub fn outcome(&self) -> Outcome {
        match self.missing() {
            None => Ok(()),
            Some(line) => Err(Failure::new(format!("the console lacks this line of expected.txt: {line}"))),
        }
    }

    fn missing(&self) -> Option<&str> {
        self.lines.get(self.seen).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_must_appear_in_order_with_others_between_them() {
        let mut expected = Expected::parse("one\n\ntwo\n");
        assert!(!expected.complete_with("two"));
        assert!(!expected.complete_with("one"));
        assert!(!expected.complete_with("noise"));
        assert!(expected.outcome().unwrap_err().to_string().ends_with("two"));
        assert!(expected.complete_with("two"));
    }
}
