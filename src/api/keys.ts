import { EXPIRY_DAYS_MAX, SCOPES } from "../model/access-key.ts";
import { list, object, type Static } from "./schema.ts";

const time = { type: "string", format: "date-time" } as const;
const timeOrNull = { type: ["string", "null"], format: "date-time" } as const;

/** Of keys and links. */
const KEY_TIMES = {
  createdAt: time,
  lastUsedAt: { ...timeOrNull, description: "Accurate to the minute; `null`: never." },
  expiresAt: { ...timeOrNull, description: "`null`: does not expire." },
  revokedAt: { ...timeOrNull, description: "`null`: not revoked." },
} as const;

const KEY = {
  name: { type: "string", description: "Unique, also among revoked keys." },
  scopes: { type: "array", items: { type: "string", enum: SCOPES }, minItems: 1 },
  ...KEY_TIMES,
  current: { type: "boolean", description: "Whether this request was made with it." },
} as const;

const PROJECT = {
  type: "string",
  description: "The only project that it sees. Absent: what belongs to no project.",
} as const;

/** A key's properties, without the secret. */
export const KEY_SCHEMA = object(KEY, { project: PROJECT }, { title: "AccessKey" });

export type KeyJson = Static<typeof KEY_SCHEMA>;

/** A new key, with the secret. */
export const MADE_KEY_SCHEMA = object(
  {
    ...KEY,
    key: {
      type: "string",
      pattern: "^tgk_[0-9A-Za-z]{36}$",
      description: "The key itself, shown only once: the server stores only its hash.",
    },
  },
  { project: PROJECT },
  { title: "MadeKey" },
);

export const KEYS_SCHEMA = object({
  keys: list(KEY_SCHEMA, "By time of creation, revoked and expired ones included."),
});

export const NEW_KEY = object(
  {
    name: {
      type: "string",
      description: "For example its user: 1 to 100 characters; must never have been used before.",
    },
  },
  {
    scopes: list(
      { type: "string", enum: SCOPES },
      "At least one scope; `admin` includes the others. Default: `read`.",
    ),
    expiresDays: {
      type: "integer",
      minimum: 1,
      maximum: EXPIRY_DAYS_MAX,
      description: "Days until it expires. Default: never.",
    },
  },
);

export type NewKey = Static<typeof NEW_KEY>;

const LINK = {
  name: { type: "string", description: "Unique among links and keys, also revoked ones." },
  loadTestId: { type: "string", description: "The load test that it opens." },
  base: {
    type: ["string", "null"],
    description: "The load test that it compares with; `null`: it opens one load test.",
  },
  ...KEY_TIMES,
} as const;

/** A link's properties, without its key. */
export const LINK_SCHEMA = object(LINK, {}, { title: "Link" });

export type LinkJson = Static<typeof LINK_SCHEMA>;

export const MADE_LINK_SCHEMA = object(
  {
    ...LINK,
    key: {
      type: "string",
      pattern: "^tgl_[0-9A-Za-z]{36}$",
      description: "The key of the link, shown only once: the server stores only its hash.",
    },
    path: {
      type: "string",
      description: "Put the address of the server with its base path in front, and send it.",
    },
  },
  {},
  { title: "MadeLink" },
);

export type MadeLinkJson = Static<typeof MADE_LINK_SCHEMA>;

export const LINKS_SCHEMA = object({
  links: list(LINK_SCHEMA, "By time of creation, revoked and expired ones included."),
});

export const NEW_LINK = object(
  {
    name: {
      type: "string",
      description:
        "For example whom it is for: 1 to 100 characters; must never have been used before. Who opens the link can see it.",
    },
    loadTestId: { type: "string", description: "The load test to open." },
  },
  {
    base: { type: "string", description: "Opens the comparison with this one." },
    expiresDays: {
      type: "integer",
      minimum: 1,
      maximum: EXPIRY_DAYS_MAX,
      description: "Days until it expires. Default: never.",
    },
  },
);

export type NewLink = Static<typeof NEW_LINK>;
