import { EXPIRY_DAYS_MAX, SCOPES } from "../model/access-key.ts";
import { list, object, type Static } from "./schema.ts";

const time = { type: "string", format: "date-time" } as const;
const timeOrNull = { type: ["string", "null"], format: "date-time" } as const;

const KEY = {
  name: { type: "string", description: "Unique, also among revoked keys." },
  scopes: { type: "array", items: { type: "string", enum: SCOPES }, minItems: 1 },
  createdAt: time,
  lastUsedAt: { ...timeOrNull, description: "To the minute; `null`: never." },
  expiresAt: { ...timeOrNull, description: "`null`: does not expire." },
  revokedAt: { ...timeOrNull, description: "`null`: is not revoked." },
  current: { type: "boolean", description: "Whether it is the key of this request." },
} as const;

/** A key's properties, without the secret. */
export const KEY_SCHEMA = object(KEY, {}, { title: "AccessKey" });

export type KeyJson = Static<typeof KEY_SCHEMA>;

/** A new key, with the secret. */
export const MADE_KEY_SCHEMA = object(
  {
    ...KEY,
    key: {
      type: "string",
      pattern: "^tgk_[0-9A-Za-z]{36}$",
      description: "The key itself. It is answered this once: only its hash is kept.",
    },
  },
  {},
  { title: "MadeKey" },
);

export const KEYS_SCHEMA = object({
  keys: list(KEY_SCHEMA, "By time of creation, revoked and expired ones included."),
});

/** Request to create a key. */
export const NEW_KEY = object(
  {
    name: {
      type: "string",
      description: "Such as who uses it: 1 to 100 characters, never given before.",
    },
  },
  {
    scopes: list(
      { type: "string", enum: SCOPES },
      "What it may do, at least one; `admin` includes the others. `read` without it.",
    ),
    expiresDays: {
      type: "integer",
      minimum: 1,
      maximum: EXPIRY_DAYS_MAX,
      description: "Days until it expires; never without it.",
    },
  },
);

export type NewKey = Static<typeof NEW_KEY>;
