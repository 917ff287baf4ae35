// A static server for the built page: right media types, compressed twins, isolation headers.
// Usage: node serve.mjs [--port N] [--plain] [folder]; --plain leaves the isolation headers out.
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const MEDIA = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** The decoded path of a request; one that cannot be decoded names no file. */
function pathOf(request) {
  try {
    return decodeURIComponent(new URL(request.url ?? "/", "http://host").pathname);
  } catch {
    return "";
  }
}

/** Starts the server; resolves to `{ url, close }` once it listens. Port 0 takes a free one. */
export function serve({ root, port = 0, isolated = true }) {
  const folder = resolve(root);
  const server = createServer((request, response) => {
    const path = pathOf(request);
    const file = join(folder, normalize(path.endsWith("/") ? `${path}index.html` : path));
    if (!file.startsWith(folder + sep) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404, { "Content-Type": "text/plain" }).end("Not found\n");
      return;
    }
    const headers = {
      "Content-Type": MEDIA[extname(file)] ?? "application/octet-stream",
      // Hashed names never change their content; the entry page must be asked for again.
      "Cache-Control": path.includes("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    };
    if (isolated) {
      headers["Cross-Origin-Opener-Policy"] = "same-origin";
      headers["Cross-Origin-Embedder-Policy"] = "require-corp";
    }
    response.writeHead(200, headers);
    if (request.method === "HEAD") response.end();
    else createReadStream(file).pipe(response);
  });
  return new Promise((done, failed) => {
    server.once("error", failed);
    server.listen(port, () => {
      const close = () =>
        new Promise((closed) => {
          server.close(closed);
          server.closeAllConnections();
        });
      done({ url: `http://localhost:${server.address().port}/`, close });
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  const isolated = !args.includes("--plain");
  const at = args.indexOf("--port");
  const port = at >= 0 ? Number(args[at + 1]) : 4173;
  const root = args.filter((arg, i) => !arg.startsWith("--") && i !== at + 1)[0] ?? join(fileURLToPath(new URL(".", import.meta.url)), "dist");
  const { url } = await serve({ root, port, isolated });
  console.log(`Tuplescope is served at ${url}`);
}
