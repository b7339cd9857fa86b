/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

import type { ImportReport } from "./shapes.ts";

/** Keep what was received of uploads. */
export interface StopUploads {
  readonly parameters: {
    /** Identifies the load test. */
    readonly id: string;
  };
  readonly body?: undefined;
  readonly answer: {
    readonly reports: ReadonlyArray<ImportReport>;
  };
}
