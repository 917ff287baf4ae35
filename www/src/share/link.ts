import { Inflate, deflateSync, strFromU8, strToU8 } from "fflate";

/** What a link restores. It never carries data or anything that runs by itself. */
export interface Shared {
  setup: string;
  query: string;
  /** Changed settings only. */
  settings: [name: string, value: string][];
  view: View;
  /** The selected node, depth first from 0. */
  node: number | null;
}

export const VIEWS = ["tree", "table", "text", "json"] as const;
export type View = (typeof VIEWS)[number];

/** Everything before this is refused with words for the visitor. */
export class LinkError extends Error {}

/** A few kilobytes can inflate to gigabytes; a notebook never needs this much. */
const MAX_INFLATED = 1 << 20;
const MAX_ENCODED = 200_000;
const MAX_SETTINGS = 200;
const PREFIX = "#0.";

/** The keys of the JSON, short because every character counts. Frozen: links decode for ever. */
interface Wire {
  s?: string;
  q?: string;
  k?: Record<string, string>;
  v?: string;
  n?: number;
}

/** The fragment of a link: `#0.` and the base64url of the deflated JSON. */
export function encodeLink(shared: Shared): string {
  const wire: Wire = {};
  if (shared.setup !== "") wire.s = shared.setup;
  if (shared.query !== "") wire.q = shared.query;
  if (shared.settings.length > 0) wire.k = Object.fromEntries(shared.settings);
  if (shared.view !== "tree") wire.v = shared.view;
  if (shared.node !== null) wire.n = shared.node;
  return PREFIX + toBase64Url(deflateSync(strToU8(JSON.stringify(wire)), { level: 9, mem: 12 }));
}

/** Whether a fragment claims to be a link of ours, well formed or not. */
export function isLink(fragment: string): boolean {
  return /^#\d+\./.test(fragment);
}

/** Reads a fragment, or a whole address with one. Links are hostile input: each doubt is a `LinkError`. */
export function decodeLink(address: string): Shared {
  const at = address.indexOf("#");
  const fragment = at >= 0 ? address.slice(at) : "";
  if (!isLink(fragment)) throw new LinkError("This is not a Tuplescope link.");
  if (!fragment.startsWith(PREFIX)) throw new LinkError("This link was made by a newer Tuplescope.");
  if (fragment.length > MAX_ENCODED) throw new LinkError("This link is too long.");
  const text = inflate(fromBase64Url(fragment.slice(PREFIX.length)));
  let wire: unknown;
  try {
    wire = JSON.parse(text);
  } catch {
    throw new LinkError("This link is damaged: its content is not JSON.");
  }
  return check(wire);
}

function check(wire: unknown): Shared {
  if (typeof wire !== "object" || wire === null || Array.isArray(wire)) throw new LinkError("This link is damaged: its content has the wrong form.");
  const { s, q, k, v, n } = wire as Record<string, unknown>;
  return { setup: text(s, "setup"), query: text(q, "query"), settings: settings(k), view: view(v), node: node(n) };
}

function text(value: unknown, name: string): string {
  if (value === undefined) return "";
  if (typeof value !== "string") throw new LinkError(`This link is damaged: its ${name} is not text.`);
  return value;
}

function settings(value: unknown): [string, string][] {
  if (value === undefined) return [];
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new LinkError("This link is damaged: its settings have the wrong form.");
  const entries = Object.entries(value);
  if (entries.length > MAX_SETTINGS) throw new LinkError("This link is damaged: it has too many settings.");
  for (const [name, setting] of entries) {
    // A name becomes part of a SET statement, so nothing but a name may pass.
    if (!/^[a-z_][a-z0-9_.]{0,62}$/.test(name) || typeof setting !== "string" || setting.length > 1000) {
      throw new LinkError("This link is damaged: it has a setting that is none.");
    }
  }
  return entries as [string, string][];
}

function view(value: unknown): View {
  if (value === undefined) return "tree";
  const known = VIEWS.find((name) => name === value);
  if (!known) throw new LinkError("This link is damaged: its view is unknown.");
  return known;
}

function node(value: unknown): number | null {
  if (value === undefined) return null;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > 100_000) throw new LinkError("This link is damaged: its node is none.");
  return value;
}

/** Inflates in small steps and stops at the cap, before memory is taken. */
function inflate(data: Uint8Array): string {
  const parts: Uint8Array[] = [];
  let length = 0;
  let ended = false;
  const inflater = new Inflate((chunk, final) => {
    length += chunk.length;
    if (length > MAX_INFLATED) throw new LinkError("This link is refused: its content is too large.");
    parts.push(chunk);
    ended ||= final;
  });
  const step = 512;
  try {
    for (let at = 0; at < data.length; at += step) inflater.push(data.subarray(at, at + step), at + step >= data.length);
  } catch (cause) {
    if (cause instanceof LinkError) throw cause;
    throw new LinkError("This link is damaged: it cannot be unpacked.");
  }
  if (!ended) throw new LinkError("This link is damaged: its end is missing.");
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return strFromU8(all);
}

function toBase64Url(data: Uint8Array): string {
  let binary = "";
  for (const byte of data) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64Url(text: string): Uint8Array {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw new LinkError("This link is damaged: it has characters that no link has.");
  let binary: string;
  try {
    binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    throw new LinkError("This link is damaged: it was cut short.");
  }
  return Uint8Array.from(binary, (sign) => sign.charCodeAt(0));
}
