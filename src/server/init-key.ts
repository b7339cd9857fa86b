import { hash, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import type { Logger } from "pino";
import { createKeyText, isKeyText, type KeyRing } from "../catalogue/keys.ts";
import type { InitKey } from "../cli/command-context.ts";
import { systemCode, UserError } from "../model/errors.ts";

/** Of the digest, in the name: enough to distinguish keys. */
const DIGITS = 8;

/**
 * Accepts the key in a file from now on, with the scope admin; changes nothing if it is known, and warns if it was revoked.
 * A missing file is made, with a new key, for its owner only. Without a file it does nothing. Throws `bad-setting` if the
 * file cannot be used.
 */
export async function bringInitKey(
  { file, project }: InitKey,
  keyRing: KeyRing,
  log: Pick<Logger, "warn">,
): Promise<void> {
  if (file === undefined) return;
  const text = readKey(file);
  const known = await keyRing.authenticate(text);
  if (known.accepted) return;
  const { reason } = known;
  if (reason === "unknown") await addKey(text, project, keyRing);
  else log.warn({ file, reason }, "init_key_refused");
}

async function addKey(text: string, project: string | undefined, keyRing: KeyRing): Promise<void> {
  const name = `init ${hash("sha256", text).slice(0, DIGITS)}`;
  try {
    await keyRing.create({ name, scopes: ["admin"], expiresAtMs: undefined, text, project });
  } catch (error) {
    // Another server may have started with the same file.
    const again = await keyRing.authenticate(text);
    if (!again.accepted) throw error;
  }
}

function readKey(file: string): string {
  const text = contentOf(file).trim();
  if (isKeyText(text)) return text;
  throw unusable(file, `expected one key, "tgk_" and 36 characters, got ${text.length} characters`);
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (systemCode(cause) !== "ENOENT")
      throw unusable(file, `cannot read it (${String(cause)})`, cause);
  }
  const text = createKeyText(randomBytes);
  try {
    writeFileSync(file, `${text}\n`, { mode: 0o600, flag: "wx", flush: true });
  } catch (cause) {
    throw unusable(file, `it does not exist, and cannot be made (${String(cause)})`, cause);
  }
  return text;
}

function unusable(file: string, what: string, cause?: unknown): UserError {
  return new UserError("bad-setting", `cannot use ${file} for the first key: ${what}`, { cause });
}
