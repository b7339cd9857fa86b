import { differenceFrom, type JsonSchema, membersOf } from "../../api/schema.ts";
import { MEASURE_PULL, THRESHOLD, THRESHOLDS, type ThresholdJson } from "../../api/thresholds.ts";
import { isObject, jsonText, membersIn } from "../../model/json-text.ts";
import type { Limit } from "../check/limit.ts";
import { shareOf } from "../../model/quality/row-quality.ts";
import { isMistake, parseLimit } from "../check/parse-limit.ts";

export interface ThresholdMistake {
  /** Names and indexes that lead to the value. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Index within the text of an expression. */
  readonly at?: number;
}

/** Reads thresholds from parsed JSON or YAML: a limit per expression, or all mistakes. `nowMs` decides which failures are still accepted. */
export function readThresholds(
  value: unknown,
  nowMs: number,
): { readonly limits: readonly Limit[] } | { readonly mistakes: readonly ThresholdMistake[] } {
  const { thresholds: list, pull } = membersIn(value);
  const thresholds = Array.isArray(list) ? (list as readonly unknown[]) : [];
  const mistakes = formMistakes(THRESHOLDS, Array.isArray(list) ? { pull, thresholds: [] } : value);
  mistakes.push(...strangers(THRESHOLDS, value));
  for (const [index, each] of (Array.isArray(pull) ? pull : []).entries()) {
    const own = strangers(MEASURE_PULL, each);
    mistakes.push(...own.map((what) => ({ ...what, path: ["pull", index, ...what.path] })));
  }
  const limits: Limit[] = [];
  for (const [index, each] of thresholds.entries()) {
    const ofForm = [...formMistakes(THRESHOLD, each), ...strangers(THRESHOLD, each)];
    const threshold = each as ThresholdJson;
    const own = ofForm.length > 0 ? ofForm : acceptanceMistakes(threshold);
    const expressions = ofForm.length > 0 ? [] : readExpressions(threshold, nowMs);
    for (const read of expressions) {
      if ("mistake" in read) own.push(read.mistake);
      else limits.push(read.limit);
    }
    for (const { path, ...what } of own) {
      mistakes.push({ ...what, path: ["thresholds", index, ...path] });
    }
  }
  return mistakes.length > 0 ? { mistakes } : { limits };
}

function formMistakes(schema: JsonSchema, value: unknown): ThresholdMistake[] {
  if (!isObject(value)) {
    return [{ path: [], message: `expected an object, got ${jsonText(value).slice(0, 100)}` }];
  }
  const { properties, required } = membersOf(schema);
  const given = membersIn(value);
  return Object.entries(properties).flatMap(([name, each]) => {
    if (given[name] === undefined && !required.includes(name)) return [];
    const message = differenceFrom(each, given[name], name);
    return message === undefined ? [] : [{ path: [name], message }];
  });
}

function strangers(schema: JsonSchema, value: unknown): readonly ThresholdMistake[] {
  const known = Object.keys(membersOf(schema).properties);
  return Object.keys(membersIn(value)).flatMap((name) => {
    if (known.includes(name)) return [];
    const message = `expected one of ${known.join(", ")}, got ${JSON.stringify(name)}`;
    return [{ path: [name], message }];
  });
}

function acceptanceMistakes({ acceptedUntil, reason, failIf, allowRejected }: ThresholdJson) {
  const mistakes: ThresholdMistake[] = [];
  const complain = (name: string, words: string): void => {
    mistakes.push({ path: [name], message: `${name}: ${words}` });
  };
  if (failIf.length === 0) complain("failIf", "expected an expression, got none");
  if (allowRejected !== undefined && shareOf(allowRejected) === undefined) {
    const got = JSON.stringify(allowRejected);
    complain("allowRejected", `expected a percentage such as 0.1%, got ${got}`);
  }
  if (acceptedUntil !== undefined && Number.isNaN(endOfDayMs(acceptedUntil))) {
    const got = JSON.stringify(acceptedUntil);
    complain("acceptedUntil", `expected a date such as 2026-12-31, got ${got}`);
  }
  if (acceptedUntil !== undefined && !reason) {
    complain("acceptedUntil", "expected a reason beside it, got none");
  }
  if (acceptedUntil === undefined && reason !== undefined) {
    complain("reason", "expected acceptedUntil beside it, got none");
  }
  return mistakes;
}

type ReadExpression = { readonly limit: Limit } | { readonly mistake: ThresholdMistake };

function readExpressions(
  { failIf, severity = "fail", allowRejected, ...about }: ThresholdJson,
  nowMs: number,
): readonly ReadExpression[] {
  const { owner, acceptedUntil, reason, allowMissing, better } = about;
  const allowed = allowRejected === undefined ? {} : { allowRejected: shareOf(allowRejected) };
  const isAccepted = acceptedUntil !== undefined && nowMs < endOfDayMs(acceptedUntil);
  const policy = { severity, owner, acceptedUntil, reason, allowMissing, better, isAccepted };
  return failIf.map((text, index) => {
    const path = ["failIf", index];
    const limit = parseLimit(text);
    if (isMistake(limit)) return { mistake: { path, ...limit } };
    return { limit: { ...limit, ...allowed, policy } };
  });
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** `NaN` if there is no such day. */
function endOfDayMs(date: string): number {
  const startMs = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN;
  // February 30 would become March 2.
  const isDay = !Number.isNaN(startMs) && new Date(startMs).toISOString().startsWith(date);
  return isDay ? startMs + DAY_MS : Number.NaN;
}
