//! What is left to say when the engine panics: the instance is dead, its last words are kept.

use std::sync::Once;

use wasm_bindgen::JsValue;

static HOOK: Once = Once::new();

/// From now on a panic's message and place are left in the worker's `tuplescopePanic`, since the trap
/// that follows tells nothing but `unreachable`.
pub fn keep_last_words() {
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let words = JsValue::from_str(&info.to_string());
            // There is nobody to tell if even this fails.
            let _ = js_sys::Reflect::set(&js_sys::global(), &"tuplescopePanic".into(), &words);
        }));
    });
}
