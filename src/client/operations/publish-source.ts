/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

/** Show a staged source. */
export interface PublishSource {
  readonly parameters: {
    /** Identifies the load test. */
    readonly id: string;
    /** Identifies the source within its load test. */
    readonly sourceId: string;
  };
  readonly body: {
    /** As the user gave it: at most 1,000 characters. */
    readonly name: string;
    /** Name of the format, such as jmeter-csv. */
    readonly format: string;
    /** Length. */
    readonly sizeBytes: number;
    /** Digest of its bytes: `gmac:` and 32 hex digits in lower case. */
    readonly digest: string;
    /** Visible sources that it takes the place of: earlier states of the same file. */
    readonly replaces?: ReadonlyArray<string>;
  };
  readonly answer: {
    /** The same bytes were there already. */
    readonly duplicate: boolean;
  };
}
