import { ByteWindow } from "../bytes/byte-window.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format, SampleSink } from "../decoder.ts";
import type { FailureKind } from "../../model/failures.ts";
import { JsonReader, type JsonScalarKind, type JsonHandler } from "../json/json-reader.ts";
import { LabelTemplate } from "../labels/label-template.ts";
import { quoted } from "../quoted.ts";
import { RequestRows } from "../csv/request-rows.ts";
import { TimestampReader } from "../bytes/timestamp.ts";
import { readInZone } from "../notes.ts";
import { hasFailedStatus } from "../failure-kinds.ts";
import { readJsonNumber } from "../json/json-fields.ts";

const PATHS = {
  method: "request/method",
  url: "request/url",
  status: "response/status",
  pageref: "pageref",
} as const;

const HAR_LABEL_FIELDS = Object.keys(PATHS) as readonly HarLabelField[];

/** The HTTP archive that browsers and proxies save: docs/internals/formats/har.md. */
export const har: Format = {
  name: "har",
  recognises: isHar,
  labelFields: HAR_LABEL_FIELDS,
  open: (sink, options) => new HarDecoder(sink, options),
};

/** Containers that are read, by the keys that lead to them. */
const ROOT = "/";
const ENTRIES = "/log/entries/";
const ENTRY = "/log/entries//";
const HEADER = "/log/entries//response/headers//";

const WANTED: ReadonlySet<string> = new Set([
  ROOT,
  "/log/",
  ENTRIES,
  ENTRY,
  "/log/entries//request/",
  "/log/entries//response/",
  "/log/entries//response/content/",
  "/log/entries//response/headers/",
  HEADER,
]);

/** The entries may lie after the head. */
function isHar(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head);
  return /^\s*\{\s*"log"\s*:\s*\{/.test(text) && /"(?:creator|entries)"\s*:/.test(text);
}

class HarDecoder implements Decoder {
  readonly labels;
  readonly failureKinds;
  readonly generators = [];
  readonly #window = new ByteWindow();
  readonly #entries: HarEntries;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.#entries = new HarEntries(this.#window, sink, options);
    this.labels = this.#entries.labels;
    this.failureKinds = this.#entries.failureKinds;
  }

  push(chunk: Uint8Array): void {
    this.#window.append(chunk);
    this.#entries.read();
  }

  flush(): void {
    this.#entries.flush();
  }

  end(): DecodeEnd {
    return this.#entries.end();
  }
}

class HarEntries implements JsonHandler {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly #sink: SampleSink;
  readonly #rows: RequestRows;
  readonly #reader: JsonReader;
  readonly #timestamps: TimestampReader;
  readonly #timeZone: string;
  readonly #encoder = new TextEncoder();
  readonly #template: LabelTemplate | undefined;
  /** Paths of the open containers. */
  readonly #path: string[] = [];
  #entry = new HarEntry();
  #line = 0;
  #byte = 0;
  #withoutSize = 0;
  #withoutTime = 0;

  constructor(
    window: ByteWindow,
    sink: SampleSink,
    { timeZone, labelTemplate, labels }: DecodeOptions,
  ) {
    this.#sink = sink;
    this.#rows = new RequestRows(sink, labels);
    this.labels = this.#rows.labels.texts;
    this.failureKinds = this.#rows.failureKinds;
    this.#reader = new JsonReader(window, this);
    this.#timestamps = new TimestampReader(timeZone);
    this.#timeZone = timeZone;
    if (labelTemplate !== undefined) {
      this.#template = new LabelTemplate(labelTemplate, HAR_LABEL_FIELDS);
    }
  }

  read(): void {
    this.#reader.read();
  }

  flush(): void {
    this.#rows.flush();
  }

