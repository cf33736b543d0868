//! The graph of a system as a Mermaid flowchart.

use std::fmt::Write;

use crate::graph::{Flow, Graph};

/// The text of a flowchart.
#[must_use]
pub fn mermaid(graph: &Graph) -> String {
    let mut out = String::from("flowchart TB\n");
    // Writing to a string cannot fail.
    _ = write(&mut out, graph);
    out
}

fn write(out: &mut String, graph: &Graph) -> std::fmt::Result {
    if graph.areas.is_empty() {
        families(out, graph, None, 4)?;
    }
    // An area may have only children of programs of other areas.
    let used = |index: &usize| graph.roots(Some(*index)).next().is_some();
    for (index, area) in graph.areas.iter().enumerate().filter(|(index, _)| used(index)) {
        writeln!(out, "    subgraph d{index}[{}]", quoted(area))?;
        families(out, graph, Some(index), 8)?;
        writeln!(out, "    end")?;
    }
    for link in &graph.links {
        for (from, to) in link.calls() {
            writeln!(out, "    p{from} -- call --> p{to}")?;
        }
        match link.notifications()[..] {
            [(from, to), _] => writeln!(out, "    p{from} <-. notify .-> p{to}")?,
            [(from, to)] => writeln!(out, "    p{from} -. notify .-> p{to}")?,
            _ => {}
        }
    }
    for (index, shared) in graph.shared.iter().enumerate() {
        let lines: Vec<_> = shared.lines(8).iter().map(|line| escaped(line)).collect();
        writeln!(out, "    m{index}([\"{}\"])", lines.join("<br>"))?;
        for (user, flow) in shared.flows() {
            match flow {
                Flow::In => writeln!(out, "    p{user} --> m{index}")?,
                Flow::Out => writeln!(out, "    m{index} --> p{user}")?,
                Flow::Both => writeln!(out, "    p{user} <--> m{index}")?,
            }
        }
    }
    Ok(())
}

/// The programs without a parent of an area, each in a subgraph with its children.
fn families(out: &mut String, graph: &Graph, area: Option<usize>, indent: usize) -> std::fmt::Result {
    graph.roots(area).try_for_each(|root| family(out, graph, root, indent))
}

fn family(out: &mut String, graph: &Graph, program: usize, indent: usize) -> std::fmt::Result {
    let Some(own) = graph.programs.get(program) else { return Ok(()) };
    let facts = own.facts;
    let area = graph.elsewhere(own).map(|area| format!("<br>{}", escaped(&area))).unwrap_or_default();
    let label = format!("\"{}<br>priority {}{area}\"", escaped(&facts.name), facts.priority);
    if graph.children(program).next().is_none() {
        return writeln!(out, "{:indent$}p{program}[{label}]", "");
    }
    writeln!(out, "{:indent$}subgraph f{program}[\" \"]\n{:indent$}    p{program}[{label}]", "", "")?;
    graph.children(program).try_for_each(|child| family(out, graph, child, indent + 4))?;
    writeln!(out, "{:indent$}end", "")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// Text in which everything but ASCII letters, digits and harmless punctuation is a numeric entity. Mermaid reads Markdown
/// in quoted texts, and its entities have a decimal number.
fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for character in text.chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' | '.' | ',' | '-' | '_' | '/' => safe.push(character),
            // Writing to a string cannot fail.
            _ => _ = write!(safe, "#{};", u32::from(character)),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_are_escaped() {
        assert_eq!(quoted("a_b \"<#;\u{e9}"), "\"a_b #34;#60;#35;#59;#233;\"");
    }
}
