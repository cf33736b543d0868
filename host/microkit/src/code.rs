//! Codes of errors with the files that the command line names. They are stable: users and documents refer to them.

limen_sdf::diagnostic_codes! {
    SYSTEM_FILE_MISSING = "system-file-missing";
    SYSTEM_FILE = "system-file";
    OUTPUT_SHARED = "output-shared";
    OUTPUT_FILE = "output-file";
    CAPDL_FORM = "capdl-form";
}
