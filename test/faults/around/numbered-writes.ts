import assert from "node:assert/strict";
import { writeRequest } from "../../support/remote-write.ts";
import type { ServerAccess } from "./served-store.ts";

/** Requests, or samples, of a body. */
const EACH = 3;
const BEGIN_SECONDS = 1_700_000_000;
const GROWTH = 7;

type Asked = Pick<ServerAccess, "fetch">;

/** A protocol whose bodies have no number: a server knows a repeated one by its contents. */
interface Protocol {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  /** All bodies differ. */
  readonly body: (number: number) => string | Buffer<ArrayBuffer>;
  /** Bodies that are stored; not whole, if one is there in part. */
  readonly stored: (server: Asked) => Promise<number>;
}

export const PROTOCOLS: readonly Protocol[] = [
  {
    name: "line writes",
    path: "/write?db=lines",
    headers: {},
    status: 204,
    body: (number) =>
      Array.from(
        { length: EACH },
        (_, at) => `http_req_duration,name=/line,status=200 value=5 ${nanosOf(number, at)}`,
      ).join("\n"),
    stored: async (server) => (await requestsIn(server, "lines")) / EACH,
  },
  {
    name: "bodies of spans",
    path: "/v1/traces",
    headers: { "X-Load-Test": "spans", "Content-Type": "application/json" },
    status: 200,
    body: spansOf,
    stored: async (server) => (await requestsIn(server, "spans")) / EACH,
  },
  {
    name: "remote writes",
    path: "/api/v1/write",
    headers: {
      "X-Load-Test": "samples",
      "Content-Type": "application/x-protobuf",
      "Content-Encoding": "snappy",
      "X-Prometheus-Remote-Write-Version": "0.1.0",
    },
    status: 204,
    body: samplesOf,
    stored: storedSamples,
  },
];

/** Bodies of a protocol, one after another; each is repeated until it is acknowledged. */
export class NumberedWrites {
  readonly #server: ServerAccess;
  readonly #protocol: Protocol;
  #acknowledged = 0;

  constructor(server: ServerAccess, protocol: Protocol) {
    this.#server = server;
    this.#protocol = protocol;
  }

  get figure(): readonly [name: string, acknowledged: number] {
    return [this.#protocol.name, this.#acknowledged];
  }

  /** Sends the next body, or the last one again if it had no response. */
  async write(): Promise<void> {
    const { path, headers, status } = this.#protocol;
    const request = { method: "POST", headers, body: this.#protocol.body(this.#acknowledged) };
    const answer = await this.#server.fetch(path, request);
    assert.equal(answer.status, status, `${path}: ${await answer.text()}`);
    this.#acknowledged += 1;
  }

  /** Requires what was acknowledged, once, and all or nothing of a body without a response. */
  async check(): Promise<void> {
    const stored = await this.#protocol.stored(this.#server);
    const isRight = stored === this.#acknowledged || stored === this.#acknowledged + 1;
    assert.ok(isRight, `${stored} of ${this.#acknowledged} ${this.#protocol.name}`);
  }
}

/** 0 if there is no such load test. */
export async function requestsIn(server: Asked, loadTestId: string): Promise<number> {
  const summary = await found(server, `/Api/LoadTests/${loadTestId}/Summary`);
  return (summary as { overall: { count: number } } | undefined)?.overall.count ?? 0;
}

function spansOf(number: number): string {
  const spans = Array.from({ length: EACH }, (_, at) => ({
    spanId: (1 + EACH * number + at).toString(16).padStart(16, "0"),
    name: "GET /span",
    kind: 3,
    startTimeUnixNano: String(nanosOf(number, at)),
    endTimeUnixNano: String(nanosOf(number, at) + 5_000_000n),
    attributes: [
      { key: "http.request.method", value: { stringValue: "GET" } },
      { key: "http.response.status_code", value: { intValue: "200" } },
    ],
  }));
  const attributes = [{ key: "service.name", value: { stringValue: "locust" } }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] });
}

/** A counter, which grows by `GROWTH` each second. */
function samplesOf(number: number): Buffer<ArrayBuffer> {
  const samples = Array.from({ length: EACH }, (_, at) => {
    const second = EACH * number + at;
    return [1000 * (BEGIN_SECONDS + second), GROWTH * second] as const;
  });
  return Buffer.from(writeRequest({ labels: { __name__: "app_orders_total" }, samples }));
}

/** The first sample of all is only where the counter begins. */
async function storedSamples(server: Asked): Promise<number> {
  const given = await found(server, "/Api/LoadTests/samples/Measures");
  const { measures = [] } = (given ?? {}) as { measures?: { count: number; sum: number }[] };
  const [own] = measures;
  if (own === undefined) return 0;
  assert.equal(own.sum, GROWTH * own.count, "the growth of the counter");
  return (own.count + 1) / EACH;
}

/** `undefined` if there is no such load test. */
async function found(server: Asked, path: string): Promise<unknown> {
  const answer = await server.fetch(path);
  const text = await answer.text();
  if (answer.status === 404) return undefined;
  assert.equal(answer.status, 200, text);
  return JSON.parse(text);
}

function nanosOf(number: number, at: number): bigint {
  return BigInt(BEGIN_SECONDS + number) * 1_000_000_000n + BigInt(at);
}
