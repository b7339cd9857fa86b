import type { FurtherDetails } from "../../model/samples/request-sample.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import { TimestampReader } from "../bytes/timestamp.ts";
import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import { hasFailedStatus } from "../failure-kinds.ts";
import { readJsonNumber } from "../json/json-fields.ts";
import { type JsonHandler, JsonReader, type JsonScalarKind } from "../json/json-reader.ts";
import { headerLines } from "../kept-requests.ts";
import { phase } from "../measures/request-measures.ts";
import { quoted } from "../quoted.ts";
import { type Request, RequestRows } from "../requests/request-rows.ts";
import { WindowDecoder, type WindowParts } from "../window-decoder.ts";
import { HAR } from "./about.ts";

/** The HTTP archive that browsers and proxies save. */
export const har: Format = {
  ...HAR,
  recognises: isHar,
  open(sink, options) {
    const window = new ByteWindow();
    return new WindowDecoder(window, new HarEntries(window, sink, options));
  },
};

/** Containers that are read, by the keys that lead to them. */
const ROOT = "/";
const ENTRIES = "/log/entries/";
const ENTRY = "/log/entries//";
const HEADERS = ["/log/entries//request/headers//", "/log/entries//response/headers//"];

const WANTED: ReadonlySet<string> = new Set([
  ROOT,
  "/log/",
  ENTRIES,
  ENTRY,
  "/log/entries//request/",
  "/log/entries//response/",
  "/log/entries//timings/",
  "/log/entries//response/content/",
  "/log/entries//request/postData/",
  "/log/entries//request/headers/",
  "/log/entries//response/headers/",
  ...HEADERS,
]);

