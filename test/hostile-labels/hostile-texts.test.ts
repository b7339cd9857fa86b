import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { type MarkdownNode, parseMarkdown } from "../../page/src/description/markdown.ts";
import { type Notice, noticeBody } from "../../src/analysis/thresholds/notice.ts";
import { checkFileName, safeFileName } from "../../src/model/kept-file.ts";
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

test("as names of files they are listed without escapes, and saved under harmless names", async () => {
  const world = await createTestServer();
  const program = createFakeProgram({ ...world.store, close: async () => {} });
  await world.store.loadTests.create(loadTest("kept"));
  for (const [at, text] of HOSTILE_TEXTS.entries()) {
    const name = checkFileName(text);
    const file = world.store.files.begin({ loadTestId: "kept", id: `f${at}`, name });
    await file.finish();
    const headers = { "x-service-auth": world.key };
    const url = `/Api/LoadTests/kept/Files/f${at}`;
    const answer = at % 10 === 0 ? await world.server.inject({ url, headers }) : undefined;
    const disposition = answer?.headers["content-disposition"] ?? "attachment;";
    expect(disposition).toMatch(/^attachment;[^\p{Cc}]*$/u);
    const safe = safeFileName({ name });
    expect(safe).not.toMatch(/[\p{Cc}\p{Cf}/\\<>:"|?*]|^[=+\-@.\s]/u);
    expect(safe).not.toBe("");
  }
  const listed = await program.run(["attachments", "list", "kept"]);
  expect(listed.out).not.toMatch(UNSEEN);
  expect(listed.out.match(/\bf\d+\b/g)?.length).toBeGreaterThanOrEqual(1000);
  // Lines are those of the table: no name begins one.
  expect(listed.out.trimEnd().split("\n").length).toBeLessThanOrEqual(1002);
});

test("a notice has them in one line each, without mentions, links or markup of Slack and Teams", () => {
  const measured = { unit: "seconds", bound: 1, measured: 2 } as const;
  const window = { from: 1, until: 11, requests: 2, failedRequests: 1 };
  for (const label of HOSTILE_TEXTS) {
    const endpoint = { label, requests: 1, failedRequests: 1, p95: null };
    const notice: Notice = {
      event: "thresholds-broken",
      id: "1",
      loadTest: { id: "run", name: label },
      address: undefined,
      thresholds: [{ ...measured, failIf: label, window, endpoints: [endpoint, endpoint] }],
      count: 1,
    };
    const { text } = JSON.parse(noticeBody("slack", notice)) as { text: string };
    expect(text.split("\n")).toHaveLength(2);
    expect(text).not.toMatch(UNSEEN);
    // Mentions, channels and links of Slack stand in angle brackets.
    expect(text).not.toMatch(/[<>]/);
    const blocks = textsOf(noticeBody("teams", notice));
    expect(blocks).toHaveLength(2);
    for (const block of blocks) {
      expect(block).not.toMatch(UNSEEN);
      expect(block).not.toMatch(/(?<!\\)[[\]<`*_]/);
    }
  }
});

function textsOf(body: string): readonly string[] {
  const card = JSON.parse(body) as {
    attachments: { content: { body: { text: string }[] } }[];
  };
  return card.attachments.flatMap(({ content }) => content.body.map(({ text }) => text));
}

test("as cells of CSV they are whole, and no formula of a spreadsheet", async () => {
  const world = await createTestServer();
  for (const [at, name] of HOSTILE_TEXTS.entries()) {
    const properties = { note: name };
    await world.store.loadTests.create({
      ...loadTest(`h${at}`),
      name,
      description: name,
      properties,
    });
  }
  const headers = { "x-service-auth": world.key, accept: "text/csv" };
  const answer = await world.server.inject({ url: "/Api/LoadTests", headers });
  const rows: Record<string, string>[] = parse(answer.body, { columns: true });
  const byId = new Map(rows.map((row) => [row["id"], row]));
  for (const [at, text] of HOSTILE_TEXTS.entries()) {
    const { name = "", description, properties = "" } = byId.get(`h${at}`) ?? {};
    // Apostrophes are added before formulas.
    expect(name.replaceAll("'", "")).toBe(text.replaceAll("'", ""));
    expect(description).toBe(name);
    for (const cell of [name, properties]) {
      expect(cell).not.toMatch(/^[\t\r]/);
      for (const part of cell.split(/[;\t\r\n]/)) expect(part).not.toMatch(/^"*[=+\-@]/);
    }
    expect(JSON.parse(properties)).toEqual({ note: text });
  }
});
