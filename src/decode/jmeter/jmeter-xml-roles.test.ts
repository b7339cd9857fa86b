import { describe, expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { jmeterXml } from "./jmeter-xml.ts";

const START_MS = 1_795_232_610_052;
const TRANSACTION = "Number of samples in transaction : 2, number of failing samples : 0";

const element = (label: string, inside = "", message = "OK", type = "text") =>
  `<httpSample t="5" ts="${START_MS}" s="true" lb="${label}" rm="${message}" dt="${type}">${inside}</httpSample>`;
const rolesIn = (elements: string) =>
  decodeSource(jmeterXml, `<testResults version="1.2">\n${elements}\n</testResults>`).roles;

const fields = (label: string) =>
  `<label>${label}</label><elapsedTime>5</elapsedTime><timeStamp>${START_MS}</timeStamp>`;

describe("XML", () => {
  test("a sample inside a request is a sub-result, at any depth", () => {
    const hops = element("Page-0", element("any label"));
    expect(rolesIn(element("Page", hops) + element("other"))).toEqual({
      Page: "request",
      "Page-0": "subresult",
      "any label": "subresult",
      other: "request",
    });
  });

  test("a sample inside a transaction is a request", () => {
    const inner = element("inner", element("c"), TRANSACTION, "");
    const elements = element("Buy", inner + element("a", element("a-0")), TRANSACTION, "");
    expect(rolesIn(elements)).toEqual({
      Buy: "transaction",
      inner: "transaction",
      c: "request",
      a: "request",
      "a-0": "subresult",
    });
  });

  test("an interrupted transaction joins the others of its label and leaves its samples unclear", () => {
    const whole = element("Buy", element("a"), TRANSACTION, "");
    const bare = element("Buy", element("a") + element("b"), "", "");
    const expected = { Buy: "transaction", a: "request", b: "unclear" };
    expect(rolesIn(whole + bare)).toEqual(expected);
    expect(rolesIn(bare + whole)).toEqual(expected);
  });

  test("samples that plug-ins write as elements have sub-results, too", () => {
    const inner = `<x.Inner>${fields("inner")}</x.Inner>`;
    const elements = `<x.Outer><subResults>${inner}</subResults>${fields("outer")}</x.Outer>`;
    expect(rolesIn(elements)).toEqual({ inner: "subresult", outer: "request" });
  });
});
