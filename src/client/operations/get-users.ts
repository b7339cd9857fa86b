/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

/** Active users of a load test. */
export interface GetUsers {
  readonly parameters: {
    /** Identifies the load test. */
    readonly id: string;
    /** Leaves out what is before this UNIX second. */
    readonly from?: number | undefined;
    /** Leaves out what is at this UNIX second or later. */
    readonly until?: number | undefined;
  };
  readonly body?: undefined;
  readonly answer: ReadonlyArray<readonly [number, number]>;
}
