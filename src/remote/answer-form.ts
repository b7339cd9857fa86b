import { jsonText } from "../model/json-text.ts";
import { badAnswer } from "./bad-answer.ts";

/**
 * The form that an answer should have. It answers the value itself, members that it does not know
 * included, or throws a `Difference`; `place` says where in the answer the value stands, "" for all.
 */
export type Form<Value> = (value: unknown, place: string) => Value;

/** Answers `value` where it has the form. Throws `bad-answer`; `what` says whose answer it is. */
export function formed<Value>(form: Form<Value>, value: unknown, what: string): Value {
  try {
    return form(value, "");
  } catch (error) {
    throw error instanceof Difference ? badAnswer(what, error.message) : error;
  }
}

/** Where an answer has not the form that it should have. */
class Difference extends Error {}

export const number: Form<number> = (value, place) => {
  if (typeof value === "number") return value;
  throw difference(place, "a number", value);
};

/** A UNIX second that can be stored. */
export const second: Form<number> = (value, place) => {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32) {
    return value as number;
  }
  throw difference(place, "a UNIX second", value);
};

/** A whole number within limits. */
export function wholeNumber(min: number, max: number): Form<number> {
  return (value, place) => {
    if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) {
      return value as number;
    }
    throw difference(place, `a whole number from ${min} to ${max}`, value);
  };
}

export const text: Form<string> = (value, place) => {
  if (typeof value === "string") return value;
  throw difference(place, "a text", value);
};

export const flag: Form<boolean> = (value, place) => {
  if (typeof value === "boolean") return value;
  throw difference(place, "true or false", value);
};

/** An instant as ISO 8601. */
export const time: Form<string> = (value, place) => {
  if (typeof value === "string" && !Number.isNaN(Date.parse(value))) return value;
  throw difference(place, "a time", value);
};

/** One of these texts. */
export function oneOf<Text extends string>(texts: readonly Text[]): Form<Text> {
  return (value, place) => {
    const found = texts.find((each) => each === value);
    if (found !== undefined) return found;
    throw difference(place, `one of ${texts.join(", ")}`, value);
  };
}

/** A member that may be absent. */
export function optional<Value>(form: Form<Value>): Form<Value | undefined> {
  return (value, place) => (value === undefined ? undefined : form(value, place));
}

export function orNull<Value>(form: Form<Value>): Form<Value | null> {
  return (value, place) => (value === null ? null : form(value, place));
}

export function list<Value>(form: Form<Value>): Form<readonly Value[]> {
  return (value, place) => {
    if (!Array.isArray(value)) throw difference(place, "a list", value);
    for (const [index, each] of value.entries()) form(each, `${place}[${index}]`);
    return value as Value[];
  };
}

/** The form of each member, of those too that may be absent. */
export type MemberForms<Value> = { readonly [Name in keyof Value]-?: Form<Value[Name]> };

/** An object with at least these members. */
export function members<Value extends object>(forms: MemberForms<Value>): Form<Value> {
  const known = Object.entries(forms) as [string, Form<unknown>][];
  return (value, place) => {
    if (typeof value !== "object" || value === null) throw difference(place, "an object", value);
    const given = value as Readonly<Record<string, unknown>>;
    for (const [name, form] of known) form(given[name], place === "" ? name : `${place}.${name}`);
    return value as Value;
  };
}

function difference(place: string, want: string, value: unknown): Difference {
  const got = jsonText(value).slice(0, 100).toWellFormed();
  return new Difference(`${place}${place === "" ? "" : ": "}expected ${want}, got ${got}`);
}
