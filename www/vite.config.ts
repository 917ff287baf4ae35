import { svelte } from "@sveltejs/vite-plugin-svelte";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Cross-origin isolation makes the browser's clock finer; the page works without it. */
const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

export default defineConfig({
  // Relative addresses, so that the folder can be served from any sub-path.
  base: "./",
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
