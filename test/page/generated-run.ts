/**
 * Generates a realistic load test request by request, always the same one, for the screenshots of the
 * page. 30 minutes, 148 endpoints, and four features to be found:
 *
 * - from `STEP_AT` until `STEP_BACK_AT` everything under `/cart` and `/checkout` takes twice as long;
 * - from `BURST_FROM` until `BURST_UNTIL` these endpoints fail, and response times of
 *   `POST /checkout/payment` pile up at 2 s;
 * - `GET /products/{id}` has two modes, near 14 ms and near 95 ms;
 * - 250 users start in the first two minutes and end in the last twenty seconds.
 *
 * `node test/page/generated-run.ts FILE` writes it as a JTL.
 */

import { closeSync, openSync, writeSync } from "node:fs";
import { seededRandom } from "../../bench/seeded-random.ts";

/** UNIX second of the first request. */
export const STARTED_AT = Date.UTC(2026, 10, 21, 13, 2, 11) / 1000;
export const SECONDS = 1799;
export const STEP_AT = STARTED_AT + 1069;
export const STEP_BACK_AT = STARTED_AT + 1669;
export const BURST_FROM = STARTED_AT + 1319;
export const BURST_UNTIL = BURST_FROM + 42;

const SECONDS_PER_DAY = 86_400;
const USERS = 250;
const [RAMP_UP_SECONDS, RAMP_DOWN_SECONDS] = [120, 20];
/** The slowdown fades in its last two minutes. */
const WEARING_OFF_SECONDS = 120;
const STEP_FACTOR = 2.2;
const WALL_MS = 2005;

export interface GeneratedRunOptions {
  /** With all users. @default 230 */
  readonly requestsPerSecond?: number;
  /** Duration, from the second of the first request on. @default SECONDS */
  readonly seconds?: number;
  /** The previous night, with the two modes but none of the other features. @default false */
  readonly isCalm?: boolean;
}

interface Endpoint {
  readonly label: string;
  /** Its share of requests, relative to the weights of all. */
  readonly weight: number;
  readonly medianMs: number;
  /** Whether it is affected by the slowdown and the burst. */
  readonly isInTrouble: boolean;
}

const BUSY: readonly (readonly [label: string, weight: number, medianMs: number])[] = [
  ["GET /products/{id}", 60, 14],
  ["GET /", 55, 22],
  ["GET /search", 48, 60],
  ["GET /products", 46, 35],
  ["GET /categories/{id}", 38, 28],
  ["POST /cart", 35, 75],
  ["GET /cart", 22, 40],
  ["PUT /cart/items/{id}", 8.5, 70],
  ["GET /checkout", 7.4, 85],
  ["POST /checkout/address", 6.1, 75],
  ["POST /checkout/payment", 5.4, 200],
  ["POST /checkout/confirm", 4.9, 150],
  ["GET /cart/shipping", 3.2, 110],
  ["POST /cart/coupon", 1.2, 95],
];
/** The other endpoints: these methods on these resources, some 40 to 400 requests each. */
const METHODS = ["GET", "POST", "PUT", "DELETE"] as const;
const THINGS =
  "cart/gift cart/saved cart/count gift-cards invoices bundles orders newsletter warranty " +
  "returns campaigns prices questions stores reviews wishlists addresses coupons refunds " +
  "shipments suppliers subscriptions tickets profiles devices sessions images reports banners " +
  "brands loyalty alerts exports audits";
const ENDPOINTS_MAX = 148;

/** Writes the load test to `file` in JMeter's format. */
export function writeGeneratedRun(file: string, options: GeneratedRunOptions = {}): void {
  const { requestsPerSecond = 230, seconds = SECONDS, isCalm = false } = options;
  const oneNight = seededRandom(1764);
  const endpoints = endpointsOf(oneNight, isCalm);
  const random = isCalm ? seededRandom(1751) : oneNight;
  const startedAt = isCalm ? STARTED_AT - SECONDS_PER_DAY : STARTED_AT;
  const pick = pickerOf(endpoints, random);
  const target = openSync(file, "w");
  try {
    writeSync(target, `${HEADER}\n`);
    for (let second = 0; second < seconds; second++) {
      const users = usersAt(second);
      const mean = (requestsPerSecond * users) / USERS;
      const requests = Math.max(0, Math.round(mean + normal(random) * Math.sqrt(mean)));
      const rows = Array.from({ length: requests }, (_, index) => {
        const at = (startedAt + second) * 1000 + Math.floor(((index + 0.5) / requests) * 1000);
        return rowOf(pick(), at, users, random);
      });
      writeSync(target, rows.join(""));
    }
  } finally {
    closeSync(target);
  }
}

