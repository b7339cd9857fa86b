import { afterEach, expect, test, vi } from "vitest";
import { SERVER_LIMITS } from "../src/cli/command-context.ts";
import { DEFAULT_HTTP_SETTINGS } from "../src/http/settings.ts";
import { createFakeProgram } from "./support/fake-program.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("limits that are flags are numeric settings", () => {
  const numbers = Object.entries(DEFAULT_HTTP_SETTINGS).filter(
    ([, value]) => typeof value === "number",
  );
  expect(numbers.map(([name]) => name)).toEqual(expect.arrayContaining(Object.keys(SERVER_LIMITS)));
});

test.each(Object.keys(SERVER_LIMITS))("serve passes %s on", async (name) => {
  const program = createFakeProgram();
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  expect(await program.run(["serve", flag, "7"])).toMatchObject({ exitCode: 0 });
  expect(program.served).toMatchObject([{ http: { [name]: 7 } }]);
  const { exitCode, error } = await program.run(["serve", flag, "many"]);
  expect(exitCode).toBe(2);
  expect(error).toContain(flag);
});

test("serve passes the port of gRPC on, which is closed by default", async () => {
  const program = createFakeProgram();
  await program.run(["serve"]);
  await program.run(["serve", "--otlp-grpc-port", "4317"]);
  expect(program.served).toMatchObject([
    { http: { otlpGrpcPort: undefined } },
    { http: { otlpGrpcPort: 4317 } },
  ]);
});

test("config prints every setting with its value and its origin", async () => {
  vi.stubEnv("TACHOGRAPH_KEEP_ALIVE_MS", "5");
  const words = [
    "config",
    "--stall-ms",
    "60000",
    "--allowed-hosts",
    "a.org,b.org",
    "--keep-days=9",
  ];
  const { out } = await createFakeProgram().run(words);
  const rows = new Map(
    out.split("\n").map((line): [string, string[]] => {
      const [flag = "", ...cells] = line.split(/ {2,}/);
      return [flag, cells];
    }),
  );
  expect(rows.get("--stall-ms")?.slice(0, 2)).toEqual(["60000", "command line"]);
  expect(rows.get("--keep-alive-ms")?.slice(0, 2)).toEqual(["5", "environment"]);
  expect(rows.get("--uploads-max")?.slice(0, 2)).toEqual(["2", "default"]);
  expect(rows.get("--allowed-hosts")?.slice(0, 2)).toEqual(["a.org,b.org", "command line"]);
  expect(rows.get("--cors-origins")?.slice(0, 2)).toEqual(["none", "default"]);
  expect(rows.get("--base-path")?.slice(0, 2)).toEqual(["/", "default"]);
  expect(rows.get("--keep-days")?.slice(0, 2)).toEqual(["9", "command line"]);
  expect(rows.get("--keep-tests")?.slice(0, 2)).toEqual(["none", "default"]);
  expect(rows.get("--data")?.slice(0, 2)).toEqual(["/data/tachograph", "default"]);
});

test("config as JSON names each setting, its flag and its variable", async () => {
  const { out } = await createFakeProgram().run(["config", "--json"]);
  const settings = JSON.parse(out) as { name: string }[];
  const names = settings.map(({ name }) => name);
  for (const name of Object.keys(SERVER_LIMITS)) expect(names).toContain(name);
  expect(settings).toContainEqual({
    name: "uploadsMax",
    value: 2,
    from: "default",
    flag: "--uploads-max",
    variable: "TACHOGRAPH_UPLOADS_MAX",
    description: "uploads imported concurrently",
  });
});

test("config rejects what serve rejects", async () => {
  const { exitCode, error } = await createFakeProgram().run(["config", "--uploads-max", "0"]);
  expect(exitCode).toBe(2);
  expect(error).toContain("uploadsMax");
});

test("serve takes where to post failed thresholds, and config hides the secrets", async () => {
  const program = createFakeProgram();
  const words = ["--notify", "slack+https://a.example/token,https://b.example/", "--notify-secret"];
  words.push("hidden", "--public-url", "https://c.example");
  await program.run(["serve", ...words]);
  const targets = ["slack+https://a.example/token", "https://b.example/"];
  expect(program.served).toMatchObject([
    { notices: { targets, secret: "hidden", publicUrl: "https://c.example" } },
  ]);
  const { out } = await program.run(["config", ...words]);
  expect(out).toMatch(/^--notify +address 1,address 2 +command line/m);
  expect(out).toMatch(/^--notify-secret +set +command line/m);
  expect(out).not.toMatch(/token|hidden/);
});
