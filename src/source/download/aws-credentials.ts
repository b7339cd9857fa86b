import { readFile } from "node:fs/promises";
import path from "node:path";
import { systemCode, UserError } from "../../model/errors.ts";
import { parsedJson } from "../../model/json-text.ts";
import { type HttpRequest, messageOf, sendRequest, textOf } from "./send-request.ts";

/** Where AWS settings come from; the same places as in the AWS SDKs. */
export interface AwsEnvironment {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly interrupted: AbortSignal;
}

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** Milliseconds since the epoch. @default never */
  readonly expiresAtMs?: number | undefined;
}

const CONTAINER_HOST = "http://169.254.170.2";
const INSTANCE_HOST = "http://169.254.169.254";

/** New credentials are fetched this long before the old ones expire. */
const RENEWAL_MS = 5 * 60_000;

const CURE =
  "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, for example by " +
  '`eval "$(aws configure export-credentials --format env)"`';

/** The domain of the services in a region: China has one of its own. */
export function awsDomain(region: string): string {
  return region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
}

/** Finds credentials and the region, and renews credentials that expire. */
export class AwsSettings {
  readonly #about: AwsEnvironment;
  #credentials: AwsCredentials | undefined;
  #profile: Promise<ReadonlyMap<string, string>> | undefined;

  constructor(about: AwsEnvironment) {
    this.#about = about;
  }

