import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { type KeyRing, hasScope, isLinkText } from "../catalogue/keys.ts";
import type { AccessKey } from "../model/access-key.ts";
import { type HttpLog, loggedTarget } from "./access-log.ts";
import { networkOf } from "./client-address.ts";
import type { Connections } from "./connections.ts";
import type { Arrival } from "./exchange.ts";
import type { KeyReader } from "./key-reader.ts";
import {
  type ParameterSources,
  type ParameterValues,
  readParameters,
} from "./request/parameters.ts";
import { parseQuery } from "./request/request-target.ts";
import { HttpError } from "./response/http-error.ts";
import type { Route } from "./route.ts";
import type { HttpSettings } from "./settings.ts";

export interface AdmissionRules {
  readonly keyCheck: KeyCheck;
  readonly connections: Connections;
  readonly settings: HttpSettings;
}

interface RequestHead {
  readonly route: Route;
  readonly socket: Socket;
  readonly path: string;
  /** As sent, behind the question mark. */
  readonly query: string;
  readonly pathParameters: ParameterSources["path"];
  readonly header: ParameterSources["header"];
}

interface Admitted {
  /** `undefined` where the route needs none. */
  readonly key: AccessKey | undefined;
  readonly sentKey: string | undefined;
  readonly values: ParameterValues;
}

/**
 * Decides by its head whether a request is handled: its key, then its parameters. Throws `duplicate-header`, `busy`, `bad-encoding`,
 * `bad-parameter`, and what `checkKey` throws.
 */
export async function admit(
  arrival: Arrival,
  head: RequestHead,
  rules: AdmissionRules,
): Promise<Admitted> {
  const { route } = head;
  const sentKey = readKey(head, rules.keyCheck);
  limitRequests(arrival, head, rules);
  const key = await checkKey(arrival, route, sentKey, rules.keyCheck);
  return { key, sentKey, values: readValues(arrival, head) };
}

/** The key as sent; `undefined` where the route needs none. Throws `duplicate-header`. */
function readKey(
  { route: { scope, keyReader: ownReader }, header, query }: RequestHead,
  { keyReader: commonReader }: KeyCheck,
): string | undefined {
  if (scope === undefined) return undefined;
  return (ownReader ?? commonReader).read({ header, query: () => parseQuery(query) });
}

/** Throws `busy` if the client has too many requests in flight through a trusted proxy. */
function limitRequests(
  { address }: Arrival,
  { route: { scope }, socket }: RequestHead,
  { connections, settings }: AdmissionRules,
): void {
  const isOneTooMany = connections.begin(socket, address);
  if (scope === undefined || !isOneTooMany) return;
  throw new HttpError(
    "busy",
    `${settings.connectionsPerAddressMax} requests of this address are in progress, the limit ` +
      "that connectionsPerAddressMax allows: ask again in a few seconds",
  );
}

/** Throws `bad-encoding`, `bad-parameter`. */
function readValues(arrival: Arrival, head: RequestHead): ParameterValues {
  const { route, path, pathParameters, header } = head;
  const query = parseQuery(head.query);
  arrival.loggedTarget = loggedTarget(path, query);
  const read = readParameters({ query, path: pathParameters, header }, route.parameters ?? []);
  const { values } = read;
  const complaints = [...read.complaints, ...(route.check?.(values) ?? [])];
  if (complaints.length === 0) return values;
  const details = complaints.map(({ detail }) => detail);
  throw new HttpError("bad-parameter", details.join("; "), { complaints });
}

interface KeyCheck {
  /** For routes without their own. */
  readonly keyReader: KeyReader;
  readonly authenticate: KeyRing["authenticate"];
  readonly failedKeys: FailedKeys;
  /** Rejected keys of one address per minute; further ones get 429. */
  readonly failedKeysMax: number;
  readonly log: HttpLog;
}

/**
 * Checks the key and its scope; `undefined` where the route needs none. A valid key passes even if its address has sent too many wrong ones.
 * Throws `unauthorized`, `unknown-link`, `too-many-failed-keys`, `missing-scope`.
 */
async function checkKey(
  arrival: Arrival,
  { scope, keyReader }: Route,
  sentKey: string | undefined,
  check: KeyCheck,
): Promise<AccessKey | undefined> {
  if (scope === undefined) return undefined;
  const authentication = await check.authenticate(sentKey);
  if (!authentication.accepted) {
    const error = notAccepted(sentKey, keyReader ?? check.keyReader);
    throw refusal(arrival, authentication.reason, error, check);
  }
  const { key } = authentication;
  arrival.keyName = key.name;
  if (scope !== "any" && !hasScope(key, scope)) {
    const deed = scope === "admin" ? "administer" : scope;
    throw new HttpError("missing-scope", `the key may not ${deed}; it needs the scope ${scope}`);
  }
  return key;
}

