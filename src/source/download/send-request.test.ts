import dns from "node:dns";
import dnsPromises from "node:dns/promises";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import {
  type AddressInfo,
  createServer as createTcpServer,
  type LookupFunction,
  type Server,
} from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { addressOfRedirect, sendRequest, textOf } from "./send-request.ts";

let servers: Server[] = [];

afterEach(() => {
  for (const server of servers) server.close();
  servers = [];
  vi.useRealTimers();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

async function listening(server: Server, host: string, port = 0): Promise<number> {
  servers.push(server.listen(port, host));
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

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
  "http://[64:ff9b::127.0.0.1]/",
  "http://[64:ff9b::169.254.169.254]/latest/",
  "http://[::ffff:0:127.0.0.1]/",
  "http://[::127.0.0.1]/",
  "http://[2002:7f00:1::]/",
  "http://[2002:a9fe:a9fe::1]/",
])("a server elsewhere cannot redirect to %s, one on this machine can", async (address) => {
  const url = new URL(address);
  await expect(addressOfRedirect(url, false)).rejects.toThrow(
    `a redirect to ${url.host}, which only this machine can reach`,
  );
  await expect(addressOfRedirect(url, true)).resolves.toBeTypeOf("function");
});

test.each(["http://[64:ff9b::203.0.113.7]/", "http://[2002:cb00:7107::1]/"])(
  "a translated address of another network, %s, is one to redirect to",
  async (address) => {
    const found = addressOfRedirect(new URL(address), false);
    await expect(found).resolves.toBeTypeOf("function");
  },
);

test("the address that was checked is the one that is used", async () => {
  const resolve = await addressOfRedirect(new URL("http://203.0.113.7/"), false);
  const found = await new Promise((done) => {
    resolve("changed meanwhile", {}, (_, address, family) => done([address, family]));
  });
  expect(found).toEqual(["203.0.113.7", 4]);
});

test("a name that is another address once its redirect was checked leads to the one that was", async () => {
  const port = await listening(createServer(redirecting("checked")), "127.0.0.1");
  await listening(createServer(redirecting("another")), "127.0.0.2", port);
  const asked = answerLookups(["127.0.0.1", "127.0.0.2"]);
  const url = new URL(`http://127.0.0.1:${port}/`);
  const response = await sendRequest({ url, headers: {} }, AbortSignal.timeout(5000));
  expect(await textOf(response)).toBe("checked");
  expect(asked).toEqual(["moves.test"]);
});

/** Redirects to a name, of which `/file` is `text`. */
function redirecting(text: string): RequestListener {
  return ({ url, socket }, response) => {
    const Location = `http://moves.test:${socket.localPort}/file`;
    if (url === "/file") response.end(text);
    else response.writeHead(302, { Location }).end();
  };
}

/** Answers each look-up of a name with the next address, then with the last one; returns the names that are asked for. */
function answerLookups(addresses: readonly string[]): readonly string[] {
  const asked: string[] = [];
  const next = (hostname: string): dns.LookupAddress => {
    asked.push(hostname);
    return { address: addresses[asked.length - 1] ?? addresses.at(-1) ?? "", family: 4 };
  };
  const ofPromises = async (hostname: string) => [next(hostname)];
  vi.spyOn(dnsPromises, "lookup").mockImplementation(ofPromises as never);
  const ofConnections: LookupFunction = (hostname, { all }, done) => {
    const { address, family } = next(hostname);
    if (all === true) done(null, [{ address, family }]);
    else done(null, address, family);
  };
  vi.spyOn(dns, "lookup").mockImplementation(ofConnections as never);
  syncBuiltinESMExports();
  return asked;
}

test("a head of which a byte comes now and then is given up after two minutes", async () => {
  const server = createTcpServer((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nX-Long: ");
    const timer = setInterval(() => socket.write("x"), 1);
    socket.on("close", () => clearInterval(timer)).on("error", () => undefined);
  });
  const url = new URL(`http://127.0.0.1:${await listening(server, "127.0.0.1")}/`);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const sent = sendRequest({ url, headers: {} }, new AbortController().signal);
  const failed = sent.catch((error: unknown) => error);
  await once(server, "connection");
  vi.advanceTimersByTime(120_000);
  expect(await failed).toMatchObject({
    code: "ETIMEDOUT",
    message: "no whole head of a response for 120 s",
  });
});
