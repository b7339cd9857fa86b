import * as fc from "fast-check";
import { SaxesParser } from "saxes";
import { expect, test } from "vitest";
import { addAttribute, addText } from "./xml-text.ts";

function decoded(add: typeof addText, written: string): string {
  const bytes = new TextEncoder().encode(`;${written};`);
  const target = { bytes: new Uint8Array(bytes.length), length: 0 };
  add(target, bytes, 1, bytes.length - 1);
  return new TextDecoder().decode(target.bytes.subarray(0, target.length));
}

test.each([
  ["plain 商品 🛒", "plain 商品 🛒"],
  ["&lt;&gt;&amp;&quot;&apos;", "<>&\"'"],
  ["&amp;lt;", "&lt;"],
  ["&#65;&#x41;&#x4e2D;&#128722;", "AA中🛒"],
  ["&#0065;&#x000000000041;", "AA"],
  ["a&#xa;b&#13;c&#9;d", "a\nb\rc\td"],
  // Invalid in XML, but written by JMeter.
  ["&#x0;&#x1b;&#xfffe;", "\u0000\u001b\ufffe"],
  ["&#xd83d;&#xde00;&#55357;&#56832;", "😀😀"],
  ["&#xdfff;&#xd800;&#x110000;&#99999999999999999999;", "\ufffd\ufffd\ufffd\ufffd"],
  ["&#xd83d;&#xd83d;&#xde00;&#xd83d;x&#xde00;", "\ufffd😀\ufffdx\ufffd"],
  ["&nbsp; &; &#; &#x; &#xg; &#1f; &a &", "&nbsp; &; &#; &#x; &#xg; &#1f; &a &"],
  ["&#65", "&#65"],
  ["&am", "&am"],
])("%j is read as %j", (written, text) => {
  expect(decoded(addAttribute, written)).toBe(text);
  expect(decoded(addText, written)).toBe(text);
});

test("raw line ends and tabs become blanks in an attribute, and line feeds in text", () => {
  expect(decoded(addAttribute, "a\nb\r\nc\rd\te")).toBe("a b c d e");
  expect(decoded(addText, "a\nb\r\nc\rd\te")).toBe("a\nb\nc\nd\te");
});

test("valid XML is read as another parser reads it", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "&lt;",
      "&amp;",
      "&quot;",
      "&#10;",
      "&#x9;",
      "&#x4e2d;",
      "\r\n",
      "\n",
      "\t",
      "é",
    ),
    fc.stringMatching(/^[a-z ;#>']{0,5}$/),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const written = pieces.join("");
      const parser = new SaxesParser();
      let attribute = "";
      let text = "";
      parser.on("opentag", (tag) => {
        attribute = tag.attributes["b"] ?? "";
      });
      parser.on("text", (some) => {
        text += some;
      });
      parser.write(`<a b="${written}">${written.replaceAll(">", "&gt;")}</a>`).close();
      expect(decoded(addAttribute, written)).toBe(attribute);
      expect(decoded(addText, written)).toBe(text);
    }),
  );
});
