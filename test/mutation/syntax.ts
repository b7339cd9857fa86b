/** The syntax tree of a source file, traversed from the top with links to parents. */

import { type ESTree, parseSync } from "vite";

export type Node = ESTree.Node;

/** A node and its position in the tree. */
export interface Place {
  readonly node: Node;
  readonly parent: Place | undefined;
  /** The property of the parent that holds the node or its list. */
  readonly key: string;
}

/** Type syntax is not executed. */
const TYPE_WRAPPERS: ReadonlySet<string> = new Set([
  "TSAsExpression",
  "TSNonNullExpression",
  "TSSatisfiesExpression",
]);

/** All executed nodes, parents before their children. Throws if the source cannot be parsed. */
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

/** The closest ancestor that is neither a parenthesis nor type syntax. */
export function parentOf(place: Place): Place | undefined {
  let { parent } = place;
  while (parent !== undefined && isWrapper(parent.node)) ({ parent } = parent);
  return parent;
}

function isWrapper(node: Node): boolean {
  return node.type === "ParenthesizedExpression" || TYPE_WRAPPERS.has(node.type);
}

/** Whether `node` is a comparison or a logical expression, so that its value is boolean. */
export function isCondition(node: Node): boolean {
  if (node.type === "LogicalExpression") return node.operator !== "??";
  if (node.type !== "BinaryExpression") return false;
  return ["<", "<=", ">", ">=", "==", "!=", "===", "!=="].includes(node.operator);
}

/** The statements of a block; empty if `node` is no block. */
export function statementsOf(node: Node | null | undefined): readonly Node[] {
  return node?.type === "BlockStatement" ? node.body : [];
}
