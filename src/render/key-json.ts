import type { ToldKey } from "../model/access-key.ts";

/** A key as the command line and HTTP give it out: neither its text nor its digest. */
export function keyJson(key: ToldKey): Readonly<Record<string, unknown>> {
  return {
    name: key.name,
    scopes: key.scopes,
    createdAt: isoTime(key.createdAtMs),
    lastUsedAt: isoTime(key.lastUsedAtMs),
    expiresAt: isoTime(key.expiresAtMs),
    revokedAt: isoTime(key.revokedAtMs),
  };
}

function isoTime(atMs: number | undefined): string | null {
  return atMs === undefined ? null : new Date(atMs).toISOString();
}
