import { UserError } from "../../model/errors.ts";
import { type AwsEnvironment, awsDomain, AwsSettings } from "./aws-credentials.ts";
import { type DownloadDependencies, openDownload, type RemoteFileAddress } from "./download.ts";
import type { IncomingHttpHeaders } from "node:http";
import { AwsV4Signer } from "aws4fetch";
import type { HttpRequest } from "./send-request.ts";

/**
 * The files at an address: one for `http://` and `https://`, all matching objects for `s3://`, by key. Throws
 * `unreadable-source`, `bad-setting`, `server-unreachable`.
 */
export async function findRemoteFiles(
  address: string,
  dependencies: DownloadDependencies & AwsEnvironment,
): Promise<readonly RemoteFileAddress[]> {
  const environment = withoutEmpty(dependencies.environment);
  if (/^s3:/i.test(address)) {
    return new S3Location(address, { ...dependencies, environment }).find();
  }
  const url = parse(address);
  const name = `${url.origin}${url.pathname}`;
  const requestWith = async (headers: Readonly<Record<string, string>>) => ({ url, headers });
  return [{ name, open: () => openDownload({ name, requestWith }, dependencies) }];
}

/** CI systems set variables without a value; to the AWS SDKs those are not set. */
function withoutEmpty(variables: AwsEnvironment["environment"]): AwsEnvironment["environment"] {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
}

