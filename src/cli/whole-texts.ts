import type { DerivedRole } from "../model/role.ts";
import type { WholeContents } from "../operations/whole.ts";
import { formatCount } from "./format-quantity.ts";

const ROLES: Readonly<Record<DerivedRole, string>> = {
  transaction: "transaction",
  subresult: "sub-result",
};

/** A label as shown, marked where its rows are no requests. */
export function withRole(label: string, role: DerivedRole | undefined): string {
  return role === undefined ? label : `${label} (${ROLES[role]})`;
}

/** What is to be known of the row `(all)`, if anything. */
export function wholeNotes({ overallOf, leftOut }: WholeContents): readonly string[] {
  if (overallOf === "everything") return ["(all) is with transactions or sub-results"];
  const { transactions, subresults } = leftOut;
  const parts = [
    ...(transactions === 0 ? [] : [formatCount(transactions, ROLES.transaction)]),
    ...(subresults === 0 ? [] : [formatCount(subresults, ROLES.subresult)]),
  ];
  return parts.length === 0 ? [] : [`(all) is without ${parts.join(" and ")}`];
}
