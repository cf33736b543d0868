//! The graph of a system as text for Graphviz.

use std::fmt::Write;

use crate::graph::{Flow, Graph};

/// The text of a `digraph`.
#[must_use]
pub fn dot(graph: &Graph) -> String {
    let mut out =
        String::from("digraph system {\n    rankdir=TB\n    node [shape=box fontname=\"sans-serif\"]\n");
    // Writing to a string cannot fail.
    _ = write(&mut out, graph);
    out + "}\n"
}

fn write(out: &mut String, graph: &Graph) -> std::fmt::Result {
    if graph.areas.is_empty() {
        families(out, graph, None, 4)?;
    }
    // An area may have only children of programs of other areas.
    let used = |index: &usize| graph.roots(Some(*index)).next().is_some();
    for (index, area) in graph.areas.iter().enumerate().filter(|(index, _)| used(index)) {
        writeln!(out, "    subgraph cluster_domain{index} {{\n        label={}", quoted(area))?;
        families(out, graph, Some(index), 8)?;
        writeln!(out, "    }}")?;
    }
    for link in &graph.links {
        for (from, to) in link.calls() {
            writeln!(out, "    p{from} -> p{to} [color=blue]")?;
        }
        match link.notifications()[..] {
            [(from, to), _] => writeln!(out, "    p{from} -> p{to} [style=dashed dir=both]")?,
            [(from, to)] => writeln!(out, "    p{from} -> p{to} [style=dashed]")?,
            _ => {}
        }
    }
    for (index, shared) in graph.shared.iter().enumerate() {
        let label = shared.lines(8).join("\n");
        writeln!(out, "    m{index} [shape=ellipse label={}]", quoted(&label))?;
        for (user, flow) in shared.flows() {
            match flow {
                Flow::In => writeln!(out, "    p{user} -> m{index} [color=darkgreen]")?,
                Flow::Out => writeln!(out, "    m{index} -> p{user} [color=darkgreen]")?,
                Flow::Both => writeln!(out, "    p{user} -> m{index} [color=darkgreen dir=both]")?,
            }
        }
    }
    Ok(())
}

/// The programs without a parent of an area, each in a cluster with its children.
fn families(out: &mut String, graph: &Graph, area: Option<usize>, indent: usize) -> std::fmt::Result {
    graph.roots(area).try_for_each(|root| family(out, graph, root, indent))
}

fn family(out: &mut String, graph: &Graph, program: usize, indent: usize) -> std::fmt::Result {
    let Some(own) = graph.programs.get(program) else { return Ok(()) };
    let facts = own.facts;
    let style = if facts.passive { " style=dashed" } else { "" };
    let area = graph.elsewhere(own).map(|area| format!("\n{area}")).unwrap_or_default();
    let label = quoted(&format!("{}\npriority {}{area}", facts.name, facts.priority));
    if graph.children(program).next().is_none() {
        return writeln!(out, "{:indent$}p{program} [label={label}{style}]", "");
    }
    writeln!(out, "{:indent$}subgraph cluster_family{program} {{\n{:indent$}    label=\"\"", "", "")?;
    writeln!(out, "{:indent$}    p{program} [label={label}{style}]", "")?;
    graph.children(program).try_for_each(|child| family(out, graph, child, indent + 4))?;
    writeln!(out, "{:indent$}}}", "")
}

/// A quoted string. A backslash starts an escape sequence, so it is doubled; line ends are escaped.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_are_escaped() {
        assert_eq!(quoted("a\"b\\c\nd<e>"), r#""a\"b\\c\nd<e>""#);
    }
}
