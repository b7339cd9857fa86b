import { createHash } from "node:crypto";
import type { FileJson } from "../../api/files.ts";
import { badParameter, UserError } from "../../model/errors.ts";
import { unknownFile } from "../../model/kept-file.ts";
import type { CommandContext } from "../command-context.ts";
import { printable } from "../output/table.ts";
import type { OpenedApi } from "./opened-store.ts";
import { writeChunks } from "./write-chunks.ts";

/** The file with this id or name; without one, the only original. Throws `unknown-file`, `bad-parameter` if there are several. */
export function chooseFile(files: readonly FileJson[], wanted: string | undefined): FileJson {
  const found = files.filter(({ id, name }) => wanted === undefined || [id, name].includes(wanted));
  const [first, second] = found;
  if (first === undefined) throw wanted === undefined ? NO_ORIGINAL : unknownFile(wanted);
  if (second === undefined) return first;
  const names = found.map(({ id, name }) => `${id} (${printable(name)})`).join(", ");
  throw badParameter(`the run has several such files: choose one by its id: ${names}`);
}

const NO_ORIGINAL = new UserError(
  "unknown-file",
  "the run has no original: import the file again with --keep-file",
);

/** Writes a file of a load test and compares its SHA-256. Throws `bad-answer` if it differs, and what `writeChunks` throws. */
export async function saveFile(
  api: OpenedApi,
  { id, file, output }: { readonly id: string; readonly file: FileJson; readonly output: string },
  context: CommandContext,
): Promise<void> {
  const chunks = api.open("getFile", { id, file: file.id });
  await writeChunks(output, compared(chunks, file), context);
}

async function* compared(
  chunks: AsyncIterable<Uint8Array>,
  { name, sha256 }: FileJson,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  const got = hash.digest("hex");
  if (got === sha256) return;
  const message = `the bytes of ${JSON.stringify(name)} have SHA-256 ${got}, expected ${sha256}: download it again`;
  throw new UserError("bad-answer", message);
}
