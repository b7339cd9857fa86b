import type { LabelTable } from "./label-table.ts";

/** What a reader of the labels should know, as notes of an import. */
export function labelNotes(labels: LabelTable): string[] {
  const { notUtf8, foldedNote } = labels;
  const unread = `labels that are not UTF-8, with U+FFFD for what cannot be read: ${notUtf8}`;
  return [...(notUtf8 === 0 ? [] : [unread]), ...(foldedNote === undefined ? [] : [foldedNote])];
}
