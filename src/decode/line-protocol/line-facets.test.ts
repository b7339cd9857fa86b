import { expect, test } from "vitest";
import { decodeSource, seriesOfSamples } from "../../../test/support/decode-source.ts";
import { partsOfSeries } from "../../model/series/facets.ts";
import type { FacetOptions } from "../decoder.ts";
import { lineProtocol } from "./line-protocol.ts";

const SECOND = 1_795_266_265;

function decode(line: string, facets?: FacetOptions) {
  return decodeSource(lineProtocol, `${line}\n`, [], { timeZone: "UTC", facets });
}

function facetsOf(line: string, facets?: FacetOptions): Readonly<Record<string, string>> {
  const [series = ""] = seriesOfSamples(decode(line, facets));
  return Object.fromEntries(partsOfSeries(series).facets);
}

const OWN = `tachograph,generator=load-1,region=eu label="a",elapsedMs=1,success=f,code="500",latencyMs=1,threadName="10.0.0.3:1099-Shop, users 1-12" ${SECOND}000`;
const RAW = `jmeter,status=ok,transaction=Home,site=north,threadName=Shop1-1 duration=3,ttfb=1,connectTime=0 ${SECOND}000000000`;
const PLUGIN = `requestsRaw,requestName=Home errorCount=0i,nodeName="n1",responseTime=35i,threadName="tg 1-1" ${SECOND}000000001`;

test("thread group, user class and host are facets, whichever integration sends them", () => {
  expect(facetsOf(OWN)).toEqual({ hostname: "load-1", threadGroup: "Shop, users" });
  expect(facetsOf(OWN.replace("threadName", 'hostname="vm",userClass'))).toMatchObject({
    hostname: "vm",
    userClass: "10.0.0.3:1099-Shop, users 1-12",
  });
  expect(facetsOf(PLUGIN)).toEqual({ hostname: "n1", threadGroup: "tg" });
});

test("any tag is a facet if it is named", () => {
  expect(facetsOf(OWN, { names: ["region"] })).toMatchObject({ region: "eu", hostname: "load-1" });
  expect(facetsOf(OWN, { names: ["region"], areOff: true })).toEqual({ region: "eu" });
  expect(facetsOf(RAW)).toEqual({});
  expect(facetsOf(RAW, { names: ["site"] })).toEqual({ site: "north" });
});

test("failures count in the series, roles and measures with the label", () => {
  const { failures, roles, measured, samples } = decode(OWN);
  expect(failures).toEqual([
    { label: "a", second: SECOND, kind: { code: "500", message: "" }, requests: 1 },
  ]);
  expect(samples).toMatchObject([{ label: "a", failedRequests: 1 }]);
  expect(roles).toEqual({ a: "request" });
  expect(measured?.all.filter(({ label }) => label !== undefined)).toMatchObject([
    { label: "a", name: "latency", sum: 1 },
  ]);
});
