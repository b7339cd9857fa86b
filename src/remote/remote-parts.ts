import type { ThresholdsByName } from "../analysis/thresholds/stored-thresholds.ts";
import { AUDIT_SCHEMA } from "../api/audit.ts";
import {
  KEY_SCHEMA,
  type KeyJson,
  KEYS_SCHEMA,
  LINK_SCHEMA,
  type LinkJson,
  LINKS_SCHEMA,
  MADE_KEY_SCHEMA,
  MADE_LINK_SCHEMA,
} from "../api/keys.ts";
import { THRESHOLDS } from "../api/thresholds.ts";
import type { KeyAdministration } from "../catalogue/administer-keys.ts";
import type { ReadAudit } from "../catalogue/audit.ts";
import type { Links } from "../catalogue/links.ts";
import type { KeyInfo, LinkInfo } from "../model/access-key.ts";
import { openRemoteCatalogue, parseTime, withParameters } from "./remote-catalogue.ts";
import { openRemoteReader } from "./remote-reader.ts";
import type { ServerCalls } from "./server-calls.ts";

/** What commands use of a server, a request per operation. `reads` may retry indefinitely; `changes` should be sent once. */
export function openRemoteParts(
  reads: ServerCalls,
  changes: ServerCalls,
  createLoadTestId: () => string,
) {
  // Needs a key with the scope admin.
  const audit: ReadAudit = (query) =>
    reads.read(withParameters("/Api/Audit", { ...query }), AUDIT_SCHEMA);
  return {
    catalogue: openRemoteCatalogue(reads, changes, createLoadTestId),
    keys: openKeys(reads, changes),
    links: openLinks(reads, changes),
    audit,
    thresholds: openThresholds(reads, changes),
    reader: openRemoteReader(reads),
  };
}

/** Needs a key with the scope admin. */
function openKeys(reads: ServerCalls, changes: ServerCalls): KeyAdministration {
  const path = "/Api/Keys";
  return {
    async list() {
      return (await reads.read(path, KEYS_SCHEMA)).keys.map(parseKey);
    },
    async create(members) {
      const made = await changes.request({ method: "POST", path, members }, MADE_KEY_SCHEMA);
      return { text: made.key, key: parseKey(made) };
    },
    async revoke(name) {
      return parseKey(await changes.request(removal(path, name), KEY_SCHEMA));
    },
  };
}

/** Needs a key with the scope write. */
function openLinks(reads: ServerCalls, changes: ServerCalls): Links {
  const path = "/Api/Links";
  return {
    async list() {
      return (await reads.read(path, LINKS_SCHEMA)).links.map(parseLink);
    },
    async create(members) {
      const made = await changes.request({ method: "POST", path, members }, MADE_LINK_SCHEMA);
      return { text: made.key, link: parseLink(made) };
    },
    async revoke(name) {
      return parseLink(await changes.request(removal(path, name), LINK_SCHEMA));
    },
  };
}

function openThresholds(reads: ServerCalls, changes: ServerCalls): ThresholdsByName {
  return {
    find: (name) => reads.read(pathOf(name), THRESHOLDS),
    async keep(name, members) {
      await changes.call({ method: "PUT", path: pathOf(name), members });
    },
  };
}

function pathOf(name: string): string {
  return `/Api/Thresholds/${encodeURIComponent(name)}`;
}

function removal(path: string, name: string) {
  return { method: "DELETE", path: `${path}/${encodeURIComponent(name)}` } as const;
}

function parseKey({ name, scopes, project, ...times }: KeyJson): KeyInfo {
  return { name, scopes, project, ...parseTimes(times) };
}

function parseLink({ name, loadTestId, base, ...times }: LinkJson): LinkInfo {
  return { name, loadTestId, base: base ?? undefined, ...parseTimes(times) };
}

type Times = Pick<KeyJson, "createdAt" | "lastUsedAt" | "expiresAt" | "revokedAt">;

function parseTimes({ createdAt, lastUsedAt, expiresAt, revokedAt }: Times) {
  return {
    createdAtMs: Date.parse(createdAt),
    lastUsedAtMs: parseTime(lastUsedAt),
    expiresAtMs: parseTime(expiresAt),
    revokedAtMs: parseTime(revokedAt),
  };
}
