/** The first digits of the SHA-256 of the engine's wasm, put in when the page is built. */
declare const ENGINE_BUILD: string;
