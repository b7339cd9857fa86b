/** Roles of endpoints that are not requests, and what overall figures consist of: docs/api.md. */

import { count } from "./numbers.ts";

export type Role = "transaction" | "subresult";

export interface WholeContents {
  /** `everything` if transactions or sub-results are included. */
  readonly overallOf: "requests" | "everything";
  /** Number of endpoints left out. */
  readonly leftOut: { readonly transactions: number; readonly subresults: number };
}

export const ROLES: Readonly<Record<Role, string>> = {
  transaction: "transaction",
  subresult: "sub-result",
};

/** `without 1 transaction and 2 sub-results`; empty if nothing is left out. */
export function wholeText({ overallOf, leftOut }: WholeContents): string {
  if (overallOf === "everything") return "includes transactions or sub-results";
  const counts = [
    [leftOut.transactions, ROLES.transaction],
    [leftOut.subresults, ROLES.subresult],
  ] as const;
  const parts = counts.flatMap(([number, noun]) =>
    number === 0 ? [] : [`${count(number)} ${noun}${number === 1 ? "" : "s"}`],
  );
  return parts.length === 0 ? "" : `without ${parts.join(" and ")}`;
}
