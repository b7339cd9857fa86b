import { expect, test } from "vitest";
import { addressOfRedirect } from "./send-request.ts";

test.each([
  "http://localhost/",
  "http://127.0.0.1:9090/metrics",
  "http://2130706433/",
  "http://0177.0.0.1/",
  "http://0x7f.1/",
  "http://0/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[fe80::1]/",
  "http://169.254.169.254/latest/meta-data/",
  "http://[::ffff:a9fe:a9fe]/",
  "http://2852039166/latest/meta-data/",
  "http://0251.0376.0251.0376/",
  "http://127.1/",
  "http://[0:0:0:0:0:ffff:127.0.0.1]/",
  "http://[fd00:ec2::254]/latest/meta-data/",
  "http://[fd20:ce::254]/computeMetadata/v1/",
  "http://100.100.100.200/latest/meta-data/",
  "http://168.63.129.16/metadata/",
  "http://192.0.0.192/latest/",
])("a server elsewhere cannot redirect to %s, one on this machine can", async (address) => {
  const url = new URL(address);
  await expect(addressOfRedirect(url, false)).rejects.toThrow(
    `a redirect to ${url.host}, which only this machine can reach`,
  );
  await expect(addressOfRedirect(url, true)).resolves.toBeTypeOf("function");
});

test("the address that was checked is the one that is used", async () => {
  const resolve = await addressOfRedirect(new URL("http://203.0.113.7/"), false);
  const found = await new Promise((done) => {
    resolve("changed meanwhile", {}, (_, address, family) => done([address, family]));
  });
  expect(found).toEqual(["203.0.113.7", 4]);
});
