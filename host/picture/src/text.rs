//! Sizes of text, estimated without a font.

/// Width of a text in tenths of its font size.
#[must_use]
pub fn tenths(text: &str) -> usize {
    text.chars().map(of_character).sum()
}

fn of_character(character: char) -> usize {
    match character {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' => 3,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' => 4,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 9,
        'A'..='Z' => 7,
        ' '..='~' => 6,
        '\u{a0}'..='\u{2fff}' => 8,
        _ => 12,
    }
}

/// Width of a text in pixels.
#[must_use]
pub fn width(text: &str, font_px: usize) -> usize {
    (tenths(text) * font_px).div_ceil(10)
}

/// A text that fits into `most` pixels: shortened at its end if necessary.
#[must_use]
pub fn fitted(text: &str, font_px: usize, most: usize) -> String {
    if width(text, font_px) <= most {
        return text.to_owned();
    }
    let mut short = String::new();
    for character in text.chars() {
        short.push(character);
        if width(&short, font_px) + font_px > most {
            short.pop();
            break;
        }
    }
    short + "\u{2026}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_shortened_to_the_width() {
        assert_eq!(fitted("short", 12, 100), "short");
        let long = fitted("a_very_long_name_of_a_program", 12, 100);
        assert!(long.ends_with('\u{2026}') && width(&long, 12) <= 100, "{long}");
        assert!(width("\u{8a9e}", 10) > width("x", 10));
    }
}
