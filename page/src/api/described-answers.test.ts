/** What the page takes answers for is what the service describes; the compiler says so, with `tsc -p page`. */

import { expectTypeOf, test } from "vitest";
import type { Answer } from "../../../src/client/tachograph.ts";
import type { Distribution, LoadTestComparison } from "./comparison.ts";
import type { FailureKind, Finding, Heatmap, Series, Summary, Users } from "./figures.ts";
import type { AccessKey, MadeKey } from "./keys.ts";
import type { LoadTestDetail, LoadTestPage, TagCounts } from "./load-tests.ts";
import type { ImportReport } from "./upload.ts";

test("answers about load tests are what the page takes them for", () => {
  expectTypeOf<Answer<"listLoadTests">>().toExtend<LoadTestPage>();
  expectTypeOf<Answer<"getLoadTest">>().toExtend<LoadTestDetail>();
  expectTypeOf<Answer<"countTags">>().toExtend<TagCounts>();
  expectTypeOf<Answer<"uploadResults">>().toExtend<ImportReport>();
});

test("answers with figures are what the page takes them for", () => {
  expectTypeOf<Answer<"getSummary">>().toExtend<Summary>();
  expectTypeOf<Answer<"getPercentiles">>().toExtend<readonly Series[]>();
  expectTypeOf<Answer<"getHeatmap">>().toExtend<Heatmap>();
  expectTypeOf<Answer<"getFindings">>().toExtend<readonly Finding[]>();
  // Kinds have more where the page asks for it: their seconds, and how many endpoints have them.
  type Kind = Omit<FailureKind, "series" | "endpointCount" | "endpoints">;
  expectTypeOf<Answer<"getFailures">[number]["kinds"][number]>().toExtend<Kind>();
  expectTypeOf<Answer<"getUsers">>().toExtend<Users>();
  expectTypeOf<Answer<"compareLoadTests">>().toExtend<LoadTestComparison>();
  expectTypeOf<Answer<"getDistribution">>().toExtend<Distribution>();
});

test("answers about keys are what the page takes them for", () => {
  expectTypeOf<Answer<"getCurrentKey">>().toExtend<AccessKey>();
  expectTypeOf<Answer<"createKey">>().toExtend<MadeKey>();
});