/** The entries may lie after the head. */
function isHar(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head);
  return /^\s*\{\s*"log"\s*:\s*\{/.test(text) && /"(?:creator|entries)"\s*:/.test(text);
}

class HarEntries implements JsonHandler, WindowParts {
  readonly rows: RequestRows;
  readonly reader: JsonReader;
  readonly #sink: SampleSink;
  readonly #timestamps: TimestampReader;
  /** Paths of the open containers. */
  readonly #path: string[] = [];
  #entry = new HarEntry();
  /** Of the open entry. */
  #place = { line: 0, byte: 0 };
  #withoutSize = 0;

  constructor(window: ByteWindow, sink: SampleSink, options: DecodeOptions) {
    const { timeZone } = options;
    this.#sink = sink;
    this.rows = new RequestRows(sink, options, HAR.labelFields, HAR_MEASURES);
    this.rows.details = () => this.#entry.details;
    this.reader = new JsonReader(window, this);
    this.#timestamps = new TimestampReader(timeZone);
  }

  finish(): readonly string[] {
    const notes = this.rows.notes();
    if (this.#withoutSize > 0) {
      const count = this.rows.hasSizes
        ? `, counted as 0 bytes: ${this.#withoutSize}`
        : ": all of them";
      notes.unshift(`entries without a response size${count}`);
    }
    return [...this.#timestamps.zoneNotes("startedDateTime"), ...notes];
  }

  enter(key: string): boolean {
    const path = `${this.#path.at(-1) ?? ""}${key}/`;
    if (!WANTED.has(path)) return false;
    this.#path.push(path);
    if (path === ENTRY) {
      this.#entry = new HarEntry();
      this.#place = this.reader.place;
    }
    return true;
  }

  scalar(key: string, kind: JsonScalarKind, text: string): void {
    const path = this.#path.at(-1);
    if (path === ENTRIES) {
      const reason = `the entry is not an object: got ${quoted(text)}`;
      this.#sink.reject({ ...this.reader.place, reason });
    } else if (path?.startsWith(ENTRY) === true) {
      this.#entry.put(path.slice(ENTRY.length) + key, kind, text);
    }
  }

  leave(): void {
    const path = this.#path.pop();
    if (path !== undefined && HEADERS.includes(path)) {
      this.#entry.headerEnds(path.slice(ENTRY.length));
    }
    if (path !== ENTRY) return;
    const reason = this.#record();
    if (reason !== undefined) this.#sink.reject({ ...this.#place, reason });
    else this.rows.repairs.report(this.#sink, this.#place);
  }

  /** Returns why the entry cannot be recorded. */
  #record(): string | undefined {
    const entry = this.#entry;
    const started = Buffer.from(entry.started ?? "");
    const second = this.#timestamps.read(started, 0, started.length);
    if (second === undefined) {
      return `cannot read startedDateTime: got ${quoted(entry.started ?? "")}, want ISO 8601`;
    }
    const { elapsedMicros, receivedBytes, outcome } = entry;
    if (outcome === undefined) return "the entry has neither a status nor an error text";
    const request = this.rows.begin();
    request.second = second;
    request.millis = this.#timestamps.millis;
    request.elapsedMicros = elapsedMicros ?? 0;
    if (elapsedMicros === undefined)
      this.rows.untime("neither time nor timings: want milliseconds");
    request.receivedBytes = receivedBytes;
    Object.assign(request, outcome);
    const label = this.rows.labelOf(entry.labelFields, entry.label);
    const reason = this.rows.record(label);
    if (reason !== undefined) return reason;
    for (const [measure, ms] of entry.phasesMs.entries()) {
      if (ms !== undefined) this.rows.measure(measure, ms);
    }
    if (receivedBytes === undefined) this.#withoutSize += 1;
    return undefined;
  }
}

const PATHS = {
  method: "request/method",
  url: "request/url",
  status: "response/status",
  pageref: "pageref",
} as const;

const MICROS_PER_MS = 1000;

/** Phases by their names in `timings`, as measures and as details. */
const PHASES = [
  ["blocked", phase("blocked"), "blockedMicros"],
  ["dns", phase("dns"), "dnsMicros"],
  ["connect", phase("connect"), "connectMicros"],
  ["ssl", phase("tls"), "tlsMicros"],
  ["send", phase("sending"), "sendMicros"],
  ["wait", phase("waiting"), "waitMicros"],
  ["receive", phase("receiving"), "receiveMicros"],
] as const;
/** `ssl` is part of `connect`. */
const PHASES_OF_TIME = PHASES.map(([name]) => name).filter((name) => name !== "ssl");
/** The others can be -1: not applicable. */
const NEEDED_PHASES = ["send", "wait", "receive"];

const HAR_MEASURES = PHASES.map(([, measure]) => measure);

/** Types of bodies that are no pictures, fonts or programs. */
const TEXTUAL = /^text\/|json|xml|script|form/i;

function plainText(content: string | undefined, isEncoded: boolean): string | undefined {
  return isEncoded ? Buffer.from(content ?? "", "base64").toString() : content;
}

/** An entry of an archive, filled in any order. */
class HarEntry {
  readonly #texts = new Map<string, string>();
  /** As written. */
  readonly #numbers = new Map<string, string>();
  #isEncoded = false;
  readonly #requestHeaders: string[] = [];
  readonly #responseHeaders: string[] = [];

  /** `path`: the keys within the entry, such as `response/status`. */
  put(path: string, kind: JsonScalarKind, text: string): void {
    if (kind === "string") this.#texts.set(path, text);
    else if (kind === "number") this.#numbers.set(path, text);
  }

  /** `path`: its keys within the entry. */
  headerEnds(path: string): void {
    const [name = "", value = ""] = ["name", "value"].map((key) => this.#texts.get(path + key));
    for (const key of ["name", "value"]) this.#texts.delete(path + key);
    const isOfResponse = path.startsWith("response/");
    const lines = isOfResponse ? this.#responseHeaders : this.#requestHeaders;
    lines.push(...headerLines(name, value));
    if (!isOfResponse || name.toLowerCase() !== "content-encoding") return;
    this.#isEncoded = value.toLowerCase() !== "identity";
  }

  /** What is known beside times and outcome. */
  get details(): FurtherDetails {
    const text = (path: string): string | undefined => this.#texts.get(path);
    const content = text("response/content/text");
    const isEncoded = text("response/content/encoding") === "base64";
    const isShown = !isEncoded || TEXTUAL.test(text("response/content/mimeType") ?? "");
    const phases = this.phasesMs.map((ms, at) => {
      const isKnown = ms !== undefined && !Number.isNaN(ms);
      return [PHASES[at]?.[2], isKnown ? Math.round(ms * MICROS_PER_MS) : undefined];
    });
    return {
      method: this.#written(PATHS.method),
      url: this.#written(PATHS.url),
      requestHeaders: this.#requestHeaders.join("\n"),
      responseHeaders: this.#responseHeaders.join("\n"),
      requestBody: text("request/postData/text"),
      responseBody: isShown ? plainText(content, isEncoded) : undefined,
      ...(Object.fromEntries(phases) as FurtherDetails),
    };
  }

  /** As written. */
  get started(): string | undefined {
    return this.#texts.get("startedDateTime");
  }

  get label(): string {
    return [this.#written(PATHS.method), this.#written(PATHS.url)].filter(Boolean).join(" ");
  }

  /** Of `HAR.labelFields`; empty if missing. */
  get labelFields(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(PATHS).map(([name, path]) => [name, this.#written(path)]),
    );
  }

  #written(path: string): string {
    return this.#texts.get(path) ?? this.#numbers.get(path) ?? "";
  }

  /** In the order of `HAR_MEASURES`; `undefined` if missing or not applicable (-1), NaN if it is no number. */
  get phasesMs(): (number | undefined)[] {
    return PHASES.map(([name]) => {
      const path = `timings/${name}`;
      if (this.#texts.has(path)) return Number.NaN;
      const value = Number(this.#numbers.get(path) ?? -1);
      return value < 0 ? undefined : value;
    });
  }

  /** The time, or else the sum of the phases that make it up; `undefined` if unknown (-1). */
  get elapsedMicros(): number | undefined {
    const micros = readJsonNumber(this.#numbers.get("time") ?? "", 3);
    if (micros !== undefined) return micros;
    const msOf = (name: string): string => this.#numbers.get(`timings/${name}`) ?? "-1";
    if (NEEDED_PHASES.some((name) => Number(msOf(name)) < 0)) return undefined;
    return PHASES_OF_TIME.reduce((sum, name) => sum + (readJsonNumber(msOf(name), 3) ?? 0), 0);
  }

  /** Status and error text, or status text; `undefined` if unknown. */
  get outcome(): Pick<Request, "hasFailed" | "code" | "message"> | undefined {
    const code = this.#numbers.get("response/status") ?? "";
    const failureText = this.#failureText;
    if (failureText !== "") return { hasFailed: true, code, message: failureText };
    if (code === "") return undefined;
    const hasFailed = Number(code) < 0 || hasFailedStatus(Number(code));
    return { hasFailed, code, message: this.#texts.get("response/statusText") ?? "" };
  }

  /**
   * Bytes of the body over the network; `undefined` if unknown. `bodySize` can be too small or negative (some
   * recorders subtract headers never counted): an uncompressed body is at least as large as its content. Cached
   * responses transfer nothing.
   */
  get receivedBytes(): number | undefined {
    const body = this.#size("response/bodySize");
    const content = this.#size("response/content/size");
    if (body === undefined) return this.#size("response/_transferSize") ?? content;
    const isShort = body > 0 && content !== undefined && body < content;
    return isShort && !this.#isEncoded ? content : body;
  }

  /** Error text of Playwright and Chrome for a missing or incomplete response. */
  get #failureText(): string {
    return this.#texts.get("response/_failureText") ?? this.#texts.get("response/_error") ?? "";
  }

  #size(path: string): number | undefined {
    const size = this.#numbers.get(path);
    return size === undefined ? undefined : readJsonNumber(size, 0);
  }
}
