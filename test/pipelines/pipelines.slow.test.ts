/** The steps of the pipelines' templates, run against a real server. */

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import {
  type RunningTachograph,
  runTachograph,
  startTachograph,
} from "../support/run-tachograph.ts";
import { createJob, filled, type Job, type StepOutcome } from "./hosting.ts";

const ROOT = path.join(import.meta.dirname, "../..");

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-pipelines-"));
let server: RunningTachograph;
let place: { readonly TACHOGRAPH_URL: string; readonly TACHOGRAPH_KEY: string };

beforeAll(async () => {
  const data = ["--data", path.join(folder, "data")];
  const scope = ["--scope", "read,write"];
  const made = await runTachograph(["keys", "create", "--name", "ci", ...scope, ...data]);
  server = startTachograph(["serve", "--port", "0", ...data]);
  const greeting = await server.printed("answers at http://127.0.0.1:");
  const url = /http:\S+/.exec(greeting)?.[0] ?? "";
  place = { TACHOGRAPH_URL: url, TACHOGRAPH_KEY: made.out.trim() };
});

afterAll(async () => {
  server.process.kill("SIGTERM");
  await server.outcome;
  rmSync(folder, { recursive: true });
});

/** Four requests a second for five minutes, of 20 to 29 ms times `factor`. */
function results(factor: number): string {
  const rows = Array.from({ length: 1200 }, (_, index) => {
    const elapsed = (20 + ((index * 7) % 10)) * factor;
    return `${1_700_000_000_000 + index * 250},${elapsed},GET /cart,200,OK,true\n`;
  });
  return `timeStamp,elapsed,label,responseCode,responseMessage,success\n${rows.join("")}`;
}

function jobWith(name: string, factor: number): Job {
  const own = path.join(folder, name);
  mkdirSync(own);
  writeFileSync(path.join(own, "results.jtl"), results(factor));
  return createJob(own);
}

async function idsTagged(tag: string): Promise<string[]> {
  const url = ["--url", place.TACHOGRAPH_URL, "--key", place.TACHOGRAPH_KEY];
  const { out } = await runTachograph(["tests", "list", "--tag", tag, "--json", ...url]);
  return (JSON.parse(out) as { id: string }[]).map(({ id }) => id);
}

const LIMITS = "GET /cart: p95 > 500ms\n\np95 grows > 10%\n";

interface Step {
  readonly name: string;
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

function readYaml(file: string): unknown {
  return parse(readFileSync(path.join(ROOT, file), "utf8"));
}

const action = readYaml("action.yml") as Action;

/** Runs all steps of the action, the last one also where one before it has failed. */
async function runAction(
  job: Job,
  given: Readonly<Record<string, string>>,
): Promise<readonly StepOutcome[]> {
  const inputs = {
    ...given,
    files: "*.jtl",
    limits: LIMITS,
    url: place.TACHOGRAPH_URL,
    key: place.TACHOGRAPH_KEY,
    name: "Checkout",
    token: "secret",
  };
  const known = Object.entries(action.inputs).map(([name, input]) => [
    `inputs.${name}`,
    input.default ?? "",
  ]);
  const values = {
    ...(Object.fromEntries(known) as Record<string, string>),
    ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`inputs.${name}`, value])),
    "github.ref_name == inputs.base-branch": given["isBase"] ?? "false",
    "github.repository": "shop/checkout",
    "github.event.pull_request.number": "7",
  };
  const outcomes: StepOutcome[] = [];
  for (const { run, env } of action.runs.steps) {
    const environment = Object.entries(env).map(([name, value]) => [name, filled(value, values)]);
    const summary = { GITHUB_STEP_SUMMARY: path.join(job.folder, "summary.md") };
    outcomes.push(
      await job.run(run, {
        ...(Object.fromEntries(environment) as Record<string, string>),
        ...summary,
      }),
    );
  }
  return outcomes;
}

test("on GitHub the first load test of the main branch is held against limits, and becomes the base", async () => {
  const job = jobWith("first", 1);
  const [install, check, comment] = await runAction(job, { id: "first-1", isBase: "true" });
  expect([install, check, comment]).toMatchObject([
    { exitCode: 0 },
    { exitCode: 0 },
    { exitCode: 0 },
  ]);
  expect(job.calls("npm")).toBe("install --global --no-fund --no-audit tachograph@latest\n");
  expect(job.file("tachograph/check.xml")).toContain('tests="1" failures="0"');
  const written = job.file("tachograph/comment.md");
  expect(written).toContain(`[first-1](${place.TACHOGRAPH_URL}/t/first-1)`);
  expect(written).toContain("Not held: `p95 grows > 10%`. No load test has the tag `main` yet.");
  expect(job.file("summary.md")).toBe(written);
  expect(await idsTagged("main")).toEqual(["first-1"]);
});

