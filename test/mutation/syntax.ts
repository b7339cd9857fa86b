/** The syntax tree of a source file, walked from the top down with the way back up. */

import { type ESTree, parseSync } from "vite";

export type Node = ESTree.Node;

/** A node where it stands. */
export interface Place {
  readonly node: Node;
  readonly parent: Place | undefined;
  /** The property of the parent that holds the node or the list with it. */
  readonly key: string;
}

/** What says types is no part of the program that runs. */
const TYPE_WRAPPERS: ReadonlySet<string> = new Set([
  "TSAsExpression",
  "TSNonNullExpression",
  "TSSatisfiesExpression",
]);

/** All nodes that run, parents before their children. Throws where the source cannot be parsed. */
export function placesOf(source: string): Place[] {
  const { program, errors } = parseSync("source.ts", source);
  if (errors.length > 0) throw new Error(`cannot parse: ${errors[0]?.message}`);
  const places: Place[] = [];
  visit({ node: program, parent: undefined, key: "" }, places);
  return places;
}

function visit(place: Place, places: Place[]): void {
  const { node } = place;
  if (node.type.startsWith("TS") && !TYPE_WRAPPERS.has(node.type)) return;
  if (node.type === "ImportDeclaration") return;
  places.push(place);
  for (const [key, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) visit({ node: child, parent: place, key }, places);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** The first place on the way up that is neither a parenthesis nor a type. */
export function parentOf(place: Place): Place | undefined {
  let { parent } = place;
  while (parent !== undefined && isWrapper(parent.node)) ({ parent } = parent);
  return parent;
}

function isWrapper(node: Node): boolean {
  return node.type === "ParenthesizedExpression" || TYPE_WRAPPERS.has(node.type);
}

/** Whether `node` compares or joins conditions, so that it is true or false. */
export function isCondition(node: Node): boolean {
  if (node.type === "LogicalExpression") return node.operator !== "??";
  if (node.type !== "BinaryExpression") return false;
  return ["<", "<=", ">", ">=", "==", "!=", "===", "!=="].includes(node.operator);
}

/** Statements between braces, or none where `node` is no block. */
export function statementsOf(node: Node | null | undefined): readonly Node[] {
  return node?.type === "BlockStatement" ? node.body : [];
}
