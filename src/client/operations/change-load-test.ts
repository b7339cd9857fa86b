/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

import type { LoadTest } from "./shapes.ts";

/** Rename, tag, pin or finish a load test. */
export interface ChangeLoadTest {
  readonly parameters: {
    /** Identifies the load test. */
    readonly id: string;
  };
  readonly body: {
    /** What people call it: 1 to 200 characters. */
    readonly name?: string;
    /** All tags, in the place of those there are. */
    readonly tags?: ReadonlyArray<string>;
    /** Tags in addition to those there are. */
    readonly addTags?: ReadonlyArray<string>;
    /** Tags to be taken away. */
    readonly removeTags?: ReadonlyArray<string>;
    /** Whether retention leaves it alone. */
    readonly pinned?: boolean;
    /** Whether no more data will come; those that come all the same are taken. */
    readonly finished?: boolean;
  };
  readonly answer: LoadTest;
}
