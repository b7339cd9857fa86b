import { list, object, type Static } from "./schema.ts";

const textOrNull = { type: ["string", "null"] } as const;

export const AUDIT_LIMIT_DEFAULT = 100;

const ENTRY = object(
  {
    at: { type: "string", format: "date-time" },
    key: {
      ...textOrNull,
      description:
        "Name of the key that was used; `null`: the server itself (retention), or a refused account.",
    },
    operation: {
      type: "string",
      description:
        "`operationId` of the request, or `signIn`, `pruneLoadTest`, `downsampleLoadTest`.",
    },
    target: {
      ...textOrNull,
      description: "What was changed: an id or a name; of `signIn`, the subject of the account.",
    },
    outcome: {
      type: "string",
      description: "`done`, `no-role` (a refused account), or the code of the error.",
    },
    details: {
      ...textOrNull,
      description: "What was sent, as JSON; the first 1,000 characters.",
    },
  },
  {},
  { title: "AuditEntry" },
);

export type AuditEntryJson = Static<typeof ENTRY>;

/** Of `GET /Api/Audit`. */
export const AUDIT_SCHEMA = object({
  entries: list(ENTRY, "Latest first."),
  next: {
    type: ["string", "null"],
    description: "Value of `after` for the next page; `null` on the last page.",
  },
});

export type AuditJson = Static<typeof AUDIT_SCHEMA>;
