/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

/** How many load tests there are, and with which tags. */
export interface CountTags {
  readonly parameters: {
    /** Text that the id, the name, a tag or a format contains; letter case does not matter. */
    readonly search?: string | undefined;
  };
  readonly body?: undefined;
  readonly answer: {
    readonly loadTests: number;
    readonly tags: ReadonlyArray<{
      readonly tag: string;
      readonly loadTests: number;
    }>;
  };
}
