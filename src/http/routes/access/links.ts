import {
  LINK_SCHEMA,
  LINKS_SCHEMA,
  MADE_LINK_SCHEMA,
  type MadeLinkJson,
  NEW_LINK,
  type NewLink,
} from "../../../api/keys.ts";
import { hasScope } from "../../../catalogue/keys.ts";
import { linkPath, type Links } from "../../../catalogue/links.ts";
import { linkJson } from "../../../render/load-test-json.ts";
import { HttpError } from "../../response/http-error.ts";
import { pathParameter } from "../../request/parameters.ts";
import { jsonResponse, type Route, STORE_ERRORS } from "../../route.ts";

/** Lists, creates and revokes links. Responses are not cacheable. */
export function createLinkRoutes(links: Links): readonly Route[] {
  return [
    {
      scope: "write",
      method: "GET",
      path: "/Api/Links",
      operationId: "listLinks",
      summary: "Links",
      description: "Lists all links, without their keys.",
      schema: LINKS_SCHEMA,
      errors: ["damaged-store"],
      async handle() {
        const listed = (await links.list()).map(linkJson);
        return jsonResponse({ links: listed });
      },
    },
    {
      scope: "write",
      method: "POST",
      path: "/Api/Links",
      operationId: "createLink",
      summary: "Create a link to a load test or a comparison",
      description:
        "Creates a key that reads this load test, or this comparison, and nothing else. The response has its key and its " +
        "path in the web UI, which cannot be read again. Needs the scope read, too.",
      body: { kind: "members", schema: NEW_LINK, isOptional: false },
      schema: MADE_LINK_SCHEMA,
      statuses: [201],
      errors: [
        "bad-parameter",
        "unknown-load-test",
        "bad-key-name",
        "key-name-taken",
        ...STORE_ERRORS,
      ],
      async handle(_, { key, members }) {
        if (key === undefined || !hasScope(key, "read")) {
          throw new HttpError(
            "missing-scope",
            "the key may not read; it needs the scopes read and write",
          );
        }
        const made = await links.create(members as NewLink);
        const answer = { ...linkJson(made.link), key: made.text, path: linkPath(made) };
        return jsonResponse(answer satisfies MadeLinkJson, { status: 201 });
      },
    },
    {
      scope: "write",
      method: "DELETE",
      path: "/Api/Links/{name}",
      operationId: "revokeLink",
      summary: "Revoke a link",
      description:
        "Revokes a link immediately and permanently and returns it: its next request gets 404. Its name cannot be used " +
        "again. Revoking it again changes nothing.",
      parameters: [pathParameter("name", "Name of the link, percent-encoded.", "for the customer")],
      schema: LINK_SCHEMA,
      errors: ["unknown-link", ...STORE_ERRORS],
      async handle(values) {
        const revoked = await links.revoke(values.get("name") ?? "");
        return jsonResponse(linkJson(revoked));
      },
    },
  ];
}
