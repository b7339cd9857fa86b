import { EXPIRY_DAYS_MAX, SCOPES } from "../model/access-key.ts";
import { FLAG, TEXT, TEXT_OR_NULL, TIME, TIME_OR_NULL } from "./parts.ts";
import { about, choice, list, named, object, optional, type Static } from "./schema.ts";

const KEY_TIMES = {
  createdAt: TIME,
  lastUsedAt: about(TIME_OR_NULL, "Accurate to the minute; `null`: never."),
  expiresAt: about(TIME_OR_NULL, "`null`: does not expire."),
  revokedAt: about(TIME_OR_NULL, "`null`: not revoked."),
} as const;

const KEY = {
  name: about(TEXT, "Unique, also among revoked keys."),
  scopes: { type: "array", items: choice(SCOPES), minItems: 1 },
  ...KEY_TIMES,
  current: about(FLAG, "Whether this request was made with it."),
} as const;

const PROJECT = optional(
  TEXT,
  "The only project that it sees. Absent: what belongs to no project.",
);

const EXPIRES_DAYS = optional(
  { type: "integer", minimum: 1, maximum: EXPIRY_DAYS_MAX },
  "Days until it expires. Default: never.",
);

/** A key's properties, without the secret. */
export const KEY_SCHEMA = named("AccessKey", { ...KEY, project: PROJECT });

export type KeyJson = Static<typeof KEY_SCHEMA>;

/** A new key, with the secret. */
export const MADE_KEY_SCHEMA = named("MadeKey", {
  ...KEY,
  key: {
    type: "string",
    pattern: "^tgk_[0-9A-Za-z]{36}$",
    description: "The key itself, shown only once: the server stores only its hash.",
  },
  project: PROJECT,
});

export const KEYS_SCHEMA = object({
  keys: list(KEY_SCHEMA, "By time of creation, revoked and expired ones included."),
});

export const NEW_KEY = object({
  name: about(TEXT, "For example its user: 1 to 100 characters; must never have been used before."),
  scopes: optional(
    list(choice(SCOPES), "At least one scope; `admin` includes the others. Default: `read`."),
  ),
  expiresDays: EXPIRES_DAYS,
});

export type NewKey = Static<typeof NEW_KEY>;

const LINK = {
  name: about(TEXT, "Unique among links and keys, also revoked ones."),
  loadTestId: about(TEXT, "The load test that it opens."),
  base: about(TEXT_OR_NULL, "The load test that it compares with; `null`: it opens one load test."),
  files: about(FLAG, "Whether it also opens the files of these load tests."),
  ...KEY_TIMES,
} as const;

export const LINK_SCHEMA = named("Link", LINK);

export type LinkJson = Static<typeof LINK_SCHEMA>;

export const MADE_LINK_SCHEMA = named("MadeLink", {
  ...LINK,
  key: {
    type: "string",
    pattern: "^tgl_[0-9A-Za-z]{36}$",
    description: "The key of the link, shown only once: the server stores only its hash.",
  },
  path: about(TEXT, "Put the address of the server with its base path in front, and send it."),
});

export type MadeLinkJson = Static<typeof MADE_LINK_SCHEMA>;

export const LINKS_SCHEMA = object({
  links: list(LINK_SCHEMA, "By time of creation, revoked and expired ones included."),
});

export const NEW_LINK = object({
  name: about(
    TEXT,
    "For example whom it is for: 1 to 100 characters; must never have been used before. Who opens the link can see it.",
  ),
  loadTestId: about(TEXT, "The load test to open."),
  base: optional(TEXT, "Opens the comparison with this one."),
  files: optional(FLAG, "Also opens the files of these load tests: originals and attachments."),
  expiresDays: EXPIRES_DAYS,
});

export type NewLink = Static<typeof NEW_LINK>;
