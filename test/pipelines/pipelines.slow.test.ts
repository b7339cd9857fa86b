/** Runs the steps of the pipeline templates against a real server. */

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { filled, type Job, type StepOutcome } from "./hosting.ts";
import { openPipelinePlace, type PipelinePlace } from "./pipeline-place.ts";

const ROOT = path.join(import.meta.dirname, "../..");

let place: PipelinePlace;
beforeAll(async () => {
  place = await openPipelinePlace();
});
afterAll(() => place.close());

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

/** Not for events that run on the base branch on behalf of a pull request. */
const IS_BASE =
  "github.ref == format('refs/heads/{0}', inputs.base-branch) && " +
  `contains(fromJSON('["push", "schedule", "workflow_dispatch"]'), github.event_name)`;

/** What GitHub passes to each step. */
const GITHUB = {
  GITHUB_REPOSITORY: "shop/checkout",
  GITHUB_RUN_ID: "31",
  GITHUB_RUN_ATTEMPT: "2",
  GITHUB_JOB: "load",
};

/** Runs all steps of the action; the last one also after a failure. */
async function runAction(
  job: Job,
  given: Readonly<Record<string, string>>,
): Promise<readonly StepOutcome[]> {
  const inputs = {
    ...given,
    files: "*.jtl",
    limits: LIMITS,
    url: place.settings.TACHOGRAPH_URL,
    key: place.settings.TACHOGRAPH_KEY,
    package: "tools/tachograph-0.1.0.tgz",
    token: "secret",
  };
  const known = Object.entries(action.inputs).map(([name, input]) => [
    `inputs.${name}`,
    input.default ?? "",
  ]);
  mkdirSync(path.join(job.folder, "tools"), { recursive: true });
  writeFileSync(path.join(job.folder, inputs.package), "");
  const values = {
    ...(Object.fromEntries(known) as Record<string, string>),
    ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`inputs.${name}`, value])),
    "inputs.tag || format('{0}@{1}', github.repository, inputs.base-branch)":
      given["tag"] ?? "shop@main",
    [IS_BASE]: given["isBase"] ?? "false",
    "github.repository": "shop/checkout",
    "github.workflow": "Load",
    "github.job": "load",
    "github.sha": "0123456789abcdef0123456789abcdef01234567",
    "github.head_ref || github.ref_name": "main",
    "github.run_number": given["number"] ?? "1",
    "github.event.pull_request.number": "7",
  };
  const outcomes: StepOutcome[] = [];
  for (const { run, env } of action.runs.steps) {
    const environment = Object.entries(env).map(([name, value]) => [
      name,
      filled(filled(value, values), values),
    ]);
    outcomes.push(
      await job.run(run, {
        ...(Object.fromEntries(environment) as Record<string, string>),
        ...GITHUB,
        GITHUB_STEP_SUMMARY: path.join(job.folder, "summary.md"),
        GITHUB_OUTPUT: path.join(job.folder, "outputs"),
      }),
    );
  }
  return outcomes;
}

test("on GitHub the first run of the main branch is checked against thresholds and becomes the baseline", async () => {
  const job = place.jobWith("first", 1);
  const [install, check, comment] = await runAction(job, { id: "first-1", isBase: "true" });
  expect([install, check, comment]).toMatchObject([
    { exitCode: 0 },
    { exitCode: 0 },
    { exitCode: 0 },
  ]);
  const tarball = path.join(job.folder, "tools/tachograph-0.1.0.tgz");
  expect(job.calls("npm")).toBe(`install --global --no-fund --no-audit ${tarball}\n`);
  expect(job.file("tachograph/check.xml")).toContain('tests="1" failures="0"');
  const written = job.file("tachograph/comment.md");
  expect(written).toContain(`[first-1](${place.settings.TACHOGRAPH_URL}/t/first-1)`);
  expect(written).toContain(
    "Not evaluated: `p95 grows > 10%`. No run has the tag `shop@main` yet.",
  );
  expect(job.file("summary.md")).toBe(written);
  expect(job.file("outputs")).toBe("id=first-1\n");
  expect(await place.idsTagged("shop@main")).toEqual(["first-1"]);
});

