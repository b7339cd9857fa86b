import { text } from "node:stream/consumers";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { findRemoteFiles } from "./find-remote-files.ts";

const KEYS = [
  "nightly/a b+c.jtl",
  "nightly/deep/d.jtl",
  "nightly/e.csv",
  "nightly/folder/",
  "nightly/x&y.jtl",
];

const SPECIAL_LISTS: Record<
  string,
  { readonly head: [number, Record<string, string>]; readonly body: string }
> = {
  "/plain/": {
    head: [200, {}],
    body: "<ListBucketResult><Key>a+b%20.jtl</Key></ListBucketResult>",
  },
  "/dots/": {
    head: [200, {}],
    body: "<ListBucketResult><Key>a/../b.jtl</Key></ListBucketResult>",
  },
  "/page/": { head: [200, {}], body: "<html><title>Sign in</title></html>" },
  "/cut/": { head: [200, {}], body: "<ListBucketResult><Key>a.jtl</Key>" },
  "/endless/": {
    head: [200, {}],
    body: "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
  },
  "/garbled/": {
    head: [200, {}],
    body: "<ListBucketResult><EncodingType>url</EncodingType><Key>%zz.jtl</Key></ListBucketResult>",
  },
  "/same/": {
    head: [200, {}],
    body: "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>1</NextContinuationToken></ListBucketResult>",
  },
  "/long/": {
    head: [200, {}],
    body: `<ListBucketResult><Key>a.jtl</Key>${" ".repeat(33 * 2 ** 20)}</ListBucketResult>`,
  },
  "/dashes/": {
    head: [200, {}],
    body: `<ListBucketResult><Key>${"-".repeat(200_000)}</Key></ListBucketResult>`,
  },
  "/elsewhere/": {
    head: [301, { "x-amz-bucket-region": "eu-west-1" }],
    body: "<Error><Code>PermanentRedirect</Code><Message>Use the endpoint</Message></Error>",
  },
};

/** Keys in each page of lists without an end. */
const EVER_LONGER: Readonly<Record<string, number>> = { "/ever/": 0, "/many/": 60_000 };

let server: Server;
let endpoint = "";
let requests: { readonly path: string; readonly authorization: string | undefined }[] = [];

/** An S3 server with two keys per page. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://s3");
    requests.push({ path: request.url ?? "", authorization: request.headers.authorization });
    if (url.pathname === "/denied/") {
      response
        .writeHead(403)
        .end("<Error><Code>AccessDenied</Code><Message>No &amp; no</Message></Error>");
      return;
    }
    const special = SPECIAL_LISTS[url.pathname];
    if (special !== undefined) {
      response.writeHead(...special.head).end(special.body);
      return;
    }
    const keys = EVER_LONGER[url.pathname];
    if (keys !== undefined) {
      const next = `<IsTruncated>true</IsTruncated><NextContinuationToken>${requests.length}</NextContinuationToken>`;
      response.end(
        `<ListBucketResult>${"<Key>logs/a.jtl</Key>".repeat(keys)}${next}</ListBucketResult>`,
      );
      return;
    }
    if (url.searchParams.get("list-type") !== "2") {
      response.end(`object ${decodeURIComponent(url.pathname)}`);
      return;
    }
    const matching = KEYS.filter((key) => key.startsWith(url.searchParams.get("prefix") ?? ""));
    const from = Number(url.searchParams.get("continuation-token") ?? 0);
    const page = matching.slice(from, from + 2);
    const contents = page.map((key) => {
      const encoded = encodeURIComponent(key).replaceAll("%20", "+").replaceAll("%2F", "/");
      return `<Contents><Key>${encoded}</Key><Size>1</Size></Contents>`;
    });
    const next =
      from + 2 < matching.length
        ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${from + 2}</NextContinuationToken>`
        : "";
    response.end(
      `<?xml version="1.0"?><ListBucketResult><EncodingType>url</EncodingType>${contents.join("")}${next}</ListBucketResult>`,
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => void server.close());

beforeEach(() => {
  requests = [];
});

async function find(address: string, more: Record<string, string> = {}) {
  return findRemoteFiles(address, {
    environment: {
      AWS_ACCESS_KEY_ID: "AKID",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_REGION: "eu-central-1",
      AWS_ENDPOINT_URL_S3: `${endpoint}/`,
      ...more,
    },
    home: "/nowhere",
    interrupted: new AbortController().signal,
    now: () => 0,
    clockMs: () => 0,
    wait: async () => undefined,
    warn: () => undefined,
  });
}

test.each([
  ["s3://bucket/nightly/*.jtl", ["nightly/a b+c.jtl", "nightly/x&y.jtl"]],
  ["s3://bucket/nightly/**.jtl", ["nightly/a b+c.jtl", "nightly/deep/d.jtl", "nightly/x&y.jtl"]],
  ["s3://bucket/nightly/", KEYS.filter((key) => key !== "nightly/folder/")],
  ["s3://bucket/*/e.csv", ["nightly/e.csv"]],
])("%s lists the matching objects, by key", async (address, keys) => {
  const found = await find(address);
  expect(found.map(({ name }) => name)).toEqual(keys.map((key) => `s3://bucket/${key}`));
});

