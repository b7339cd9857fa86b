import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { jmeterXml } from "./jmeter-xml.ts";

test("floods of references or levels cost neither much time nor memory", () => {
  const flood = `<testResults><sample t="1" ts="1795232610000" lb="a"><responseData>${"&#65;".repeat(2_000_000)}</responseData></sample></testResults>`;
  expect(decodeSource(jmeterXml, flood, [65_536]).samples).toHaveLength(1);
  const attribute = `<testResults><sample t="1" ts="1795232610000" lb="${"&#65;".repeat(2_000_000)}"/></testResults>`;
  expect(decodeSource(jmeterXml, attribute, [65_536]).rejections).toHaveLength(1);
  const levels = `<testResults>${"<a>".repeat(200_000)}`;
  expect(() => decodeSource(jmeterXml, levels, [65_536])).toThrow("64 deep");
});
