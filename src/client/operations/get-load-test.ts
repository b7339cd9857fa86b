/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

import type { LoadTestWithSources } from "./shapes.ts";

/** A load test and its sources. */
export interface GetLoadTest {
  readonly parameters: {
    /** Identifies the load test. */
    readonly id: string;
  };
  readonly body?: undefined;
  readonly answer: LoadTestWithSources;
}
