import { AUDIT_LIMIT_DEFAULT, AUDIT_SCHEMA } from "../../../api/audit.ts";
import type { ReadAudit } from "../../../catalogue/audit.ts";
import { integerParameter, textParameter } from "../../request/parameters.ts";
import { jsonResponse, type Route } from "../../route.ts";

/** `GET /Api/Audit`. */
export function createAuditRoute(readAudit: ReadAudit): Route {
  return {
    method: "GET",
    path: "/Api/Audit",
    operationId: "listAudit",
    summary: "Who changed what",
    description:
      "Returns a page of the changes made through this server, of the project of the key; pass `next` as `after` to get " +
      "the next page. Live writes have one entry for each key and load test.",
    scope: "admin",
    parameters: [
      textParameter(
        "target",
        "What was changed: the exact id of a load test, or name of a key, link or test.",
        "release-42",
      ),
      integerParameter("limit", "Maximum number of entries in the response.", {
        minimum: 1,
        maximum: 1000,
        default: AUDIT_LIMIT_DEFAULT,
      }),
      {
        name: "after",
        description: "`next` of the previous page, with the same `target`.",
        schema: { type: "string", minLength: 1, pattern: "^[0-9a-f-]{1,40}$" },
        form: "next of the previous page",
      },
    ],
    schema: AUDIT_SCHEMA,
    errors: ["bad-parameter", "damaged-store"],
    async handle(values) {
      const limit = Number(values.get("limit") ?? AUDIT_LIMIT_DEFAULT);
      const query = { target: values.get("target"), after: values.get("after"), limit };
      return jsonResponse(await readAudit(query));
    },
  };
}
