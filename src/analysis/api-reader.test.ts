import { expect, test } from "vitest";
import type { Api } from "../client/api.ts";
import { FINDINGS } from "../api/findings.ts";
import { differenceFrom } from "../api/schema.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import { askFindings, openApiReader } from "./api-reader.ts";

const WHOLE = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };

const read = (findings: unknown) =>
  askFindings({ ask: async () => findings } as Partial<Api> as Api, WHOLE);

const NOTHING = { incidents: [], quality: [] };
const STEP = { kind: "step", at: 9, p95Before: 0.1, p95After: 0.250001, endpoints: [] };
const INCIDENT = { kind: "incident", from: 9, until: 308, findings: [STEP], causes: [] };

test.each([[[]], [[{ kind: "of a later version", at: "x" }]]])(
  "%j holds no known finding",
  async (findings) => {
    expect(differenceFrom(FINDINGS, findings, "")).toBeUndefined();
    expect(await read(findings)).toEqual(NOTHING);
  },
);

test("what is unknown comes with the findings", async () => {
  const remark = { code: "truncated", message: "m" };
  expect(await read([{ kind: "quality", ...remark }])).toEqual({
    ...NOTHING,
    quality: [remark],
  });
});

test("more percentiles than a request may have are asked for in several", async () => {
  const asked: unknown[] = [];
  const ask = async (_: string, { percent = "" }: { readonly percent?: string }) => {
    asked.push(percent);
    const percentiles = Object.fromEntries(percent.split(",").map((each) => [`p${each}`, [+each]]));
    return [{ label: "home", labels: [7], percentiles }];
  };
  const percents = Array.from({ length: 12 }, (_, index) => index + 80);
  const about = { range: { from: 0, until: 9 }, windowSeconds: 2, isMerged: false, percents };
  const reader = openApiReader({ ask } as unknown as Api);
  const [series] = await reader.windows({ ...WHOLE, ...about });
  expect(asked).toEqual(["80,81,82,83,84,85,86,87,88,89", "90,91"]);
  const wanted = Object.fromEntries(percents.map((each) => [`p${each}`, [each]]));
  expect(series?.percentiles).toEqual(wanted);
});

test("an incident is found among them, without what is unknown", async () => {
  expect(await read([INCIDENT])).toEqual({ ...NOTHING, incidents: [INCIDENT] });
  const later = { ...INCIDENT, findings: [STEP, { kind: "of a later version" }] };
  expect(await read([later])).toEqual({ ...NOTHING, incidents: [INCIDENT] });
});

test.each([
  [{}, "expected an array, got {}"],
  [[INCIDENT, {}], "[1].kind: expected a string, got nothing"],
  [
    [{ ...INCIDENT, findings: [STEP, { kind: "burst" }] }],
    "[0].findings[1].from: expected a whole number from 0 to 4294967295, got nothing",
  ],
  [
    [{ ...INCIDENT, findings: [{ ...STEP, endpoints: [{}] }] }],
    "[0].findings[0].endpoints[0].hash: expected a string, got nothing",
  ],
  [[{ kind: "quality", code: "x", message: "" }], "[0].code: expected one of untimed-requests, "],
])("%j is not understood", (findings, difference) => {
  expect(differenceFrom(FINDINGS, findings, "")).toContain(difference);
});
