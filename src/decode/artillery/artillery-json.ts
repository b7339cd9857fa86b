import { ARTILLERY_JSON } from "./about.ts";
import { ArtilleryNames, type ArtillerySummary } from "./artillery-summary.ts";
import { ArtilleryWindows } from "./artillery-windows.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import type { Format, SampleSink } from "../decoder.ts";
import { WindowDecoder } from "../window-decoder.ts";
import { ALL_TIMES, type ArtilleryPeriod } from "./artillery-period.ts";
import { isExtent, type SourceQuality } from "../../model/source-quality.ts";
import { headText, quoted } from "../quoted.ts";
import { JsonReader, type JsonScalarKind, type JsonHandler } from "../json/json-reader.ts";

/** The report that `artillery run --output FILE` writes: docs/internals/formats/artillery.md. */
export const artilleryJson: Format = {
  ...ARTILLERY_JSON,
  recognises: isArtilleryJson,
  open(sink, { labels }) {
    const [window, windows] = [new ByteWindow(), new ArtilleryWindows(sink, labels)];
    const report = new ArtilleryReport(window, windows, sink);
    return new WindowDecoder(window, {
      reader: report.reader,
      rows: windows,
      generators: windows.generators,
      finish(truncatedAt) {
        if (truncatedAt === undefined) windows.takeWhole(report.whole, report.names);
        return windows.notes();
      },
      get rowQuality() {
        return { ...windows.quality, ...report.extent };
      },
    });
  },
};

