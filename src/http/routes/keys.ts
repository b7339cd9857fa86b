import { KEY_SCHEMA, KEYS_SCHEMA, MADE_KEY_SCHEMA } from "../../api/keys.ts";
import { EXPIRY_DAYS_MAX, SCOPES, type Scope, type KeyInfo } from "../../model/access-key.ts";
import type { KeyAdministration } from "../../catalogue/administer-keys.ts";
import { keyJson } from "../../render/load-test-json.ts";
import type { Member } from "../request/members.ts";
import type { Parameter } from "../request/parameters.ts";
import { type Answer, type Call, type GoodStatus, type Route, jsonResponse } from "../route.ts";

const CREATE_MEMBERS: readonly Member[] = [
  {
    name: "name",
    description: "Such as who uses it: 1 to 100 characters, never given before.",
    required: true,
    schema: { type: "string" },
  },
  {
    name: "scopes",
    description: "What it may do, at least one; `admin` includes the others. `read` without it.",
    required: false,
    schema: { type: "array", items: { type: "string", enum: SCOPES } },
  },
  {
    name: "expiresDays",
    description: "Days until it expires; never without it.",
    required: false,
    schema: { type: "integer", minimum: 1, maximum: EXPIRY_DAYS_MAX },
  },
];

/** What `CREATE_MEMBERS` let through. */
interface CreateMembers {
  readonly name: string;
  readonly scopes?: readonly Scope[];
  readonly expiresDays?: number;
}

const NAME_PARAMETER: Parameter = {
  name: "name",
  in: "path",
  description: "Name of the key, percent-encoded.",
  required: true,
  schema: { type: "string", minLength: 1 },
  example: "grafana",
};

/** The operations on keys: for administrators, but for the one that tells a key about itself. */
export function createKeyRoutes(keys: KeyAdministration): readonly Route[] {
  return [currentKeyRoute, createListRoute(keys), createCreateRoute(keys), createRevokeRoute(keys)];
}

const currentKeyRoute: Route = {
  method: "GET",
  path: "/Api/CurrentKey",
  operationId: "getCurrentKey",
  summary: "The key of this request",
  description: "Says what the key may do that the request came with. Any valid key may ask.",
  scope: "any",
  parameters: [],
  mediaType: "application/json",
  schema: KEY_SCHEMA,
  errors: ["damaged-store"],
  async handle(_, { key }) {
    if (key === undefined) throw new Error("BUG: a request without a key was not refused");
    return json(shownTo(key, key));
  },
};

function createListRoute(keys: KeyAdministration): Route {
  return {
    method: "GET",
    path: "/Api/Keys",
    operationId: "listKeys",
    summary: "Keys",
    description: "Gives all keys, never the keys themselves.",
    scope: "admin",
    parameters: [],
    mediaType: "application/json",
    schema: KEYS_SCHEMA,
    errors: ["damaged-store"],
    async handle(_, call) {
      return json({ keys: (await keys.list()).map((key) => shownTo(call.key, key)) });
    },
  };
}

function createCreateRoute(keys: KeyAdministration): Route {
  return {
    method: "POST",
    path: "/Api/Keys",
    operationId: "createKey",
    summary: "Make a key",
    description: "Makes a key and answers it, this once.",
    scope: "admin",
    parameters: [],
    body: { kind: "members", members: CREATE_MEMBERS, isOptional: false },
    mediaType: "application/json",
    schema: MADE_KEY_SCHEMA,
    statuses: [201],
    errors: ["bad-parameter", "bad-key-name", "key-name-taken", "storage-full", "store-read-only"],
    async handle(_, call) {
      const { name, scopes = ["read"], expiresDays } = call.members as unknown as CreateMembers;
      const { text, key } = await keys.create({ name, scopes, expiresDays });
      return json({ ...shownTo(call.key, key), key: text }, 201);
    },
  };
}

function createRevokeRoute(keys: KeyAdministration): Route {
  return {
    method: "DELETE",
    path: "/Api/Keys/{name}",
    operationId: "revokeKey",
    summary: "Revoke a key",
    description:
      "Revokes a key at once, for good, and gives it as it is then; its name stays taken. A second " +
      "time changes nothing. The last key that may administer is not revoked; the one of the request " +
      "is, and `current` says so.",
    scope: "admin",
    parameters: [NAME_PARAMETER],
    mediaType: "application/json",
    schema: KEY_SCHEMA,
    errors: ["unknown-key-name", "last-admin-key", "storage-full", "store-read-only"],
    async handle(values, call) {
      return json(shownTo(call.key, await keys.revoke(values.get("name") ?? "")));
    },
  };
}

/** A key as the holder of `asking` sees it. */
function shownTo(asking: Call["key"], key: KeyInfo): Readonly<Record<string, unknown>> {
  return { ...keyJson(key), current: asking?.name === key.name };
}

/** Nothing about keys is kept on the way. */
function json(value: unknown, status: GoodStatus = 200): Answer {
  return jsonResponse(value, { isKept: false, status });
}
