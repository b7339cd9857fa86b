import { text } from "node:stream/consumers";
import { TEXT } from "../../../api/parts.ts";
import { object } from "../../../api/schema.ts";
import { HttpError, quoted } from "../../response/http-error.ts";
import type { KeyReader } from "../../key-reader.ts";
import { parseQuery } from "../../request/request-target.ts";
import { type Route, textResponse } from "../../route.ts";
import type { ErrorForm } from "../../response/problem.ts";

export interface InfluxSetupDependencies {
  readonly keyReader: KeyReader;
  /** Throws `not-ready`. */
  readonly expectReady: () => Promise<void>;
  readonly version: string;
}

/** The requests InfluxDB clients send first: `/query`, `/ping` and `/health`. */
export function createInfluxSetupRoutes(dependencies: InfluxSetupDependencies): readonly Route[] {
  return [...createQueryRoutes(dependencies), pingRoute, createHealthRoute(dependencies)];
}

/** The only supported statement, without effect: the first write creates the load test. */
const CREATE_DATABASE = "^\\s*[Cc][Rr][Ee][Aa][Tt][Ee]\\s+[Dd][Aa][Tt][Aa][Bb][Aa][Ss][Ee]\\s";
const FORM_BYTES_MAX = 64 * 1024;

function createQueryRoutes({ keyReader }: InfluxSetupDependencies): readonly Route[] {
  const statement = {
    name: "q",
    description: "The statement. Only `CREATE DATABASE` is supported; it has no effect.",
    required: true,
    schema: { type: "string", minLength: 1, pattern: CREATE_DATABASE },
    form: "CREATE DATABASE (results are read with GET /Api/Metrics)",
    example: "CREATE DATABASE k6",
  } as const;
  const common = {
    path: "/query",
    description: "For InfluxDB clients that create a database before they write.",
    scope: "write",
    keyReader,
    schema: object({ results: { type: "array", items: {} } }),
    errors: ["bad-parameter"],
    errorForm: INFLUX_1_ERRORS,
  } as const;
  return [
    {
      ...common,
      method: "GET",
      operationId: "queryInflux",
      summary: "Create a database (no effect)",
      parameters: [statement],
      handle: async () => DONE,
    },
    {
      ...common,
      method: "POST",
      operationId: "postInfluxQuery",
      audited: "never",
      summary: "Create a database (no effect)",
      parameters: [{ ...statement, required: false }],
      body: {
        kind: "stream",
        description: "A form with the statement, if it is not in the URL.",
        bytesMax: FORM_BYTES_MAX,
        isOptional: true,
        contentEncoding: "decoded",
      },
      async handle(values, call) {
        const form = parseQuery(await text(call.body));
        const sent = values.get("q") ?? form.find(({ name }) => name === "q")?.value ?? "";
        if (new RegExp(CREATE_DATABASE).test(sent)) return DONE;
        const detail = `q: expected CREATE DATABASE, got ${quoted(sent)}`;
        throw new HttpError("bad-parameter", detail, { complaints: [{ parameter: "q", detail }] });
      },
    },
  ];
}

const DONE = textResponse('{"results":[{"statement_id":0}]}', {
  contentType: "application/json",
});

/** The InfluxDB version whose writes are supported; some clients check it. */
const INFLUX_HEADERS = { "X-Influxdb-Version": "1.8.10", "X-Influxdb-Build": "tachograph" };

const pingRoute: Route = {
  method: "GET",
  path: "/ping",
  operationId: "pingInflux",
  summary: "Check that the server accepts InfluxDB writes",
  description: "For InfluxDB clients that check the connection first.",
  scope: undefined,
  statuses: [204],
  handle: async () => PONG,
};

const PONG = textResponse("", {
  contentType: "application/json",
  headers: INFLUX_HEADERS,
  status: 204,
});

function createHealthRoute({ expectReady, version }: InfluxSetupDependencies): Route {
  const health = textResponse(
    JSON.stringify({ name: "tachograph", message: "ready for writes", status: "pass", version }),
    { contentType: "application/json" },
  );
  return {
    method: "GET",
    path: "/health",
    operationId: "getInfluxHealth",
    summary: "Whether the server is ready, in the format of InfluxDB 2",
    description: "Like `/health/ready`, for InfluxDB 2 clients.",
    scope: undefined,
    schema: object({ name: TEXT, message: TEXT, status: { const: "pass" }, version: TEXT }),
    errors: ["not-ready"],
    async handle() {
      await expectReady();
      return health;
    },
  };
}

/** The error format of InfluxDB 1. */
export const INFLUX_1_ERRORS: ErrorForm = {
  mediaType: "application/json",
  schema: object({ error: TEXT }),
  write: ({ detail }) => JSON.stringify({ error: detail }),
};

/** The error format of InfluxDB 2: with a word for the status. */
export const INFLUX_2_ERRORS: ErrorForm = {
  mediaType: "application/json",
  schema: object({ code: TEXT, message: TEXT }),
  write: ({ status, detail }) => JSON.stringify({ code: wordFor(status), message: detail }),
};

const WORDS: Readonly<Record<number, string>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not found",
  409: "conflict",
  413: "request too large",
  415: "unsupported media type",
  422: "unprocessable entity",
  429: "too many requests",
  503: "unavailable",
};

function wordFor(status: number): string {
  return WORDS[status] ?? (status < 500 ? "invalid" : "internal error");
}
