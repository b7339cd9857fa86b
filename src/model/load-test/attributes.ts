import { badParameter } from "../errors.ts";
import { compareLabels } from "../label.ts";
import {
  checkDescription,
  checkLinks,
  checkProperties,
  DESCRIPTION_FORM,
  LINKS_FORM,
  PROPERTIES_FORM,
} from "./description.ts";
import { checkEnvironment, ENVIRONMENT_FORM } from "../measures/environment.ts";

/**
 * What people set of a load test. An entry is all that an attribute needs: stores, imports, servers, copies, reports, Parquet files
 * and the API pass them on whole. `schema` describes it in JSON, where an absent one is `null`; `check` returns the
 * valid value and throws `bad-parameter`; `none` is the value of a load test for which it was not set.
 */
export const ATTRIBUTES = {
  name: {
    schema: { type: "string", description: "Display name, 1 to 200 characters." },
    check: checkLoadTestName,
    none: undefined,
  },
  tags: {
    schema: {
      type: "array",
      description: "Distinct and sorted; at most 50, each of 1 to 64 characters.",
      items: { type: "string" },
    },
    check: checkTags,
    none: [],
  },
  pinned: {
    schema: { type: "boolean", description: "Whether it is exempt from retention." },
    check: (pinned: boolean): boolean => pinned,
    none: false,
  },
  environment: {
    schema: {
      type: ["string", "null"],
      description: `Where the run took place: it shows what was measured in this environment meanwhile. ${ENVIRONMENT_FORM}.`,
    },
    check: (name: string | null): string | undefined =>
      name === null ? undefined : checkEnvironment(name),
    none: undefined,
  },
  description: {
    schema: {
      type: ["string", "null"],
      description: `Why and how it was run: ${DESCRIPTION_FORM}.`,
    },
    check: checkDescription,
    none: undefined,
  },
  properties: {
    schema: {
      type: "object",
      description: `Such as commit, branch and version: ${PROPERTIES_FORM}.`,
      additionalProperties: { type: "string" },
    },
    check: checkProperties,
    none: {},
  },
  links: {
    schema: {
      type: "object",
      description: `Where more is found: ${LINKS_FORM}.`,
      additionalProperties: { type: "string" },
    },
    check: checkLinks,
    none: {},
  },
} as const;

type Name = keyof typeof ATTRIBUTES;

type Value<Each extends Name> = ReturnType<(typeof ATTRIBUTES)[Each]["check"]>;

type Absentable = { [Each in Name]: undefined extends Value<Each> ? Each : never }[Name];

export type Attributes = { readonly [Each in Exclude<Name, Absentable>]: Value<Each> } & {
  readonly [Each in Absentable]?: Value<Each>;
};

/** As members of a JSON body that matches the schemas. */
export type AttributesJson = {
  readonly [Each in Name]: NonNullable<Value<Each>> | AbsentJson<Each>;
};

type AbsentJson<Each extends Name> = Each extends Absentable ? null : never;

export type NamedAttributes = Pick<Attributes, "name"> & Partial<Attributes>;

/** Returns all attributes among the members of `given`. */
export function attributesOf(given: NamedAttributes): Attributes {
  return mapAttributes((name) => given[name] ?? ATTRIBUTES[name].none) as Attributes;
}

/** As `attributesOf`, for JSON. */
export function attributesJson(given: NamedAttributes): AttributesJson {
  const attributes = attributesOf(given);
  return mapAttributes((name) => attributes[name] ?? null) as AttributesJson;
}

/** Returns those that a JSON body of the right types has. Throws `bad-parameter`. */
export function checkAttributes(given: {
  readonly [Each in Name]?: AttributesJson[Each] | undefined;
}): Partial<Attributes> {
  const entries = Object.entries(given).filter(
    ([name, value]) => Object.hasOwn(ATTRIBUTES, name) && value !== undefined,
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, ATTRIBUTES[name as Name].check(value as never)]),
  );
}

function mapAttributes(valueOf: (name: Name) => unknown): object {
  return Object.fromEntries(Object.keys(ATTRIBUTES).map((name) => [name, valueOf(name as Name)]));
}

export const NAME_LENGTH_MAX = 200;

/** Returns a valid `name` of a load test. Throws `bad-parameter`. */
export function checkLoadTestName(name: string): string {
  const isShown = name.trim() !== "" && name.length <= NAME_LENGTH_MAX && name.isWellFormed();
  if (isShown && !/\p{Cc}/u.test(name)) return name;
  throw badParameter(
    `cannot name a run ${JSON.stringify(name.slice(0, NAME_LENGTH_MAX))}: expected 1 to ` +
      `${NAME_LENGTH_MAX} characters, not blank, without control characters`,
  );
}

/** Of load tests that failed their thresholds. */
export const FAILED_TAG = "thresholds-failed";

const TAG_LENGTH_MAX = 64;

const TAGS_MAX = 50;

function checkTags(tags: readonly string[]): readonly string[] {
  for (const tag of tags) checkTag(tag);
  const distinct = distinctTags(tags);
  if (distinct.length <= TAGS_MAX) return distinct;
  throw badParameter(`cannot give a run ${distinct.length} tags: expected at most ${TAGS_MAX}`);
}

function checkTag(tag: string): void {
  const isShort = tag.length > 0 && tag.length <= TAG_LENGTH_MAX && tag.isWellFormed();
  // The command line separates tags by commas.
  if (isShort && tag.trim() === tag && !/[\p{Cc},]/u.test(tag)) return;
  throw badParameter(
    `cannot tag a run ${JSON.stringify(tag.slice(0, TAG_LENGTH_MAX))}: expected 1 to ` +
      `${TAG_LENGTH_MAX} characters without comma, control characters and blanks at the ends`,
  );
}

/** Returns them ascending by UTF-8 bytes. */
export function distinctTags(tags: readonly string[]): readonly string[] {
  return [...new Set(tags)].toSorted(compareLabels);
}
