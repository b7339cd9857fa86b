import { badParameter } from "./errors.ts";

/** JSON Schema pattern of ids of load tests and sources. Not `.` and `..`, which clients remove from URLs. */
export const ID_PATTERN = "^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,128}$";

export const ID_FORM = "1 to 128 of A-Z a-z 0-9 . _ -, but not . or ..";

const ID = new RegExp(ID_PATTERN);

export function isId(text: string): boolean {
  return ID.test(text);
}

/** Id of a load test named `text`: dashes for invalid characters, code points beyond ASCII; `undefined` if none. */
export function idFrom(text: string): string | undefined {
  const id = text.replaceAll(/[^A-Za-z0-9._-]/gu, (character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return codePoint < 0x80 ? "-" : `u${codePoint.toString(16)}`;
  });
  return isId(id) ? id : undefined;
}

const PROJECT_LENGTH_MAX = 64;

/** Returns the name of a project. Throws `bad-parameter`. */
export function checkProject(text: string): string {
  if (isId(text) && text.length <= PROJECT_LENGTH_MAX) return text;
  throw badParameter(
    `cannot use ${JSON.stringify(text.slice(0, 100))} as a project: expected 1 to ${PROJECT_LENGTH_MAX} of ` +
      "A-Z a-z 0-9 . _ -, but not . or ..",
  );
}