/** A revoked key ends its requests after this time. */
const CHECK_EVERY_MS = 3000;

export interface UnderWay {
  readonly route: Route;
  readonly sentKey: string | undefined;
  /** Emits `close` when the request is over. */
  readonly answer: Pick<Writable, "destroyed" | "once">;
}

/**
 * Checks the key of a request again and again while it is under way. Calls `refused`, perhaps more than once, when it was
 * revoked or has expired; where it cannot be checked, the request goes on.
 */
export function watchKey(
  { route: { keyReader }, sentKey, answer }: UnderWay,
  check: KeyCheck,
  refused: (reason: HttpError) => void,
): void {
  // The client may have left while the key was checked first.
  if (answer.destroyed) return;
  const look = async (): Promise<void> => {
    const { accepted } = await check.authenticate(sentKey);
    if (!accepted) refused(notAccepted(sentKey, keyReader ?? check.keyReader));
  };
  const timer = setInterval(() => look().catch(() => undefined), CHECK_EVERY_MS).unref();
  answer.once("close", () => clearInterval(timer));
}

/** The error of a key or link that is not valid. */
function notAccepted(
  sentKey: string | undefined,
  { challenge, expectation }: KeyReader,
): HttpError {
  if (sentKey !== undefined && isLinkText(sentKey)) {
    return new HttpError("unknown-link", "the link was revoked, has expired, or is none");
  }
  const headers = { "WWW-Authenticate": challenge };
  return new HttpError("unauthorized", expectation, { headers });
}

function refusal(
  { address, requestId }: Arrival,
  reason: string,
  error: HttpError,
  { failedKeys, failedKeysMax, log }: KeyCheck,
): HttpError {
  const about = { requestId, address, reason };
  // A request without a key is not a guess.
  const failure = reason === "missing" ? undefined : failedKeys.count(address);
  if (failure === undefined || failure.count <= failedKeysMax) {
    log.warn(about, "auth_failed");
    return error;
  }
  // Once a minute: a flood of guesses must not flood the log.
  if (failure.count === failedKeysMax + 1) log.warn(about, "auth_limited");
  return new HttpError(
    "too-many-failed-keys",
    `${failedKeysMax} keys of this address were refused within a minute, the limit of ` +
      `failedKeysMax allows: expected a valid one, or none for ${failure.secondsLeft} s`,
    { headers: { "Retry-After": String(failure.secondsLeft) } },
  );
}

const MINUTE_MS = 60_000;

/** Takes about 2 MB. */
const ADDRESSES_MAX = 10_000;

/** Failures of one address in its current minute. */
interface Failures {
  count: number;
  readonly untilMs: number;
}

/** A rejected key, counted with the others of its address. */
interface CountedFailure {
  /** In this minute, including this one. */
  readonly count: number;
  /** Whole seconds, at least 1, until the minute ends. */
  readonly secondsLeft: number;
}

/**
 * Counts rejected keys by address, in minutes that begin with the first one. Beyond `ADDRESSES_MAX`
 * the oldest addresses are dropped: counting does not stop an attacker who has that many.
 */
export class FailedKeys {
  readonly #clockMs: () => number;
  /** By address, in the order in which their minutes end. */
  readonly #byAddress = new Map<string, Failures>();

  /** `clockMs` is monotonic. */
  constructor(clockMs: () => number) {
    this.#clockMs = clockMs;
  }

  get size(): number {
    return this.#byAddress.size;
  }

  count(address: string): CountedFailure {
    const nowMs = this.#clockMs();
    this.#forget(nowMs);
    const network = networkOf(address);
    const failures = this.#byAddress.get(network) ?? { count: 0, untilMs: nowMs + MINUTE_MS };
    failures.count += 1;
    this.#byAddress.set(network, failures);
    const { count, untilMs } = failures;
    return { count, secondsLeft: Math.max(1, Math.ceil((untilMs - nowMs) / 1000)) };
  }

  #forget(nowMs: number): void {
    for (const [address, { untilMs }] of this.#byAddress) {
      if (untilMs > nowMs && this.#byAddress.size < ADDRESSES_MAX) return;
      this.#byAddress.delete(address);
    }
  }
}
