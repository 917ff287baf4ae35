//! wasm-bindgen's command line, reduced to the one call that the build makes.
//!
//! The published CLI brings an HTTP client, a TLS stack and a test server; the library below it is all
//! that is needed, compiles in a fraction of the time, and `Cargo.lock` keeps it in step with the
//! `wasm-bindgen` crate that `web` is compiled with.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let (Some(input), Some(out), None) = (args.next(), args.next(), args.next()) else {
        eprintln!("usage: bindgen INPUT.wasm OUT_FOLDER");
        return ExitCode::from(2);
    };
    let made = Bindgen::new()
        .input_path(input)
        .web(true)
        .and_then(|bindgen| {
            bindgen
                .typescript(true)
                .omit_default_module_path(false)
                .generate(out)
        });
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}
