import { expect, test } from "vitest";
import { differencesFromTool, readToolReport } from "../samples/tool-report.ts";
import { FIXTURES, readFixture } from "../samples/fixtures.ts";
import { figuresOf } from "./answers.mjs";
import { readResults } from "./read-results.mjs";

const readings = new Map(FIXTURES.map(({ file }) => [file, readResults(readFixture(file))]));

// The reader that judges the product is itself judged by what the tools reported.

test.each(FIXTURES)("the independent reader finds $recorded samples in $file", (expectation) => {
  const reading = readings.get(expectation.file);
  const ending = reading === undefined ? "refused" : reading.cut ? "cut" : "whole";
  expect({
    recorded: reading?.samples.length ?? 0,
    rejected: reading?.rejected.length ?? 0,
    ending,
  }).toEqual({
    recorded: expectation.recorded,
    rejected: expectation.rejected,
    ending: expectation.ending,
  });
});

const reports = FIXTURES.flatMap(({ file }) => {
  const { endpoints, recount, computedFromFile } = readToolReport(file) ?? { endpoints: null };
  return [
    { file, by: "the tool", figures: endpoints },
    { file, by: "a recount", figures: recount ?? computedFromFile?.endpoints },
  ].flatMap(({ figures, ...rest }) => (figures ? [{ ...rest, figures }] : []));
});

test.each(reports)("the independent reader agrees with $by about $file", ({ file, figures }) => {
  const samples = Map.groupBy(readings.get(file)?.samples ?? [], ({ label }) => label);
  const differences = Object.entries(figures).flatMap(([label, reported]) =>
    differencesFromTool(label, reported, figuresOf(samples.get(label) ?? [])),
  );
  expect(differences).toEqual([]);
});
