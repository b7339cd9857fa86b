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
  if (address.startsWith("s3://")) return new S3Location(address, dependencies).find();
  const url = parse(address);
  const name = `${url.origin}${url.pathname}`;
  const requestWith = async (headers: Readonly<Record<string, string>>) => ({ url, headers });
  return [{ name, open: () => openDownload({ name, requestWith }, dependencies) }];
}

function parse(address: string): URL {
  if (URL.canParse(address)) return new URL(address);
  throw new UserError("unreadable-source", `cannot read "${address}": it is not a URL`);
}
