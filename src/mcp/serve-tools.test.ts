import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { serveTools } from "./serve-tools.ts";

const open = () => Promise.reject(new Error("nothing is asked"));

function serving() {
  const input = new PassThrough();
  const warnings: string[] = [];
  const ended = serveTools(open, {
    input,
    output: new PassThrough(),
    version: "1",
    warn: (message) => void warnings.push(message),
    interrupted: new AbortController().signal,
  });
  return { input, warnings, ended };
}

test("serving ends with the input", async () => {
  const { input, ended } = serving();
  input.end();
  await expect(ended).resolves.toBeUndefined();
});

test("a message that is too long ends with an error", async () => {
  const { input, ended } = serving();
  input.write("x".repeat(11 * 2 ** 20));
  await expect(ended).rejects.toThrow("a message of more than 10 MiB");
});
