/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

/** Delete a load test. */
export interface DeleteLoadTest {
  readonly parameters: {
    /** Identifies the load test. */
    readonly id: string;
  };
  readonly body?: undefined;
  readonly answer: undefined;
}
