//! The texts that explain the command line.

/// How to call the tool, in one line.
pub(crate) const LINE: &str =
    "usage: microkit [-h] [OPTIONS] --board BOARD --config CONFIG [--search-path PATH ...] SYSTEM";

const OPTIONS: &str = "
  SYSTEM                    the system description to build

options:
  -h, --help                show this text and exit
  -o, --output FILE         write the image here (default: loader.img)
  -r, --report FILE         write the report here (default: report.txt), and as JSON beside it (report.json)
  --board BOARD             the machine to build for
  --config CONFIG           debug, release or benchmark
  --search-path [PATH ...]  where to look for program images; the working directory comes last
  --image-type TYPE         binary, elf or uimage (default: what the board is started with)
  --override-kernel FILE    use this kernel instead of the SDK's
  --capdl-json FILE         write kernel objects and capabilities as JSON
  --viper-output DIRECTORY  write verification files
";

/// The whole help text.
pub(crate) fn help(boards: &[String]) -> String {
    let boards = if boards.is_empty() { "none found".to_owned() } else { boards.join(", ") };
    format!("{LINE}\n{OPTIONS}\nboards: {boards}\n")
}
