import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AwsSettings } from "./aws-credentials.ts";

const EXPIRATION = "2026-11-21T13:00:00Z";
const NOW_MS = Date.parse("2026-11-21T12:00:00Z");

let home = "";
let server: Server;
let url = "";
let requests: string[] = [];
let nowMs = NOW_MS;

beforeEach(async () => {
  home = mkdtempSync(path.join(tmpdir(), "tachograph-aws-"));
  mkdirSync(path.join(home, ".aws"));
  [requests, nowMs] = [[], NOW_MS];
  const json = JSON.stringify({
    AccessKeyId: "ID",
    SecretAccessKey: "SECRET",
    Token: "TOKEN",
    Expiration: EXPIRATION,
  });
  const members = {
    AccessKeyId: "ID",
    SecretAccessKey: "SECRET",
    SessionToken: "TOKEN",
    Expiration: EXPIRATION,
  };
  const xml = Object.entries(members)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join("");
  server = createServer((request, response) => {
    const { headers, method, url: target = "" } = request;
    const secret = headers.authorization ?? headers["x-aws-ec2-metadata-token"];
    requests.push(`${method} ${target}${secret === undefined ? "" : ` ${String(secret)}`}`);
    if (target === "/latest/api/token") response.end("metadata-token");
    else if (target.endsWith("/security-credentials/")) response.end("role-1\n");
    else if (target.startsWith("/?Action=")) response.end(`<R>${xml}</R>`);
    else response.end(json);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(home, { recursive: true });
});

function settingsOf(environment: Record<string, string>): AwsSettings {
  return new AwsSettings({
    environment: { AWS_EC2_METADATA_DISABLED: "true", ...environment },
    home,
    now: () => nowMs,
    interrupted: new AbortController().signal,
  });
}

const FETCHED = {
  accessKeyId: "ID",
  secretAccessKey: "SECRET",
  sessionToken: "TOKEN",
  expiresAtMs: Date.parse(EXPIRATION),
};

test("environment variables take precedence over the profile", async () => {
  writeFileSync(
    path.join(home, ".aws/credentials"),
    "[default]\naws_access_key_id=P\naws_secret_access_key=Q\n",
  );
  const variables = { AWS_ACCESS_KEY_ID: "A", AWS_SECRET_ACCESS_KEY: "B", AWS_SESSION_TOKEN: "C" };
  expect(await settingsOf(variables).credentials()).toEqual({
    accessKeyId: "A",
    secretAccessKey: "B",
    sessionToken: "C",
  });
  expect(await settingsOf({}).credentials()).toMatchObject({ accessKeyId: "P" });
});

test("a profile is read from the config and the credentials file", async () => {
  writeFileSync(
    path.join(home, ".aws/credentials"),
    "# keys\r\n[other]\r\naws_access_key_id = O\r\n[ci]\r\naws_access_key_id = I\r\n" +
      "aws_secret_access_key = a=b \r\n",
  );
  writeFileSync(
    path.join(home, ".aws/config"),
    "[default]\nregion = us-west-2\n[profile ci]\nregion=eu-west-1\n",
  );
  const settings = settingsOf({ AWS_PROFILE: "ci" });
  expect(await settings.credentials()).toMatchObject({ accessKeyId: "I", secretAccessKey: "a=b" });
  expect(await settings.region()).toBe("eu-west-1");
  expect(await settingsOf({}).region()).toBe("us-west-2");
  expect(await settingsOf({ AWS_REGION: "x", AWS_DEFAULT_REGION: "y" }).region()).toBe("x");
});

test("a missing or unsupported setting is an error that names the fix", async () => {
  await expect(settingsOf({}).credentials()).rejects.toMatchObject({
    code: "bad-setting",
    message: expect.stringMatching(/^no AWS credentials found: set AWS_ACCESS_KEY_ID and /),
  });
  await expect(settingsOf({ AWS_PROFILE: "ci" }).region()).rejects.toThrow(
    'AWS_PROFILE: no profile "ci"',
  );
  writeFileSync(path.join(home, ".aws/config"), "[default]\nsso_session = corp\n");
  await expect(settingsOf({}).credentials()).rejects.toThrow(
    /AWS profiles with sso_session are not supported: set .*export-credentials/,
  );
});

test("a web identity token is exchanged for credentials", async () => {
  const file = path.join(home, "token");
  writeFileSync(file, "jwt\n");
  const environment = {
    AWS_WEB_IDENTITY_TOKEN_FILE: file,
    AWS_ROLE_ARN: "arn:aws:iam::1:role/r",
    AWS_ROLE_SESSION_NAME: "s",
    AWS_ENDPOINT_URL_STS: url,
  };
  expect(await settingsOf(environment).credentials()).toEqual(FETCHED);
  expect(requests).toEqual([
    "GET /?Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr&RoleSessionName=s&WebIdentityToken=jwt",
  ]);
});

test("container credentials are renewed five minutes before they expire", async () => {
  const file = path.join(home, "token");
  writeFileSync(file, "pod\n");
  const settings = settingsOf({
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/v1/credentials`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file,
  });
  expect(await settings.credentials()).toEqual(FETCHED);
  nowMs += 54 * 60_000;
  await settings.credentials();
  expect(requests).toEqual(["GET /v1/credentials pod"]);
  nowMs += 2 * 60_000;
  await settings.credentials();
  expect(requests).toHaveLength(2);
});

test("instance credentials need a metadata service token", async () => {
  const settings = settingsOf({
    AWS_EC2_METADATA_DISABLED: "false",
    AWS_EC2_METADATA_SERVICE_ENDPOINT: url,
  });
  expect(await settings.credentials()).toEqual(FETCHED);
  expect(requests).toEqual([
    "PUT /latest/api/token",
    "GET /latest/meta-data/iam/security-credentials/ metadata-token",
    "GET /latest/meta-data/iam/security-credentials/role-1 metadata-token",
  ]);
});
