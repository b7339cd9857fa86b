import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { readBatchHead } from "./batch-head.ts";
import { batchHead, decodeBatch, encodeBatch } from "./batch.ts";

function sent(...labels: readonly string[]): Uint8Array {
  return encodeBatch(batchOf(labels.map((label) => sample(label, 10))));
}

test("a list of labels that is sent again is the same list", () => {
  const { labels } = decodeBatch(sent("a", "b", "c"));
  const again = decodeBatch(sent("a", "b", "c"));
  expect(again.labels).toBe(labels);
});

test.each([
  ["another label between the same ends", ["a", "x", "c"]],
  ["fewer labels", ["a", "c"]],
  ["more labels", ["a", "b", "c", "d"]],
  ["another order", ["b", "a", "c"]],
])("%s is another list", (_, labels) => {
  decodeBatch(sent("a", "b", "c"));
  expect(decodeBatch(sent(...labels)).labels).toEqual(labels);
  expect(decodeBatch(sent("a", "b", "c")).labels).toEqual(["a", "b", "c"]);
});

test("a refused list is checked again", () => {
  const long = "x".repeat(1025);
  for (let time = 0; time < 2; time++) {
    expect(() => decodeBatch(sent("a", long, "c"))).toThrow("labels[1] of its head");
  }
});

test("a list is recognised after the memory of its body was used again", () => {
  const body = sent("a", "new", "c");
  const { labels } = decodeBatch(body);
  body.fill(0);
  expect(decodeBatch(sent("a", "new", "c")).labels).toBe(labels);
});

const HEAD = JSON.stringify(batchHead(batchOf([sample("é", 1), sample('],"b', 2)])));

test.each([
  ["as it is sent", HEAD],
  ["with spaces", HEAD.replace('"labels":[', '"labels" : [ ')],
  ["with labels in another member", HEAD.replace("{", '{"x":{"labels":["a"],"y":0},')],
  ["with labels in a text", HEAD.replace("{", String.raw`{"\"labels\":[1],\"":"\"labels\":[2],",`)],
  ["with labels twice", HEAD.replace(/\}$/, ',"labels":["z","y"],"x":0}')],
  ["with labels in the end", HEAD.replace(/\}$/, ',"labels":["z","y"]}')],
  ["with a label that ends like a list", HEAD.replace("é", "é],")],
  ["with a label like a list", HEAD.replace("é", String.raw`\"labels\":[0],\"`)],
])("the labels of a head %s are those of its JSON", (_, text) => {
  const want = (JSON.parse(text) as { labels: string[] }).labels;
  for (let time = 0; time < 2; time++) {
    expect(readBatchHead(Buffer.from(text), () => undefined).labels).toEqual(want);
  }
});

test.each([
  ["few large", [0, 1, 2, 0].map((blanks) => `[${" ".repeat(4 * 1024 * 1024 + blanks)}"x"]`)],
  ["very many small", [...Array.from({ length: 9000 }, (_, at) => `["${at}"]`), '["0"]']],
])("%s lists do not stay in memory for ever", (_, lists) => {
  const heads = lists.map((list) => HEAD.replace(/(?<="labels":)\[.*?\](?=,"kinds")/, list));
  const read = heads.map((head) => readBatchHead(Buffer.from(head), () => undefined).labels);
  expect(read.at(-1)).toEqual(read[0]);
  expect(read.at(-1)).not.toBe(read[0]);
});

test.each([
  ["only in another member", HEAD.replace('"labels":[', '"x":{"labels":[],"y":0},"x":['), "labels"],
  ["no list the second time", HEAD.replace(/\}$/, ',"labels":5}'), "labels of its head"],
  ["with a wrong one", HEAD.replace('"é"', "7"), String.raw`labels\[0\] of its head`],
  ["no JSON", HEAD.replace('"é"', '"é'), "no JSON object in UTF-8"],
  ["no UTF-8", HEAD.replace('"é"', '"\u00ff"'), "no JSON object in UTF-8"],
])("labels that are %s are refused", (_, text, message) => {
  const bytes = Buffer.from(text, text.includes("\u00ff") ? "latin1" : "utf8");
  for (let time = 0; time < 2; time++) {
    expect(() => readBatchHead(bytes, () => undefined)).toThrow(new RegExp(message));
  }
});

test.each(['["b","1","a","2"]', '["a b","1"]', '["a",""]', '["a","1"]\u0001["a","1"]'])(
  "facets that nobody could have written are refused: %j",
  (facets) => {
    expect(() => decodeBatch(sent("a", `b\u0001${facets}`, "c"))).toThrow(
      "labels[1] of its head: expected text of at most 1024 bytes, and behind U+0001 at most 8 facets",
    );
    expect(decodeBatch(sent("a", 'b\u0001["a","1","b","2"]', "c\u0001")).labels).toHaveLength(3);
  },
);
