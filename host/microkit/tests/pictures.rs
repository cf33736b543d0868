//! The page of a system, and its graphs for Graphviz and Mermaid.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails if its setup fails")]

mod support;

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use roxmltree::{Document, Node};
use support::test_elf::TestElf;
use support::{BASE, SMP, Workspace, golden};

const VERSION: &str = concat!("Limen ", env!("CARGO_PKG_VERSION"));

/// The outputs for one system.
struct Pictures {
    page: String,
    dot: String,
    mermaid: String,
}

/// Builds a description; every program is the test program `p`.
fn pictures(name: &str, text: &str) -> Pictures {
    pictures_for(name, text, BASE)
}

/// The same, for a configuration that the options name.
fn pictures_for(name: &str, text: &str, options: &str) -> Pictures {
    let workspace = Workspace::new();
    workspace.add_config("smp-debug");
    workspace.write("p", TestElf::program().bytes());
    workspace.write(name, text);
    let words = format!("{name} {options} --html page.html --dot graph.dot --mermaid graph.mmd");
    let output = workspace.run(&words.split(' ').collect::<Vec<_>>());
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    let read = |file| String::from_utf8(workspace.read(file)).unwrap();
    Pictures { page: read("page.html"), dot: read("graph.dot"), mermaid: read("graph.mmd") }
}

/// A description of the repository, for the test program.
fn example(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let text = fs::read_to_string(path).unwrap();
    let values = |text: &str, attribute: &str, with: &dyn Fn(&str) -> String| {
        let mut pieces = text.split(attribute);
        let mut changed = pieces.next().unwrap().to_owned();
        for piece in pieces {
            let (value, rest) = piece.split_once('"').unwrap();
            changed += &(with(value) + rest);
        }
        changed
    };
    let text = values(&text, " setvar_vaddr=\"", &|_| String::new());
    values(&text, "program_image path=\"", &|_| "program_image path=\"p\"".to_owned())
}

/// One server and as many clients as fit.
fn many() -> String {
    let program = |name: &str, priority: usize| {
        format!(
            "<protection_domain name=\"{name}\" priority=\"{priority}\"><program_image path=\"p\" /></protection_domain>\n"
        )
    };
    let client = |index: usize| {
        program(&format!("client{index}"), 10 + index % 4)
            + &format!(
                "<channel><end pd=\"client{index}\" id=\"0\" pp=\"true\" /><end pd=\"server\" id=\"{index}\" /></channel>\n"
            )
    };
    let clients: String = (0..62).map(client).collect();
    format!("<system>\n{}{clients}</system>\n", program("server", 200))
}

/// The page without its style and version.
fn body(page: &str) -> String {
    let (before, rest) = page.split_once("<style>").unwrap();
    let (_, after) = rest.split_once("</style>").unwrap();
    (before.to_owned() + after).replacen(VERSION, "Limen VERSION", 1)
}

/// The drawing for wide windows.
fn drawing(page: &str) -> &str {
    let start = page.find("<svg class=\"system wide\"").unwrap();
    let end = page[start..].find("</svg>").unwrap() + "</svg>\n".len();
    &page[start..start + end]
}

/// The drawing as a file of its own.
fn svg_file(page: &str) -> String {
    let style =
        [limen_page::COLOURS, limen_picture::drawing::STYLE, "svg { background: var(--paper); }\n"].concat();
    drawing(page).replacen('\n', &format!("\n<style>\n{style}</style>\n"), 1)
}

