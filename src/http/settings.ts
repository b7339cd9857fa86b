import { isNetwork } from "./client-address.ts";
import { UserError } from "../model/errors.ts";
import { FREE_BYTES_MIN } from "../model/free-bytes.ts";
import { LABELS_MAX } from "../model/label.ts";
import { FACET_LIMITS } from "../model/series/facets.ts";
import { SAMPLE_BYTES_DEFAULT } from "../model/samples/sample-choice.ts";
import { isTraceUrl, TRACE_URL_FORM } from "../model/samples/trace-url.ts";

/** Settings of the HTTP server. Times end in Ms, sizes in Bytes. */
export const DEFAULT_HTTP_SETTINGS = {
  /** Address or name to listen on. */
  host: "127.0.0.1",
  /** Port to listen on; 0 takes a free one. */
  port: 8013,
  /** Port for OpenTelemetry over gRPC, on the same address; 0 takes a free one. @default none */
  otlpGrpcPort: undefined as number | undefined,
  /** Path prefix of all routes, with a leading slash. */
  basePath: "/",
  /**
   * Further names in `Host` that are accepted, without port; `*` accepts any. Loopback names and
   * the listen address are always accepted.
   */
  allowedHosts: [] as readonly string[],
  /** Origins whose pages may read responses, such as `https://grafana.example.org`. */
  corsOrigins: [] as readonly string[],
  /** Header names that may carry the key besides `X-Service-Auth`. */
  keyHeaders: [] as readonly string[],
  /** Addresses and networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: [] as readonly string[],
  /** Address of a trace, with `{traceId}` in place of its id. @default none */
  traceUrl: undefined as string | undefined,
  // Limits. `SERVER_LIMITS` in cli/command-context.ts describes those that are flags.
  targetBytesMax: 8192,
  headerBytesMax: 32_768,
  headersTimeoutMs: 10_000,
  bodyStallMs: 30_000,
  lingerMs: 2000,
  timeoutCheckMs: 1000,
  keepAliveMs: 5000,
  connectionsMax: 2000,
  connectionsPerAddressMax: 1900,
  requestsPerConnectionMax: 10_000,
  failedKeysMax: 20,
  stallMs: 30_000,
  largeResponsesMax: 128,
  compressionsMax: 8,
  responseCacheBytesMax: 67_108_864,
  uploadsMax: 2,
  uploadBytesPerSecondMin: 10_000,
  waitingUploadsMax: 32,
  writeBytesMax: 25_000_000,
  heldBytesMax: 67_108_864,
  writesMax: 32,
  labelsMax: LABELS_MAX,
  ...FACET_LIMITS,
  sampleBytesMax: SAMPLE_BYTES_DEFAULT,
  keptFileBytesMax: 1_000_000_000,
  attachmentBytesMax: 50_000_000,
  attachmentsMax: 20,
  freeBytesMin: FREE_BYTES_MIN,
  drainMs: 8000,
};

export type HttpSettings = Readonly<typeof DEFAULT_HTTP_SETTINGS>;

const BASE_PATH = /^(\/[A-Za-z0-9._~-]+)*\/?$/;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HOST_NAME = /^(\*|[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])$/;

/** Above this, Node's timers fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

const AT_LEAST_ONE = [
  "uploadsMax",
  "writesMax",
  "largeResponsesMax",
  "labelsMax",
  "facetCombinationsMax",
] as const;

/** Applies defaults and validates. Throws `bad-setting`. */
export function resolveHttpSettings(requests: Partial<HttpSettings>): HttpSettings {
  const settings = { ...DEFAULT_HTTP_SETTINGS, ...requests };
  for (const [name, value] of Object.entries(settings)) {
    expectSetting(name in DEFAULT_HTTP_SETTINGS, name, value, "a known name of a setting");
    if (typeof value === "number") {
      expectSetting(Number.isSafeInteger(value) && value >= 0, name, value, "a whole number");
      const isTime = name.endsWith("Ms");
      expectSetting(!isTime || value <= TIMER_MS_MAX, name, value, `at most ${TIMER_MS_MAX}`);
    }
  }
  const { basePath, corsOrigins, keyHeaders, allowedHosts } = settings;
  for (const name of AT_LEAST_ONE) {
    expectSetting(settings[name] > 0, name, settings[name], "at least 1");
  }
  for (const name of ["port", "otlpGrpcPort"] as const) {
    expectSetting((settings[name] ?? 0) <= 65_535, name, settings[name], "0 to 65535");
  }
  expectSetting(BASE_PATH.test(basePath), "basePath", basePath, "a path such as /load-tests");
  for (const origin of corsOrigins) {
    expectSetting(isOrigin(origin), "corsOrigins", origin, "scheme://host, such as https://a.org");
  }
  for (const name of keyHeaders) {
    expectSetting(HEADER_NAME.test(name), "keyHeaders", name, "a header name");
  }
  for (const network of settings.trustedProxies) {
    const want = "an IP address, or a network such as 10.0.0.0/8";
    expectSetting(isNetwork(network), "trustedProxies", network, want);
  }
  for (const host of allowedHosts) {
    expectSetting(HOST_NAME.test(host), "allowedHosts", host, "a host name without port, or *");
  }
  checkTraceUrl(settings.traceUrl);
  return Object.freeze({
    ...settings,
    basePath: basePath.replace(/\/$/, ""),
    keyHeaders: distinctHeaders(keyHeaders),
  });
}

/** Distinct lower-case names without `x-service-auth`. */
function distinctHeaders(names: readonly string[]): readonly string[] {
  const distinct = new Set(names.map((name) => name.toLowerCase()));
  distinct.delete("x-service-auth");
  return [...distinct];
}

/** Throws `bad-setting`. */
export function checkTraceUrl(template: string | undefined): string | undefined {
  const isRight = template === undefined || isTraceUrl(template);
  expectSetting(isRight, "traceUrl", template, TRACE_URL_FORM);
  return template;
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

function expectSetting(holds: boolean, name: string, got: unknown, want: string): void {
  if (holds) return;
  throw new UserError(
    "bad-setting",
    `cannot use the setting ${name}: expected ${want}, got ${JSON.stringify(got)}`,
  );
}
