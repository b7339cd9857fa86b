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
  description: "Succeeds while the process runs.",
  errors: [],
  handle: async () => OK,
};

/** Readiness: the store can be read. */
export function createReadyRoute(isReady: () => Promise<boolean>): Route {
  return {
    ...COMMON,
    path: "/health/ready",
    operationId: "getReadiness",
    summary: "Whether the server is ready",
    description: "Fails during shutdown and while the store is unreadable.",
    errors: ["not-ready"],
    async handle() {
      if (await isReady()) return OK;
      throw new HttpError("not-ready", "the server is shutting down, or its store is unreadable");
    },
  };
}
