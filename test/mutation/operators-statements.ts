/** Removes statements, results and blocks. */

import type { Change } from "./mutant.ts";
import { type Node, type Place, statementsOf } from "./syntax.ts";

const REMOVED: ReadonlySet<string> = new Set([
  "ExpressionStatement",
  "ThrowStatement",
  "ReturnStatement",
  "BreakStatement",
  "ContinueStatement",
]);

export function statementChanges(place: Place, source: string): Change[] {
  return [...removal(place, source), ...emptyBlock(place), ...noResult(place)];
}

function removal(place: Place, source: string): Change[] {
  const { node } = place;
  if (!REMOVED.has(node.type) || isAllOfBranch(place)) return [];
  // Reporting an internal contradiction is not behaviour under test.
  if (/^(?:super\b|throw new Error\([`"]BUG)/.test(source.slice(node.start, node.end))) return [];
  return [{ operator: "statement left out", after: "", form: "statement" }];
}

/** Then replacing the condition by false is the same change. */
function isAllOfBranch(place: Place): boolean {
  const { parent } = place;
  if (parent?.node.type === "BlockStatement") {
    return parent.node.body.length === 1 && isAllOfBranch(parent);
  }
  return parent?.node.type === "IfStatement" && parent.node.alternate === null;
}

/** A single statement is removed by itself. */
function emptyBlock(place: Place): Change[] {
  const { node, parent, key } = place;
  if (parent === undefined || statementsOf(node).length < 2) return [];
  const range = { start: node.start, end: node.end };
  const change = (form: Change["form"]): Change[] => [
    { operator: "block left out", after: "{}", form, ...range },
  ];
  if (isLoop(parent.node)) return change("continue");
  if (isFunction(parent.node)) return isDerivedConstructor(parent) ? [] : change("return");
  return key === "alternate" || parent.node.type === "CatchClause" ? change("statement") : [];
}

function noResult({ node, key, parent }: Place): Change[] {
  if (key !== "body" || parent?.node.type !== "ArrowFunctionExpression") return [];
  if (node.type === "BlockStatement") return [];
  return [{ operator: "result", after: "undefined", form: "expression" }];
}

export function isLoop(node: Node): boolean {
  return /^(?:For|While|DoWhile)/.test(node.type);
}

function isFunction(node: Node): boolean {
  return /Function/.test(node.type);
}

function isDerivedConstructor(place: Place): boolean {
  const method = place.parent?.node;
  const owner = place.parent?.parent?.parent?.node;
  return (
    method?.type === "MethodDefinition" &&
    method.kind === "constructor" &&
    owner !== undefined &&
    "superClass" in owner &&
    owner.superClass !== null
  );
}
