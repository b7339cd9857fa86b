import type { NewKey } from "../api/keys.ts";
import type { AccessKey, KeyInfo } from "../model/access-key.ts";
import { SCOPES } from "../model/access-key.ts";
import { UserError } from "../model/errors.ts";
import { hasScope, isValidAt, type KeyRing } from "./keys.ts";

/** Administration of the keys of a project, without links. Names are unique among all projects. */
export interface KeyAdministration {
  /** By time of creation, including revoked and expired ones. */
  list(): Promise<readonly KeyInfo[]>;
  /** Throws `bad-key-name`, `key-name-taken`, `bad-parameter` without a scope. */
  create(request: NewKey): Promise<MadeKey>;
  /** Revokes at once and for good. Idempotent. Throws `unknown-key-name`, and `last-admin-key` if no admin key would remain, but not to the owner of a store. */
  revoke(name: string): Promise<KeyInfo>;
}

interface MadeKey {
  /** The key itself: not stored, cannot be read again. */
  readonly text: string;
  readonly key: KeyInfo;
}

const DAY_MS = 24 * 60 * 60 * 1000;

interface Administrator {
  /** See `AccessKey.project`. */
  readonly project?: string | undefined;
  /** Whether even the last admin key may be revoked. @default false */
  readonly isOwner?: boolean | undefined;
}

/** `now`: milliseconds since the epoch. */
export function createKeyAdministration(
  ring: KeyRing,
  now: () => number,
  { project, isOwner = false }: Administrator = {},
): KeyAdministration {
  const ownOf = (keys: readonly AccessKey[]): readonly AccessKey[] =>
    keys.filter((key) => key.loadTestIds === undefined && key.project === project);
  return {
    list: async () => ownOf(await ring.list()),
    async create({ name, scopes = ["read"], expiresDays }) {
      const expiresAtMs = expiresDays === undefined ? undefined : now() + expiresDays * DAY_MS;
      const each = SCOPES.filter((scope) => scopes.includes(scope));
      const text = await ring.create({ name, scopes: each, expiresAtMs, project });
      return { text, key: await keptKey(ring, name) };
    },
    async revoke(name) {
      // Two administrators who revoke each other must not both succeed, on whatever servers.
      await ring.revoke(name, (all) => {
        requireKey(ownOf(all), name);
        if (!isOwner) requireAnotherAdministrator(ownOf(all), name, now());
      });
      return keptKey(ring, name);
    },
  };
}

function requireKey(keys: readonly AccessKey[], name: string): void {
  if (keys.some((key) => key.name === name)) return;
  throw new UserError("unknown-key-name", `there is no key named "${name}"`);
}

function requireAnotherAdministrator(keys: readonly AccessKey[], name: string, atMs: number): void {
  const administrators = keys.filter((key) => hasScope(key, "admin") && isValidAt(key, atMs));
  if (administrators.length !== 1 || administrators[0]?.name !== name) return;
  throw new UserError(
    "last-admin-key",
    `cannot revoke the key ${JSON.stringify(name)}: no other key may administer; ` +
      "make one first, or revoke it by the command line",
  );
}

async function keptKey(ring: KeyRing, name: string): Promise<AccessKey> {
  const key = (await ring.list()).find((each) => each.name === name);
  if (key === undefined) throw new Error(`BUG: the key ${JSON.stringify(name)} is gone`);
  return key;
}
