export type JsonSchema = { readonly [keyword: string]: unknown };

interface Simple {
  readonly string: string;
  readonly integer: number;
  readonly number: number;
  readonly boolean: boolean;
  readonly null: null;
}

/** The type of a constant schema's values. */
export type Static<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly oneOf: readonly (infer Each)[] }
      ? StaticEach<Each>
      : Schema extends { readonly prefixItems: infer Items }
        ? { readonly [Index in keyof Items]: Static<Items[Index]> }
        : Schema extends { readonly type: "array"; readonly items: infer Item }
          ? readonly Static<Item>[]
          : Schema extends ObjectSchema<infer Required, infer Optional>
            ? StaticMembers<Required, Optional>
            : Schema extends { readonly type: "object"; readonly additionalProperties: infer Value }
              ? Readonly<Record<string, Static<Value>>>
              : Schema extends { readonly type: keyof Simple | readonly (keyof Simple)[] }
                ? Simple[TypeOf<Schema["type"]>]
                : unknown;

type StaticEach<Schema> = Schema extends unknown ? Static<Schema> : never;

type TypeOf<Type> = Type extends readonly (infer One)[] ? One & keyof Simple : Type & keyof Simple;

type Properties = Readonly<Record<string, JsonSchema>>;

export type StaticMembers<Required, Optional = unknown> = {
  readonly [Name in keyof Required]: Static<Required[Name]>;
} & { readonly [Name in keyof Optional]?: Static<Optional[Name]> | undefined };

declare const MEMBERS: unique symbol;

/** Carries, for `Static` only, which members are required. */
interface ObjectSchema<Required, Optional> extends JsonSchema {
  readonly [MEMBERS]: readonly [Required, Optional];
}

/** An object without further members; `about` has its title and description. */
export function object<const Required extends Properties, const Optional extends Properties = {}>(
  required: Required,
  optional?: Optional,
  about?: { readonly title?: string; readonly description?: string },
): ObjectSchema<Required, Optional> {
  const names = Object.keys(required);
  return {
    ...about,
    type: "object",
    ...(names.length === 0 ? {} : { required: names }),
    additionalProperties: false,
    properties: { ...required, ...optional },
  } as unknown as ObjectSchema<Required, Optional>;
}

export function list<const Item extends JsonSchema>(items: Item, description?: string) {
  const described = description === undefined ? {} : { description };
  return { type: "array", ...described, items } as const;
}
