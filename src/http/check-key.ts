import type { AccessKey } from "../model/access-key.ts";
import { hasScope, isLinkText, type KeyRing } from "../catalogue/keys.ts";
import type { HttpLog } from "./access-log.ts";
import type { Arrival } from "./exchange.ts";
import type { FailedKeys } from "./failed-keys.ts";
import { HttpError } from "./response/http-error.ts";
import type { KeyReader } from "./key-reader.ts";
import type { Route } from "./route.ts";

export interface KeyCheck {
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
export async function checkKey(
  arrival: Arrival,
  { scope, keyReader }: Route,
  sentKey: string | undefined,
  check: KeyCheck,
): Promise<AccessKey | undefined> {
  if (scope === undefined) return undefined;
  const authentication = await check.authenticate(sentKey);
  if (!authentication.accepted) {
    const reader = keyReader ?? check.keyReader;
    const isLink = sentKey !== undefined && isLinkText(sentKey);
    throw refusal(arrival, authentication.reason, { ...check, keyReader: reader, isLink });
  }
  const { key } = authentication;
  arrival.keyName = key.name;
  if (scope !== "any" && !hasScope(key, scope)) {
    const deed = scope === "admin" ? "administer" : scope;
    throw new HttpError("missing-scope", `the key may not ${deed}; it needs the scope ${scope}`);
  }
  return key;
}

function refusal(
  { address, requestId }: Arrival,
  reason: string,
  { keyReader, failedKeys, failedKeysMax, log, isLink }: KeyCheck & { readonly isLink: boolean },
): HttpError {
  const about = { requestId, address, reason };
  // A request without a key is not a guess.
  const failure = reason === "missing" ? undefined : failedKeys.count(address);
  if (failure === undefined || failure.count <= failedKeysMax) {
    log.warn(about, "auth_failed");
    if (isLink)
      return new HttpError("unknown-link", "the link was revoked, has expired, or is none");
    const headers = { "WWW-Authenticate": keyReader.challenge };
    return new HttpError("unauthorized", keyReader.expectation, { headers });
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
