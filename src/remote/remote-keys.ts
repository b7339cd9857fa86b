import { type Scope, SCOPES, type KeyInfo } from "../model/access-key.ts";
import type { KeyAdministration } from "../catalogue/administer-keys.ts";
import {
  type Form,
  formed,
  list,
  type MemberForms,
  members,
  oneOf,
  orNull,
  text,
  time,
} from "./answer-form.ts";
import type { ServerCall, ServerCalls } from "./server-calls.ts";

/** The keys of a server, for a key that may administer; see `openRemoteCatalogue`. */
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

/** A key as `render/key-json.ts` writes it. */
interface KeyJson {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

const MEMBERS: MemberForms<KeyJson> = {
  name: text,
  scopes: list(oneOf(SCOPES)),
  createdAt: time,
  lastUsedAt: orNull(time),
  expiresAt: orNull(time),
  revokedAt: orNull(time),
};

const KEY = members<KeyJson>(MEMBERS);

const KEYS = members<{ readonly keys: readonly KeyJson[] }>({ keys: list(KEY) });

const MADE_KEY = members<KeyJson & { readonly key: string }>({ ...MEMBERS, key: text });

function parseKey({ name, scopes, createdAt, lastUsedAt, expiresAt, revokedAt }: KeyJson): KeyInfo {
  return {
    name,
    scopes,
    createdAtMs: Date.parse(createdAt),
    lastUsedAtMs: parseTime(lastUsedAt),
    expiresAtMs: parseTime(expiresAt),
    revokedAtMs: parseTime(revokedAt),
  };
}

function parseTime(told: string | null): number | undefined {
  return told === null ? undefined : Date.parse(told);
}
