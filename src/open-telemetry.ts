import type { HttpLog, TraceRequest } from "./http/access-log.ts";
import type { HttpServer } from "./http/server.ts";

/** Traces and metrics of this service. */
export interface Telemetry {
  /** `undefined` if no traces are sent. */
  readonly answered: TraceRequest | undefined;
  /** Sends from now on. */
  start(families: HttpServer["families"]): void;
  /** Closes the server, which stops counting, and sends the rest, for at most two seconds. */
  stop(closeServer: () => Promise<void>): Promise<void>;
}

const ENDPOINT = /^OTEL_EXPORTER_OTLP_(?:TRACES_|METRICS_)?ENDPOINT$/;

const NO_TELEMETRY: Telemetry = {
  answered: undefined,
  start: () => undefined,
  stop: (closeServer) => closeServer(),
};

/** By the standard variables of OpenTelemetry; loads nothing if they name no receiver. Throws `bad-setting`. */
export async function openTelemetry(
  job: {
    readonly environment: NodeJS.ProcessEnv;
    /** Milliseconds since the epoch. */
    readonly now: () => number;
  },
  version: string,
  log: HttpLog,
): Promise<Telemetry> {
  const { environment, now } = job;
  const isOn = Object.keys(environment).some((name) => ENDPOINT.test(name) && environment[name]);
  if (!isOn || environment["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return NO_TELEMETRY;
  const { createTelemetry } = await import("./telemetry/telemetry.ts");
  return createTelemetry({ environment, version, now, fetch, log });
}
