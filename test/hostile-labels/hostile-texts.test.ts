import { expect, test } from "vitest";
import { type MarkdownNode, parseMarkdown } from "../../page/src/description/markdown.ts";
import { checkDescription } from "../../src/model/load-test/description.ts";
import { createFakeProgram } from "../support/fake-program.ts";
import { loadTest } from "../support/load-tests.ts";
import { createTestServer } from "../support/test-server.ts";
import { HOSTILE_TEXTS, UNSEEN } from "./texts.ts";

const ELEMENTS = ["h3", "h4", "p", "ul", "ol", "li", "pre", "code", "em", "strong", "a"];

/** Of control characters, descriptions have line breaks and tabs. */
function isRefused(text: string): boolean {
  return /(?![\n\r\t])\p{Cc}/u.test(text);
}

test("there are a thousand, all different", () => {
  expect(new Set(HOSTILE_TEXTS)).toHaveLength(1000);
});

test("of a description, only known elements are made, and links lead to the web", () => {
  const wrong = (node: MarkdownNode): readonly string[] => {
    if (typeof node === "string") return [];
    const { tag, href, children, ...others } = node;
    const { protocol, username } = new URL(href ?? "https://x");
    const isFine =
      ELEMENTS.includes(tag) &&
      (tag === "a") === (href !== undefined) &&
      /^https?:$/.test(protocol) &&
      username === "" &&
      Object.keys(others).length === 0;
    return [...(isFine ? [] : [JSON.stringify(node)]), ...children.flatMap(wrong)];
  };
  for (const text of HOSTILE_TEXTS) expect(parseMarkdown(text).flatMap(wrong)).toEqual([]);
});

test("a terminal shows them without escapes, and refused descriptions say so without them", async () => {
  const world = await createTestServer();
  const program = createFakeProgram({ ...world.store, close: async () => {} });
  await world.store.loadTests.create({ ...loadTest("noted"), properties: { text: "=1+1" } });
  const addedEvents = HOSTILE_TEXTS.map((text, atMs) => ({
    atMs,
    text,
    endpoint: text,
    author: text,
  }));
  await world.store.loadTests.update("noted", { addedEvents });
  const listed = await program.run(["events", "list", "noted"]);
  expect(listed.out.trimEnd().split("\n")).toHaveLength(1001);
  expect(listed.out).not.toMatch(UNSEEN);
  for (const text of HOSTILE_TEXTS.filter(isRefused)) {
    expect(() => checkDescription(text)).toThrow(/^description: expected Markdown[^\p{Cc}]*$/u);
  }
  for (const text of HOSTILE_TEXTS.filter((each) => !isRefused(each))) {
    expect(checkDescription(text)).toBe(text);
  }
  for (const text of HOSTILE_TEXTS.filter((each, index) => !isRefused(each) && index % 25 === 0)) {
    await world.store.loadTests.update("noted", { description: text });
    const shown = await program.run(["tests", "show", "noted"]);
    expect(shown.out).not.toMatch(UNSEEN);
  }
});
