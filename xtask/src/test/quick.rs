//! `./x test --quick`: the tests that find most mistakes for their time.

use crate::run::board::Board;
use crate::run::project::Project;

/// In this configuration the kernel checks itself.
const CONFIG: &str = "debug";

/// Suites that cover most paths of the kernel, and the smallest example.
const PROJECTS: [&str; 10] = [
    "tests/calls",
    "tests/domains",
    "tests/faults_parent",
    "tests/fpu",
    "tests/interrupts",
    "tests/notifications",
    "tests/passive",
    "tests/registers",
    "tests/scheduling",
    "examples/hello",
];

/// Returns whether this boot is among the quick tests. Variants of boards are not.
pub fn selects(project: &Project, board: &Board, config: &str) -> bool {
    let is_plain = board.chosen.is_empty() && board.is_usual();
    is_plain && config == CONFIG && PROJECTS.contains(&project.name.as_str())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::run::board;
    use crate::test::suite::Suite;
    use crate::workspace::Workspace;

    #[test]
    fn every_quick_test_exists_on_every_quick_board() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let workspace = Workspace::at(&root, &root);
        let boards = board::all(&workspace).unwrap();
        let projects =
            ["tests", "examples"].map(|shelf| Project::on_shelf(&workspace, shelf).unwrap()).concat();
        let mut selected = 0;
        for project in projects {
            let suite = Suite::of(&project).unwrap();
            for board in &boards {
                let configs = match project.name.starts_with("tests/") {
                    true => suite.configs(&board.name),
                    false => suite.example_configs(&board.name),
                };
                selected += configs.iter().filter(|config| selects(&project, board, config)).count();
            }
        }
        assert_eq!(selected, board::USUAL.len() * PROJECTS.len());
    }

    #[test]
    fn variants_and_release_are_not_quick() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let workspace = Workspace::at(&root, &root);
        let project = Project::on_shelf(&workspace, "tests").unwrap().into_iter();
        let calls = project.clone().find(|project| project.name == "tests/calls").unwrap();
        let mut board = board::named(&workspace, board::USUAL[0]).unwrap();
        assert!(selects(&calls, &board, CONFIG) && !selects(&calls, &board, "release"));
        board.chosen = vec!["el1".to_owned()];
        assert!(!selects(&calls, &board, CONFIG));
    }
}
