/** Group, number of the group, number of the thread. As in kernel/rows/facets.ts. */
const THREAD = /^(?<group>.+) \d+-\d+$/s;
/** Where a remote engine ran, as it is named in `remote_hosts`: an address, or a host with its port. */
const ENGINE = /^(?:\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|[\w.-]+:\d+)-/;

/** The thread group in the name of a thread, `Shop 1-12` or in distributed runs `10.0.0.3-Shop 1-12`; empty if there is none. */
export function threadGroupOf(threadName: string): string {
  return THREAD.exec(threadName)?.groups?.["group"]?.replace(ENGINE, "") ?? "";
}
