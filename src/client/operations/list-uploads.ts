/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

/** How far uploads have come. */
export interface ListUploads {
  readonly parameters: {
    /** Identifies the load test. */
    readonly id: string;
  };
  readonly body?: undefined;
  readonly answer: {
    readonly uploads: ReadonlyArray<{
      readonly file: string;
      readonly receivedBytes: number;
      /** `null` where it is not known. */
      readonly sizeBytes: number | null;
      /** `null` until it is found. */
      readonly format: string | null;
      /** Requests that are stored, though not to be seen yet. */
      readonly recorded: number;
    }>;
  };
}
