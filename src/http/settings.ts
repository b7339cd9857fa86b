import { isNetwork } from "./client-address.ts";
import { UserError } from "../model/errors.ts";
import { FREE_BYTES_MIN } from "../model/free-bytes.ts";
import { LABELS_MAX } from "../model/label.ts";

/** How the HTTP server behaves. Times end in Ms, sizes in Bytes. */
export interface HttpSettings {
  /** Address or name to listen on. @default "127.0.0.1" */
  readonly host: string;
  /** Port to listen on; 0 takes a free one. @default 8013 */
  readonly port: number;
  /** Path that all routes live under, with a leading slash. @default "/" */
  readonly basePath: string;
  /**
   * Further names a request may be addressed to, without port; `*` allows any. Loopback names and
   * the address listened on are always allowed. @default []
   */
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may read answers, such as `https://grafana.example.org`. @default [] */
  readonly corsOrigins: readonly string[];
  /** Header names that may carry the key besides `X-Service-Auth`. @default [] */
  readonly keyHeaders: readonly string[];
  /**
   * Addresses and networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` is believed. @default []
   */
  readonly trustedProxies: readonly string[];
  /** Longest request target. @default 8192 */
  readonly targetBytesMax: number;
  /** Longest request line and headers together. @default 32768 */
  readonly headerBytesMax: number;
  /** Until all headers of a request are in. @default 10000 */
  readonly headersTimeoutMs: number;
  /** A sender of a body that sends nothing for so long is given up. @default 30000 */
  readonly bodyStallMs: number;
  /** After a refusal, what the client still sends is thrown away for so long. @default 2000 */
  readonly lingerMs: number;
  /** How often the time of headers is checked. @default 1000 */
  readonly timeoutCheckMs: number;
  /** How long an idle connection is kept; above the proxy's own time behind one. @default 5000 */
  readonly keepAliveMs: number;
  /** Connections at once; a further one replaces a silent one, or is closed. @default 2000 */
  readonly connectionsMax: number;
  /** The same of one address; through a trusted proxy, requests at once. @default 1900 */
  readonly connectionsPerAddressMax: number;
  /** Requests on one connection; then it is closed. @default 10000 */
  readonly requestsPerConnectionMax: number;
  /** Keys of one address that are refused within a minute; further ones get 429. @default 20 */
  readonly failedKeysMax: number;
  /** A reader that takes nothing of a 64 KiB chunk for so long is cut off. @default 30000 */
  readonly stallMs: number;
  /** Answers above 64 KiB sent at once; further ones get 503. @default 128 */
  readonly largeAnswersMax: number;
  /** Answers compressed at once; further ones are sent plain. @default 8 */
  readonly compressionsMax: number;
  /** Memory for answers that were sent, to be sent again while their data stay. @default 67108864 */
  readonly answerCacheBytesMax: number;
  /** Uploaded files imported at once; each takes some 100 MB and a core. @default 2 */
  readonly uploadsMax: number;
  /** Bytes a second that an upload must bring while others wait; 0: none. @default 10000 */
  readonly uploadBytesPerSecondMin: number;
  /** Uploads of one key that wait for their turn; further ones get 429. @default 32 */
  readonly waitingUploadsMax: number;
  /** Longest body of line protocol, as sent and inflated. @default 25000000 */
  readonly writeBytesMax: number;
  /** Bodies of batches and of line protocol, until they are stored; further ones get 503. @default 67108864 */
  readonly heldBytesMax: number;
  /** Writes of line protocol taken in at once; further ones wait. @default 32 */
  readonly writesMax: number;
  /** Labels of one load test, in the store that is served. @default 1000000 */
  readonly labelsMax: number;
  /** Bytes of the disk that batches leave free, at most a twentieth of it. @default 536870912 */
  readonly freeBytesMin: number;
  /** How long `close` waits for answers under way. @default 8000 */
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

/** Timers of Node end at once where they are asked for more. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Defaults and wants together, checked. Throws `bad-setting`. */
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

/** In lower case, each once, without the one that is always read. */
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
