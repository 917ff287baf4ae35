//! The wasm-bindgen face of the engine.