test("on GitHub a pull request that is slower fails, with a comment that says by how much", async () => {
  const job = jobWith("second", 2);
  const [, check, comment] = await runAction(job, { id: "second-1" });
  expect([check, comment]).toMatchObject([{ exitCode: 4 }, { exitCode: 0 }]);
  expect(job.calls("gh")).toBe(
    "pr comment 7 --edit-last --create-if-none --body-file tachograph/comment.md\n",
  );
  // p95 of 20 to 29 ms is 29 ms, and twice that.
  expect(job.file("tachograph/comment.md")).toContain("29 ms → 58 ms (+100 %)");
  expect(job.file("tachograph/comment.md")).toMatch(/▲ slower.*`GET \/cart`/);
  expect(job.file("tachograph/check.xml")).toContain('tests="2" failures="1"');
  expect(await idsTagged("main")).toEqual(["first-1"]);
  const left = Object.values(action.outputs).filter(({ value }) => !value.includes("$"));
  expect(left.filter(({ value }) => job.file(value) === "")).toEqual([]);
});

interface GitLabJob {
  readonly script: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly artifacts: { readonly reports: { readonly junit: string } };
}

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

test.skipIf(!hasCurl)(
  "on GitLab a merge request is checked, and its comment is posted",
  async () => {
    const job = jobWith("third", 1);
    const template = (readYaml("deploy/gitlab.yml") as { ".tachograph": GitLabJob })[".tachograph"];
    const posted: {
      readonly url: string | undefined;
      readonly token: unknown;
      readonly body: string;
    }[] = [];
    const gitlab = createServer((request, response) => {
      void (async () => {
        const token = request.headers["private-token"];
        posted.push({ url: request.url, token, body: await text(request) });
        response.writeHead(201).end("{}");
      })();
    }).listen(0, "127.0.0.1");
    await once(gitlab, "listening");
    const given = {
      ...place,
      LOAD_TEST_FILES: "results.jtl",
      LOAD_TEST_LIMITS: LIMITS,
      CI_PROJECT_PATH_SLUG: "shop-checkout",
      CI_JOB_ID: "31",
      CI_PROJECT_NAME: "checkout",
      CI_PROJECT_ID: "5",
      CI_COMMIT_REF_NAME: "faster",
      CI_PIPELINE_IID: "12",
      CI_DEFAULT_BRANCH: "main",
      CI_MERGE_REQUEST_IID: "9",
      CI_API_V4_URL: `http://127.0.0.1:${(gitlab.address() as AddressInfo).port}/api/v4`,
      GITLAB_TOKEN: "secret",
    };
    const variables = Object.fromEntries(
      Object.entries(template.variables).map(([name, value]) => [name, expanded(value, given)]),
    );
    const outcome = await job.run(template.script.join("\n"), { ...given, ...variables });
    gitlab.close();
    expect(outcome).toMatchObject({ exitCode: 0 });
    expect(job.file(template.artifacts.reports.junit)).toContain('tests="2" failures="0"');
    expect(posted).toMatchObject([
      { url: "/api/v4/projects/5/merge_requests/9/notes", token: "secret" },
    ]);
    const comment = new URLSearchParams(posted[0]?.body).get("body");
    expect(comment).toContain("shop-checkout-31");
    expect(comment).toContain("`first-1`");
    expect(await idsTagged("main")).toEqual(["first-1"]);
  },
);

/** As GitLab fills in variables of variables. */
function expanded(value: string, variables: Readonly<Record<string, string>>): string {
  return value.replaceAll(/\$([A-Z_0-9]+)/g, (whole, name: string) => variables[name] ?? whole);
}

test.each([
  ["a file that is not there", { LOAD_TEST_FILES: "no.jtl" }, 2],
  ["a limit that is no limit", { LOAD_TEST_LIMITS: "p95 is high" }, 2],
  ["no files", { LOAD_TEST_FILES: "" }, 1],
])("%s ends the step before it says that anything was kept", async (name, wrong, exitCode) => {
  const job = jobWith(name, 1);
  const right = { LOAD_TEST_FILES: "results.jtl", LOAD_TEST_ID: "wrong", LOAD_TEST_LIMITS: LIMITS };
  const outcome = await job.run("tachograph-pipeline", { ...place, ...right, ...wrong });
  expect(outcome).toMatchObject({ exitCode });
  expect(job.file("tachograph/comment.md")).toBe("");
});