  end(): DecodeEnd {
    const truncatedAt = this.#reader.end();
    this.#rows.flush();
    const notes = this.#rows.notes();
    if (this.#withoutSize > 0) {
      const count = this.#rows.hasSizes
        ? `, counted as 0 bytes: ${this.#withoutSize}`
        : ": all of them";
      notes.unshift(`entries without a response size${count}`);
    }
    if (this.#withoutTime > 0) {
      notes.unshift(`entries without an elapsed time: ${this.#withoutTime}`);
    }
    if (this.#timestamps.sawLocalTime) {
      notes.unshift(readInZone("startedDateTime", this.#timeZone));
    }
    return { truncatedAt, notes };
  }

  enter(key: string): boolean {
    const path = `${this.#path.at(-1) ?? ""}${key}/`;
    if (!WANTED.has(path)) return false;
    this.#path.push(path);
    if (path === ENTRY) {
      this.#entry = new HarEntry();
      this.#line = this.#reader.line;
      this.#byte = this.#reader.byte;
    } else if (path === HEADER) {
      this.#entry.headerBegins();
    }
    return true;
  }

  scalar(key: string, kind: JsonScalarKind, text: string): void {
    const path = this.#path.at(-1);
    if (path === ENTRIES) {
      const { line, byte } = this.#reader;
      this.#sink.reject({ line, byte, reason: `the entry is not an object: got ${quoted(text)}` });
    } else if (path?.startsWith(ENTRY) === true) {
      this.#entry.put(path.slice(ENTRY.length) + key, kind, text);
    }
  }

  leave(): void {
    const path = this.#path.pop();
    if (path === HEADER) this.#entry.headerEnds();
    if (path !== ENTRY) return;
    const reason = this.#record();
    if (reason === undefined) return;
    this.#sink.reject({ line: this.#line, byte: this.#byte, reason });
  }

  /** Returns why the entry cannot be recorded. */
  #record(): string | undefined {
    const entry = this.#entry;
    const started = this.#encoder.encode(entry.started ?? "");
    const second = this.#timestamps.read(started, 0, started.length);
    if (second === undefined) {
      return `cannot read startedDateTime: got ${quoted(entry.started ?? "")}, want ISO 8601`;
    }
    const { elapsedMicros, receivedBytes, outcome } = entry;
    if (outcome === undefined) return "the entry has neither a status nor an error text";
    const request = this.#rows.begin();
    request.second = second;
    request.elapsedMicros = elapsedMicros ?? 0;
    request.isUntimed = elapsedMicros === undefined;
    request.receivedBytes = receivedBytes;
    request.hasFailed = outcome.hasFailed;
    request.code = outcome.code;
    request.message = outcome.message;
    const reason = this.#rows.record(this.#label());
    if (reason !== undefined) return reason;
    if (elapsedMicros === undefined) this.#withoutTime += 1;
    if (receivedBytes === undefined) this.#withoutSize += 1;
    return undefined;
  }

  #label(): number {
    const { labels } = this.#rows;
    const template = this.#template;
    if (template === undefined) return labels.indexOfText(this.#entry.label);
    return template.indexIn(labels, (field) => {
      const name = HAR_LABEL_FIELDS[field];
      return this.#encoder.encode(name === undefined ? "" : this.#entry.labelField(name));
    });
  }
}

type HarLabelField = keyof typeof PATHS;

/** Status and error text, or status text. */
interface HarOutcome {
  readonly hasFailed: boolean;
  readonly code: string;
  readonly message: string;
}

/** An entry of an archive, filled in any order. */
class HarEntry {
  readonly #texts = new Map<string, string>();
  /** As written. */
  readonly #numbers = new Map<string, string>();
  #isEncoded = false;

  /** `path`: the keys within the entry, such as `response/status`. */
  put(path: string, kind: JsonScalarKind, text: string): void {
    if (kind === "string") this.#texts.set(path, text);
    else if (kind === "number") this.#numbers.set(path, text);
  }

  headerBegins(): void {
    this.#texts.delete("response/headers//name");
    this.#texts.delete("response/headers//value");
  }

  headerEnds(): void {
    if (this.#texts.get("response/headers//name")?.toLowerCase() !== "content-encoding") return;
    this.#isEncoded = this.#texts.get("response/headers//value")?.toLowerCase() !== "identity";
  }

  /** As written. */
  get started(): string | undefined {
    return this.#texts.get("startedDateTime");
  }

  /** Method and URL. */
  get label(): string {
    return [this.labelField("method"), this.labelField("url")].filter(Boolean).join(" ");
  }

  /** Empty if missing. */
  labelField(field: HarLabelField): string {
    const path = PATHS[field];
    return this.#texts.get(path) ?? this.#numbers.get(path) ?? "";
  }

  /** `undefined` if unknown (-1). */
  get elapsedMicros(): number | undefined {
    const time = this.#numbers.get("time");
    return time === undefined ? undefined : readJsonNumber(time, 3);
  }

  /** `undefined` if unknown. */
  get outcome(): HarOutcome | undefined {
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
