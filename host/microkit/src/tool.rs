//! The build, from the command line to written files.

use std::path::{Path, PathBuf};
use std::{env, fs};

use limen_abi::trace::GROUPS;
use limen_builder::board::BootProtocol;
use limen_builder::files::{self, FILE_BYTES, Prefills};
use limen_builder::report::human_bytes;
use limen_builder::sdk::SdkConfig;
use limen_builder::system_file::{Kernel, Loader};
use limen_builder::{Board, Config, ImageType, Parts, Program, Report, Sdk, trace};
use limen_nearest::{advice, did_you_mean};
use limen_picture::Graph;
use limen_picture::dot::dot;
use limen_picture::mermaid::mermaid;
use limen_picture::page::page;
use limen_sdf::{Diagnostic, Problems, SystemDescription, Target};

use crate::arguments::Arguments;
use crate::code;
use crate::failure::Failure;
use crate::options::IMAGE_TYPES;
use crate::output::{self, OutputFile};
use crate::viper;

/// Output for the user after the files have been written.
#[derive(Debug)]
pub(crate) struct Success {
    pub(crate) lines: String,
}

/// The command line, resolved against the SDK.
struct Request {
    files: SdkConfig,
    board: Board,
    /// The board name is an older one.
    older_name: bool,
    config: Config,
    image_type: ImageType,
}

/// Boards of the SDK, for the help text.
pub(crate) fn board_names() -> Vec<String> {
    open_sdk().map(|sdk| sdk.boards()).unwrap_or_default()
}

/// Builds the image and its reports, and writes the files.
///
/// # Errors
/// The build failed; no file is changed.
pub(crate) fn build(arguments: &Arguments) -> Result<Success, Failure> {
    let request = Request::new(arguments)?;
    let text = read_description(&arguments.system)?;
    let name = arguments.system.display().to_string();
    let located = |diagnostics| Failure::Diagnostics { source: Some(text.clone()), diagnostics };
    let prefills = Prefills::new(&arguments.search_paths);
    let read_file = |path: &str, most| prefills.read(path, most);
    let parsed = limen_sdf::parse(&name, &text, &request.target(), &read_file).map_err(located)?;
    let parts = parts(arguments, &request, parsed.system).map_err(|problem| located(vec![problem]))?;
    let built = parts.build(request.image_type).map_err(|problem| located(vec![problem]))?;
    let report = Report::new(&built);
    let other_form = arguments.capdl_json.as_deref().map(capdl_form);
    let warnings = [parsed.warnings, built.warnings].concat().into_iter().collect::<Problems>().into_kept();
    let files = output_files(arguments, &request, built.file, &built.parts.system, &report)?;
    output::write(&files, arguments.viper_output.as_deref())?;
    let other_form = other_form.map(|warning| limen_sdf::render(&warning, None) + "\n").unwrap_or_default();
    let lines = limen_sdf::render_all(&warnings, Some(&text)) + &other_form + &summary(&report);
    Ok(Success { lines })
}

impl Request {
    fn new(arguments: &Arguments) -> Result<Self, Failure> {
        let sdk = open_sdk()?;
        let (board, config) = (&arguments.board, &arguments.config);
        if !sdk.boards().contains(board) {
            let boards = sdk.boards();
            let boards: Vec<_> = boards.iter().map(String::as_str).collect();
            let help = advice(board, &boards, "microkit --help lists the boards");
            return Err(Failure::Value(format!(
                "argument --board: unknown parameter '{board}'\nhelp: {help}"
            )));
        }
        let configs = sdk.configs(board);
        if !configs.contains(config) {
            let choices = configs.join(", ");
            let message = format!("argument --config: invalid choice '{config}' (choose from: {choices})");
            let help = did_you_mean(config, configs.iter().map(String::as_str));
            let help = help.map(|question| format!("\nhelp: {question}")).unwrap_or_default();
            return Err(Failure::Value(message + &help));
        }
        let files = sdk.config(board, config);
        let name = board;
        let board = Board::load(&files.board_file())?;
        let older_name = board.aliases.contains(name);
        let image_type = image_type(arguments.image_type.as_deref(), &board)?;
        let trace = groups(arguments.trace.as_deref())?;
        let config = Config { trace, recording: arguments.record, ..Config::new(config) };
        Ok(Self { files, board, older_name, config, image_type })
    }