  async region(): Promise<string> {
    const { AWS_REGION: region, AWS_DEFAULT_REGION: fallback } = this.#about.environment;
    return region ?? fallback ?? (await this.#readProfile()).get("region") ?? "us-east-1";
  }

  /** Tries environment, profile, web identity token, container and instance in order. Throws `bad-setting` if none. */
  async credentials(): Promise<AwsCredentials> {
    const { expiresAtMs = Infinity } = this.#credentials ?? { expiresAtMs: 0 };
    if (this.#about.now() + RENEWAL_MS < expiresAtMs && this.#credentials !== undefined) {
      return this.#credentials;
    }
    this.#credentials =
      fromVariables(this.#about.environment) ??
      fromProfile(await this.#readProfile()) ??
      (await this.#fromWebIdentity()) ??
      (await this.#fromContainer()) ??
      (await this.#fromInstance());
    if (this.#credentials !== undefined) return this.#credentials;
    throw new UserError("bad-setting", `no AWS credentials found: ${CURE}`);
  }

  /** The settings of the profile in both files. */
  #readProfile(): Promise<ReadonlyMap<string, string>> {
    this.#profile ??= this.#parseProfile();
    return this.#profile;
  }

  async #parseProfile(): Promise<ReadonlyMap<string, string>> {
    const { environment, home } = this.#about;
    const name = environment["AWS_PROFILE"] ?? "default";
    const folder = path.join(home, ".aws");
    const config = environment["AWS_CONFIG_FILE"] ?? path.join(folder, "config");
    const shared = environment["AWS_SHARED_CREDENTIALS_FILE"] ?? path.join(folder, "credentials");
    const found = [
      ...sectionsOf(await textIn(config), [name, `profile ${name}`]),
      ...sectionsOf(await textIn(shared), [name]),
    ];
    if (found.length === 0 && environment["AWS_PROFILE"] !== undefined) {
      throw new UserError("bad-setting", `AWS_PROFILE: no profile "${name}" in ${folder}`);
    }
    return new Map(found);
  }

  async #fromWebIdentity(): Promise<AwsCredentials | undefined> {
    const { environment, now } = this.#about;
    const { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: role } = environment;
    if (file === undefined || role === undefined) return undefined;
    const region = await this.region();
    const endpoint =
      environment["AWS_ENDPOINT_URL_STS"] ?? `https://sts.${region}.${awsDomain(region)}`;
    const url = new URL(endpoint);
    const session = environment["AWS_ROLE_SESSION_NAME"] ?? `tachograph-${now()}`;
    for (const [name, value] of [
      ["Action", "AssumeRoleWithWebIdentity"],
      ["Version", "2011-06-15"],
      ["RoleArn", role],
      ["RoleSessionName", session],
      ["WebIdentityToken", await tokenIn(file, "AWS_WEB_IDENTITY_TOKEN_FILE")],
    ] as const) {
      url.searchParams.set(name, value);
    }
    const text = await this.#read({ url, headers: {} });
    const member = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
    return parsedCredentials({
      AccessKeyId: member("AccessKeyId"),
      SecretAccessKey: member("SecretAccessKey"),
      Token: member("SessionToken"),
      Expiration: member("Expiration"),
    });
  }

  async #fromContainer(): Promise<AwsCredentials | undefined> {
    const { environment } = this.#about;
    const relative = environment["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"];
    const full = environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"];
    if (relative === undefined && full === undefined) return undefined;
    const tokenFile = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"];
    const token =
      tokenFile === undefined
        ? environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"]
        : await tokenIn(tokenFile, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    const url = new URL(relative === undefined ? (full ?? "") : CONTAINER_HOST + relative);
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: token };
    return parsedCredentials(parsedJson(await this.#read({ url, headers })));
  }

  /** Outside of Amazon's machines nothing responds at this address. */
  async #fromInstance(): Promise<AwsCredentials | undefined> {
    const { environment } = this.#about;
    if (environment["AWS_EC2_METADATA_DISABLED"]?.toLowerCase() === "true") return undefined;
    const host = environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"] ?? INSTANCE_HOST;
    const latest = (name: string) => new URL(`/latest/${name}`, host);
    try {
      const lifetime = { "X-aws-ec2-metadata-token-ttl-seconds": "21600" };
      const headers = {
        "X-aws-ec2-metadata-token": await this.#read({
          method: "PUT",
          url: latest("api/token"),
          headers: lifetime,
        }),
      };
      const roles = latest("meta-data/iam/security-credentials/");
      const [role = ""] = (await this.#read({ url: roles, headers })).split("\n");
      return parsedCredentials(
        parsedJson(await this.#read({ url: new URL(role, roles), headers })),
      );
    } catch {
      return undefined;
    }
  }

  /** Throws `bad-setting` for an error response, and errors of the connection. */
  async #read(request: HttpRequest): Promise<string> {
    const response = await sendRequest(request, this.#about.interrupted);
    const text = await textOf(response);
    if (response.statusCode === 200) return text;
    const { origin } = request.url;
    throw new UserError(
      "bad-setting",
      `no AWS credentials: ${origin} responded ${response.statusCode}`,
    );
  }
}

function fromVariables(variables: AwsEnvironment["environment"]): AwsCredentials | undefined {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = variables;
  if (id === undefined || secret === undefined) return undefined;
  return { accessKeyId: id, secretAccessKey: secret, sessionToken: variables["AWS_SESSION_TOKEN"] };
}

/** Throws `bad-setting` for profiles that need another program to sign in. */
function fromProfile(profile: ReadonlyMap<string, string>): AwsCredentials | undefined {
  const [id, secret] = [profile.get("aws_access_key_id"), profile.get("aws_secret_access_key")];
  if (id !== undefined && secret !== undefined) {
    return {
      accessKeyId: id,
      secretAccessKey: secret,
      sessionToken: profile.get("aws_session_token"),
    };
  }
  const unsupported = ["sso_session", "sso_start_url", "role_arn", "credential_process"].find(
    (name) => profile.has(name),
  );
  if (unsupported === undefined) return undefined;
  throw new UserError("bad-setting", `AWS profiles with ${unsupported} are not supported: ${CURE}`);
}

/** The settings of the named sections of an INI file. */
function sectionsOf(text: string, names: readonly string[]): [name: string, value: string][] {
  const settings: [string, string][] = [];
  let isWanted = false;
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[\s*(.*?)\s*\]/.exec(line)?.[1]?.replaceAll(/\s+/g, " ");
    if (section !== undefined) isWanted = names.includes(section);
    const [, name, value] = /^([^\s#;=[][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (isWanted && name !== undefined && value !== undefined) settings.push([name, value]);
  }
  return settings;
}

/** Empty if there is no such file. */
async function textIn(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "";
    throw new UserError("bad-setting", `cannot read "${file}": ${messageOf(error)}`);
  }
}

/** Throws `bad-setting`, which names the variable. */
async function tokenIn(file: string, variable: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw new UserError("bad-setting", `${variable}: cannot read "${file}": ${messageOf(error)}`);
  }
}

/** As containers and instances send them. Throws `bad-setting` for anything else. */
function parsedCredentials(found: unknown): AwsCredentials {
  const texts = found as Partial<Record<string, unknown>> | null | undefined;
  const [id, secret] = [texts?.["AccessKeyId"], texts?.["SecretAccessKey"]];
  const [token, expiration] = [texts?.["Token"], texts?.["Expiration"]];
  if (typeof id !== "string" || typeof secret !== "string" || typeof token !== "string") {
    throw new UserError("bad-setting", `no AWS credentials in the response: ${CURE}`);
  }
  return {
    accessKeyId: id,
    secretAccessKey: secret,
    sessionToken: token,
    expiresAtMs: typeof expiration === "string" ? Date.parse(expiration) : undefined,
  };
}
