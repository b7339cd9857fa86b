import { UserError } from "./errors.ts";

const REASONS: Record<string, string> = {
  ENOENT: "there is no such file",
  EACCES: "permission is denied",
  ENXIO: "it is a socket",
};

/** Why a file could not be read, as an error that the user understands. */
export function unreadableFile(path: string, cause: unknown): UserError {
  if (cause instanceof UserError) return cause;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const reason = REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause));
  return new UserError("unreadable-source", `cannot read "${path}": ${reason}`, { cause });
}
