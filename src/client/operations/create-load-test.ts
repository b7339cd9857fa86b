/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

import type { LoadTest } from "./shapes.ts";

/** Create a load test. */
export interface CreateLoadTest {
  readonly parameters: {};
  readonly body?: {
    /** 1 to 128 of A-Z a-z 0-9 . _ -; a new one where it is not given. */
    readonly id?: string;
    /** What people call it: 1 to 200 characters. */
    readonly name?: string;
    /** At most 50, each of 1 to 64 characters. */
    readonly tags?: ReadonlyArray<string>;
    /** Whether retention leaves it alone. */
    readonly pinned?: boolean;
  };
  readonly answer: LoadTest;
}
