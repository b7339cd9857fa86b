/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

import type { LoadTest } from "./shapes.ts";

/** Load tests, latest start first. */
export interface ListLoadTests {
  readonly parameters: {
    /** Text that the id, the name, a tag or a format contains; letter case does not matter. */
    readonly search?: string | undefined;
    /** A tag that the load test has, exactly. */
    readonly tag?: string | undefined;
    /** Load tests in one answer. */
    readonly limit?: number | undefined;
    /** `next` of the answer before, with the same `search` and `tag`. */
    readonly after?: string | undefined;
  };
  readonly body?: undefined;
  readonly answer: {
    /** Latest start first. */
    readonly loadTests: ReadonlyArray<LoadTest>;
    /** Value of `after` for the next page; `null` on the last one. */
    readonly next: string | null;
  };
}
