import { UserError } from "../model/errors.ts";

const NAME_LENGTH_MAX = 200;

/** Answers `name` if a load test can be called so. Throws `bad-parameter`. */
export function checkLoadTestName(name: string): string {
  const isShown = name.trim() !== "" && name.length <= NAME_LENGTH_MAX && name.isWellFormed();
  if (isShown && !/\p{Cc}/u.test(name)) return name;
  throw new UserError(
    "bad-parameter",
    `cannot name a load test ${JSON.stringify(name.slice(0, NAME_LENGTH_MAX))}: expected 1 to ` +
      `${NAME_LENGTH_MAX} characters, not blank, without control characters`,
  );
}

/** Names a load test after its first file, however that is called; after its id where nothing is left. */
export function loadTestNameAfter(file: string, id: string): string {
  const name = file
    .replaceAll(/\p{Cc}/gu, " ")
    .slice(0, NAME_LENGTH_MAX)
    .toWellFormed()
    .trim();
  return name === "" ? id : name;
}
