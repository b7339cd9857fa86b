import type { JsonScalarKind } from "../json/json-reader.ts";
import type { Request } from "../requests/request-rows.ts";
import type { FurtherDetails } from "../../model/samples/request-sample.ts";
import { headerLines } from "../kept-requests.ts";
import { hasFailedStatus } from "../failure-kinds.ts";
import { phase } from "../measures/request-measures.ts";
import { readJsonNumber } from "../json/json-fields.ts";

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

export const HAR_MEASURES = PHASES.map(([, measure]) => measure);

/** Types of bodies that are no pictures, fonts or programs. */
const TEXTUAL = /^text\/|json|xml|script|form/i;

function plainText(content: string | undefined, isEncoded: boolean): string | undefined {
  return isEncoded ? Buffer.from(content ?? "", "base64").toString() : content;
}

/** An entry of an archive, filled in any order. */
export class HarEntry {
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
