import { writeFile } from "node:fs/promises";
import { UserError } from "../model/errors.ts";

/** Writes a report beside standard output, in the place of what is there. Throws `bad-parameter`. */
export async function writeReportFile(flag: string, file: string, content: string): Promise<void> {
  try {
    await writeFile(file, content);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new UserError("bad-parameter", `${flag}: cannot write "${file}": ${cause}`);
  }
}
