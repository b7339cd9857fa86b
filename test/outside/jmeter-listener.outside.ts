import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";

const LISTENER = path.join(import.meta.dirname, "../../integrations/jmeter");

/** Of the columns that JMeter saves by default. */
const SAVED = { label: 2, code: 3, message: 4, threadName: 5 };

test("JMeter's listener sends samples without texts as JMeter saves them", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "jmeter-listener-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(LISTENER, folder, { recursive: true });
  const run = (command: string, ...args: readonly string[]) =>
    execFileSync(command, args, { cwd: folder, encoding: "utf8" });
  run("mvn", "-q", "-B", "package", "dependency:build-classpath", "-Dmdep.outputFile=jars.txt");
  const jars = `target/tachograph-jmeter.jar:${readFileSync(path.join(folder, "jars.txt"), "utf8")}`;

  const program = path.join(import.meta.dirname, "AbsentTexts.java");
  const saved = run("java", "-cp", jars, program, "spool").trim().split("\n");

  const [file = ""] = globSync(path.join(folder, "spool/*/*/*.{open,lines}"));
  const sent = readFileSync(file, "utf8").trim().split("\n").slice(1);
  expect(saved).toHaveLength(5);
  expect(sent.map(texts)).toEqual(saved.map(columns));
}, 300_000);

function texts(line: string): (string | undefined)[] {
  return Object.keys(SAVED).map((name) => new RegExp(` .*\\b${name}="([^"]*)"`).exec(line)?.[1]);
}

function columns(line: string): (string | undefined)[] {
  return Object.values(SAVED).map((at) => line.split(",")[at]);
}
