import { NEXT_PAGE, TEXT, TEXT_OR_NULL, TIME } from "./parts.ts";
import { about, list, named, object, type Static } from "./schema.ts";

export const AUDIT_LIMIT_DEFAULT = 100;

const ENTRY = named("AuditEntry", {
  at: TIME,
  key: about(
    TEXT_OR_NULL,
    "Name of the key that was used; `null`: the server itself (retention), or a refused account.",
  ),
  operation: about(
    TEXT,
    "`operationId` of the request, or `signIn`, `pruneLoadTest`, `downsampleLoadTest`.",
  ),
  target: about(
    TEXT_OR_NULL,
    "What was changed: an id or a name; of `signIn`, the subject of the account.",
  ),
  outcome: about(TEXT, "`done`, `no-role` (a refused account), or the code of the error."),
  details: about(TEXT_OR_NULL, "What was sent, as JSON; the first 1,000 characters."),
});

export type AuditEntryJson = Static<typeof ENTRY>;

/** Of `GET /Api/Audit`. */
export const AUDIT_SCHEMA = object({
  entries: list(ENTRY, "Latest first."),
  next: NEXT_PAGE,
});

export type AuditJson = Static<typeof AUDIT_SCHEMA>;