/** Artillery 1 has no counters at the beginning. */
function isArtilleryJson(head: Uint8Array): boolean {
  const text = headText(head);
  return (
    /^\{\s*"(?:aggregate|intermediate)"\s*:/.test(text) &&
    /"(?:counters|scenariosCreated)"\s*:/.test(text)
  );
}

type Place =
  | "root"
  | "aggregate"
  | "aggregate counters"
  | "aggregate summaries"
  | "aggregate summary"
  | "aggregate codes"
  | "aggregate errors"
  | "periods"
  | "period"
  | "counters"
  | "summaries"
  | "summary"
  | "codes"
  | "errors"
  | "latency"
  | "latencies"
  | "latency tuple";

/** Child containers by key; `*` is any key. */
const INSIDE: Readonly<Partial<Record<Place, Readonly<Record<string, Place>>>>> = {
  root: { aggregate: "aggregate", intermediate: "periods" },
  aggregate: {
    counters: "aggregate counters",
    summaries: "aggregate summaries",
    codes: "aggregate codes",
    errors: "aggregate errors",
    latency: "aggregate summary",
  },
  "aggregate summaries": { "*": "aggregate summary" },
  periods: { "*": "period" },
  period: {
    counters: "counters",
    summaries: "summaries",
    codes: "codes",
    errors: "errors",
    latency: "latency",
    latencies: "latencies",
  },
  summaries: { "*": "summary" },
  latencies: { "*": "latency tuple" },
};

/** Place of the nanoseconds in a tuple of Artillery before 1.7, behind the time of the response and its id. */
const TUPLE_NANOS = 2;

function placeOf(around: Place | undefined, key: string): Place | undefined {
  if (around === undefined) return "root";
  const inside = INSIDE[around];
  return inside?.[key] ?? inside?.["*"];
}

/** Prefixes that Artillery 2 gives to what Artillery 1 writes separately. */
const PREFIXES: Readonly<Partial<Record<Place, string>>> = {
  counters: "",
  codes: "http.codes.",
  errors: "errors.",
  "aggregate counters": "",
  "aggregate codes": "http.codes.",
  "aggregate errors": "errors.",
};

/** Reads a report, holding at most one window. */
class ArtilleryReport implements JsonHandler {
  readonly reader: JsonReader;
  readonly names = new ArtilleryNames();
  readonly #windows: ArtilleryWindows;
  readonly #sink: SampleSink;
  readonly #open: Place[] = [];
  /** The whole run, which precedes the windows. */
  readonly whole = new OpenPeriod();
  #hasWhole = false;
  /** Values of the open tuple so far. */
  #tuple = 0;
  #period = new OpenPeriod();
  #summary = new Map<string, string>();
  #problem: string | undefined;
  #place = { line: 0, byte: 0 };

  constructor(window: ByteWindow, windows: ArtilleryWindows, sink: SampleSink) {
    this.reader = new JsonReader(window, this);
    this.#windows = windows;
    this.#sink = sink;
  }

  /** Its windows begin and end at whole multiples of their length. */
  get extent(): Pick<SourceQuality, "extent"> {
    const { firstAtMs, lastAtMs } = this.whole;
    if (firstAtMs === undefined || lastAtMs === undefined) return {};
    const extent = { from: Math.floor(firstAtMs / 1000), until: Math.floor(lastAtMs / 1000) };
    return isExtent(extent) ? { extent } : {};
  }

  enter(key: string): boolean {
    const around = this.#open.at(-1);
    const place = placeOf(around, key);
    if (place === undefined) return false;
    this.#open.push(place);
    if (place === "period") this.#beginPeriod();
    else if (place === "latency") this.#beginSummary(this.#period.summaries, ALL_TIMES);
    else if (place === "summary") this.#beginSummary(this.#period.summaries, key);
    else if (place === "aggregate summary") {
      this.#beginSummary(this.whole.summaries, around === "aggregate" ? ALL_TIMES : key);
    } else if (place === "latency tuple") this.#tuple = 0;
    return true;
  }

  scalar(key: string, kind: JsonScalarKind, text: string): void {
    const place = this.#open.at(-1);
    if (place === "aggregate") this.#putInWhole(key, text);
    else if (place === "latency tuple") this.#putInTuple(text);
    else if (place === "period") this.#putInPeriod(key, kind, text);
    else if (place === "periods") this.#rejectScalar(text);
    else if (kind !== "number" || place === undefined) return;
    else if (place.endsWith("summary") || place === "latency") this.#summary.set(key, text);
    else if (place === "latencies") this.#period.latenciesNanos.push(Number(text));
    else this.#count(PREFIXES[place], key, text);
  }

  leave(): void {
    const place = this.#open.pop();
    if (place === "aggregate") {
      this.names.learn([...this.whole.counters.keys()], [...this.whole.summaries.keys()]);
      this.#hasWhole = true;
    } else if (place === "period") {
      this.#endPeriod();
    }
  }

  #putInWhole(key: string, text: string): void {
    if (key === "timestamp") this.whole.reportedAt = text;
    else if (key === "firstMetricAt") this.whole.firstAtMs = Number(text);
    else if (key === "lastMetricAt") this.whole.lastAtMs = Number(text);
  }

  #rejectScalar(text: string): void {
    const reason = `the window is not an object: got ${quoted(text)}`;
    this.#sink.reject({ ...this.reader.place, reason });
  }

  #beginPeriod(): void {
    this.#period = new OpenPeriod();
    this.#problem = undefined;
    this.#place = this.reader.place;
  }

  #beginSummary(summaries: Map<string, ArtillerySummary>, name: string): void {
    this.#summary = new Map();
    summaries.set(name, this.#summary);
  }

  #putInPeriod(key: string, kind: JsonScalarKind, text: string): void {
    if (key === "period" && kind !== "word") this.#period.start = text;
    else if (key === "timestamp" && kind === "string") this.#period.reportedAt = text;
    else if (key === "concurrency" && kind === "number") this.#period.concurrency = Number(text);
  }

  #putInTuple(text: string): void {
    if (this.#tuple === TUPLE_NANOS) this.#period.latenciesNanos.push(Number(text));
    this.#tuple += 1;
  }

  #count(prefix: string | undefined, key: string, text: string): void {
    if (prefix === undefined) return;
    const count = Number(text);
    const isCount = Number.isSafeInteger(count) && count >= 0;
    if (this.#open.at(-1)?.startsWith("aggregate") === true) {
      if (isCount) this.whole.counters.set(prefix + key, count);
      return;
    }
    if (!isCount) {
      this.#problem ??= `cannot read a counter: got ${text}, want a whole number`;
    }
    this.#period.counters.set(prefix + key, count);
  }

  #endPeriod(): void {
    const period = this.#period;
    if (!this.#hasWhole)
      this.names.learn([...period.counters.keys()], [...period.summaries.keys()]);
    const reason = this.#problem ?? this.#windows.take(period, this.names);
    if (reason !== undefined) this.#sink.reject({ ...this.#place, reason });
    else this.#windows.repairs.report(this.#sink, this.#place);
  }
}

class OpenPeriod implements ArtilleryPeriod {
  start: string | undefined;
  reportedAt: string | undefined;
  concurrency: number | undefined;
  firstAtMs: number | undefined;
  lastAtMs: number | undefined;
  readonly counters = new Map<string, number>();
  readonly summaries = new Map<string, ArtillerySummary>();
  readonly latenciesNanos: number[] = [];
}
