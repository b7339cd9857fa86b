import { isNetwork } from "./client-address.ts";
import { UserError } from "../model/errors.ts";
import { FREE_BYTES_MIN } from "../model/free-bytes.ts";
import { LABELS_MAX } from "../model/label.ts";

/** Settings of the HTTP server. Times end in Ms, sizes in Bytes. */
export interface HttpSettings {
  /** Address or name to listen on. @default "127.0.0.1" */
  readonly host: string;
  /** Port to listen on; 0 takes a free one. @default 8013 */
  readonly port: number;
  /** Path prefix of all routes, with a leading slash. @default "/" */
  readonly basePath: string;
  /**
   * Further names in `Host` that are accepted, without port; `*` accepts any. Loopback names and
   * the listen address are always accepted. @default []
   */
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may read responses, such as `https://grafana.example.org`. @default [] */
  readonly corsOrigins: readonly string[];
  /** Header names that may carry the key besides `X-Service-Auth`. @default [] */
  readonly keyHeaders: readonly string[];
  /**
   * Addresses and networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` is trusted. @default []
   */
  readonly trustedProxies: readonly string[];
  /** Longest request target. @default 8192 */
  readonly targetBytesMax: number;
  /** Longest request line and headers together. @default 32768 */
  readonly headerBytesMax: number;
  /** Time limit for receiving all headers of a request. @default 10000 */
  readonly headersTimeoutMs: number;
  /** A body without new bytes for this time is given up. @default 30000 */
  readonly bodyStallMs: number;
  /** After an error, further input of the client is discarded for this time. @default 2000 */
  readonly lingerMs: number;
  /** Interval of checks of `headersTimeoutMs`. @default 1000 */
  readonly timeoutCheckMs: number;
  /** How long an idle connection is kept. Behind a proxy, above the proxy's own limit. @default 5000 */
  readonly keepAliveMs: number;
  /** Simultaneous connections; a further one replaces an idle one, or is closed. @default 2000 */
  readonly connectionsMax: number;
  /** The same per address; through a trusted proxy, simultaneous requests. @default 1900 */
  readonly connectionsPerAddressMax: number;
  /** Requests per connection; then it is closed. @default 10000 */
  readonly requestsPerConnectionMax: number;
  /** Wrong keys of one address per minute; further ones get 429. @default 20 */
  readonly failedKeysMax: number;
  /** A client that reads nothing of a 64 KiB chunk for this time is disconnected. @default 30000 */
  readonly stallMs: number;
  /** Simultaneous responses above 64 KiB; further ones get 503. @default 128 */
  readonly largeAnswersMax: number;
  /** Responses compressed at once; further ones are sent uncompressed. @default 8 */
  readonly compressionsMax: number;
  /** Memory of the response cache. @default 67108864 */
  readonly answerCacheBytesMax: number;
  /** Uploaded files imported at once; each takes some 100 MB and a core. @default 2 */
  readonly uploadsMax: number;
  /** Minimum bytes per second of an upload while others wait; 0: no minimum. @default 10000 */
  readonly uploadBytesPerSecondMin: number;
  /** Waiting uploads per key; further ones get 429. @default 32 */
  readonly waitingUploadsMax: number;
  /** Longest body of line protocol, as sent and decompressed. @default 25000000 */
  readonly writeBytesMax: number;
  /**
   * Memory for bodies of batches and line protocol until they are stored; further ones get 503. @default
   * 67108864
   */
  readonly heldBytesMax: number;
  /** Simultaneous writes of line protocol; further ones wait. @default 32 */
  readonly writesMax: number;
  /** Labels per load test. @default 1000000 */
  readonly labelsMax: number;
  /** Disk space that batches leave free, at most 5 % of the disk. @default 536870912 */
  readonly freeBytesMin: number;
  /** How long `close` waits for responses in flight. @default 8000 */
  readonly drainMs: number;
}

export const DEFAULT_HTTP_SETTINGS: HttpSettings = Object.freeze({
  host: "127.0.0.1",
  port: 8013,
  basePath: "/",
  allowedHosts: [],
  corsOrigins: [],
  keyHeaders: [],
  trustedProxies: [],
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
  largeAnswersMax: 128,
  compressionsMax: 8,
  answerCacheBytesMax: 67_108_864,
  uploadsMax: 2,
  uploadBytesPerSecondMin: 10_000,
  waitingUploadsMax: 32,
  writeBytesMax: 25_000_000,
  heldBytesMax: 67_108_864,
  writesMax: 32,
  labelsMax: LABELS_MAX,
  freeBytesMin: FREE_BYTES_MIN,
  drainMs: 8000,
});

const BASE_PATH = /^(\/[A-Za-z0-9._~-]+)*\/?$/;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HOST_NAME = /^(\*|[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])$/;

/** Above this, Node's timers fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

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
  const { basePath, port, corsOrigins, keyHeaders, allowedHosts } = settings;
  expectSetting(settings.uploadsMax > 0, "uploadsMax", settings.uploadsMax, "at least 1");
  expectSetting(settings.writesMax > 0, "writesMax", settings.writesMax, "at least 1");
  const { largeAnswersMax } = settings;
  expectSetting(largeAnswersMax > 0, "largeAnswersMax", largeAnswersMax, "at least 1");
  expectSetting(settings.labelsMax > 0, "labelsMax", settings.labelsMax, "at least 1");
  expectSetting(port <= 65_535, "port", port, "0 to 65535");
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
