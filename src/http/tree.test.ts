import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestServer, type TestServer } from "../../test/support/test-server.ts";
import { recording } from "../../test/support/recording.ts";

let world: TestServer;
let key: string;

beforeAll(async () => {
  world = await createTestServer();
  key = await world.makeKey("read", "write");
  await upload("gatling", "gatling-text/gen-gatling-3.12.0.simulation.log");
  await upload("jmeter", "jmeter-xml/gen-jmeter-5.6.3-default.jtl");
});
afterAll(() => world.server.close());

async function upload(run: string, file: string): Promise<void> {
  const sent = await world.ask(`/Api/LoadTests/${run}/Results`, {
    method: "POST",
    key,
    payload: recording(`${file}.gz`),
  });
  expect(sent.statusCode).toBe(201);
}

interface Row {
  readonly label: string;
  readonly count: number;
  readonly errCount: number;
  readonly avgLoadTime: number;
  readonly role?: string;
  readonly parent?: string;
}

interface Summary {
  readonly overall: Row;
  readonly endpoints: readonly Row[];
  readonly parents?: readonly Row[];
}

async function read(path_: string) {
  const url = `/Api/LoadTests/${path_}`;
  const answer = await world.ask(url, { key });
  return { status: answer.statusCode, ...answer.json<Summary & { detail?: string }>() };
}

interface Reported {
  readonly count: number;
  readonly errors: number;
  readonly avgMs: number;
}

function reportOf(file: string): Readonly<Record<string, Reported>> {
  const text = recording(`${file}.expected.json`).toString();
  return (JSON.parse(text) as { endpoints: Record<string, Reported> }).endpoints;
}

test("groups are parents of their requests, with all of them together", async () => {
  const { overall, endpoints, parents = [] } = await read("gatling/Summary?by=group&tree=true");
  const reported = Object.entries(reportOf("gatling-text/gen-gatling-3.12.0"));
  const groups = ["Checkout  flow", "Checkout  flow / Inner «группа»", "G1"];
  const want = groups.map((group) => {
    const inside = reported.filter(
      ([label]) => groups.findLast((each) => label.startsWith(`${each} / `)) === group,
    );
    const sum = (name: "count" | "errors") =>
      inside.reduce((total, [, figures]) => total + figures[name], 0);
    return [group, sum("count"), sum("errors")];
  });
  expect(parents.map(({ label, count, errCount }) => [label, count, errCount])).toEqual(want);
  for (const { label, count } of parents) {
    const children = endpoints.filter(({ parent }) => parent === label);
    expect(children.reduce((sum, each) => sum + each.count, 0)).toBe(count);
  }
  const others = endpoints.filter(({ parent }) => parent === undefined);
  const all = [...parents, ...others].reduce((sum, { count }) => sum + count, 0);
  expect(all).toBe(overall.count);
  expect(overall).toEqual((await read("gatling/Summary")).overall);
});

// In the XML, by Python's ElementTree: 58 samples of this transaction, each with one of these two. Another was interrupted.
test("a transaction has its own figures, and its requests below", async () => {
  const name = "TC parent «покупка»";
  const { endpoints, parents } = await read("jmeter/Summary?by=transaction&tree=true");
  const reported = reportOf("jmeter-xml/gen-jmeter-5.6.3-default")[name];
  expect(parents).toMatchObject([
    {
      label: name,
      role: "transaction",
      count: reported?.count,
      errCount: reported?.errors,
      avgLoadTime: expect.closeTo((reported?.avgMs ?? 0) / 1000, 3),
    },
  ]);
  const inside = endpoints.filter(({ parent, role }) => parent === name && role === undefined);
  expect(inside.map(({ label, count }) => [label, count])).toEqual([
    [`${name} › Old, followed`, 58],
    [`${name} › Ünïcode`, 58],
  ]);
  // Not once more beside them; the transaction without members is.
  const transactions = endpoints.filter(({ role }) => role === "transaction");
  expect(transactions.map(({ label, count }) => [label, count])).toEqual([
    ["(none) › TC no parent, cart", 59],
  ]);
});

// As many as in JMeter's report.
test("transactions alone count on request", async () => {
  const whole = await read("jmeter/Summary");
  const { overall, endpoints } = await read("jmeter/Summary?count=transactions");
  expect(endpoints.map(({ label, count }) => [label, count])).toEqual([
    ["TC no parent, cart", 59],
    ["TC parent «покупка»", 59],
  ]);
  expect(overall.count).toBe(118);
  expect(endpoints).toEqual(whole.endpoints.filter(({ role }) => role === "transaction"));
  expect((await read("gatling/Summary?count=transactions")).overall.count).toBe(0);
});

test("a tree is split by one facet", async () => {
  for (const query of ["tree=true", "tree=true&by=group,scenario"]) {
    const { status, detail } = await read(`gatling/Summary?${query}`);
    expect([status, detail]).toEqual([400, "tree: expected one facet in by"]);
  }
});
