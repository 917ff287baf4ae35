//! The wasm-bindgen face of the engine.

pub mod messages;
