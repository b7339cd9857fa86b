import { HttpError } from "../response/http-error.ts";
import { type Route, jsonResponse } from "../route.ts";

const SCHEMA = {
  type: "object",
  properties: { status: { const: "ok" } },
  required: ["status"],
  additionalProperties: false,
};

const OK = jsonResponse({ status: "ok" }, { isCacheable: false });

const COMMON = {
  method: "GET",
  scope: undefined,
  parameters: [],
  mediaType: "application/json",
  schema: SCHEMA,
} as const;

/** Liveness: the process runs. */
export const liveRoute: Route = {
  ...COMMON,
  path: "/health/live",
  operationId: "getLiveness",
  summary: "Whether the process runs",
  description: "Answers as long as the process can answer at all.",
  errors: [],
  handle: async () => OK,
};

/** Readiness: the store can be read. */
export function createReadyRoute(isReady: () => Promise<boolean>): Route {
  return {
    ...COMMON,
    path: "/health/ready",
    operationId: "getReadiness",
    summary: "Whether requests can be answered",
    description: "Fails while the server closes and while its store cannot be read.",
    errors: ["not-ready"],
    async handle() {
      if (await isReady()) return OK;
      throw new HttpError("not-ready", "the server closes, or its store cannot be read");
    },
  };
}
