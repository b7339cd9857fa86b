import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sample } from "../../test/support/batches.ts";
import { createTestServer } from "../../test/support/test-server.ts";

const world = await createTestServer({
  samples: [sample("a", 1_700_000_000)],
  settings: { attachmentBytesMax: 1000, attachmentsMax: 3, keptFileBytesMax: 200 },
});
const writer = await world.makeKey("read", "write");
const FILES = "/Api/LoadTests/run/Files";

function ask(url: string, { key = writer, ...request }: Asked = {}) {
  const { headers, ...others } = request;
  const all = { "x-service-auth": key, ...headers };
  return world.server.inject({ method: "GET", url, headers: all, ...others });
}

interface Asked {
  readonly key?: string;
  readonly method?: "GET" | "POST" | "DELETE" | "HEAD";
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: Buffer;
}

async function attach(name: string, payload = Buffer.from("bytes")): Promise<{ id: string }> {
  const answer = await ask(`${FILES}?${new URLSearchParams({ name })}`, {
    method: "POST",
    payload,
  });
  expect(answer.statusCode).toBe(201);
  return answer.json();
}

function post(name: string, payload: Buffer) {
  return ask(`${FILES}?name=${name}`, { method: "POST", payload });
}

async function makeLink(payload: object): Promise<string> {
  const url = "/Api/Links";
  const answer = await world.ask(url, { method: "POST", key: writer, payload });
  return answer.json().key;
}

function rows(count: number): Buffer {
  const row = "1700000000000,5,b,true\n";
  return Buffer.from(`timeStamp,elapsed,label,success\n${row.repeat(count)}`);
}

function remove(id: string) {
  return ask(`${FILES}/${id}`, { method: "DELETE" });
}