test("on GitHub a slower pull request fails, with a comment that says by how much", async () => {
  const job = place.jobWith("second", 2);
  const [, check, comment] = await runAction(job, { id: "second-1" });
  expect([check, comment]).toMatchObject([{ exitCode: 4 }, { exitCode: 0 }]);
  expect(job.calls("gh")).toMatch(
    /^api --paginate repos\/shop\/checkout\/issues\/7\/comments --jq .+\npr comment 7 --body-file tachograph\/comment.md\n$/,
  );
  // p95 of 20 to 29 ms is 29 ms, and twice that.
  expect(job.file("tachograph/comment.md")).toContain("29 ms → 58 ms (+100 %)");
  expect(job.file("tachograph/comment.md")).toMatch(/▲ slower.*`GET \/cart`/);
  expect(job.file("tachograph/comment.md")).toContain("\nThe thresholds above decide. ");
  expect(job.file("tachograph/check.xml")).toContain('tests="2" failures="1"');
  expect(await place.idsTagged("shop@main")).toEqual(["first-1"]);
  expect(await place.idsTagged("thresholds-failed")).toEqual(["second-1"]);
  const left = Object.values(action.outputs).filter(({ value }) => !value.includes("$"));
  expect(left.filter(({ value }) => job.file(value) === "")).toEqual([]);
});

test("on GitHub the runs of one test have one name, so that noise between them is measured", async () => {
  let written = "";
  for (const [turn, factor] of [1, 1.05, 0.95, 1.1, 1, 1.05, 1].entries()) {
    const job = place.jobWith(`turn-${turn}`, factor, "results.jtl", turn + 1);
    const given = { id: `turn-${turn}`, number: `${turn + 1}`, isBase: "true", tag: "turns" };
    const [install, check] = await runAction(job, given);
    expect([install?.exitCode, [0, 4].includes(check?.exitCode ?? 1)]).toEqual([0, true]);
    written = job.file("tachograph/compare.md");
  }
  expect(written).toMatch(/noise between runs is measured over \d+ earlier runs/);
  expect(await place.idsTagged("run=7")).toEqual(["turn-6"]);
  expect(await place.idsTagged("commit=0123456789abcdef0123456789abcdef01234567")).toHaveLength(9);
});

test("on GitHub a run gets an id for any event, and the last comment is updated", async () => {
  const job = place.jobWith("scheduled", 1);
  job.answer("gh", "5\n11");
  const [, check, comment] = await runAction(job, {});
  expect([check, comment]).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
  expect(job.file("outputs")).toBe("id=checkout-31-2-load\n");
  expect(job.file("tachograph/comment.md")).toMatch(/^<!-- tachograph -->\n/);
  expect(job.calls("gh")).toMatch(
    /\napi --silent --method PATCH repos\/shop\/checkout\/issues\/comments\/11 --field body=@tachograph\/comment.md\n$/,
  );
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
    const job = place.jobWith("third", 1);
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
      ...place.settings,
      TACHOGRAPH_PACKAGE: "tachograph@0.1.0",
      LOAD_TEST_FILES: "results.jtl",
      LOAD_TEST_LIMITS: LIMITS,
      LOAD_TEST_TAG: "shop@main",
      CI_PROJECT_PATH_SLUG: "shop-checkout",
      CI_JOB_ID: "31",
      CI_PROJECT_NAME: "checkout",
      CI_PROJECT_PATH: "shop/checkout",
      CI_PROJECT_ID: "5",
      // From a fork, where the branch of the merge request has the same name as the main one here.
      CI_COMMIT_REF_NAME: "main",
      CI_PIPELINE_IID: "12",
      CI_DEFAULT_BRANCH: "main",
      CI_MERGE_REQUEST_IID: "9",
      CI_API_V4_URL: `http://127.0.0.1:${(gitlab.address() as AddressInfo).port}/api/v4`,
      GITLAB_TOKEN: "secret",
    };
    const variables = Object.fromEntries(
      Object.entries(template.variables).map(([name, value]) => [name, expanded(value, given)]),
    );
    expect(variables["LOAD_TEST_TAG"]).toBe("shop/checkout@main");
    const environment = { ...variables, ...given };
    const outcome = await job.run(template.script.join("\n"), environment);
    expect(job.calls("npm")).toBe("install --global --no-fund --no-audit tachograph@0.1.0\n");
    expect(job.file(template.artifacts.reports.junit)).toContain('tests="2" failures="0"');
    const unposted = await job.run(template.script.join("\n"), {
      ...environment,
      LOAD_TEST_LIMITS: "p95 > 1ms",
      CI_API_V4_URL: "http://127.0.0.1:1",
    });
    gitlab.close();
    expect(unposted).toMatchObject({ exitCode: 4 });
    expect(outcome).toMatchObject({ exitCode: 0 });
    expect(posted).toMatchObject([
      { url: "/api/v4/projects/5/merge_requests/9/notes", token: "secret" },
    ]);
    const comment = new URLSearchParams(posted[0]?.body).get("body");
    expect(comment).toContain("shop-checkout-31");
    expect(comment).toContain("`first-1`");
    expect(await place.idsTagged("shop@main")).toEqual(["first-1"]);
  },
);

/** Expands nested variables like GitLab. */
function expanded(value: string, variables: Readonly<Record<string, string>>): string {
  return value.replaceAll(/\$([A-Z_0-9]+)/g, (whole, name: string) => variables[name] ?? whole);
}
