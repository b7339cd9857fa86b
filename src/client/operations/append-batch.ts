/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

/** Add a batch of data points. */
export interface AppendBatch {
  readonly parameters: {
    /** Identifies the load test. */
    readonly id: string;
  };
  readonly body: RequestInit["body"];
  readonly answer: {
    /** It was there already. */
    readonly duplicate: boolean;
  };
}
