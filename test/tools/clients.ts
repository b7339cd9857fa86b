/**
 * Generates clients from the OpenAPI document with other people's generators, compiles them, and reads a run with each:
 *
 *     npm run task test:clients [-- --require]
 *
 * Exits with 1 if a client cannot be generated, compiled or used, or, with --require, if a generator cannot be installed.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { batchOf, sample } from "../support/batches.ts";
import { createTestServer } from "../support/test-server.ts";
import { installTool } from "./install.ts";
import { copyJars } from "./maven.ts";
import { runCommand } from "./run-command.ts";

const OPENAPI_GENERATOR = "7.15.0";
const PYTHON_CLIENT = "0.29.1";
const OPENAPI_TYPESCRIPT = "7.10.1";

/** Where a client is made, and what it reads with. */
interface Place {
  /** An empty folder. */
  readonly folder: string;
  readonly url: string;
  readonly key: string;
  /** Runs a command in the folder, or in one below it. Throws if it fails. */
  readonly run: (command: string, words: readonly string[], below?: string) => Promise<void>;
}

interface Generator {
  readonly name: string;
  readonly version: string;
  readonly install: (folder: string) => Promise<void>;
  /** Generates, compiles and uses a client: it must find the run `run` and its two requests. */
  readonly check: (tools: string, place: Place) => Promise<void>;
}

async function installVenv(folder: string, packages: readonly string[]): Promise<void> {
  const log = path.join(folder, "install.log");
  await runCommand("python3", ["-m", "venv", "venv"], { cwd: folder, log });
  await runCommand(
    path.join(folder, "venv/bin/python"),
    ["-m", "pip", "install", "--quiet", ...packages],
    { cwd: folder, log },
  );
}

const PYTHON_CALL = `
import sys
from tachograph_client import AuthenticatedClient
from tachograph_client.api.load_tests import export_load_test, get_summary, list_load_tests
client = AuthenticatedClient(sys.argv[1], token=sys.argv[2], prefix="", auth_header_name="X-Service-Auth")
assert [each.id for each in list_load_tests.sync(client=client).load_tests] == ["run"]
assert get_summary.sync("run", client=client).overall.count == 2
assert export_load_test.sync("run", client=client).payload.read(4) == b"PAR1"
`;

/** It knows no other type of bytes. */
const PYTHON_TYPES =
  "content_type_overrides: { application/vnd.apache.parquet: application/octet-stream }\n";

const pythonClient: Generator = {
  name: "openapi-python-client",
  version: PYTHON_CLIENT,
  install: (folder) => installVenv(folder, [`openapi-python-client==${PYTHON_CLIENT}`, "httpx"]),
  async check(tools, { folder, url, key, run }) {
    const python = path.join(tools, "venv/bin");
    writeFileSync(path.join(folder, "types.yaml"), PYTHON_TYPES);
    const words = [
      "generate",
      "--path",
      "openapi.json",
      "--output-path",
      "client",
      "--config",
      "types.yaml",
    ];
    await run(path.join(python, "python"), ["-m", "openapi_python_client", ...words]);
    writeFileSync(path.join(folder, "client/call.py"), PYTHON_CALL);
    await run(path.join(python, "python"), ["call.py", url, key], "client");
  },
};

const PYTHON_GENERATED_CALL = `
import sys
import openapi_client as generated
client = generated.ApiClient(generated.Configuration(host=sys.argv[1], api_key={"key": sys.argv[2]}))
tests = generated.LoadTestsApi(client)
assert [each.id for each in tests.list_load_tests().load_tests] == ["run"]
assert tests.get_summary("run").overall.count == 2
`;

const GO_CALL = `package main

import (
	"context"
	"os"

	client "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	settings := client.NewConfiguration()
	settings.Servers = client.ServerConfigurations{{URL: os.Args[1]}}
	keys := map[string]client.APIKey{"key": {Key: os.Args[2]}}
	called := context.WithValue(context.Background(), client.ContextAPIKeys, keys)
	api := client.NewAPIClient(settings).LoadTestsAPI
	tests, _, err := api.ListLoadTests(called).Execute()
	if err != nil || len(tests.LoadTests) != 1 || tests.LoadTests[0].Id != "run" {
		panic(err)
	}
	summary, _, err := api.GetSummary(called, "run").Execute()
	if err != nil || summary.Overall.Count != 2 {
		panic(err)
	}
}
`;

const JAVA_CALL = `
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.LoadTestsApi;
import org.openapitools.client.auth.ApiKeyAuth;

public class Call {
  public static void main(String[] words) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(words[0]);
    ((ApiKeyAuth) client.getAuthentication("key")).setApiKey(words[1]);
    LoadTestsApi tests = new LoadTestsApi(client);
    var list = tests.listLoadTests().execute().getLoadTests();
    if (list.size() != 1 || !list.get(0).getId().equals("run")) throw new Error(list.toString());
    var overall = tests.getSummary("run").execute().getOverall();
    if (overall.getCount() != 2) throw new Error(overall.toString());
  }
}
`;

