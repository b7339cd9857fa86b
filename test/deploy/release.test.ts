import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

const root = path.join(import.meta.dirname, "../..");

function read(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}

const { version } = JSON.parse(read("package.json")) as { version: string };

test.each([
  ["package-lock.json", `"version": "${version}"`],
  ["deploy/helm/Chart.yaml", `appVersion: ${version}`],
  ["clients/python/pyproject.toml", `version = "${version}"`],
  ["CHANGELOG.md", `\n## ${version}\n`],
])("%s has the version of the package", (file, line) => {
  expect(read(file)).toContain(line);
});

interface Workflow {
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly { readonly uses?: string }[] }>
  >;
}

// A tag can be moved to other code, which would run with the rights of the job.
test.each(globSync(".github/workflows/*.yml", { cwd: root }))(
  "%s names actions by commit",
  (file) => {
    const { jobs } = parse(read(file)) as Workflow;
    const used = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses = [] }) => uses));
    expect(used.length).toBeGreaterThan(0);
    for (const action of used) expect(action).toMatch(/@[0-9a-f]{40}$/);
  },
);
