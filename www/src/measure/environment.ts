import type { Hello } from "../engine/messages";
import { duration } from "../format/time";

/** What a figure was measured with; it stands beside every table. */
export function environmentStamp(hello: Hello): string[] {
  const step = hello.clockStepMs >= 0.001 ? duration(hello.clockStepMs) : `${(hello.clockStepMs * 1e6).toFixed(0)} ns`;
  return [
    browser(),
    hello.isolated ? "cross-origin isolated" : "not isolated",
    `clock step ${step}`,
    "wasm SIMD",
    `Tuplescope ${hello.version}, build ${ENGINE_BUILD}`,
  ];
}

function browser(): string {
  const agent = navigator.userAgent;
  const found = /(Firefox|Edg|Chrome)\/([\d.]+)/.exec(agent) ?? /(Version)\/([\d.]+).*Safari/.exec(agent);
  if (!found) return agent;
  const name = { Edg: "Edge", Version: "Safari", Chrome: "Chromium" }[found[1] ?? ""] ?? found[1];
  return `${name} ${(found[2] ?? "").split(".")[0]}`;
}