#[test]
fn pictures_match_the_golden_files() {
    let mut wrong = String::new();
    let systems = [
        ("tour", example("examples/tour/tour.system")),
        ("domains", example("examples/domains/domains.system")),
        ("twenty", include_str!("twenty.system").to_owned()),
    ];
    for (name, text) in systems {
        let made = pictures(&format!("{name}.system"), &text);
        check(&made, &text);
        wrong += &golden::difference(&format!("picture-{name}.dot"), &made.dot);
        wrong += &golden::difference(&format!("picture-{name}.mmd"), &made.mermaid);
        wrong += &match name {
            // The tables would only repeat those of the others.
            "twenty" => golden::difference("picture-twenty.svg", drawing(&made.page)),
            _ => golden::difference(&format!("picture-{name}.html"), &body(&made.page)),
        };
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn processors_are_areas_of_the_drawing() {
    let text = include_str!("spread.system");
    let made = pictures_for("spread.system", text, SMP);
    check(&made, text);
    let wrong = golden::difference("picture-spread.dot", &made.dot)
        + &golden::difference("picture-spread.mmd", &made.mermaid)
        + &golden::difference("picture-spread.html", &body(&made.page));
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn each_schedule_of_a_processor_is_a_strip() {
    let text = include_str!("spread_domains.system");
    let made = pictures_for("spread.system", text, SMP);
    check(&made, text);
    let wrong = golden::difference("picture-spread-domains.dot", &made.dot)
        + &golden::difference("picture-spread-domains.html", &body(&made.page));
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_drawings_in_the_documents_are_those_of_the_tool() {
    let tutorial = example("docs/first-system.md");
    // The last description in the tutorial.
    let (_, first) = tutorial.rsplit_once("```xml\n").unwrap();
    let (first, _) = first.split_once("```").unwrap();
    let systems = [
        ("tour", example("examples/tour/tour.system"), BASE),
        ("first", first.to_owned(), BASE),
        ("pipeline", example("examples/pipeline/pipeline.system"), SMP),
    ];
    let wrong = systems.map(|(name, text, options)| {
        let made = pictures_for(&format!("{name}.system"), &text, options);
        golden::difference(&format!("../../../../docs/{name}.svg"), &svg_file(&made.page))
    });
    assert!(wrong.concat().is_empty(), "{}", wrong.concat());
}

#[test]
fn the_largest_star_is_drawn_completely() {
    let text = many();
    let made = pictures("many.system", &text);
    check(&made, &text);
    let document = page(&made);
    let drawing = drawings(&document).next().unwrap();
    assert_eq!(of_class(drawing, "program").count(), 63);
    // A call, a notification and its answer for each client; bundles have one head or one per client.
    assert_eq!(of_class(drawing, "call").count() + of_class(drawing, "notification").count(), 3 * 62);
    assert!(!made.page.contains("do not fit"));
}

/// The page without the document type, which XML spells in capitals.
fn page(made: &Pictures) -> Document<'_> {
    Document::parse(made.page.strip_prefix("<!doctype html>\n").unwrap()).unwrap()
}

fn drawings<'a>(document: &'a Document<'a>) -> impl Iterator<Item = Node<'a, 'a>> {
    document.descendants().filter(|node| {
        node.attribute("class").is_some_and(|class| class.starts_with("system ") && !class.ends_with("key"))
    })
}

fn of_class<'a>(drawing: Node<'a, 'a>, class: &'a str) -> impl Iterator<Item = Node<'a, 'a>> {
    let has = move |node: &Node| {
        node.attribute("class").is_some_and(|own| own.split(' ').any(|word| word == class))
    };
    drawing.children().filter(move |node| node.has_tag_name((SVG, "g")) && has(node))
}

const SVG: &str = "http://www.w3.org/2000/svg";

/// Left, top, right, bottom.
type Sides = [i64; 4];

fn sides(node: Node) -> Sides {
    let rect = node.descendants().find(|node| node.has_tag_name((SVG, "rect"))).unwrap();
    let [x, y, width, height] =
        ["x", "y", "width", "height"].map(|name| rect.attribute(name).unwrap().parse::<i64>().unwrap());
    [x, y, x + width, y + height]
}

/// The points of a path, without the control points of its rounded bends.
fn points(path: &str) -> Vec<[i64; 2]> {
    let commands = path.split_inclusive(|c: char| c.is_ascii_alphabetic()).collect::<Vec<_>>();
    let mut points = Vec::new();
    for pair in commands.windows(2) {
        let command = pair[0].chars().last().unwrap();
        let numbers: Vec<i64> = pair[1]
            .split(|c: char| !c.is_ascii_digit())
            .filter(|n| !n.is_empty())
            .map(|n| n.parse().unwrap())
            .collect();
        match (command, &numbers[..]) {
            ('M' | 'L', [x, y]) | ('Q', [_, _, x, y]) => points.push([*x, *y]),
            other => panic!("{other:?} in {path}"),
        }
    }
    points
}

/// Checks the pictures of any system.
fn check(made: &Pictures, text: &str) {
    let document = page(made);
    check_isolation(&document);
    assert_eq!(drawings(&document).count(), 2);
    drawings(&document).for_each(check_geometry);
    let programs = text.matches("<protection_domain").count();
    check_graph(&made.dot, "p", " [label=", programs);
    check_graph(&made.mermaid, "p", "[\"", programs);
}

/// Nothing is loaded from elsewhere, and nothing runs.
fn check_isolation(document: &Document) {
    for node in document.descendants() {
        let name = node.tag_name().name();
        assert!(
            !["script", "link", "img", "iframe", "object", "embed", "use", "image"].contains(&name),
            "{name}"
        );
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(!name.starts_with("on") && name != "src", "{name}");
            assert!(name != "href" || value.starts_with('#'), "{value}");
        }
        let style =
            if name == "style" { node.text().unwrap() } else { node.attribute("style").unwrap_or_default() };
        assert!(!style.contains("url(") && !style.contains("@import"), "{style}");
    }
}

