/** The faults that are injected, and what is true of each: written down here, before any of our programs reads the run. */

import type { Fault } from "./target.ts";

interface Truth {
  /** What the requests show. */
  readonly what: "slow" | "failing" | "generator";
  /** Where; absent: at all endpoints. */
  readonly endpoint?: string;
  /** The host that the fault is at; absent where nothing in the recording knows the cause. */
  readonly host?: string;
  /** The event that says it. */
  readonly event?: string;
}

export interface Scenario {
  readonly tool: "k6" | "jmeter";
  /** Requests per second of k6, users of JMeter. @default 25 and 8 */
  readonly load?: number;
  /** Seconds that it lasts. @default to the end */
  readonly lasting?: number;
  readonly app?: Fault;
  readonly database?: Fault;
  /** Of the network before the server: milliseconds that each answer is late, and the share of answers that are sent again after 200 ms and more. */
  readonly network?: { readonly lateMs?: number; readonly lost?: number };
  readonly signal?: { readonly to: "app" | "db"; readonly kind: "stop" | "kill" };
  readonly isGeneratorBusy?: true;
  /** The fault is there from the first request on. */
  readonly isThroughout?: true;
  /** Added this many seconds before. */
  readonly eventBefore?: number;
  readonly truth?: Truth;
}

const app = { host: "app-1" } as const;
const db = { host: "db-1" } as const;
const lb = { host: "lb-1" } as const;

export const FAULTS: Readonly<Record<string, Scenario>> = {
  "k6-stop": {
    tool: "k6",
    lasting: 7,
    signal: { to: "app", kind: "stop" },
    truth: { what: "slow", ...app },
  },
  "jmeter-stop": {
    tool: "jmeter",
    lasting: 8,
    signal: { to: "app", kind: "stop" },
    truth: { what: "slow", ...app },
  },
  "k6-hog": { tool: "k6", lasting: 18, app: { hogMs: 185 }, truth: { what: "slow", ...app } },
  "jmeter-hog": { tool: "jmeter", app: { hogMs: 180 }, truth: { what: "slow", ...app } },
  "k6-pool": {
    tool: "k6",
    load: 40,
    lasting: 14,
    app: { pool: 1 },
    truth: { what: "slow", ...app },
  },
  "jmeter-pool-of-5": {
    tool: "jmeter",
    load: 60,
    app: { pool: 5 },
    truth: { what: "slow", ...app },
  },
  "k6-503": {
    tool: "k6",
    lasting: 12,
    app: { status: 503 },
    eventBefore: 2,
    truth: { what: "failing", event: "maintenance mode of the load balancer" },
  },
  "jmeter-503-checkout": {
    tool: "jmeter",
    lasting: 15,
    database: { status: 503, endpoint: "checkout" },
    truth: { what: "failing", endpoint: "checkout", ...db },
  },
  "k6-slow-query": {
    tool: "k6",
    database: { isComputing: true, endpoint: "search", slower: 4 },
    truth: { what: "slow", endpoint: "search", ...db },
  },
  "jmeter-locks": {
    tool: "jmeter",
    database: { hasLock: true, endpoint: "search", slower: 6 },
    truth: { what: "slow", endpoint: "search", ...db },
  },
  "k6-delay": { tool: "k6", lasting: 20, network: { lateMs: 150 }, truth: { what: "slow", ...lb } },
  "jmeter-loss": {
    tool: "jmeter",
    lasting: 20,
    network: { lost: 0.3 },
    truth: { what: "slow", ...lb },
  },
  "k6-deploy-cart": {
    tool: "k6",
    app: { endpoint: "cart", slower: 14 },
    eventBefore: 3,
    truth: { what: "slow", endpoint: "cart", event: "deploy: cart 2.18.0" },
  },
  "jmeter-deploy": {
    tool: "jmeter",
    app: { slower: 8 },
    eventBefore: 4,
    truth: { what: "slow", event: "deploy: shop 7.2" },
  },
  "k6-memory": { tool: "k6", app: { kept: 2.5, made: 80 }, truth: { what: "slow", ...app } },
  "k6-generator": {
    tool: "k6",
    isGeneratorBusy: true,
    truth: { what: "generator", host: "gen-1" },
  },
  "jmeter-generator": {
    tool: "jmeter",
    isGeneratorBusy: true,
    truth: { what: "generator", host: "gen-1" },
  },
  "k6-broken": {
    tool: "k6",
    isThroughout: true,
    app: { endpoint: "checkout", status: 500 },
    truth: { what: "failing", endpoint: "checkout" },
  },
  "jmeter-crash": {
    tool: "jmeter",
    lasting: 8,
    signal: { to: "app", kind: "kill" },
    truth: { what: "failing", ...app },
  },
  "k6-database-stop": {
    tool: "k6",
    lasting: 9,
    signal: { to: "db", kind: "stop" },
    truth: { what: "slow", ...db },
  },
};
