/** The mutation operators, by kind of node. */

import type { Change } from "./mutant.ts";
import { conditionChanges } from "./operators-conditions.ts";
import { statementChanges } from "./operators-statements.ts";
import { type Node, parentOf, type Place } from "./syntax.ts";

const BINARY: Readonly<Record<string, readonly string[]>> = {
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "**": ["*"],
  "&": ["|"],
  "|": ["&"],
  "^": ["&"],
  "<<": [">>"],
  ">>": ["<<"],
  ">>>": ["<<"],
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "&&": ["||"],
  "||": ["&&"],
  "??": ["&&"],
};

const ASSIGNMENT: Readonly<Record<string, string>> = {
  "+=": "-=",
  "-=": "+=",
  "*=": "/=",
  "/=": "*=",
  "|=": "&=",
  "&=": "|=",
  "^=": "&=",
  "<<=": ">>=",
  ">>=": "<<=",
  ">>>=": "<<=",
  "??=": "&&=",
  "||=": "&&=",
  "&&=": "||=",
};

const METHODS: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  round: "floor",
  startsWith: "endsWith",
  endsWith: "startsWith",
  indexOf: "lastIndexOf",
  lastIndexOf: "indexOf",
  push: "unshift",
};

/** Calls that may be removed, leaving their receiver. */
const DROPPED = new Set(["slice", "subarray", "sort", "toSorted", "reverse", "filter", "trim"]);

/** The changes of one node. */
export function changesOf(place: Place, source: string): Change[] {
  return [
    ...operatorChanges(place, source),
    ...callChanges(place.node, source),
    ...literalChanges(place),
    ...conditionChanges(place, source),
    ...statementChanges(place, source),
  ];
}

function operatorChanges({ node }: Place, source: string): Change[] {
  if (node.type === "BinaryExpression" || node.type === "LogicalExpression") {
    if (node.operator === "+" && (isText(node.left) || isText(node.right))) return [];
    const others = BINARY[node.operator] ?? [];
    return others.map((operator) => replaced("operator", between(node, operator, source)));
  }
  if (node.type === "AssignmentExpression") {
    const other = ASSIGNMENT[node.operator];
    return other === undefined ? [] : [replaced("operator", between(node, other, source))];
  }
  return unaryChanges(node, source);
}

function unaryChanges(node: Node, source: string): Change[] {
  if (node.type !== "UpdateExpression" && node.type !== "UnaryExpression") return [];
  const argument = source.slice(node.argument.start, node.argument.end);
  if (node.type === "UnaryExpression") {
    return "-+!~".includes(node.operator) ? [replaced("operator", argument)] : [];
  }
  const operator = node.operator === "++" ? "--" : "++";
  return [replaced("operator", node.prefix ? operator + argument : argument + operator)];
}

function replaced(operator: string, after: string): Change {
  return { operator, after, form: "expression" };
}

function between(
  { left, right }: { readonly left: Node; readonly right: Node },
  operator: string,
  source: string,
): string {
  return `${operandOf(left, source)} ${operator} ${operandOf(right, source)}`;
}

/** In parentheses if an adjacent operator could bind more tightly. */
function operandOf(node: Node, source: string): string {
  const text = source.slice(node.start, node.end);
  return /^(?:Binary|Logical)/.test(node.type) ? `(${text})` : text;
}

function callChanges(node: Node, source: string): Change[] {
  if (node.type === "ChainExpression") return chainChanges(node, source);
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return [];
  const { object, property, optional, computed } = node.callee;
  if (computed || property.type !== "Identifier") return [];
  const other = METHODS[property.name];
  if (other !== undefined && !optional) {
    const range = { start: object.end, end: property.end };
    return [{ operator: "method", after: `.${other}`, form: "name", ...range }];
  }
  if (!DROPPED.has(property.name) || source.slice(node.start, node.end).includes("?.")) return [];
  const after = source.slice(object.start, object.end);
  return [replaced("call left out", after)];
}

/** `a?.b` as `a.b`. */
function chainChanges(node: Node, source: string): Change[] {
  const text = source.slice(node.start, node.end);
  const after = text.replace(/\?\.(?=[[(])/, "").replace("?.", ".");
  return [replaced("optional", after)];
}

function literalChanges(place: Place): Change[] {
  const { node } = place;
  if (node.type === "ArrayExpression") {
    return node.elements.length > 0 ? [replaced("literal", "[]")] : [];
  }
  if (node.type === "ObjectExpression") {
    return node.properties.length > 0 ? [replaced("literal", "{}")] : [];
  }
  if (!isReplaceable(place)) return [];
  if (node.type === "TemplateLiteral") return [replaced("literal", "``")];
  const other = node.type === "Literal" ? otherValue(node.value) : undefined;
  return other === undefined ? [] : [replaced("literal", other)];
}

function otherValue(value: unknown): string | undefined {
  if (typeof value === "boolean") return String(!value);
  if (typeof value === "number") return String(value + 1);
  if (typeof value === "string") return value === "" ? '"mutant"' : '""';
  return undefined;
}

/** Neither a name nor the text of a `BUG:` error, which only reports an internal contradiction. */
function isReplaceable(place: Place): boolean {
  const parent = parentOf(place);
  if (parent === undefined) return false;
  const { node } = parent;
  if (node.type === "TaggedTemplateExpression") return false;
  if (place.key === "key" && "computed" in node && !node.computed) return false;
  if (node.type.startsWith("Export") || node.type === "ExpressionStatement") return false;
  if (node.type === "UnaryExpression" && node.operator === "typeof") return false;
  return !(node.type === "NewExpression" && isName(node.callee, "Error"));
}

function isName(node: Node, name: string): boolean {
  return node.type === "Identifier" && node.name === name;
}

function isText(node: Node): boolean {
  if (node.type === "TemplateLiteral") return true;
  return node.type === "Literal" && typeof node.value === "string";
}
