//! Which programs run on which processor, and what crosses between them.

use limen_builder::Report;
use limen_builder::report::{Place, ProcessorCrossing};
use limen_page::{escaped, line};

use super::list;

pub(super) fn processors(report: &Report) -> String {
    let Some(processors) = &report.processors else { return String::new() };
    let homes = processors.homes.iter().map(|home| {
        let programs = if home.programs.is_empty() { "nothing".to_owned() } else { home.programs.join(", ") };
        line(&home.cpu.to_string(), [escaped(&programs)])
    });
    let homes = list(&["Processor", "Programs"], &homes.collect::<Vec<_>>());
    if processors.crossings.is_empty() {
        return homes + "<p>Nothing crosses between processors but shared memory.</p>\n";
    }
    let rows: Vec<_> = processors.crossings.iter().map(crossing).collect();
    homes
        + "<p>These operations cross between processors. A passive program runs on its own processor, on the time of its \
           caller.</p>\n"
        + &list(&["From", "what", "to"], &rows)
}

fn crossing(ProcessorCrossing { kind, from, id, to, passive }: &ProcessorCrossing) -> String {
    let id = id.map(|id| format!(" <em>{id}</em>")).unwrap_or_default();
    let remark = if *passive { "<small>passive</small>" } else { "" };
    line(&(place(from) + &id), [(*kind).to_owned(), place(to) + remark])
}

fn place(place: &Place) -> String {
    format!("{} on {}", escaped(&place.name), place.cpu)
}
