/**
 * Marks of a source: digests of its first lines and of longer and longer beginnings of it. Where a mark
 * stands follows from the bytes before it alone, so the marks of an earlier state of a file are the
 * first marks of the file: docs/decisions/010. Each mark is its position in base 36, a dot and 6
 * characters of Base64. A source of 1 TB has fewer than 1,000.
 */
export const MARKS_FORM = /^(?:[0-9a-z]{1,9}\.[\w-]{6}){0,1000}$/;

/** A source as its marks tell of it. */
export interface Marked {
  readonly sizeBytes: number;
  readonly marks: string;
}

/**
 * Whether `shorter` is the beginning of `longer` as far as marks tell: up to its last mark. What
 * follows that, less than a line at first and at most 1/32 of it and a line later, is not compared.
 */
export function isBeginning(shorter: Marked, longer: Marked): boolean {
  if (shorter.marks === "" || shorter.sizeBytes >= longer.sizeBytes) return false;
  if (!longer.marks.startsWith(shorter.marks)) return false;
  const further = longer.marks.slice(shorter.marks.length);
  const next = Number.parseInt(further.slice(0, further.indexOf(".")), 36);
  return further === "" || next > shorter.sizeBytes;
}
