import { expect, test } from "vitest";
import { readToolReport, reportDifferences } from "../samples/tool-report.ts";
import { FIXTURES, readFixture } from "../samples/fixtures.ts";
import { figuresOf } from "./answers.mjs";
import { readResults } from "./read-results.mjs";

const readings = new Map(FIXTURES.map(({ file }) => [file, readResults(readFixture(file))]));

// The reference reader is itself checked against what the tools reported.

test.each(FIXTURES)("the independent reader finds $recorded samples in $file", (expectation) => {
  const reading = readings.get(expectation.file);
  // A source without rows is refused, however its format is read.
  const hasRows = (reading?.samples.length ?? 0) + (reading?.rejected.length ?? 0) > 0;
  const ending = !hasRows ? "refused" : reading?.cut === true ? "cut" : "whole";
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

const reports = FIXTURES.flatMap(({ file, ending }) => {
  const report = ending === "refused" ? undefined : readToolReport(file);
  return report === undefined ? [] : [{ file, report }];
});

test.each(reports)("the independent reader agrees with the tool's report of $file", (each) => {
  const samples = Map.groupBy(readings.get(each.file)?.samples ?? [], ({ label }) => label);
  const figures = [...samples].map(([label, own]) => [label, figuresOf(own)] as const);
  expect(reportDifferences(each.report, new Map(figures))).toEqual([]);
});
