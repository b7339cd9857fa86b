/** Builds Gatling logs from plain requests and users. */

import * as fc from "fast-check";

export interface GatlingRequest {
  readonly groups: readonly string[];
  readonly name: string;
  /** Milliseconds since the start of the run. */
  readonly startMs: number;
  readonly elapsedMs: number;
  /** `undefined` if it passed. */
  readonly failure: string | undefined;
}

export const RUN_START_MS = 1_795_232_786_083;

/** The versions in which the columns of the text log changed. */
export const TEXT_VERSIONS = ["2.0", "2.3", "3.3", "3.12"] as const;
export type TextVersion = (typeof TEXT_VERSIONS)[number];

/** A text log with one user who is active during all requests. */
export function textLog(requests: readonly GatlingRequest[], version: TextVersion): string {
  const run = RUN_START_MS;
  const { first, start, end } = {
    "2.0": {
      first: `sim.Class\tid\tRUN\t${run}\t \t2.0`,
      start: `scene\t1168-0\tUSER\tSTART\t${run}\t0`,
      end: `scene\t1168-0\tUSER\tEND\t${run}\t${run + 2000}`,
    },
    "2.3": {
      first: `RUN\tsim.Class\t\tid\t${run}\tnull\t2.0`,
      start: `USER\tscene\t7\tSTART\t${run}\t${run}`,
      end: `USER\tscene\t7\tEND\t${run}\t${run + 2000}`,
    },
    "3.3": {
      first: `RUN\tsim.Class\tid\t${run}\t \t3.3.1`,
      start: `USER\tscene\t7\tSTART\t${run}\t${run}`,
      end: `USER\tscene\t7\tEND\t${run}\t${run + 2000}`,
    },
    "3.12": {
      first: `RUN\tsim.Class\tid\t${run}\t \t3.12.0`,
      start: `USER\tscene\tSTART\t${run}`,
      end: `USER\tscene\tEND\t${run + 2000}`,
    },
  }[version];
  const rows = requests.map((request) => textRow(request, version));
  return [first, start, ...rows, end, ""].join("\n");
}

/** The row of a request, without its line end. */
function textRow(request: GatlingRequest, version: TextVersion): string {
  const { groups, name, startMs, elapsedMs, failure } = request;
  const start = RUN_START_MS + startMs;
  const end = start + elapsedMs;
  const path = `${groups.join(",")}\t${name}`;
  const outcome = failure === undefined ? "OK\t " : `KO\t${failure === "" ? " " : failure}`;
  const four = `${start}\t${start}\t${end}\t${end}`;
  return {
    "2.0": `scene\t1168-0\tREQUEST\t${path}\t${four}\t${outcome}`,
    "2.3": `REQUEST\tscene\t7\t${path}\t${start}\t${end}\t${outcome}`,
    "3.3": `REQUEST\t7\t${path}\t${start}\t${end}\t${outcome}`,
    "3.12": `REQUEST\t${path}\t${start}\t${end}\t${outcome}`,
  }[version];
}

/** A binary log with one user who is active during all requests. */
export function binaryLog(requests: readonly GatlingRequest[]): Uint8Array {
  const log = new BinaryLog();
  return log.runRecord().user(true, 0).requests(requests).user(false, 2000).bytes();
}

export class BinaryLog {
  readonly #parts: Uint8Array[] = [];
  readonly #texts = new Map<string, number>();

  bytes(): Uint8Array {
    return Buffer.concat(this.#parts);
  }

  runRecord(): this {
    this.#byte(0).#text("3.15.1").#text("sim.Class");
    const start = Buffer.alloc(8);
    start.writeBigInt64BE(BigInt(RUN_START_MS));
    this.raw(start).#text("Nightly №1").#int32(1).#text("scene");
    return this.#int32(1).#int32(3).raw(Uint8Array.of(1, 2, 3));
  }

  user(isStart: boolean, ms: number): this {
    return this.#byte(2).#int32(0).#byte(isStart ? 1 : 0).#int32(ms);
  }

  requests(requests: readonly GatlingRequest[]): this {
    for (const { groups, name, startMs, elapsedMs, failure } of requests) {
      this.#byte(1).#int32(groups.length);
      for (const group of groups) this.#cached(group);
      this.#cached(name).#int32(startMs).#int32(startMs + elapsedMs);
      this.#byte(failure === undefined ? 1 : 0).#cached(failure ?? "");
    }
    return this;
  }

  group(groups: readonly string[]): this {
    this.#byte(3).#int32(groups.length);
    for (const group of groups) this.#cached(group);
    return this.#int32(0).#int32(5).#int32(5).#byte(1);
  }

  error(message: string): this {
    return this.#byte(4).#cached(message).#int32(5);
  }

  raw(bytes: Uint8Array): this {
    this.#parts.push(bytes);
    return this;
  }

  #byte(value: number): this {
    return this.raw(Uint8Array.of(value));
  }

  #int32(value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return this.raw(bytes);
  }

  #text(text: string): this {
    if (text === "") return this.#int32(0);
    const isLatin1 = /^[\0-\u00FF]*$/.test(text);
    const bytes = Buffer.from(text, isLatin1 ? "latin1" : "utf16le");
    return this.#int32(bytes.length).raw(bytes).#byte(isLatin1 ? 0 : 1);
  }

  #cached(text: string): this {
    const known = this.#texts.get(text);
    if (known !== undefined) return this.#int32(-known);
    this.#texts.set(text, this.#texts.size + 1);
    return this.#int32(this.#texts.size).#text(text);
  }
}

const word = fc.oneof(
  fc.constantFrom("Home page", "", "商品列表", "Old Redirect 1", "KO", "7", "é", "🛒 cart"),
  fc.string({ unit: "binary", maxLength: 8 }),
);

/** Requests with any names and messages. */
export const anyGatlingRequests: fc.Arbitrary<GatlingRequest[]> = requestsOf(word);

/** Requests with names that a text log can hold: no line ends, and no commas in groups. */
export const plainGatlingRequests: fc.Arbitrary<GatlingRequest[]> = requestsOf(
  word.map((text) => text.replaceAll(/[\t\n\r,\0]/g, " ").toWellFormed()),
);

function requestsOf(text: fc.Arbitrary<string>): fc.Arbitrary<GatlingRequest[]> {
  return fc.array(
    fc.record({
      groups: fc.array(
        text.filter((group) => group !== ""),
        { maxLength: 3 },
      ),
      name: text,
      startMs: fc.nat(5000),
      elapsedMs: fc.nat(90_000),
      failure: fc.option(text, { nil: undefined }),
    }),
    { maxLength: 12 },
  );
}