    fn target(&self) -> Target {
        Target { older_name: self.older_name, ..self.board.target(&self.config) }
    }
}

/// The SDK that `MICROKIT_SDK` names, or the one whose `bin` directory holds this program.
fn open_sdk() -> Result<Sdk, Diagnostic> {
    let root = env::var_os("MICROKIT_SDK").map(PathBuf::from).or_else(own_sdk);
    Sdk::open(&root.unwrap_or_default())
}

/// The SDK whose `bin` directory holds this program.
fn own_sdk() -> Option<PathBuf> {
    Some(env::current_exe().ok()?.parent()?.parent()?.to_owned())
}

/// The kernel and the monitor of a board and configuration, if there is an SDK.
pub(crate) fn system_files(board: &str, config: &str) -> Option<SdkConfig> {
    open_sdk().ok().map(|sdk| sdk.config(board, config))
}

/// The version of this program. The file `VERSION` of its SDK has the commit, so that the program need not be rebuilt
/// for each commit.
pub(crate) fn version() -> String {
    let file = own_sdk().and_then(|root| fs::read_to_string(root.join("VERSION")).ok()).unwrap_or_default();
    let commit = file.lines().find_map(|line| line.strip_prefix("commit ")).unwrap_or("unknown");
    format!("microkit {} (commit {commit}, {})\n", env!("CARGO_PKG_VERSION"), env!("TARGET"))
}

/// The groups of the trace that `--trace` names, as options of the image; none without it.
fn groups(names: Option<&str>) -> Result<u64, Failure> {
    let Some(names) = names else { return Ok(0) };
    trace::groups(names.split(',').filter(|_| !names.is_empty())).map_err(|name| {
        let known: Vec<_> = GROUPS.iter().map(|(_, name, _)| *name).collect();
        let help = advice(name, &known, &format!("The groups: {}", known.join(", ")));
        Failure::Value(format!("argument --trace: unknown group '{name}'\nhelp: {help}"))
    })
}

fn image_type(name: Option<&str>, board: &Board) -> Result<ImageType, Failure> {
    let Some(name) = name else {
        return Ok(board.image_type);
    };
    if !IMAGE_TYPES.contains(&name) {
        let help = advice(name, IMAGE_TYPES, "");
        return Err(Failure::Value(format!(
            "argument --image-type: unknown parameter '{name}'\nhelp: {help}"
        )));
    }
    let architecture = board.architecture.name();
    let message = format!(
        "building the output image as '{name}' is unsupported for target architecture '{architecture}'"
    );
    ImageType::from_name(name, board.architecture).ok_or(Failure::Value(message))
}

fn read_description(path: &Path) -> Result<String, Diagnostic> {
    let name = path.display();
    let diagnostic = |code, message, help| Diagnostic { code, span: None, message, help: Some(help) };
    if !path.exists() {
        let message = format!("Error: system description file '{name}' does not exist");
        let meant = files::did_you_mean(&path.to_string_lossy(), &[]);
        let help = meant.unwrap_or_else(|| {
            "The tool took this argument as the description, because it belongs to no option.".to_owned()
        });
        return Err(diagnostic(code::SYSTEM_FILE_MISSING, message, help));
    }
    files::read_text(path, limen_sdf::limits::DESCRIPTION_BYTES as u64).map_err(|e| {
        let message = format!("Could not parse '{name}': {e}");
        diagnostic(code::SYSTEM_FILE, message, {
            let most = limen_sdf::limits::DESCRIPTION_BYTES;
            format!("The description must be a readable UTF-8 file of at most {most} bytes.")
        })
    })
}