/// Boxes lie in the drawing and do not overlap, and lines do not run through them.
fn check_geometry(drawing: Node) {
    let view: Vec<i64> =
        drawing.attribute("viewBox").unwrap().split(' ').map(|n| n.parse().unwrap()).collect();
    let boxes: Vec<Sides> =
        ["program", "memory"].iter().flat_map(|class| of_class(drawing, class)).map(sides).collect();
    for (index, a) in boxes.iter().enumerate() {
        assert!(a[0] > 0 && a[1] > 0 && a[2] < view[2] && a[3] < view[3], "{a:?} outside");
        for b in &boxes[..index] {
            let apart = a[2] < b[0] || b[2] < a[0] || a[3] < b[1] || b[3] < a[1];
            assert!(apart, "{a:?} meets {b:?}");
        }
    }
    for line in ["call", "notification", "data"].iter().flat_map(|class| of_class(drawing, class)) {
        let path = line.children().find(|node| node.has_tag_name((SVG, "path"))).unwrap();
        for pair in points(path.attribute("d").unwrap()).windows(2) {
            let [x, y] =
                [0, 1].map(|axis| [pair[0][axis].min(pair[1][axis]), pair[0][axis].max(pair[1][axis])]);
            // A line that only touches a border ends there.
            let inside = |sides: &&Sides| {
                x[0] < sides[2]
                    && sides[0] < x[1].max(x[0] + 1)
                    && y[0] < sides[3]
                    && sides[1] < y[1].max(y[0] + 1)
            };
            let through = boxes.iter().find(inside);
            assert!(through.is_none(), "{pair:?} runs through {through:?}");
        }
    }
}

/// Outside of quoted texts, a graph has only ASCII, and as many nodes of programs as there are.
fn check_graph(text: &str, prefix: &str, after: &str, programs: usize) {
    for line in text.lines() {
        let mut rest = line;
        while let Some((plain, quoted)) = rest.split_once('"') {
            assert!(plain.is_ascii(), "{line}");
            let mut escaped = false;
            let end = quoted.find(|c: char| {
                let is_end = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                is_end
            });
            rest = &quoted[end.unwrap_or_else(|| panic!("{line}")) + 1..];
        }
        assert!(rest.is_ascii(), "{line}");
    }
    for index in 0..programs {
        let node = format!("{prefix}{index}{after}");
        assert_eq!(text.lines().filter(|line| line.trim_start().starts_with(&node)).count(), 1, "{node}");
    }
}

/// A random system.
#[derive(Clone, Debug)]
struct System {
    name: String,
    /// Parent among the earlier programs, priority, scheduling domain.
    programs: Vec<(Option<usize>, u8, usize)>,
    domains: usize,
    /// Whether the programs run on several processors. With domains, one of these has a schedule of its own.
    is_spread: bool,
    channels: Vec<(usize, usize, bool, bool)>,
    /// Users with their access.
    regions: Vec<Vec<(usize, bool)>>,
}

