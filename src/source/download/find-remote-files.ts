import { UserError } from "../../model/errors.ts";
import type { AwsEnvironment } from "./aws-credentials.ts";
import { type DownloadDependencies, openDownload, type RemoteFileAddress } from "./download.ts";
import { S3Location } from "./s3.ts";

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
