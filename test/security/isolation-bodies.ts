/** Who may change what, and what is sent to a route that changes something: enough that it is accepted of those who may. */

import { encodeBatch } from "../../src/wire/batch.ts";
import { batchOf, sample } from "../support/batches.ts";
import { writeRequest } from "../support/remote-write.ts";

/** Who asks. */
export interface Viewer {
  readonly name: string;
  readonly project: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The load tests that it may see. @default all of its project */
  readonly loadTestIds?: readonly string[];
}

/** In labels, names, tags, texts and files: whose they are. */
export function markOf(project: string | undefined, id: string): string {
  return `own:${project ?? "none"}:${id};`;
}

/** Whether it may, by the words of docs/security.md, unless its key has expired or is revoked. */
export function mayChange({ name }: Viewer, path: string): boolean {
  const [scopes = ""] = name.replace(/^session \d+ /, "").split(" ");
  if (path === "/Api/Session" || scopes === "admin") return true;
  return !path.startsWith("/Api/Keys") && scopes.split(",").includes("write");
}

interface Sent {
  readonly payload?: string | Buffer | object;
  /** @default JSON for an object, else bytes */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whose it is, what it is about, and what makes it different from all others. */
interface About {
  readonly mark: string;
  readonly id: string;
  readonly second: number;
  readonly number: number;
}

/** Empty for an operation that needs nothing. */
export function sentTo(operationId: string, about: About): Sent {
  const sent = BODIES[operationId]?.(about) ?? {};
  const isJson = typeof sent.payload === "object" && !Buffer.isBuffer(sent.payload);
  const type = isJson ? "application/json" : "application/octet-stream";
  return sent.payload === undefined
    ? {}
    : { ...sent, headers: { "content-type": type, "x-load-test": about.id, ...sent.headers } };
}

const resultsOf = ({ mark, second }: About): Sent => ({
  payload: `timeStamp,elapsed,label,success\n${1000 * second},5,GET /file ${mark},true\n`,
});
const linesOf = ({ mark, second }: About): Sent => ({
  payload: `http_req_duration,name=/line\\ ${mark},status=200 value=5 ${second}000000000`,
});

const BODIES: Readonly<Record<string, (about: About) => Sent>> = {
  createLoadTest: ({ id, mark }) => ({ payload: { id, tags: [mark] } }),
  changeLoadTest: ({ mark }) => ({ payload: { description: mark } }),
  uploadResults: resultsOf,
  uploadNewResults: resultsOf,
  writeLines: linesOf,
  writeLinesV2: linesOf,
  postInfluxQuery: () => ({
    payload: "q=CREATE DATABASE r1",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  }),
  writeTraces: ({ mark, second, number }) => ({ payload: spansOf(mark, second, number) }),
  writeMetrics: () => ({ payload: { resourceMetrics: [] } }),
  writeRemote: ({ second, mark }) => ({
    payload: Buffer.from(
      writeRequest({ labels: { __name__: "load", mark }, samples: [[1000 * second, 3]] }),
    ),
    headers: {
      "content-type": "application/x-protobuf",
      "content-encoding": "snappy",
      "x-prometheus-remote-write-version": "0.1.0",
    },
  }),
  addEvent: ({ mark, second }) => ({
    payload: { text: mark, at: new Date(1000 * second).toISOString() },
  }),
  changeEvent: ({ mark }) => ({ payload: { text: mark } }),
  publishSource: () => ({ payload: PUBLICATION }),
  addFile: ({ mark }) => ({ payload: mark }),
  putThresholds: () => ({ payload: { thresholds: [{ failIf: ["errors > 1%"] }] } }),
  appendBatch: ({ mark, second, number }) => {
    const { loadTestId: _, ...batch } = batchOf([sample(`GET /batch ${mark}`, second, 900)], {
      sourceId: `tried-${number}`,
    });
    return { payload: Buffer.from(encodeBatch(batch)) };
  },
  createLink: ({ id, number }) => ({ payload: { name: `tried-${number}`, loadTestId: id } }),
  createKey: ({ number }) => ({ payload: { name: `tried-${number}`, scopes: ["read"] } }),
};

const PUBLICATION = {
  name: "a.jtl",
  format: "jmeter-csv",
  sizeBytes: 1,
  digest: `gmac:${"0".repeat(32)}`,
  unrecorded: [],
  untimedRequests: 0,
  averagedRequests: 0,
  windowSeconds: 1,
  rejectedRows: 0,
};

function spansOf(mark: string, second: number, number: number): object {
  const span = {
    spanId: (1 + number).toString(16).padStart(16, "0"),
    name: `GET /span ${mark}`,
    kind: 3,
    startTimeUnixNano: `${second}000000000`,
    endTimeUnixNano: `${second}005000000`,
    attributes: [{ key: "http.response.status_code", value: { intValue: "200" } }],
  };
  return { resourceSpans: [{ resource: {}, scopeSpans: [{ spans: [span] }] }] };
}
