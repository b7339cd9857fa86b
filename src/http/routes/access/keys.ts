import {
  KEY_SCHEMA,
  type KeyJson,
  KEYS_SCHEMA,
  MADE_KEY_SCHEMA,
  NEW_KEY,
  type NewKey,
} from "../../../api/keys.ts";
import type { KeyRing } from "../../../catalogue/keys.ts";
import { SESSION_SECONDS } from "../../../catalogue/sessions.ts";
import type { KeyInfo } from "../../../model/access-key.ts";
import type { KeyAdministration } from "../../../catalogue/administer-keys.ts";
import { keyJson } from "../../../render/load-test-json.ts";
import { pathParameter } from "../../request/parameters.ts";
import { HttpError } from "../../response/http-error.ts";
import {
  type RouteResponse,
  type Call,
  type Route,
  jsonResponse,
  NO_CONTENT,
  STORE_ERRORS,
} from "../../route.ts";
import { setCookie } from "../../session-cookie.ts";

/** Operations on keys, for administrators, except the one that describes the caller's own key. Responses are not cacheable. */
export function createKeyRoutes(keys: KeyAdministration): readonly Route[] {
  return [
    {
      method: "GET",
      path: "/Api/CurrentKey",
      operationId: "getCurrentKey",
      summary: "The key of this request",
      description: "Describes the key of this request. Any valid key is accepted.",
      scope: "any",
      schema: KEY_SCHEMA,
      errors: ["damaged-store"],
      async handle(_, { key }) {
        if (key === undefined) throw new Error("BUG: a request without a key was not rejected");
        return jsonResponse(shownTo(key, key));
      },
    },
    {
      method: "GET",
      path: "/Api/Keys",
      operationId: "listKeys",
      summary: "Keys",
      description: "Lists all keys, without the secrets.",
      scope: "admin",
      schema: KEYS_SCHEMA,
      errors: ["damaged-store"],
      async handle(_, call) {
        return jsonResponse({ keys: (await keys.list()).map((key) => shownTo(call.key, key)) });
      },
    },
    {
      method: "POST",
      path: "/Api/Keys",
      operationId: "createKey",
      summary: "Create a key",
      description: "Creates a key and returns its secret, which cannot be read again.",
      scope: "admin",
      body: { kind: "members", schema: NEW_KEY, isOptional: false },
      schema: MADE_KEY_SCHEMA,
      statuses: [201],
      errors: ["bad-parameter", "bad-key-name", "key-name-taken", ...STORE_ERRORS],
      async handle(_, call) {
        const { text, key } = await keys.create(call.members as NewKey);
        return jsonResponse({ ...shownTo(call.key, key), key: text }, { status: 201 });
      },
    },
    {
      method: "DELETE",
      path: "/Api/Keys/{name}",
      operationId: "revokeKey",
      summary: "Revoke a key",
      description:
        "Revokes a key immediately and permanently and returns it; its name cannot be used again. " +
        "Revoking it again changes nothing. The last admin key cannot be revoked. The key of the " +
        "request can; `current` is then true.",
      scope: "admin",
      parameters: [pathParameter("name", "Name of the key, percent-encoded.", "grafana")],
      schema: KEY_SCHEMA,
      errors: ["unknown-key-name", "last-admin-key", ...STORE_ERRORS],
      async handle(values, call) {
        return jsonResponse(shownTo(call.key, await keys.revoke(values.get("name") ?? "")));
      },
    },
  ];
}

/** A key as shown to the holder of `asking`. */
function shownTo(asking: Call["key"], key: KeyInfo): KeyJson {
  return { ...keyJson(key), current: asking?.name === key.name };
}

export function createSessionRoutes(
  createSession: KeyRing["createSession"],
  basePath: string,
): readonly Route[] {
  return [
    {
      method: "POST",
      path: "/Api/Session",
      operationId: "createSession",
      summary: "Sign in",
      description:
        "Returns a cookie with a session that stands for the key of this request for 12 hours, if the key is " +
        "valid so long. Requests with this cookie and `X-Service-Auth: session` are those of the key.",
      scope: "any",
      statuses: [204],
      errors: ["damaged-store"],
      async handle(_, call) {
        const text = createSession(call.sentKey ?? "");
        if (text === undefined) {
          throw new HttpError("unauthorized", "expected a key: a session cannot start another");
        }
        const session = { text, seconds: SESSION_SECONDS };
        return withCookie(setCookie("session", { ...call, basePath }, session));
      },
    },
    {
      method: "DELETE",
      path: "/Api/Session",
      operationId: "deleteSession",
      summary: "Sign out",
      description: "Removes the cookie with the session.",
      scope: undefined,
      statuses: [204],
      async handle(_, call) {
        return withCookie(setCookie("session", { ...call, basePath }));
      },
    },
  ];
}

function withCookie(cookie: string): RouteResponse {
  return { ...NO_CONTENT, headers: { "Set-Cookie": cookie, "Cache-Control": "no-store" } };
}
