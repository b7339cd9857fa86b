import type { KeyInfo } from "../model/access-key.ts";
import type { KeyAdministration } from "../catalogue/administer-keys.ts";
import { KEY_SCHEMA, type KeyJson, KEYS_SCHEMA, MADE_KEY_SCHEMA } from "../api/keys.ts";
import { type Form, formed, formOf } from "./form-of.ts";
import type { ServerCall, ServerCalls } from "./server-calls.ts";

/** Keys of a server; needs a key with the scope admin. See `openRemoteCatalogue`. */
export function openRemoteKeys(
  reads: Pick<ServerCalls, "read">,
  changes: Pick<ServerCalls, "call">,
): KeyAdministration {
  async function change<Value>(call: ServerCall, form: Form<Value>): Promise<Value> {
    return formed(
      form,
      await changes.call(call),
      `the answer of the server to ${call.method} keys`,
    );
  }
  return {
    async list() {
      const { keys } = await reads.read(KEYS_PATH, KEYS);
      return keys.map(parseKey);
    },
    async create(request) {
      const headers = { "Content-Type": "application/json" };
      const call = {
        method: "POST",
        path: KEYS_PATH,
        headers,
        body: JSON.stringify(request),
      } as const;
      const made = await change(call, MADE_KEY);
      return { text: made.key, key: parseKey(made) };
    },
    async revoke(name) {
      const path = `${KEYS_PATH}/${encodeURIComponent(name)}`;
      return parseKey(await change({ method: "DELETE", path }, KEY));
    },
  };
}

const KEYS_PATH = "/Api/Keys";

const [KEY, KEYS, MADE_KEY] = [formOf(KEY_SCHEMA), formOf(KEYS_SCHEMA), formOf(MADE_KEY_SCHEMA)];

function parseKey({ name, scopes, project, ...times }: KeyJson): KeyInfo {
  return { name, scopes, project, ...parseTimes(times) };
}

type Times = Pick<KeyJson, "createdAt" | "lastUsedAt" | "expiresAt" | "revokedAt">;

/** The times of a key or a link. */
export function parseTimes({ createdAt, lastUsedAt, expiresAt, revokedAt }: Times) {
  return {
    createdAtMs: Date.parse(createdAt),
    lastUsedAtMs: parseTime(lastUsedAt),
    expiresAtMs: parseTime(expiresAt),
    revokedAtMs: parseTime(revokedAt),
  };
}

function parseTime(time: string | null): number | undefined {
  return time === null ? undefined : Date.parse(time);
}
