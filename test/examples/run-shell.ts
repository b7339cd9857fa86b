import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { existsSync } from "node:fs";
import type { FakeProgram } from "../support/fake-program.ts";

const SERVERS = /https?:\/\/(127\.0\.0\.1:8013|localhost:8013|results\.example\.org)/g;
const KEYS = /\btgk_(…|\.\.\.)|(?<=X-Service-Auth: )KEY\b|^$/g;

/** Commands that blocks may use besides the program and `curl`. */
const TOOLS = ["awk", "cat", "date", "head", "jq", "mkdir", "openssl"];

/** Load tools, which print a recording if there is one. The files that they would write exist. */
const STAND_INS =
  "ab artillery cargo fortio ghz h2load hey jmeter k6 locust mvn node npm oha siege vegeta wrk".split(
    " ",
  );

const STAND_IN = '#!/bin/bash\n[ ! -e "$0.out" ] || exec cat "$0.out"\n';

export interface Place {
  readonly folder: string;
  readonly url: string;
  readonly key: string;
}

/**
 * Creates the commands for blocks: calls of the program are recorded, and `curl` asks the server of the test.
 */
export async function prepareShell({ folder, url, key }: Place): Promise<void> {
  const bin = path.join(folder, "bin");
  await mkdir(bin);
  for (const tool of TOOLS) {
    const found = ["/usr/bin", "/bin"].map((at) => path.join(at, tool)).find(existsSync);
    if (found !== undefined) await symlink(found, path.join(bin, tool));
  }
  // Arguments end with NUL, calls with a second one. The answer of `tests list` is an empty list.
  const program = String.raw`#!/bin/bash
case "${"${0##*/} $1"}" in "npx tachograph") shift ;; npx*) exit ;; esac
printf '%s\0' "$@" >> "$CALLS"; printf '\0' >> "$CALLS"
case " $* " in
  *" import - "*) cat > "$STANDARD_INPUT" ;;
  *" --json "*) echo '[]' ;;
esac
`;
  const curl = String.raw`#!/bin/bash
words=()
for word in "$@"; do
  word=$(echo -n "$word" | /usr/bin/sed -E "s#http://(127.0.0.1|localhost):8013#${url}#; s#(X-Service-Auth: ).*#\1${key}#")
  words+=("$word")
done
exec /usr/bin/curl --fail --silent --show-error "${"${words[@]}"}"
`;
  const standIns = STAND_INS.map((tool) => [tool, STAND_IN] as const);
  const commands = { ...Object.fromEntries(standIns), tachograph: program, npx: program, curl };
  for (const [name, text] of Object.entries(commands)) {
    await writeFile(path.join(bin, name), text);
    await chmod(path.join(bin, name), 0o755);
  }
}

const run = promisify(execFile);

/** Runs a block with bash, then the recorded calls of the program. Throws if one fails. */
export async function runShell(
  text: string,
  { folder, url, key }: Place,
  program: FakeProgram,
): Promise<void> {
  const [calls, input] = [path.join(folder, "calls"), path.join(folder, "standard-input")];
  await Promise.all([calls, input].map((file) => writeFile(file, "")));
  const environment = {
    PATH: path.join(folder, "bin"),
    HOME: folder,
    CALLS: calls,
    STANDARD_INPUT: input,
    ID: "release-42",
    KEY: key,
  };
  await run("/bin/bash", ["--norc", "-euo", "pipefail", "-c", text], {
    cwd: folder,
    env: environment,
  });
  for (const call of (await readFile(calls, "utf8")).split("\0\0").slice(0, -1)) {
    const words = call.split("\0").map((word) => {
      const file = path.join(folder, word);
      if (/\.\w+$/.test(word) && (existsSync(file) || /^[\w-]+\.(html|xml|md|parquet)$/.test(word)))
        return file;
      return word.replaceAll(SERVERS, url).replaceAll(KEYS, key);
    });
    const { exitCode, error } = await program.run(words, await readFile(input, "utf8"));
    const isDone = exitCode === 0 || (words[0] === "check" && exitCode === 4);
    if (!isDone) throw new Error(`tachograph ${words.join(" ")}: exit code ${exitCode}: ${error}`);
  }
}
