/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

import type { ImportReport } from "./shapes.ts";

/** Import a result file. */
export interface UploadResults {
  readonly parameters: {
    /** Load test to import into; created if it is not there. */
    readonly id: string;
    /** Name of the file, for the report and the list of sources. */
    readonly file?: string | undefined;
    /** Name of the load test, where it is created. Without it, that of the file. */
    readonly name?: string | undefined;
    /** Name of the format. Without it, found by content. */
    readonly format?: string | undefined;
    /** Zone of timestamps written without one. */
    readonly timezone?: string | undefined;
    /** Start of the run, for files that only tell the time since then: ISO 8601 with a zone, UNIX seconds or milliseconds. */
    readonly startedAt?: string | undefined;
    /** Labels, with fields of the source in braces. */
    readonly label?: string | undefined;
    /** Whether ids in labels that are URLs become `{id}`, and values of queries. */
    readonly groupUrls?: "false" | "true" | undefined;
    /** Paths that are one label, separated by commas: `*` is one segment, `**` the rest. */
    readonly group?: string | undefined;
  };
  readonly body: RequestInit["body"];
  readonly answer: ImportReport;
}