fn parts(arguments: &Arguments, request: &Request, system: SystemDescription) -> Result<Parts, Diagnostic> {
    let Request { files, board, config, .. } = request;
    let architecture = board.architecture;
    let domains = system.protection_domains.iter();
    let programs = domains.map(|domain| Program::load(domain, &arguments.search_paths, architecture));
    let monitor = Program::load_monitor(&files.monitor(), architecture);
    let kernel = arguments.override_kernel.clone().unwrap_or_else(|| files.kernel());
    Ok(Parts {
        programs: programs.chain([monitor]).collect::<Result<_, _>>()?,
        loader: match board.boot {
            BootProtocol::Loader => Some(Loader::read(&files.loader(), architecture)?),
            BootProtocol::Multiboot => None,
        },
        kernel: Kernel::read(&kernel, architecture)?,
        board: board.clone(),
        config: config.clone(),
        system,
    })
}

fn output_files(
    arguments: &Arguments,
    request: &Request,
    image: Vec<u8>,
    system: &SystemDescription,
    report: &Report,
) -> Result<Vec<OutputFile>, Diagnostic> {
    let mut files = vec![
        OutputFile { path: arguments.output.clone(), bytes: image },
        OutputFile { path: arguments.report.clone(), bytes: report.to_text().into_bytes() },
    ];
    if let Some(path) = output::json_beside(&arguments.report) {
        files.push(OutputFile { path, bytes: report.to_json().into_bytes() });
    }
    files.extend(pictures(arguments, report));
    if let Some(path) = &arguments.capdl_json {
        files.push(OutputFile { path: path.clone(), bytes: report.graph.to_json().into_bytes() });
    }
    if let Some(folder) = &arguments.viper_output {
        files.extend(viper::files(folder, &arguments.system, system, &report.graph));
    }
    if request.board.boot == BootProtocol::Multiboot {
        files.extend(kernel_files(arguments, &request.files)?);
    }
    output::check_distinct(&files)?;
    Ok(files)
}

/// The page and the graphs of the system.
fn pictures(arguments: &Arguments, report: &Report) -> Vec<OutputFile> {
    let graph = Graph::new(report);
    let title = arguments.system.file_name().unwrap_or(arguments.system.as_os_str()).to_string_lossy();
    let output = |path: &Option<PathBuf>, text: &dyn Fn() -> String| {
        path.as_ref().map(|path| OutputFile { path: path.clone(), bytes: text().into_bytes() })
    };
    let files = [
        output(&arguments.html, &|| page(report, &title)),
        output(&arguments.dot, &|| dot(&graph)),
        output(&arguments.mermaid, &|| mermaid(&graph)),
    ];
    files.into_iter().flatten().collect()
}

/// The kernel, which a Multiboot loader needs as a separate file.
fn kernel_files(arguments: &Arguments, files: &SdkConfig) -> Result<Vec<OutputFile>, Diagnostic> {
    let copy = |from: PathBuf| {
        let path = arguments.output.with_file_name(from.file_name().unwrap_or_default());
        let bytes = files::read(&from, FILE_BYTES).map_err(|e| {
            let message = format!("Error: kernel file '{}' cannot be read: {e}", from.display());
            let help = Some("The SDK is incomplete; build or install it again.".to_owned());
            Diagnostic { code: "sdk-file-missing", span: None, message, help }
        })?;
        Ok(OutputFile { path, bytes })
    };
    [files.kernel(), files.multiboot_kernel()].map(copy).into_iter().collect()
}

/// Users of the option may expect the format of the reference's tool.
fn capdl_form(path: &Path) -> Diagnostic {
    let message =
        format!("WARNING: '{}' has Limen's own form, which CapDL tools do not read", path.display());
    let help = "The keys are those of report.json; the image is not affected.".to_owned();
    Diagnostic { code: code::CAPDL_FORM, span: None, message, help: Some(help) }
}

fn summary(report: &Report) -> String {
    let sizes = report.sizes;
    let (objects, tables) = (report.graph.object_count, human_bytes(sizes.tables_bytes));
    let (contents, used) = (human_bytes(sizes.contents_bytes), human_bytes(sizes.used_bytes));
    let file = human_bytes(sizes.file_bytes);
    format!(
        "MICROKIT|BOOT IMAGE: number of objects = {objects}, tables = {tables}, contents = {contents}\n\
         MICROKIT|MEMORY: in use = {used}\n\
         MICROKIT|LOADER: image file size = {file}\n"
    )
}
