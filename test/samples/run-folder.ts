/**
 * Imports every file of the expectations table that a folder holds, and prints differences:
 *
 *     npm run task test:samples -- FOLDER
 *
 * Exits with 1 if anything differs, or if the folder has files that the table does not list.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { checkFile } from "./check-file.ts";
import { EXPECTATIONS, type Expectation } from "./expectations.ts";
import { readToolReport } from "./tool-report.ts";

/** Their files must all be in the table; cut files are made of some of them. */
const WHOLE_FOLDERS = new Set(
  EXPECTATIONS.map(({ file }) => path.dirname(file)).filter((each) => each !== "derived-truncated"),
);

async function main(folder: string): Promise<number> {
  const present = EXPECTATIONS.filter(({ file }) => existsSync(path.join(folder, file)));
  let differing = 0;
  for (const expectation of present) {
    const differences = await check(expectation, folder);
    if (differences.length > 0) differing += 1;
    print(expectation, differences);
  }
  const unknown = filesWithoutLine(folder);
  for (const file of unknown) console.log(`NO LINE  ${file}`);
  console.log(
    `${present.length} files, ${present.length - differing} as expected, ${differing} not; ` +
      `${EXPECTATIONS.length - present.length} lines without a file, ${unknown.length} files without a line`,
  );
  return differing + unknown.length === 0 && present.length > 0 ? 0 : 1;
}

function check(expectation: Expectation, folder: string): Promise<string[]> {
  return checkFile({
    expectation,
    bytes: readFileSync(path.join(folder, expectation.file)),
    toolReport: readToolReport(expectation.file, folder),
  });
}

function print({ file, recorded, rejected, ending }: Expectation, differences: string[]): void {
  const verdict = differences.length === 0 ? "equal  " : "DIFFERS";
  console.log(`${verdict}  ${file}: ${recorded} recorded, ${rejected} rejected, ${ending}`);
  for (const difference of differences.slice(0, 5)) console.log(`         ${difference}`);
  if (differences.length > 5) console.log(`         and ${differences.length - 5} more`);
}

function filesWithoutLine(folder: string): string[] {
  const known = new Set(EXPECTATIONS.map(({ file }) => file));
  return [...WHOLE_FOLDERS]
    .filter((name) => existsSync(path.join(folder, name)))
    .flatMap((name) => readdirSync(path.join(folder, name)).map((file) => `${name}/${file}`))
    .filter((file) => !known.has(file) && !file.endsWith(".expected.json"));
}

const folder = process.argv[2];
if (folder === undefined) {
  console.error("usage: npm run task test:samples -- FOLDER");
  process.exitCode = 2;
} else {
  process.exitCode = await main(folder);
}
