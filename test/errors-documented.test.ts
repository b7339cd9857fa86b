import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import {
  HTTP_ERROR_CATALOGUE,
  type HttpErrorCode,
  statusAndTitle,
} from "../src/http/response/http-error.ts";
import { ERROR_CATALOGUE, type ErrorCode } from "../src/model/errors.ts";

const text = readFileSync(path.join(import.meta.dirname, "../docs/errors.md"), "utf8");
const sections = new Map(
  text
    .split(/^### /m)
    .slice(1)
    .map((section) => [section.split("\n", 1)[0] ?? "", section]),
);
const codes = [...Object.keys(HTTP_ERROR_CATALOGUE), ...Object.keys(ERROR_CATALOGUE)];

test("docs/errors.md explains every error code exactly once, and no other", () => {
  expect([...sections.keys()].toSorted((a, b) => a.localeCompare(b))).toEqual(
    codes.toSorted((a, b) => a.localeCompare(b)),
  );
});

test.each(codes)("%s has a status, a cause and a remedy", (code) => {
  const { status } = statusAndTitle(code as ErrorCode | HttpErrorCode);
  const section = sections.get(code) ?? "";
  expect(section).toMatch(new RegExp(`^Status ${status}[.,]`, "m"));
  expect(section).toMatch(/^- (?!Cure: )\S/m);
  expect(section).toMatch(/^- Cure: \S/m);
});
