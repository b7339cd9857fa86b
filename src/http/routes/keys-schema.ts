import { SCOPES } from "../../model/access-key.ts";
import type { JsonSchema } from "../route.ts";

const timeOrNull = { type: ["string", "null"], format: "date-time" };

const PROPERTIES = {
  name: { type: "string", description: "Unique, also among revoked keys." },
  scopes: { type: "array", items: { type: "string", enum: SCOPES }, minItems: 1 },
  createdAt: { type: "string", format: "date-time" },
  lastUsedAt: { ...timeOrNull, description: "To the minute; `null`: never." },
  expiresAt: { ...timeOrNull, description: "`null`: does not expire." },
  revokedAt: { ...timeOrNull, description: "`null`: is not revoked." },
  current: { type: "boolean", description: "Whether it is the key of this request." },
};

/** A key, without the key itself. */
export const KEY_SCHEMA: JsonSchema = {
  title: "AccessKey",
  type: "object",
  properties: PROPERTIES,
  required: Object.keys(PROPERTIES),
  additionalProperties: false,
};

/** A key that was just made, with the key itself. */
export const MADE_KEY_SCHEMA: JsonSchema = {
  ...KEY_SCHEMA,
  title: "MadeKey",
  properties: {
    ...PROPERTIES,
    key: {
      type: "string",
      pattern: "^tgk_[0-9A-Za-z]{36}$",
      description: "The key itself. It is answered this once: only its hash is kept.",
    },
  },
  required: [...Object.keys(PROPERTIES), "key"],
};

export const KEYS_SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    keys: {
      type: "array",
      items: KEY_SCHEMA,
      description: "By time of creation, revoked and expired ones included.",
    },
  },
  required: ["keys"],
  additionalProperties: false,
};
