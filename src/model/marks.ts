/**
 * Marks of a source: digests of growing beginnings of it. Positions depend only on the bytes before them, so the
 * marks of an earlier state of a file are the first marks of the file (docs/decisions/010). Each is a base 36
 * position, a dot and 6 characters of Base64. A source of 1 TB has fewer than 1,000.
 */
export const MARKS_FORM = /^(?:[0-9a-z]{1,9}\.[\w-]{6}){0,1000}$/;

export interface Marked {
  readonly sizeBytes: number;
  readonly marks: string;
}

/** Whether `shorter` is the beginning of `longer`, up to its last mark; what follows that is not compared. */
export function isBeginning(shorter: Marked, longer: Marked): boolean {
  if (shorter.marks === "" || shorter.sizeBytes >= longer.sizeBytes) return false;
  if (!longer.marks.startsWith(shorter.marks)) return false;
  const further = longer.marks.slice(shorter.marks.length);
  const next = Number.parseInt(further.slice(0, further.indexOf(".")), 36);
  return further === "" || next > shorter.sizeBytes;
}
