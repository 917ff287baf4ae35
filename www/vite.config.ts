import { svelte } from "@sveltejs/vite-plugin-svelte";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Cross-origin isolation makes the browser's clock finer; the page works without it. */
const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

const ENGINE = fileURLToPath(new URL("./src/engine/pkg/web_bg.wasm", import.meta.url));

/** Tells one build of the engine from another beside figures; unit tests need none. */
const engineBuild = existsSync(ENGINE) ? createHash("sha256").update(readFileSync(ENGINE)).digest("hex").slice(0, 8) : "none";

export default defineConfig({
  // Relative addresses, so that the folder can be served from any sub-path.
  base: "./",
  define: { ENGINE_BUILD: JSON.stringify(engineBuild) },
  plugins: [svelte()],
  resolve: {
    alias: {
      "#engine-pkg": fileURLToPath(new URL("./src/engine/pkg/web.js", import.meta.url)),
    },
  },
  // The queries of TPC-H stand beside the tests that check them.
  server: { headers: isolation, fs: { allow: [".."] } },
  worker: { format: "es" },
  build: {
    target: "es2022",
    // The policy in index.html allows data: addresses for images only.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  test: {
    include: ["src/**/*.test.ts"],
    environment: "node",
  },
});
