/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

/** Sources of a load test. */
export interface ListSources {
  readonly parameters: {
    /** Identifies the load test. */
    readonly id: string;
  };
  readonly body?: undefined;
  readonly answer: {
    readonly live: ReadonlyArray<{
      readonly sourceId: string;
      readonly lastSequence: number;
    }>;
    readonly published: ReadonlyArray<{
      readonly sourceId: string;
      readonly name: string;
      readonly format: string;
      readonly sizeBytes: number;
      readonly digest: string;
    }>;
  };
}