test("an object is read by a signed request with an encoded key", async () => {
  const [file] = await find("s3://bucket/nightly/a b+c (1)'!.jtl", {
    AWS_SESSION_TOKEN: "session",
  });
  if (file === undefined) throw new Error("no file");
  expect(await text((await file.open()).chunks)).toBe("object /bucket/nightly/a b+c (1)'!.jtl");
  expect(requests).toHaveLength(1);
  expect(requests[0]?.path).toBe("/bucket/nightly/a%20b%2Bc%20%281%29%27%21.jtl");
  expect(requests[0]?.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-central-1\/s3\/aws4_request, SignedHeaders=\S*host;\S*x-amz-security-token, Signature=[0-9a-f]{64}$/,
  );
});

test("errors name the address and the reason given by the server", async () => {
  await expect(find("s3://denied/*")).rejects.toMatchObject({
    code: "unreadable-source",
    message: 'cannot read "s3://denied/": the server responded 403 AccessDenied: No & no',
  });
  await expect(find("s3://bucket/nothing/*")).rejects.toThrow(
    'cannot read "s3://bucket/nothing/*": no object matches',
  );
});

test("keys are decoded only if the server encoded them", async () => {
  const [file] = await find("s3://plain/*");
  expect(file?.name).toBe("s3://plain/a+b%20.jtl");
});

test.each(["page", "cut", "endless", "garbled", "same", "long"])(
  "a wrong list is an error: %s",
  async (bucket) => {
    await expect(find(`s3://${bucket}/*`)).rejects.toThrow(
      "the server did not send a list of objects: check AWS_ENDPOINT_URL_S3",
    );
  },
);

test.each([
  ["s3://ever/logs/*", "its list has more than 2000 pages: give a longer prefix"],
  ["s3://many/logs/**", "more than 100000 objects match: give a longer prefix"],
])("a list without an end is an error: %s", async (address, why) => {
  await expect(find(address)).rejects.toThrow(`cannot read "${address}": ${why}`);
});

test("the error about a bucket in another region names that region", async () => {
  await expect(find("s3://elsewhere/*")).rejects.toThrow(
    "the server responded 301 PermanentRedirect: Use the endpoint: set AWS_REGION=eu-west-1",
  );
});

test.each(["s3://bucket/a/../b.jtl", "s3://dots/a/**"])(
  "a key that would lead to another object is refused: %s",
  async (address) => {
    await expect(find(address)).rejects.toThrow(
      /^cannot read "s3:.*a\/\.\.\/b\.jtl": .* "\." or "\.\."/,
    );
  },
);

test("empty variables count as not set, and the scheme is case-insensitive", async () => {
  const [file] = await find("S3://bucket/nightly/e.csv", {
    AWS_ENDPOINT_URL: "http://127.0.0.1:1",
    AWS_SESSION_TOKEN: "",
    AWS_PROFILE: "",
  });
  if (file === undefined) throw new Error("no file");
  expect(await text((await file.open()).chunks)).toBe("object /bucket/nightly/e.csv");
  expect(requests[0]?.authorization).not.toContain("x-amz-security-token");
});

test("patterns are not looked for in keys longer than those of S3", async () => {
  const beganMs = performance.now();
  await expect(find("s3://dashes/*-*.jtl")).rejects.toThrow(/not send a list/);
  expect(performance.now() - beganMs).toBeLessThan(5000);
});

test.each(["s3://bucket", "s3://bucket/", "s3:///key", "s3://Bucket_/key"])(
  "%s is not an S3 address",
  async (address) => {
    await expect(find(address)).rejects.toThrow(/expected s3:\/\/BUCKET\/KEY/);
  },
);
