import type { Command, Option } from "commander";
import type { Retention } from "../operations/prune-load-tests.ts";
import { flag, list, switchFlag, wholeNumber, withStore } from "./flags.ts";
import { UserError } from "../model/errors.ts";
import { keepFlags } from "./retention-flags.ts";
import { SERVER_LIMITS } from "./server-limits.ts";
import type { ServeWish, Shell } from "./shell.ts";
import type { StorePlaceOptions } from "./store-place.ts";

/** What the flags of `withServeFlags` say. */
export type ServeOptions = ServeWish["http"] &
  Retention &
  StorePlaceOptions & {
    readonly demo?: true;
    readonly tlsCertificate?: string;
    readonly tlsKey?: string;
  };

/** The flags of `serve`, limits without help: there are many of them, and `config` lists them. */
export function withServeFlags(command: Command, shell: Shell): Command {
  const flags = [
    flag("--host <address>", "address to listen on").default("127.0.0.1"),
    flag("--port <number>", "port to listen on; 0 takes a free one")
      .argParser(wholeNumber(0, 65_535))
      .default(8013),
    flag("--base-path <path>", "path that everything lives under").default("/"),
    flag("--allowed-hosts <list>", "further host names of requests; * is any")
      .argParser(list)
      .default([], "none"),
    flag("--cors-origins <list>", "origins whose pages may read answers")
      .argParser(list)
      .default([], "none"),
    flag("--key-headers <list>", "headers that may carry the key besides X-Service-Auth")
      .argParser(list)
      .default([], "none"),
    flag("--tls-certificate <file>", "speak HTTPS with this certificate and those above it (PEM)"),
    flag("--tls-key <file>", "its key (PEM, without a passphrase)"),
    ...keepFlags(),
    switchFlag("--demo", "bring a recorded load test and a key to read it", shell.environment),
  ];
  for (const each of flags) command.addOption(each);
  withStore(command);
  for (const each of limitFlags()) command.addOption(each);
  return command;
}

function limitFlags(): Option[] {
  return Object.entries(SERVER_LIMITS).map(([name, description]) => {
    const words = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return flag(`--${words} <number>`, description)
      .argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER))
      .hideHelp();
  });
}

/** What a server is asked for. Throws `bad-setting` for half of a TLS identity. */
export function serveWishOf(options: ServeOptions): Omit<ServeWish, "place" | "directory"> {
  const {
    data: _,
    clickhouse: __,
    demo,
    keepDays,
    keepTests,
    tlsCertificate,
    tlsKey,
    ...http
  } = options;
  return {
    isDemo: demo === true,
    tls: tlsFilesOf(tlsCertificate, tlsKey),
    retention: { keepDays, keepTests },
    http,
  };
}

function tlsFilesOf(certificateFile?: string, keyFile?: string): ServeWish["tls"] {
  if (certificateFile !== undefined && keyFile !== undefined) return { certificateFile, keyFile };
  if (certificateFile === undefined && keyFile === undefined) return undefined;
  const [got, want] =
    certificateFile === undefined ? ["key", "certificate"] : ["certificate", "key"];
  throw new UserError("bad-setting", `cannot speak HTTPS: got a ${got}, want its ${want}, too`);
}
