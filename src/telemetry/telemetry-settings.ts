import { UserError } from "../model/errors.ts";

/** Where telemetry goes, by the standard variables of OpenTelemetry. */
export interface TelemetrySettings {
  /** Absent: none are sent. */
  readonly traces: OtlpTarget | undefined;
  readonly metrics: OtlpTarget | undefined;
  readonly metricsEveryMs: number;
  readonly timeoutMs: number;
  /** Text attributes that name this service. */
  readonly resource: Readonly<Record<string, string>>;
  readonly sampling: Sampling;
}

export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Sampling {
  /** Share of traces that begin here, 0 to 1. */
  readonly ratio: number;
  /** Whether the decision of a caller counts. */
  readonly isParentBased: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Signal = "TRACES" | "METRICS";

const METRICS_EVERY_MS = 60_000;
const TIMEOUT_MS = 10_000;
const SAMPLERS = ["always_on", "always_off", "traceidratio"];

/** Throws `bad-setting`. An empty variable counts as absent. */
export function telemetrySettings(environment: Environment): TelemetrySettings {
  const named = pairsIn(environment, "OTEL_RESOURCE_ATTRIBUTES");
  return {
    traces: targetOf(environment, "TRACES"),
    metrics: targetOf(environment, "METRICS"),
    metricsEveryMs: millisIn(environment, "OTEL_METRIC_EXPORT_INTERVAL", METRICS_EVERY_MS),
    timeoutMs: millisIn(environment, "OTEL_EXPORTER_OTLP_TIMEOUT", TIMEOUT_MS),
    resource: {
      "service.name": environment["OTEL_SERVICE_NAME"] || named["service.name"] || "tachograph",
      ...Object.fromEntries(Object.entries(named).filter(([name]) => name !== "service.name")),
    },
    sampling: samplingIn(environment),
  };
}

/** A path is appended to the common address only. */
function targetOf(environment: Environment, signal: Signal): OtlpTarget | undefined {
  const [own, common] = [`OTEL_EXPORTER_OTLP_${signal}_`, "OTEL_EXPORTER_OTLP_"];
  if (environment[`OTEL_${signal}_EXPORTER`] === "none") return undefined;
  const ownUrl = environment[`${own}ENDPOINT`];
  const commonUrl = environment[`${common}ENDPOINT`];
  if (!ownUrl && !commonUrl) return undefined;
  for (const name of [`${own}PROTOCOL`, `${common}PROTOCOL`]) refuseGrpc(environment, name);
  const url = ownUrl
    ? urlIn(environment, `${own}ENDPOINT`)
    : `${urlIn(environment, `${common}ENDPOINT`).replace(/\/+$/, "")}/v1/${signal.toLowerCase()}`;
  const headers = pairsIn(environment, `${common}HEADERS`);
  return { url, headers: { ...headers, ...pairsIn(environment, `${own}HEADERS`) } };
}

function urlIn(environment: Environment, name: string): string {
  const text = environment[name] ?? "";
  const protocol = URL.canParse(text) ? new URL(text).protocol : "";
  if (protocol === "http:" || protocol === "https:") return text;
  throw badVariable(name, text, "an address such as http://127.0.0.1:4318");
}

function refuseGrpc(environment: Environment, name: string): void {
  const protocol = environment[name] ?? "";
  if (protocol !== "grpc") return;
  throw badVariable(name, protocol, "http/json, and the address of the collector's HTTP receiver");
}

/** `name=value,name=value`, percent-encoded. */
function pairsIn(environment: Environment, name: string): Record<string, string> {
  const parts = (environment[name] ?? "").split(",").filter((part) => part.trim() !== "");
  const pairs = parts.map((part) => {
    const at = part.indexOf("=");
    if (at <= 0) throw badVariable(name, "another text", "name=value,name=value");
    return [part.slice(0, at).trim(), decoded(part.slice(at + 1).trim())] as const;
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function millisIn(environment: Environment, name: string, otherwise: number): number {
  const text = environment[name];
  if (!text) return otherwise;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw badVariable(name, text, "milliseconds from 1 to 999,999,999");
}

function samplingIn(environment: Environment): Sampling {
  const name = environment["OTEL_TRACES_SAMPLER"] || "parentbased_always_on";
  const isParentBased = name.startsWith("parentbased_");
  const own = name.replace("parentbased_", "");
  if (!SAMPLERS.includes(own)) {
    const want = SAMPLERS.flatMap((each) => [each, `parentbased_${each}`]).join(", ");
    throw badVariable("OTEL_TRACES_SAMPLER", name, `one of ${want}`);
  }
  if (own !== "traceidratio") return { ratio: own === "always_on" ? 1 : 0, isParentBased };
  const text = environment["OTEL_TRACES_SAMPLER_ARG"] || "1";
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return { ratio, isParentBased };
  throw badVariable("OTEL_TRACES_SAMPLER_ARG", text, "a share from 0 to 1");
}

function badVariable(name: string, got: string, want: string): UserError {
  return new UserError("bad-setting", `cannot use ${name}: got "${got}", want ${want}`);
}
