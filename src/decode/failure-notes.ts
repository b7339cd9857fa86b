import { FAILURE_KINDS_MAX } from "../model/failures.ts";
import type { FailureKinds } from "./failure-kinds.ts";

/** What a reader of the failures should know, as notes of an import. */
export function failureNotes({ unnamed }: FailureKinds): string[] {
  if (unnamed === 0) return [];
  return [`failures of kinds beyond the first ${FAILURE_KINDS_MAX} of their label: ${unnamed}`];
}