impl System {
    fn to_text(&self) -> String {
        let mut text = String::from("<system>\n");
        let domain = |index: usize| format!("{}{index}", self.written("D"));
        if self.domains > 0 {
            let names: String =
                (0..self.domains).map(|index| format!("<domain name=\"{}\" />", domain(index))).collect();
            let slots: String = (0..self.domains)
                .map(|index| {
                    format!("<schedule_entry domain=\"{}\" duration=\"{} us\" />", domain(index), 100 + index)
                })
                .collect();
            let own = format!("<domain_schedule cpu=\"1\">{slots}</domain_schedule>");
            let own = if self.is_spread { own.as_str() } else { "" };
            text += &format!("<domains>{names}<domain_schedule>{slots}</domain_schedule>{own}</domains>\n");
        }
        for index in 0..self.regions.len() {
            text += &format!("<memory_region name=\"{}{index}\" size=\"0x1000\" />\n", self.written("M"));
        }
        for (index, (parent, ..)) in self.programs.iter().enumerate() {
            if parent.is_none() {
                text += &self.program(index);
            }
        }
        for (id, (a, b, calls, notifies)) in self.channels.iter().enumerate() {
            let (a, b) = (a % self.programs.len(), b % self.programs.len());
            if a != b {
                let calls = *calls && self.programs[a].1 < self.programs[b].1;
                text += &format!(
                    "<channel><end pd=\"{}{a}\" id=\"{id}\" pp=\"{calls}\" notify=\"{notifies}\" /><end pd=\"{}{b}\" id=\"{id}\" /></channel>\n",
                    self.written("P"),
                    self.written("P")
                );
            }
        }
        text + "</system>\n"
    }

    fn program(&self, index: usize) -> String {
        let (parent, priority, domain) = self.programs[index];
        let id = parent.map(|_| format!(" id=\"{}\"", index % 62)).unwrap_or_default();
        let mut place = String::new();
        if self.domains > 0 {
            place += &format!(" domain=\"{}{}\"", self.written("D"), domain % self.domains);
        }
        if self.is_spread {
            place += &format!(" cpu=\"{}\"", domain % 4);
        }
        let mut text = format!(
            "<protection_domain name=\"{}{index}\" priority=\"{priority}\"{id}{place}><program_image path=\"p\" />\n",
            self.written("P")
        );
        for (region, users) in self.regions.iter().enumerate() {
            if let Some((_, writes)) = users.iter().find(|(user, _)| user % self.programs.len() == index) {
                let perms = if *writes { "rw" } else { "r" };
                text += &format!(
                    "<map mr=\"{}{region}\" vaddr=\"{:#x}\" perms=\"{perms}\" />\n",
                    self.written("M"),
                    0x40_0000 + 0x2000 * region
                );
            }
        }
        let children =
            (index + 1..self.programs.len()).filter(|child| self.programs[*child].0 == Some(index));
        text + &children.map(|child| self.program(child)).collect::<String>() + "</protection_domain>\n"
    }

    /// A name as character references, so that every character is allowed.
    fn written(&self, letter: &str) -> String {
        let name = letter.to_owned() + &self.name;
        name.chars().map(|character| format!("&#x{:x};", u32::from(character))).collect()
    }
}

fn systems(most: usize) -> impl Strategy<Value = System> {
    let programs = prop::collection::vec((any::<Option<usize>>(), 1..250u8, 0..16usize), 1..most);
    let channels =
        prop::collection::vec((any::<usize>(), any::<usize>(), any::<bool>(), any::<bool>()), 0..40);
    let regions = prop::collection::vec(prop::collection::vec((any::<usize>(), any::<bool>()), 0..6), 0..16);
    let name = r#"[\PC&&[^/\p{Zl}\p{Zp}]]{0,12}"#;
    (name, programs, 0..5usize, any::<bool>(), channels, regions).prop_map(
        |(name, mut programs, domains, is_spread, channels, regions)| {
            for (index, program) in programs.iter_mut().enumerate() {
                // The first programs have no parent; some of the others do.
                program.0 = program.0.filter(|_| index > 2).map(|parent| parent % index);
            }
            System { name, programs, domains, is_spread, channels, regions }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_system_has_well_formed_pictures(system in prop_oneof![systems(12), systems(63)]) {
        let text = system.to_text();
        let options = if system.is_spread { SMP } else { BASE };
        check(&pictures_for("random.system", &text, options), &text);
    }
}
