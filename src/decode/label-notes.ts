import type { LabelTable } from "./label-table.ts";

/** What a reader of the labels should know, as notes of an import. */
export function labelNotes(labels: LabelTable): string[] {
  if (labels.notUtf8 === 0) return [];
  return [`labels that are not UTF-8, with U+FFFD for what cannot be read: ${labels.notUtf8}`];
}