const openapiGenerator: Generator = {
  name: "openapi-generator",
  version: OPENAPI_GENERATOR,
  async install(folder) {
    await copyJars(folder, [`org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`]);
    await installVenv(folder, [
      "lazy-imports",
      "pydantic",
      "python-dateutil",
      "urllib3",
      "typing-extensions",
    ]);
  },
  async check(tools, { folder, url, key, run }) {
    const generate = (language: string): Promise<void> =>
      run("java", [
        "-cp",
        path.join(tools, "lib/*"),
        "org.openapitools.codegen.OpenAPIGenerator",
        "generate",
        "-i",
        "openapi.json",
        "-g",
        language,
        "-o",
        language,
        ...(language === "java" ? ["--additional-properties=useSingleRequestParameter=true"] : []),
      ]);
    await generate("python");
    writeFileSync(path.join(folder, "python/call.py"), PYTHON_GENERATED_CALL);
    await run(path.join(tools, "venv/bin/python"), ["call.py", url, key], "python");
    await generate("go");
    mkdirSync(path.join(folder, "go/call"));
    writeFileSync(path.join(folder, "go/call/main.go"), GO_CALL);
    await run("go", ["run", "./call", url, key], "go");
    await generate("java");
    await run(
      "mvn",
      ["-q", "-B", "-DskipTests", "package", "dependency:copy-dependencies"],
      "java",
    );
    writeFileSync(path.join(folder, "java/Call.java"), JAVA_CALL);
    const classes = "target/classes:target/dependency/*";
    await run("java", ["-cp", classes, "Call.java", url, key], "java");
  },
};

const TYPESCRIPT_CALL = `
import type { components, paths } from "./openapi.ts";
type Summary = paths["/Api/LoadTests/{id}/Summary"]["get"]["responses"]["200"]["content"]["application/json"];
const [url, key] = process.argv.slice(2) as [string, string];
const response = await fetch(url + "/Api/LoadTests/run/Summary", { headers: { "X-Service-Auth": key } });
const summary = (await response.json()) as Summary;
const overall: components["schemas"]["Figures"] = summary.overall;
if (overall.count !== 2) throw new Error(JSON.stringify(overall));
`;

const openapiTypescript: Generator = {
  name: "openapi-typescript",
  version: OPENAPI_TYPESCRIPT,
  install: (folder) =>
    runCommand(
      "npm",
      ["install", "--prefix", folder, `openapi-typescript@${OPENAPI_TYPESCRIPT}`, "typescript@5.9"],
      { cwd: folder, log: path.join(folder, "install.log") },
    ),
  async check(tools, { folder, url, key, run }) {
    await run(path.join(tools, "node_modules/.bin/openapi-typescript"), [
      "openapi.json",
      "-o",
      "openapi.ts",
    ]);
    writeFileSync(path.join(folder, "call.ts"), TYPESCRIPT_CALL);
    writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
    const types = path.join(import.meta.dirname, "../../node_modules/@types");
    await run(path.join(import.meta.dirname, "../../node_modules/.bin/tsc"), [
      "--noEmit",
      "--strict",
      "--target",
      "es2024",
      "--module",
      "nodenext",
      "--types",
      "node",
      "--typeRoots",
      types,
      "--allowImportingTsExtensions",
      "--skipLibCheck",
      "call.ts",
    ]);
    await run(process.execPath, ["call.ts", url, key]);
  },
};

async function main(): Promise<number> {
  const world = await createTestServer();
  const url = await world.server.listen();
  const samples = [sample("a", 1_700_000_000), sample("a", 1_700_000_001)];
  await world.store.points.append(batchOf(samples));
  let failed = 0;
  for (const generator of [pythonClient, openapiGenerator, openapiTypescript]) {
    const name = `${generator.name} ${generator.version}`;
    const folder = mkdtempSync(path.join(tmpdir(), "tachograph-clients-"));
    try {
      const tools = await installTool(generator).catch((error: unknown) => {
        console.log(`SKIPPED  ${name}: it cannot be installed: ${String(error)}`);
      });
      if (tools === undefined) {
        failed += process.argv.includes("--require") ? 1 : 0;
        continue;
      }
      const document = await (await fetch(new URL("/openapi.json", url))).text();
      writeFileSync(path.join(folder, "openapi.json"), document);
      const log = path.join(folder, "log");
      await generator.check(tools, {
        folder,
        url: url.replace(/\/$/, ""),
        key: world.key,
        run: (command, words, below = ".") =>
          runCommand(command, words, { cwd: path.join(folder, below), log }),
      });
      console.log(`works    ${name}`);
    } catch (error) {
      console.log(`FAILED   ${name}: ${String(error)}`);
      failed += 1;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  await world.server.close();
  return failed === 0 ? 0 : 1;
}

process.exit(await main());
