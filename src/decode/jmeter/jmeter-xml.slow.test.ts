import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { mutantsOf, outcomesOf } from "../../../test/support/mutants.ts";
import { jmeterXml } from "./jmeter-xml.ts";

const SEED = `<?xml version="1.0" encoding="UTF-8"?>
<testResults version="1.2">
<httpSample t="163" it="0" lt="0" ts="1795232610052" s="true" lb="Home &quot;x&quot;" by="663"/>
<sample t='5' ts='1795232610052' s='false' lb='商品&#xa;列表' by='9'>
  <!-- <sample t="1"/> -->
  <httpSample t="3" ts="1795232610053" s="true" lb="page" by="7">
    <responseData class="java.lang.String">&lt;p&gt;&#x0;</responseData>
    <samplerData><![CDATA[<b> & ]]></samplerData>
  </httpSample>
</sample>\r
<x.y.Sub><label>a&amp;<![CDATA[&b]]></label><startTime>1795232610052</startTime>
<elapsedTime>12</elapsedTime><success>true</success><bytes>0</bytes></x.y.Sub>
</testResults>
`;

test("no byte edit makes a source crash, hang or depend on the chunk size", () => {
  fc.assert(
    fc.property(mutantsOf(SEED), (mutant) => {
      const [whole, ...others] = outcomesOf(jmeterXml, mutant);
      for (const other of others) expect(other).toEqual(whole);
      for (const { line, byte, reason } of typeof whole === "object" ? whole.rejections : []) {
        const isText = reason.startsWith("text in place");
        expect(isText || mutant[byte] === 0x3c).toBe(true);
        expect(line).toBe(1 + mutant.subarray(0, byte).filter((each) => each === 0x0a).length);
      }
    }),
    { numRuns: 1000 },
  );
});

test("everything before a truncated sample is read", () => {
  const lines = Array.from({ length: 20 }, (_, index) => {
    return `<sample t="${index}" ts="1795232610052" s="true" lb="l${index % 3}" by="2"/>\n`;
  });
  const source = `<testResults>\n${lines.join("")}</testResults>`;
  fc.assert(
    fc.property(fc.integer({ min: 14, max: source.length - 1 }), (length) => {
      const { samples, rejections, truncatedAt } = decodeSource(jmeterXml, source.slice(0, length));
      const whole = source.slice(0, length).match(/\/>/g) ?? [];
      expect(samples).toHaveLength(whole.length);
      expect(rejections).toEqual([]);
      expect(truncatedAt).toBeDefined();
    }),
  );
});

test("floods of references or levels cost neither much time nor memory", () => {
  const flood = `<testResults><sample t="1" ts="1" lb="a"><responseData>${"&#65;".repeat(2_000_000)}</responseData></sample></testResults>`;
  expect(decodeSource(jmeterXml, flood, [65_536]).samples).toHaveLength(1);
  const attribute = `<testResults><sample t="1" ts="1" lb="${"&#65;".repeat(2_000_000)}"/></testResults>`;
  expect(decodeSource(jmeterXml, attribute, [65_536]).rejections).toHaveLength(1);
  const levels = `<testResults>${"<a>".repeat(200_000)}`;
  expect(() => decodeSource(jmeterXml, levels, [65_536])).toThrow("64 deep");
});
