//! What the library's headers and its binary say: small C programs that are compiled, and run if need be.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::installation::{Installation, variable};

/// Prints the constants, which every library numbers as it likes, as Rust. No call of the library is made.
const CONSTANTS: &str = r##"
#include <shmem.h>
#include <stdio.h>
#define INT(name, about) printf("/// %s\npub const %s: c_int = %d;\n", about, #name, (int)(name));
#define LONG(name, about) printf("/// %s\npub const %s: c_long = %ld;\n", about, #name, (long)(name));
#define SIZE(name, about) printf("/// %s\npub const %s: usize = %lu;\n", about, #name, (unsigned long)(name));
_Static_assert(sizeof(shmem_ctx_t) == sizeof(void *), "a context is as large as a pointer");
int main(void) {
    INT(SHMEM_MAJOR_VERSION, "The version of the specification that the library follows.")
    INT(SHMEM_MINOR_VERSION, "The revision of that version.")
    SIZE(SHMEM_MAX_NAME_LEN, "Bytes that [`shmem_info_get_name`](crate::shmem_info_get_name) writes at most.")
    printf("/// Who made the library.\npub const SHMEM_VENDOR_STRING: &str = r#\"%s\"#;\n", SHMEM_VENDOR_STRING);
    INT(SHMEM_THREAD_SINGLE, "The process has one thread.")
    INT(SHMEM_THREAD_FUNNELED, "Only the thread that started the library makes calls.")
    INT(SHMEM_THREAD_SERIALIZED, "Any thread makes calls, but one at a time.")
    INT(SHMEM_THREAD_MULTIPLE, "Any thread makes calls at any time.")
    LONG(SHMEM_CTX_SERIALIZED, "One thread at a time uses the context.")
    LONG(SHMEM_CTX_PRIVATE, "Only the thread that creates the context uses it.")
    LONG(SHMEM_CTX_NOSTORE, "The context orders and completes nothing but transfers of its own.")
    INT(SHMEM_CMP_EQ, "Equal.")
    INT(SHMEM_CMP_NE, "Not equal.")
    INT(SHMEM_CMP_GT, "Greater.")
    INT(SHMEM_CMP_GE, "Greater or equal.")
    INT(SHMEM_CMP_LT, "Less.")
    INT(SHMEM_CMP_LE, "Less or equal.")
    LONG(SHMEM_SYNC_VALUE, "What every element of a `pSync` array is before its first use.")
    SIZE(SHMEM_BARRIER_SYNC_SIZE, "Elements of `pSync` for a barrier.")
    SIZE(SHMEM_BCAST_SYNC_SIZE, "Elements of `pSync` for a broadcast.")
    SIZE(SHMEM_COLLECT_SYNC_SIZE, "Elements of `pSync` for a concatenation.")
    SIZE(SHMEM_REDUCE_SYNC_SIZE, "Elements of `pSync` for a reduction.")
    SIZE(SHMEM_ALLTOALL_SYNC_SIZE, "Elements of `pSync` for an exchange of all with all.")
    SIZE(SHMEM_ALLTOALLS_SYNC_SIZE, "Elements of `pSync` for a strided exchange of all with all.")
    SIZE(SHMEM_REDUCE_MIN_WRKDATA_SIZE, "Elements of `pWrk` for a reduction, at least.")
#ifdef SHMEM_SIGNAL_SET
    INT(SHMEM_SIGNAL_SET, "The signal becomes the value.")
    INT(SHMEM_SIGNAL_ADD, "The value is added to the signal.")
#else
    puts("/// The signal becomes the value.\npub const SHMEM_SIGNAL_SET: c_int = 0;");
    puts("/// The value is added to the signal.\npub const SHMEM_SIGNAL_ADD: c_int = 1;");
#endif
    return 0;
}
"##;

/// Prints how the headers write the default context, and its value, which counts if it is no variable's name.
const DEFAULT_CONTEXT: &str = r##"
#include <shmem.h>
#include <stdio.h>
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
int main(void) {
    printf("%s\n%lu\n", TEXT(SHMEM_CTX_DEFAULT), (unsigned long)(SHMEM_CTX_DEFAULT));
    return 0;
}
"##;

