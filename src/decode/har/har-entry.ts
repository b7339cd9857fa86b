import { hasFailedStatus } from "../failure-kinds.ts";
import { readJsonNumber } from "../json/json-fields.ts";
import type { JsonScalarKind } from "../json/json-reader.ts";

const PATHS = {
  method: "request/method",
  url: "request/url",
  status: "response/status",
  pageref: "pageref",
} as const;

type HarLabelField = keyof typeof PATHS;

export const HAR_LABEL_FIELDS = Object.keys(PATHS) as readonly HarLabelField[];

/** How a request ended: the status of its answer, and the text of its failure or of the status. */
interface HarOutcome {
  readonly hasFailed: boolean;
  readonly code: string;
  readonly message: string;
}

/** What an entry of an archive says, gathered in whatever order it is written. */
export class HarEntry {
  readonly #texts = new Map<string, string>();
  /** Numbers as they are written. */
  readonly #numbers = new Map<string, string>();
  #isEncoded = false;

  /** Takes a value; `path` are the keys inside of the entry, such as `response/status`. */
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

  /** As it is written. */
  get started(): string | undefined {
    return this.#texts.get("startedDateTime");
  }

  /** The method and the URL. */
  get label(): string {
    return [this.labelField("method"), this.labelField("url")].filter(Boolean).join(" ");
  }

  /** What a label template can name; empty where the entry lacks it. */
  labelField(field: HarLabelField): string {
    const path = PATHS[field];
    return this.#texts.get(path) ?? this.#numbers.get(path) ?? "";
  }

  /** `undefined` where the archive does not know it: -1. */
  get elapsedMicros(): number | undefined {
    const time = this.#numbers.get("time");
    return time === undefined ? undefined : readJsonNumber(time, 3);
  }

  /** Whether the request failed, and with what; `undefined` where nothing tells. */
  get outcome(): HarOutcome | undefined {
    const code = this.#numbers.get("response/status") ?? "";
    const failureText = this.#failureText;
    if (failureText !== "") return { hasFailed: true, code, message: failureText };
    if (code === "") return undefined;
    const hasFailed = Number(code) < 0 || hasFailedStatus(Number(code));
    return { hasFailed, code, message: this.#texts.get("response/statusText") ?? "" };
  }

  /**
   * Bytes of the body as they came over the network; `undefined` where the archive does not tell.
   * `bodySize` is what was transferred less the headers, and too small (or negative) where the
   * recorder forgot to count the headers first: a body that was not compressed is no smaller than
   * its content. Nothing was transferred of an answer out of the browser's cache.
   */
  get receivedBytes(): number | undefined {
    const body = this.#size("response/bodySize");
    const content = this.#size("response/content/size");
    if (body === undefined) return this.#size("response/_transferSize") ?? content;
    const isShort = body > 0 && content !== undefined && body < content;
    return isShort && !this.#isEncoded ? content : body;
  }

  /** What Playwright and Chrome write where no answer came, or not the whole of it. */
  get #failureText(): string {
    return this.#texts.get("response/_failureText") ?? this.#texts.get("response/_error") ?? "";
  }

  #size(path: string): number | undefined {
    const size = this.#numbers.get(path);
    return size === undefined ? undefined : readJsonNumber(size, 0);
  }
}