const HEADER =
  "timeStamp,elapsed,label,responseCode,responseMessage,success,bytes,grpThreads,allThreads";

function endpointsOf(random: () => number, isCalm: boolean): readonly Endpoint[] {
  const busy = BUSY.map(([label, weight, medianMs]) => ({ label, weight, medianMs }));
  const others = THINGS.split(" ").flatMap((thing) =>
    METHODS.map((method) => {
      const path = method === "POST" ? `/${thing}` : `/${thing}/{id}`;
      const weight = 0.04 + 0.36 * random() ** 2;
      return { label: `${method} ${path}`, weight, medianMs: Math.round(30 + 70 * random()) };
    }),
  );
  return [...busy, ...others].slice(0, ENDPOINTS_MAX).map((endpoint) => {
    return { ...endpoint, isInTrouble: !isCalm && /\/(cart|checkout)/.test(endpoint.label) };
  });
}

function pickerOf(endpoints: readonly Endpoint[], random: () => number): () => Endpoint {
  const [first] = endpoints;
  if (first === undefined) throw new Error("BUG: no endpoint");
  let all = 0;
  const sums = endpoints.map(({ weight }) => (all += weight));
  return () => {
    const place = random() * all;
    return endpoints[sums.findIndex((sum) => sum > place)] ?? first;
  };
}

function usersAt(second: number): number {
  const share = Math.min(1, (second + 1) / RAMP_UP_SECONDS, (SECONDS - second) / RAMP_DOWN_SECONDS);
  return Math.max(1, Math.round(USERS * share));
}

function rowOf(endpoint: Endpoint, atMs: number, users: number, random: () => number): string {
  const { code, message, elapsedMs } = answerOf(endpoint, Math.floor(atMs / 1000), random);
  const bytes = 1500 + Math.floor(5000 * random());
  const success = code === "200";
  const told = `${endpoint.label},${code},${message},${success}`;
  return `${atMs},${elapsedMs},${told},${success ? bytes : 230},${users},${users}\n`;
}

interface Answer {
  readonly code: string;
  readonly message: string;
  readonly elapsedMs: number;
}

function answerOf(endpoint: Endpoint, second: number, random: () => number): Answer {
  const elapsedMs = elapsedOf(endpoint, second, random);
  const luck = random();
  const isBurst = second >= BURST_FROM && second < BURST_UNTIL && endpoint.isInTrouble;
  if (isBurst && endpoint.label === "POST /checkout/payment" && luck < 0.75) {
    const atWall = WALL_MS + Math.floor(8 * random());
    return { code: "504", message: "Gateway Time-out", elapsedMs: atWall };
  }
  if (isBurst && luck < 0.55) {
    const quickMs = Math.max(4, Math.round(elapsedMs / 8));
    return { code: "503", message: "Service Unavailable", elapsedMs: quickMs };
  }
  if (luck < 0.0001) return { code: "500", message: "Internal Server Error", elapsedMs };
  if (luck < 0.0002) return { code: "409", message: "Conflict", elapsedMs };
  return { code: "200", message: "OK", elapsedMs };
}

function elapsedOf(
  { label, medianMs, isInTrouble }: Endpoint,
  second: number,
  random: () => number,
) {
  const isSecondMode = label === "GET /products/{id}" && random() < 0.27;
  const typicalMs = isSecondMode ? 95 : medianMs;
  const spread = label === "GET /products/{id}" ? 0.25 : 0.5;
  const factor = isInTrouble ? stepFactorAt(second) : 1;
  return Math.max(1, Math.round(typicalMs * factor * Math.exp(spread * normal(random))));
}

function stepFactorAt(second: number): number {
  if (second < STEP_AT || second >= STEP_BACK_AT) return 1;
  const left = Math.min(1, (STEP_BACK_AT - second) / WEARING_OFF_SECONDS);
  return 1 + (STEP_FACTOR - 1) * left;
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

if (import.meta.main) {
  const [file] = process.argv.slice(2);
  if (file === undefined) throw new Error("usage: node test/page/generated-run.ts FILE");
  writeGeneratedRun(file);
}
