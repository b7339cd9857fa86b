import type { FastifyRequest } from "fastify";
import { hasScope, type KeyRing } from "../catalogue/keys.ts";
import type { HttpLog } from "./access-log.ts";
import type { FailedKeys } from "./failed-keys.ts";
import { HttpError } from "./response/http-error.ts";
import type { KeyReader } from "./key-reader.ts";
import type { Route } from "./route.ts";

/** What a key is held against. */
export interface KeyCheck {
  /** For the routes that have none of their own. */
  readonly keyReader: KeyReader;
  readonly authenticate: KeyRing["authenticate"];
  readonly failedKeys: FailedKeys;
  /** Refused keys of one address in a minute; further ones are turned away. */
  readonly failedKeysMax: number;
  readonly log: HttpLog;
  /** See `Store.version`. */
  readonly storeVersion: () => unknown;
}

/**
 * Lets a request with a key through that may do what its route does. A valid key passes whatever its
 * address has sent before. Throws `unauthorized`, `too-many-failed-keys`, `missing-scope`.
 */
export async function checkKey(
  request: FastifyRequest,
  route: Route,
  check: KeyCheck,
): Promise<void> {
  const { scope } = route;
  if (scope === undefined) return;
  // Asked for before anything is read: what changes meanwhile makes the answer an old one.
  const storeVersion = request.knownHead && check.storeVersion();
  const authentication = await check.authenticate(request.sentKey);
  if (!authentication.accepted) throw refusal(request, authentication.reason, { ...check, route });
  request.notes.keyName = authentication.key.name;
  if (scope !== "any" && !hasScope(authentication.key, scope)) {
    const deed = scope === "admin" ? "administer" : scope;
    throw new HttpError("missing-scope", `the key may not ${deed}; it needs the scope ${scope}`);
  }
  request.accessKey = authentication.key;
  if (storeVersion !== undefined) {
    request.validity = { storeVersion, untilMs: authentication.untilMs };
  }
}

interface Refusing extends KeyCheck {
  readonly route: Route;
}

function refusal(
  request: FastifyRequest,
  reason: string,
  { route, keyReader, failedKeys, failedKeysMax, log }: Refusing,
): HttpError {
  const { address } = request.notes;
  const about = { requestId: request.id, address, reason };
  // Who sends no key guesses none.
  const failure = reason === "missing" ? undefined : failedKeys.count(address);
  if (failure === undefined || failure.count <= failedKeysMax) {
    log.warn(about, "auth_failed");
    const reader = route.keyReader ?? keyReader;
    const headers = { "WWW-Authenticate": reader.challenge };
    return new HttpError("unauthorized", reader.expectation, { headers });
  }
  // Once a minute: a flood of guesses is not to become one of lines.
  if (failure.count === failedKeysMax + 1) log.warn(about, "auth_limited");
  return new HttpError(
    "too-many-failed-keys",
    `${failedKeysMax} keys of this address were refused within a minute, which is all that ` +
      `failedKeysMax allows: expected a valid one, or none for ${failure.secondsLeft} s`,
    { headers: { "Retry-After": String(failure.secondsLeft) } },
  );
}