/// Links only with a library that has the calls.
const SIGNALS: &str = r##"
#include <shmem.h>
#include <stdint.h>
int main(int count, char **arguments) {
    static uint64_t signal;
    if (count > 1000) {
        shmem_putmem_signal(&signal, arguments, 8, &signal, 1, SHMEM_SIGNAL_SET, 0);
        shmem_putmem_signal_nbi(&signal, arguments, 8, &signal, 1, SHMEM_SIGNAL_ADD, 0);
        shmem_ctx_putmem_signal(SHMEM_CTX_DEFAULT, &signal, arguments, 8, &signal, 1, SHMEM_SIGNAL_SET, 0);
        shmem_ctx_putmem_signal_nbi(SHMEM_CTX_DEFAULT, &signal, arguments, 8, &signal, 1, SHMEM_SIGNAL_SET, 0);
        return (int)(shmem_signal_fetch(&signal) + shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 1));
    }
    return 0;
}
"##;

/// Links only with Open MPI's libraries.
const PROGRESS: &str =
    "extern void opal_progress(void); int main(void) { opal_progress(); return 0; }";

/// Writes the Rust source of what the headers define.
pub fn write_constants(found: &Installation, out: &Path) -> Result<(), String> {
    let constants = compile_and_run(found, out, "constants", CONSTANTS)?;
    let context = compile_and_run(found, out, "default_context", DEFAULT_CONTEXT)?;
    let (name, value) = context
        .trim()
        .split_once('\n')
        .ok_or("the default context could not be told from its header")?;
    let context = if is_identifier(name) {
        format!(
            "unsafe extern \"C\" {{\n#[link_name = \"{name}\"]\nstatic mut DEFAULT_CONTEXT: shmem_ctx_t;\n}}\n\
             fn default_context() -> shmem_ctx_t {{\n\
             // SAFETY: the library sets it while it starts, when nobody makes calls yet.\nunsafe {{ DEFAULT_CONTEXT }}\n}}\n"
        )
    } else {
        format!(
            "fn default_context() -> shmem_ctx_t {{\nstd::ptr::without_provenance_mut({value})\n}}\n"
        )
    };
    let write = |name: &str, text: &str| {
        fs::write(out.join(name), text)
            .map_err(|error| format!("{}: {error}", out.join(name).display()))
    };
    write("constants.rs", &constants)?;
    write("default_context.rs", &context)
}

/// Whether the library has put-with-signal of OpenSHMEM 1.5.
pub fn has_signals(found: &Installation, out: &Path) -> bool {
    compile(found, out, "signals", SIGNALS).is_ok()
}

/// Whether the library has Open MPI's way to go on with what is under way.
pub fn has_progress(found: &Installation, out: &Path) -> bool {
    compile(found, out, "progress", PROGRESS).is_ok()
}

fn is_identifier(text: &str) -> bool {
    let is_word = |letter: char| letter == '_' || letter.is_ascii_alphanumeric();
    text.chars().all(is_word)
        && text.starts_with(|first: char| first == '_' || first.is_ascii_alphabetic())
}

fn compile(found: &Installation, out: &Path, name: &str, source: &str) -> Result<(), String> {
    let file = out.join(format!("{name}.c"));
    fs::write(&file, source).map_err(|error| format!("{}: {error}", file.display()))?;
    let compiler = variable("CC").unwrap_or_else(|| "cc".into());
    let mut words = compiler.split_whitespace();
    let output = Command::new(words.next().unwrap_or("cc"))
        .args(words)
        .args(["-std=c11", "-Werror=implicit-function-declaration"])
        .args(
            found
                .include_folders
                .iter()
                .map(|folder| format!("-I{folder}")),
        )
        .arg(&file)
        .arg("-o")
        .arg(out.join(name))
        .args(
            found
                .library_folders
                .iter()
                .map(|folder| format!("-L{folder}")),
        )
        .args(
            found
                .library_folders
                .iter()
                .map(|folder| format!("-Wl,-rpath,{folder}")),
        )
        .args(found.libraries.iter().map(|library| format!("-l{library}")))
        .output()
        .map_err(|error| format!("the C compiler {compiler} does not start: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "a program that uses the library found ({found:?}) does not compile:\n{}",
        String::from_utf8_lossy(&output.stderr)
    ))
}

fn compile_and_run(
    found: &Installation,
    out: &Path,
    name: &str,
    source: &str,
) -> Result<String, String> {
    compile(found, out, name, source)?;
    let program = out.join(name);
    let output = Command::new(&program)
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if !output.status.success() {
        return Err(format!(
            "a program that uses the library found ({found:?}) does not run: {}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}
