import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { contextOf, type TlsIdentity } from "./http/node-server.ts";
import { UserError } from "./model/errors.ts";

/** The files that `--tls-certificate` and `--tls-key` name. */
export interface TlsFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** Reads certificate and key. Throws `bad-setting` where they cannot be read, or do not go together. */
export function readTlsIdentity({ certificateFile, keyFile }: TlsFiles): TlsIdentity {
  const identity = { certificate: readText(certificateFile), key: readText(keyFile) };
  try {
    createSecureContext(contextOf(identity));
  } catch (cause) {
    const files = `${certificateFile} and ${keyFile}`;
    throw unusable(files, "expected a certificate and its key without a passphrase, as PEM", cause);
  }
  return identity;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw unusable(file, "cannot read it", cause);
  }
}

function unusable(files: string, what: string, cause: unknown): UserError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new UserError("bad-setting", `cannot use ${files} for TLS: ${what} (${reason})`, {
    cause,
  });
}