function parse(address: string): URL {
  if (URL.canParse(address)) return new URL(address);
  // Errors end up in logs: without the password and the signature.
  const shown = address.replace(/\/\/[^/]*@/, "//").replace(/[?#].*$/s, "");
  throw new UserError("unreadable-source", `cannot read "${shown}": it is not a URL`);
}

/** Two million objects. Without a limit, a server could name one more page forever. */
const PAGES_MAX = 2000;
/** S3 itself has keys of at most 1,024 bytes. */
const KEY_CHARACTERS_MAX = 1024;
/** Matching objects of an address. */
const FILES_MAX = 100_000;

/** Objects of one `s3://bucket/key` address; `*` matches within a segment, `**` anything. */
class S3Location {
  readonly #address: string;
  readonly #bucket: string;
  readonly #key: string;
  readonly #dependencies: DownloadDependencies & AwsEnvironment;
  readonly #settings: AwsSettings;

  /** Throws `unreadable-source`. */
  constructor(address: string, dependencies: DownloadDependencies & AwsEnvironment) {
    const [, bucket, key] = /^[sS]3:\/\/([a-z0-9][a-z0-9.-]+)\/(.+)$/.exec(address) ?? [];
    if (bucket === undefined || key === undefined) {
      throw new UserError(
        "unreadable-source",
        `cannot read "${address}": expected s3://BUCKET/KEY, such as s3://results/nightly/*.jtl.gz`,
      );
    }
    this.#address = address;
    this.#bucket = bucket;
    this.#key = key;
    this.#dependencies = dependencies;
    this.#settings = new AwsSettings(dependencies);
  }

  /** Matching objects by key; a key that ends with `/` matches everything below it. Throws as `findRemoteFiles`. */
  async find(): Promise<readonly RemoteFileAddress[]> {
    const pattern = this.#key.endsWith("/") ? `${this.#key}**` : this.#key;
    if (!pattern.includes("*")) return [this.#file(pattern)];
    const expression = expressionOf(pattern);
    const found: string[] = [];
    for await (const key of this.#list(pattern.slice(0, pattern.indexOf("*")))) {
      if (expression.test(key) && !key.endsWith("/")) found.push(key);
      if (found.length > FILES_MAX) throw this.#tooMany(`more than ${FILES_MAX} objects match`);
    }
    if (found.length > 0) return found.map((key) => this.#file(key));
    throw new UserError("unreadable-source", `cannot read "${this.#address}": no object matches`);
  }

  #tooMany(why: string): UserError {
    const message = `cannot read "${this.#address}": ${why}: give a longer prefix`;
    return new UserError("unreadable-source", message);
  }

  /** Throws `unreadable-source` for a key that would lead to another object. */
  #file(key: string): RemoteFileAddress {
    const name = `s3://${this.#bucket}/${key}`;
    if (key.split("/").some((segment) => segment === "." || segment === "..")) {
      throw new UserError(
        "unreadable-source",
        `cannot read "${name}": URLs cannot have "." or ".." as a segment of the key`,
      );
    }
    const requestWith = async (headers: HttpRequest["headers"]) =>
      this.#signed(await this.#urlOf(key), headers);
    return {
      name,
      open: () => openDownload({ name, requestWith, reasonIn }, this.#dependencies),
    };
  }

  async *#list(prefix: string): AsyncGenerator<string> {
    const name = `s3://${this.#bucket}/${prefix}`;
    let after: string | undefined = "";
    for (let pages = 0; after !== undefined; pages++) {
      if (pages === PAGES_MAX) throw this.#tooMany(`its list has more than ${PAGES_MAX} pages`);
      const url = await this.#urlOf("");
      url.search = new URLSearchParams({
        "list-type": "2",
        "encoding-type": "url",
        prefix,
        ...(after === "" ? {} : { "continuation-token": after }),
      }).toString();
      const requestWith = (headers: HttpRequest["headers"]) => this.#signed(url, headers);
      const page = await openDownload({ name, requestWith, reasonIn }, this.#dependencies);
      const text = await pageText(page.chunks, name);
      requireList(text, name);
      const isEncoded = /<EncodingType>url</.test(text);
      for (const [, key = ""] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) {
        const found = isEncoded ? decoded(unescaped(key), name) : unescaped(key);
        // In one of megabytes, two asterisks would look for their places for hours.
        if (found.length > KEY_CHARACTERS_MAX) throw notAList(name);
        yield found;
      }
      const found = /<NextContinuationToken>([^<]*)</.exec(text)?.[1];
      const next: string | undefined = found === undefined ? undefined : unescaped(found);
      if (next !== undefined && next === after) throw notAList(name);
      after = next;
    }
  }

  /** Path style for custom endpoints and for names that TLS certificates cannot match. */
  async #urlOf(key: string): Promise<URL> {
    const { AWS_ENDPOINT_URL_S3: endpoint, AWS_ENDPOINT_URL: common } =
      this.#dependencies.environment;
    const path = key.split("/").map(encodeSegment).join("/");
    const custom = endpoint ?? common;
    if (custom !== undefined)
      return new URL(`${custom.replace(/\/$/, "")}/${this.#bucket}/${path}`);
    const region = await this.#settings.region();
    const host = `s3.${region}.${awsDomain(region)}`;
    if (this.#bucket.includes(".")) return new URL(`https://${host}/${this.#bucket}/${path}`);
    return new URL(`https://${this.#bucket}.${host}/${path}`);
  }

  async #signed(url: URL, headers: HttpRequest["headers"]): Promise<HttpRequest> {
    const { accessKeyId, secretAccessKey, sessionToken } = await this.#settings.credentials();
    const signer = new AwsV4Signer({
      url: url.href,
      headers: { ...headers },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      service: "s3",
      region: await this.#settings.region(),
    });
    const signed = await signer.sign();
    return { url: signed.url, headers: Object.fromEntries(signed.headers) };
  }
}

/** `encodeURIComponent` leaves five characters that S3 signs encoded. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function expressionOf(pattern: string): RegExp {
  const parts = pattern
    .split(/(\*+)/)
    .map((part) => (part === "*" ? "[^/]*" : part.startsWith("*") ? ".*" : escapedPattern(part)));
  return new RegExp(`^${parts.join("")}$`, "su");
}

/** `RegExp.escape` is not in Node 22. */
function escapedPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** Of a page: 1,000 keys of 1,024 bytes, each written as `%XX`, take 3 MB. */
const PAGE_BYTES_MAX = 32 * 1024 * 1024;

/** Throws `unreadable-source` for what is too long for a page. */
async function pageText(chunks: AsyncIterable<Uint8Array>, name: string): Promise<string> {
  const read: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    if (sizeBytes > PAGE_BYTES_MAX) throw notAList(name);
    read.push(chunk);
  }
  return Buffer.concat(read).toString();
}

/** Throws `unreadable-source` for anything but a whole page of a list. */
function requireList(text: string, name: string): void {
  const isWhole = text.includes("</ListBucketResult>");
  const isContinued = /<IsTruncated>true</.test(text);
  if (isWhole && (!isContinued || text.includes("<NextContinuationToken>"))) return;
  throw notAList(name);
}

function notAList(name: string): UserError {
  const message = `cannot read "${name}": the server did not send a list of objects: check AWS_ENDPOINT_URL_S3`;
  return new UserError("unreadable-source", message);
}

/** Throws `unreadable-source`. */
function decoded(key: string, name: string): string {
  try {
    return decodeURIComponent(key.replaceAll("+", " "));
  } catch {
    throw notAList(name);
  }
}

/** Errors of requests that are signed for another region. */
const REGION_ERRORS: ReadonlySet<string> = new Set([
  "AuthorizationHeaderMalformed",
  "IllegalLocationConstraintException",
  "PermanentRedirect",
]);

function reasonIn(body: string, headers: IncomingHttpHeaders): string | undefined {
  const [code, message] = ["Code", "Message"].map(
    (name) => new RegExp(`<${name}>([^<]*)<`).exec(body)?.[1],
  );
  if (code === undefined) return undefined;
  const region = headers["x-amz-bucket-region"];
  const cure =
    REGION_ERRORS.has(code) && typeof region === "string" ? `: set AWS_REGION=${region}` : "";
  return unescaped(`${code}: ${message ?? ""}`) + cure;
}

function unescaped(text: string): string {
  const characters: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
  return text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => characters[name] ?? "");
}
