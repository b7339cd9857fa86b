/** What endpoints are whose rows are no requests, and what a whole is made of: docs/api.md. */

import { count } from "./numbers.ts";

export type Role = "transaction" | "subresult";

export interface WholeContents {
  /** `everything` where transactions or sub-results are in the whole. */
  readonly overallOf: "requests" | "everything";
  /** How many of the endpoints are not in it. */
  readonly leftOut: { readonly transactions: number; readonly subresults: number };
}

export const ROLES: Readonly<Record<Role, string>> = {
  transaction: "transaction",
  subresult: "sub-result",
};

/** `without 1 transaction and 2 sub-results`; empty where nothing is to be said of a whole. */
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
