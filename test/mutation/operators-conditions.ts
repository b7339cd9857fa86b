/** Conditions replaced by true or false. */

import type { Change } from "./mutant.ts";
import { isCondition, type Node, parentOf, type Place } from "./syntax.ts";

export function conditionChanges(place: Place, source: string): Change[] {
  const { node } = place;
  if (node.type === "ParenthesizedExpression") return [];
  const outcomes = outcomesOf(place);
  const text = source.slice(node.start, node.end);
  return outcomes
    .filter((outcome) => text !== outcome)
    .map((after) => ({ operator: "condition", after, form: "expression" }));
}

/** Never makes a loop endless. */
function outcomesOf(place: Place): readonly string[] {
  const parent = parentOf(place);
  if (parent === undefined) return [];
  if (isTest(place, parent)) {
    return isBranch(parent.node) ? ["true", "false"] : ["false"];
  }
  if (!isCondition(place.node)) return [];
  if (!isLogical(parent.node)) return ["true", "false"];
  // The other outcome is that of the whole condition, which is changed separately.
  return parent.node.type === "LogicalExpression" && parent.node.operator === "&&"
    ? ["true"]
    : ["false"];
}

function isTest(place: Place, parent: Place): boolean {
  let { key } = place;
  for (let at = place.parent; at !== undefined && at !== parent; at = at.parent) ({ key } = at);
  return key === "test" && parent.node.type !== "SwitchCase";
}

function isBranch(node: Node): boolean {
  return node.type === "IfStatement" || node.type === "ConditionalExpression";
}

function isLogical(node: Node): boolean {
  return node.type === "LogicalExpression" && node.operator !== "??";
}
