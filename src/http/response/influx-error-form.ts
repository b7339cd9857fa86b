import type { ErrorForm } from "./problem.ts";

/** The error format of InfluxDB 1. */
export const INFLUX_1_ERRORS: ErrorForm = {
  mediaType: "application/json",
  schema: {
    type: "object",
    properties: { error: { type: "string" } },
    required: ["error"],
    additionalProperties: false,
  },
  write: ({ detail }) => JSON.stringify({ error: detail }),
};

/** The error format of InfluxDB 2: with a word for the status. */
export const INFLUX_2_ERRORS: ErrorForm = {
  mediaType: "application/json",
  schema: {
    type: "object",
    properties: { code: { type: "string" }, message: { type: "string" } },
    required: ["code", "message"],
    additionalProperties: false,
  },
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
