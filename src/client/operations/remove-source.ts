/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

/** Take a source away. */
export interface RemoveSource {
  readonly parameters: {
    /** Identifies the load test. */
    readonly id: string;
    /** Identifies the source within its load test. */
    readonly sourceId: string;
  };
  readonly body?: undefined;
  readonly answer: undefined;
}
