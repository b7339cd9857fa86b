import { NativeError } from "./native-error.ts";

/** How the values of a column are laid out, as far as we read them. */
export type NativeType =
  | { readonly kind: "number"; readonly number: NativeNumberType }
  /** FixedString: `width` bytes a value. */
  | { readonly kind: "fixed"; readonly width: number }
  | { readonly kind: "text" }
  | { readonly kind: "array"; readonly element: NativeType };

/** Integers, by what holds them in memory. */
export type NativeNumberType = keyof typeof NUMBER_WIDTHS;

/** Bytes of one number. */
export const NUMBER_WIDTHS = { Int8: 1, UInt8: 1, UInt16: 2, UInt32: 4, UInt64: 8 } as const;

/** Types of another name that are laid out like integers: enumerations, days, seconds. */
const NUMBER_NAMES: readonly (readonly [RegExp, NativeNumberType])[] = [
  [/^Int8$|^Enum8\(.*\)$/s, "Int8"],
  [/^UInt8$|^Bool$/, "UInt8"],
  [/^UInt16$|^Date$/, "UInt16"],
  [/^UInt32$|^DateTime(\('[^']*'\))?$/, "UInt32"],
  [/^UInt64$/, "UInt64"],
];

/** What a type is that the server spells so. Throws `NativeError` where we do not read it. */
export function nativeType(spelled: string): NativeType {
  if (spelled === "String") return { kind: "text" };
  const width = /^FixedString\(([1-9]\d{0,5})\)$/.exec(spelled)?.[1];
  if (width !== undefined) return { kind: "fixed", width: Number(width) };
  const element = /^Array\((.*)\)$/s.exec(spelled)?.[1];
  if (element !== undefined) return { kind: "array", element: nativeType(element) };
  const number = NUMBER_NAMES.find(([names]) => names.test(spelled))?.[1];
  if (number !== undefined) return { kind: "number", number };
  throw new NativeError(`a column has a type that is not read here: ${JSON.stringify(spelled)}`);
}
