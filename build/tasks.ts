/**
 * What is run less often than the scripts of package.json:
 *
 *     npm run task                       lists the tasks
 *     npm run task NAME [-- ARGUMENTS]   runs one, from the root of the repository
 *
 * Exit codes are those of the command; an unknown name is 2.
 */

import { spawnSync } from "node:child_process";
import path from "node:path";

interface Task {
  /** What it does, in one line. */
  readonly effect: string;
  /** For a shell; the arguments are added to the last command. */
  readonly command: string;
}

const LINT =
  "oxlint --type-aware --deny-warnings bin runtime src build/*.ts build/client build/executable/build.ts build/site/*.ts kernel/build.ts page test bench";
const PAGE = "npm run --silent prepare";

const TASKS: Readonly<Record<string, Task>> = {
  bench: { effect: "compares with alternatives; bench/README.md", command: "node bench/run.ts" },
  "bench:block": {
    effect: "measures the encoding of blocks",
    command: "node bench/block.bench.ts",
  },
  "bench:decode": {
    effect: "measures the decoding of JMeter and k6 results",
    command: "node bench/decode.bench.ts",
  },
  "bench:decode-formats": {
    effect: "measures the decoding of each format",
    command: "node bench/decode-formats.bench.ts",
  },
  "bench:decode-points": {
    effect: "measures the decoding of batches of points",
    command: "node bench/decode-points.bench.ts",
  },
  "bench:facets": {
    effect: "measures what facets add to an import and a read",
    command: "node bench/facets.bench.ts",
  },
  "bench:install": {
    effect: "installs what the benchmark compares with",
    command: "node bench/install.ts",
  },
  "bench:remote-write": {
    effect: "measures remote write beside Prometheus' own blocks",
    command: "node bench/remote-write.bench.ts",
  },
  "bench:postgres": {
    effect: "measures two servers that share a PostgreSQL database beside one data directory",
    command: "node bench/postgres.bench.ts",
  },
  "bench:search": {
    effect: "measures searches of 100,000 runs",
    command: "node bench/search.bench.ts",
  },
  "bench:long-run": {
    effect: "measures responses about one run of many hours, and their memory",
    command: "node bench/long-run.bench.ts",
  },
  "bench:measures": {
    effect: "measures the import and reading of measures",
    command: "node bench/measures.bench.ts",
  },
  "bench:page": {
    effect: "measures the web UI in a browser",
    command: `${PAGE} && node bench/page.bench.ts`,
  },
  "bench:running-judge": {
    effect: "measures what judging running load tests takes of a server",
    command: "node bench/running-judge.bench.ts",
  },
  "bench:store": { effect: "measures the store", command: "node bench/store.bench.ts" },
  "build:client": {
    effect: "generates src/client/generated from the OpenAPI document",
    command: "node build/client/build.ts",
  },
  "build:executable": {
    effect: "builds the program with its Node as one file",
    command: `${PAGE} && npm ci --prefix build/executable --ignore-scripts --silent && node build/executable/build.ts`,
  },
  "build:kernel": { effect: "compiles kernel/ to WebAssembly", command: "node kernel/build.ts" },
  "build:package": {
    effect: "compiles the program and the client as the package has them",
    command:
      "node build/client/build.ts && vite build -c build/program.vite.config.ts --logLevel warn && tsc -p src/client",
  },
  "check:static": {
    effect: "checks format, lint, types and unused code",
    command: `node build/client/build.ts && oxfmt --check . && ${LINT} && tsc -p tsconfig.json && tsc -p page && knip`,
  },
  "docs:formats": {
    effect: "writes the tables of formats in the documents",
    command: "node test/formats/write-tables.ts && oxfmt docs/tools/README.md docs/samples.md",
  },
  "docs:cli": { effect: "writes docs/cli.md", command: "node test/cli/write-reference.ts" },
  faults: {
    effect: "kills, cuts, fills and flips around the real program; --list lists the runs",
    command: "node test/faults/run.ts",
  },
  fuzz: {
    effect: "feeds random bytes to decoders; test/fuzz/README.md",
    command: "node test/fuzz/run.ts",
  },
  nightly: {
    effect: "runs the nightly gate, with the soak and the short benchmark",
    command: "node test/nightly.ts",
  },
  pictures: {
    effect: "takes the pictures in the documents again",
    command: `${PAGE} && node test/page/take-pictures.ts`,
  },
  sbom: { effect: "prints the bill of materials", command: "node test/dependencies/write-sbom.ts" },
  soak: {
    effect: "prints memory over 30 minutes of mixed load",
    command: "node test/faults/run.ts --gate nightly C27",
  },
  "test:accuracy": {
    effect: "makes the tables of docs/internals/statistics.md; names choose some",
    command: "node test/accuracy/run.ts",
  },
  "test:clients": {
    effect: "generates clients from the OpenAPI document with other generators and uses them",
    command: "node test/tools/clients.ts",
  },
  "test:cluster": {
    effect: "breaks a cluster of three PostgreSQL servers while senders write; needs root",
    command: "node test/cluster/run.ts",
  },
  "test:damage": {
    effect: "checks that no threshold passes because rows were damaged",
    command: "node test/bad-input/run-damaged.ts",
  },
  "test:helm": { effect: "renders the Helm chart", command: "node test/tools/helm.ts" },
  "test:image": {
    effect: "builds the image and uses it as docs/deployment.md says; needs Docker or Podman",
    command: "node test/deploy/image/run.ts",
  },
  "test:incidents": {
    effect: "records k6 and JMeter while faults are injected into their target",
    command: "node test/tools/incidents/run.ts",
  },
  "test:isolation": {
    effect: "compares answers of servers that remember with those of one that does not",
    command: "node test/security/run-isolation.ts",
  },
  "test:nodes": {
    effect: "runs the tests on Node 22 and 26",
    command: "node test/outside/run-suite.ts",
  },
  "test:outside": {
    effect: "packs, installs and uses the package on Node 22, 24 and 26",
    command: "vitest run --config test/config/outside.config.ts",
  },
  "test:page": {
    effect: "uses the web UI in Chromium; test/page/install-chromium.sh installs it",
    command: `${PAGE} && vitest run --config test/config/browser.config.ts`,
  },
  "test:parquet": {
    effect: "reads exported runs with DuckDB",
    command: "node test/tools/parquet.ts",
  },
  "test:postgres": {
    effect: "tests the PostgreSQL store on a real server, which is killed meanwhile",
    command: "node test/postgres/run.ts",
  },
  "test:s3": { effect: "imports from an S3 server", command: "node test/tools/s3.ts" },
  "test:oracle": {
    effect:
      "asks a server random questions and computes the answers from raw rows; test/independent",
    command: "python3 test/independent/oracle/run.py",
  },
  "test:healthy": {
    effect: "simulates healthy runs, which limits over windows must not stop",
    command: "node test/tools/stop-gate/healthy.ts",
  },
  "test:samples": {
    effect: "compares a folder of results with an independent reader; test/independent/README.md",
    command: "node test/samples/run-folder.ts",
  },
  "test:stop": {
    effect: "ends real load tools whose target hangs, by a limit over a window; names choose some",
    command: "node test/tools/stop-gate/run.ts",
  },
  "test:tools": {
    effect: "runs real load tools; names choose some",
    command: "node test/tools/run.ts",
  },
};

const [name, ...words] = process.argv.slice(2);
const task = name === undefined ? undefined : TASKS[name];
if (task === undefined) {
  const width = Math.max(...Object.keys(TASKS).map(({ length }) => length));
  const list = Object.entries(TASKS).map(
    ([each, { effect }]) => `  ${each.padEnd(width)}  ${effect}`,
  );
  const lines = ["npm run task NAME [-- ARGUMENTS]", "", ...list].join("\n");
  if (name !== undefined) console.error(`error: there is no task "${name}"; the tasks are:\n`);
  console[name === undefined ? "log" : "error"](lines);
  process.exit(name === undefined ? 0 : 2);
}
const root = path.join(import.meta.dirname, "..");
// The shell gets the arguments as its own, so that none of them is read as a command.
const shell = spawnSync("sh", ["-c", `${task.command} "$@"`, "sh", ...words], {
  cwd: root,
  stdio: "inherit",
});
process.exit(shell.status ?? 1);
