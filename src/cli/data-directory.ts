import { homedir } from "node:os";
import path from "node:path";

/**
 * Where the store lies: what was asked for, else `$XDG_DATA_HOME/tachograph`, else
 * `~/.local/share/tachograph`. `$TACHOGRAPH_DATA` is the flag's own environment variable.
 */
export function dataDirectory(
  wish: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  if (wish !== undefined && wish !== "") return path.resolve(wish);
  const base = environment["XDG_DATA_HOME"] || path.join(homedir(), ".local/share");
  return path.join(base, "tachograph");
}
