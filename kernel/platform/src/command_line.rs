//! The kernel's command line: words of the form `name=value`. The last word with a name counts.
//!
//! An unknown word never prevents a system from booting; [`unknown`] finds it for the boot report.

/// The settings on a command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// `page_table_switch`: whether programs run on page tables that do not map the kernel.
    pub page_table_switch: Choice,
}

/// The value of a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Choice {
    /// Always.
    On,
    /// Never.
    Off,
    /// If the processor needs it.
    #[default]
    Auto,
}

impl Settings {
    /// Parses a command line.
    pub fn of(line: &[u8]) -> Self {
        let choices = words(line).filter_map(page_table_switch);
        Self { page_table_switch: choices.last().unwrap_or_default() }
    }
}

/// The unknown words. The first word may be the kernel's file name, which many loaders put there.
pub fn unknown(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_file = |(position, word): &(usize, &[u8])| *position == 0 && !word.contains(&b'=');
    let words = words(line).enumerate().filter(move |word| !is_file(word));
    words.map(|(_, word)| word).filter(|word| page_table_switch(word).is_none())
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

fn page_table_switch(word: &[u8]) -> Option<Choice> {
    match word.strip_prefix(b"page_table_switch=")? {
        b"on" => Some(Choice::On),
        b"off" => Some(Choice::Off),
        b"auto" => Some(Choice::Auto),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    fn choice(line: &[u8]) -> Choice {
        Settings::of(line).page_table_switch
    }

    #[test]
    fn the_processor_decides_unless_a_word_does() {
        assert_eq!(choice(b""), Choice::Auto);
        assert_eq!(choice(b"sel4_32.elf"), Choice::Auto);
        assert_eq!(choice(b"sel4_32.elf page_table_switch=on"), Choice::On);
        assert_eq!(choice(b"page_table_switch=off"), Choice::Off);
        assert_eq!(choice(b"page_table_switch=auto"), Choice::Auto);
    }

    #[test]
    fn the_last_word_wins() {
        assert_eq!(choice(b"page_table_switch=on\tpage_table_switch=off "), Choice::Off);
        assert_eq!(choice(b"page_table_switch=on page_table_switch=perhaps"), Choice::On);
    }

    #[test]
    fn unknown_words_are_found() {
        let unknown = |line: &'static [u8]| unknown(line).collect::<Vec<_>>();
        assert_eq!(unknown(b"/boot/kernel page_table_switch=on"), [b""; 0]);
        assert_eq!(unknown(b"kernel quiet page_table_switch=1"), [&b"quiet"[..], b"page_table_switch=1"]);
        assert_eq!(unknown(b"page_table_swich=on"), [b"page_table_swich=on"]);
    }
}
