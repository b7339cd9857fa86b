import type { Threshold } from "../../api/thresholds.ts";

/** One expression as the form edits it; empty texts are not given. */
export interface Row {
  readonly failIf: string;
  readonly filter: string;
  readonly severity: "fail" | "warn";
  readonly owner: string;
  /** A day such as `2026-12-31`. */
  readonly acceptedUntil: string;
  readonly reason: string;
}

export const EMPTY: Row = {
  failIf: "",
  filter: "",
  severity: "fail",
  owner: "",
  acceptedUntil: "",
  reason: "",
};

export function rowsOf(thresholds: readonly Threshold[]): readonly Row[] {
  return thresholds.flatMap(({ failIf, ...policy }) =>
    failIf.map((expression) => ({ ...EMPTY, ...policy, failIf: expression })),
  );
}

/** One threshold per row, with what was given. */
export function thresholdsOf(rows: readonly Row[]): readonly Threshold[] {
  return rows.map(({ failIf, filter, severity, owner, acceptedUntil, reason }) => ({
    failIf: [failIf.trim()],
    ...(filter === "" ? {} : { filter }),
    ...(severity === "fail" ? {} : { severity }),
    ...(owner.trim() === "" ? {} : { owner: owner.trim() }),
    ...(acceptedUntil === "" ? {} : { acceptedUntil }),
    ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
  }));
}

/** The service's complaint, with rows numbered as in the form. */
export function complaintOf(message: string): string {
  return message.replaceAll(
    /\bthresholds\.(\d+)(?:\.\w+)*: /g,
    (_, index: string) => `Threshold ${Number(index) + 1}: `,
  );
}
