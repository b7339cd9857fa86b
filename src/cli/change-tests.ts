import type { ChangeWish } from "../operations/catalogue.ts";
import { loadTestJson } from "../render/load-test-json.ts";
import { EXIT } from "./exit-codes.ts";
import { openedCatalogue } from "./opened-catalogue.ts";
import type { PlaceOptions } from "./opened-reader.ts";
import type { Shell } from "./shell.ts";

export interface CreateOptions extends PlaceOptions {
  readonly id?: string;
  readonly name?: string;
  readonly tag?: readonly string[];
  readonly pin?: true;
  readonly json?: true;
}

/** Makes an empty load test and prints its id, or with `--json` all of it. */
export async function createTestCommand(options: CreateOptions, shell: Shell): Promise<number> {
  const { id, name, tag: tags, pin } = options;
  await using opened = await openedCatalogue(options, shell, { mayCreate: true });
  const loadTest = await opened.catalogue.create({ id, name, tags, pinned: pin });
  const line = options.json ? JSON.stringify(loadTestJson(loadTest)) : loadTest.id;
  await shell.writeOut(`${line}\n`);
  return EXIT.done;
}

export interface ChangeOptions extends PlaceOptions {
  readonly json?: true;
}

/** Changes one load test, and prints it with `--json`. */
export async function changeTestCommand(
  id: string,
  wish: ChangeWish,
  options: ChangeOptions,
  shell: Shell,
): Promise<number> {
  await using opened = await openedCatalogue(options, shell);
  const loadTest = await opened.catalogue.change(id, wish);
  if (options.json) await shell.writeOut(`${JSON.stringify(loadTestJson(loadTest))}\n`);
  return EXIT.done;
}

export async function deleteTestCommand(
  id: string,
  options: PlaceOptions,
  shell: Shell,
): Promise<number> {
  await using opened = await openedCatalogue(options, shell);
  await opened.catalogue.delete(id);
  return EXIT.done;
}