test("an attachment is listed, downloaded byte for byte, in part or not again, and removed", async () => {
  const bytes = Buffer.from(Uint8Array.from({ length: 999 }, (_, at) => at % 251));
  const { id } = await attach("a.bin", bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  expect((await ask(FILES)).json()).toMatchObject({
    files: [{ id, name: "a.bin", kind: "attachment", sizeBytes: 999, sha256 }],
  });
  const whole = await ask(`${FILES}/${id}`, { headers: { "accept-encoding": "gzip" } });
  expect(whole.rawPayload.equals(bytes)).toBe(true);
  expect(whole.headers).toMatchObject({ "content-length": "999", "accept-ranges": "bytes" });
  const tag = String(whole.headers["etag"]);
  const known = await ask(`${FILES}/${id}`, { headers: { "if-none-match": tag } });
  expect(known.statusCode).toBe(304);
  for (const [range, from, until] of [
    ["bytes=10-19", 10, 20],
    ["bytes=990-", 990, 999],
    ["bytes=-9", 990, 999],
    ["bytes=0-5000", 0, 999],
  ] as const) {
    const part = await ask(`${FILES}/${id}`, { headers: { range, "if-range": tag } });
    expect(part.statusCode).toBe(206);
    expect(part.rawPayload.equals(bytes.subarray(from, until))).toBe(true);
    expect(part.headers["content-range"]).toBe(`bytes ${from}-${until - 1}/999`);
  }
  for (const headers of [
    { range: "bytes=0-1,5-6" },
    { range: "bytes=999-" },
    { range: "lines=1-2" },
    { range: "bytes=0-1", "if-range": '"other"' },
  ]) {
    const all = await ask(`${FILES}/${id}`, { headers });
    expect([all.statusCode, all.rawPayload.length]).toEqual([200, 999]);
  }
  // RFC 9110, 14.2: a range is one of GET alone.
  const head = await ask(`${FILES}/${id}`, { method: "HEAD", headers: { range: "bytes=0-1" } });
  expect([head.statusCode, head.headers["content-length"]]).toEqual([200, "999"]);
  expect((await remove(id)).statusCode).toBe(204);
  expect((await remove(id)).statusCode).toBe(204);
  expect((await ask(`${FILES}/${id}`)).json()).toMatchObject({
    type: "urn:tachograph:error:unknown-file",
  });
});

/** A name, and the file name that a browser saves it under. */
test.each([
  ["../../etc/passwd", "passwd"],
  [String.raw`C:\fakepath\x.html`, "x.html"],
  ['a".html', "a_.html"],
  ["a\r\nSet-Cookie: x=1", "a__Set-Cookie_ x=1"],
  ["\u202Egpj.exe", "_gpj.exe"],
  ["\u001B]0;x\u0007.svg", "_]0;x_.svg"],
  ["=cmd|'/c calc'!A1", "c calc'!A1"],
  ["=1+1", "_1+1"],
  ["a.exe. .", "a.exe"],
  [".bashrc", "_bashrc"],
  ["..", "file"],
  ["/", "file"],
  ["Ergebnisse für Süd.jtl", "Ergebnisse für Süd.jtl"],
  ["结果.jtl", "结果.jtl"],
])("a download is never shown, and its name is harmless: %j", async (name, expected) => {
  const { id } = await attach(name, Buffer.from("<script>alert(1)</script>"));
  const answer = await ask(`${FILES}/${id}`);
  const { headers } = answer;
  expect(headers).toMatchObject({
    "content-type": "application/octet-stream",
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
  });
  const [, plain = "", encoded = ""] =
    /^attachment; filename="([ !#-[\]-~]*)"; filename\*=UTF-8''([A-Za-z0-9.%_~-]*)$/.exec(
      String(headers["content-disposition"]),
    ) ?? [];
  expect(decodeURIComponent(encoded)).toBe(expected);
  expect(plain).toHaveLength(Array.from(expected).length);
  expect((await ask(FILES)).json().files[0].name).toBe(name);
  await remove(id);
});

test("limits of attachments are kept: bytes, announced or not, and their number", async () => {
  const tooLarge = await post("a", Buffer.alloc(1001));
  expect([tooLarge.statusCode, tooLarge.json().type]).toEqual([
    422,
    "urn:tachograph:error:file-too-large",
  ]);
  const ids = [];
  for (const name of ["a", "b", "c"]) ids.push((await attach(name)).id);
  const fourth = await post("d", Buffer.from("x"));
  expect([fourth.statusCode, fourth.json().type]).toEqual([
    422,
    "urn:tachograph:error:too-many-files",
  ]);
  for (const id of ids) await remove(id);
});

test("who may only read attaches and removes nothing, and who has no key sees nothing", async () => {
  const { id } = await attach("a");
  const payload = Buffer.from("x");
  const refused = await ask(`${FILES}?name=b`, { key: world.key, method: "POST", payload });
  expect(refused.statusCode).toBe(403);
  const kept = await ask(`${FILES}/${id}`, { key: world.key, method: "DELETE" });
  expect(kept.statusCode).toBe(403);
  expect((await ask(`${FILES}/${id}`, { key: world.key })).statusCode).toBe(200);
  expect((await world.server.inject(`${FILES}/${id}`)).statusCode).toBe(401);
  await remove(id);
});

test("a link shows files only if it was made so", async () => {
  const { id } = await attach("a");
  const without = await makeLink({ name: "without", loadTestId: "run" });
  const withFiles = await makeLink({ name: "with", loadTestId: "run", files: true });
  expect((await ask(FILES, { key: without })).json()).toEqual({ files: [] });
  expect((await ask(`${FILES}/${id}`, { key: without })).statusCode).toBe(404);
  expect((await ask(FILES, { key: withFiles })).json().files).toHaveLength(1);
  expect((await ask(`${FILES}/${id}`, { key: withFiles })).body).toBe("bytes");
  const payload = Buffer.from("x");
  for (const key of [without, withFiles]) {
    const refused = await ask(`${FILES}?name=b`, { key, method: "POST", payload });
    expect([403, 404]).toContain(refused.statusCode);
  }
  await remove(id);
});

test("an uploaded result file is kept as it was sent, up to a limit", async () => {
  const upload = (payload: Buffer) =>
    ask("/Api/LoadTests/run/Results?file=b.jtl&keepFile=true", { method: "POST", payload });
  const payload = rows(3);
  const { original } = (await upload(payload)).json();
  expect(original).toMatchObject({ sizeBytes: payload.length });
  const { files } = (await ask(FILES)).json();
  expect(files).toMatchObject([{ id: original.id, name: "b.jtl", kind: "original" }]);
  expect((await ask(`${FILES}/${original.id}`)).rawPayload.equals(payload)).toBe(true);
  const tooLarge = await upload(rows(20));
  expect([tooLarge.statusCode, tooLarge.json().type]).toEqual([
    422,
    "urn:tachograph:error:file-too-large",
  ]);
});
