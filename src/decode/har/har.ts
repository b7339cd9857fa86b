import { HAR } from "./about.ts";
import { HAR_MEASURES, HarEntry } from "./har-entry.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import { JsonReader, type JsonScalarKind, type JsonHandler } from "../json/json-reader.ts";
import { quoted } from "../quoted.ts";
import { RequestRows } from "../requests/request-rows.ts";
import { TimestampReader } from "../bytes/timestamp.ts";
import { WindowDecoder, type WindowParts } from "../window-decoder.ts";

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
