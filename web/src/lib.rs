//! The wasm-bindgen face of the engine: one class, driven by the page's worker.

mod clock;
mod engine;
pub mod messages;
mod panic;
mod settings;

pub use engine::Engine;
