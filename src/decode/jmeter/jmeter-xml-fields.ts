import { ATTRIBUTES, ELEMENTS, FIELD, type Field } from "./jmeter-fields.ts";

/** Set by plug-ins that leave `timeStamp` at 0. */
export const START_TIME = "startTime";

export const FIELDS = Object.values(FIELD);
const FIELD_OF_ATTRIBUTE: ReadonlyMap<number, Field> = new Map(
  FIELDS.map((field) => {
    const name = Buffer.from(ATTRIBUTES[field] as string);
    return [name.readUIntBE(0, name.length), field];
  }),
);

export function isFieldElement(name: string): boolean {
  return name === START_TIME || ELEMENTS.includes(name);
}

/** Names of up to three letters are looked up as a number. */
export function fieldOf(bytes: Uint8Array, from: number, to: number): Field | undefined {
  if (to - from > 3) return undefined;
  let name = 0;
  for (let at = from; at < to; at++) name = (name << 8) | (bytes[at] as number);
  return FIELD_OF_ATTRIBUTE.get(name);
}
