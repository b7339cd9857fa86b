/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

export interface AccessKey {
  /** Unique, also among revoked keys. */
  readonly name: string;
  readonly scopes: ReadonlyArray<"read" | "write" | "admin">;
  readonly createdAt: string;
  /** To the minute; `null`: never. */
  readonly lastUsedAt: string | null;
  /** `null`: does not expire. */
  readonly expiresAt: string | null;
  /** `null`: is not revoked. */
  readonly revokedAt: string | null;
  /** Whether it is the key of this request. */
  readonly current: boolean;
}

export interface BandEdge {
  /** In seconds. */
  readonly avgLoadTime: ReadonlyArray<number>;
  /** By percentile its values in seconds, one for each of `labels`. */
  readonly percentiles: Readonly<Record<string, ReadonlyArray<number>>>;
}

export interface ComparedShare {
  /** Of the load test that is compared with. */
  readonly base?: number;
  /** Of this load test. */
  readonly value?: number;
  /** `value` minus `base`. */
  readonly change?: number;
  /** Lower limit of the true change. */
  readonly low?: number;
  /** Upper limit of the true change. */
  readonly high?: number;
  /** Whether noise does not explain the change. */
  readonly isSignificant?: boolean;
}

export interface ComparedTime {
  /** Of the load test that is compared with. */
  readonly base?: number;
  /** Of this load test. */
  readonly value?: number;
  /** 0.1 where `value` is 10 % more than `base`. */
  readonly change?: number;
  /** Lower limit of the true change. */
  readonly low?: number;
  /** Upper limit of the true change. */
  readonly high?: number;
  /** Whether noise does not explain the change. */
  readonly isSignificant?: boolean;
}

export interface Figures {
  /** Requests. */
  readonly count: number;
  /** Failed requests. */
  readonly errCount: number;
  /** Failed requests by all requests. */
  readonly errRate: number;
  /** Average response time, seconds. */
  readonly avgLoadTime: number;
  /** Average response time of failed requests; 0 where none failed, seconds. */
  readonly errAvgLoadTime: number;
  /** Bytes of all responses. */
  readonly receivedBytes: number;
  /** Average response size, bytes. */
  readonly downloadSize: number;
  /** The same of failed requests. */
  readonly errDownloadSize: number;
  /** Requests by `range`. */
  readonly reqPerSec: number;
  /** KiB received by `range`. */
  readonly kbPerSec: number;
  /** Seconds from the first to the last, both included. */
  readonly range: number;
  /** Shortest response time, seconds. */
  readonly minLoadTime?: number;
  /** Longest response time, seconds. */
  readonly maxLoadTime?: number;
  /** Median of response times, seconds. */
  readonly p50?: number;
  /** 90th percentile, seconds. */
  readonly p90?: number;
  /** 95th percentile, seconds. */
  readonly p95?: number;
  /** 99th percentile, seconds. */
  readonly p99?: number;
  /** 99.9th percentile, seconds. */
  readonly p999?: number;
  /** First UNIX second with a request. */
  readonly from?: number;
  /** Last UNIX second with a request. */
  readonly until?: number;
  /** Apdex for the threshold that was given. */
  readonly apdex?: number;
}

export interface ImportReport {
  readonly loadTestId: string;
  /** Name of the format, as `format` takes it. */
  readonly format: string;
  readonly source: string;
  /** `read` is always `recorded` and `rejected` together. */
  readonly samples: {
    readonly read: number;
    readonly recorded: number;
    readonly rejected: number;
  };
  readonly endpoints: number;
  /** What is of labels for which there was no room: it counts under `(other)`. */
  readonly other: null | OtherRequests;
  /** First UNIX second with a sample. */
  readonly from: number | null;
  /** Last UNIX second with a sample, included. */
  readonly until: number | null;
  /** The first 20 of them. */
  readonly rejections: ReadonlyArray<Rejection>;
  /** Where the file ends inside a record or without its closing part. */
  readonly cut: null | Rejection;
  /** The same bytes were in the load test: nothing has changed. */
  readonly alreadyImported: boolean;
  readonly notes: ReadonlyArray<string>;
  readonly seconds: number;
}

export interface LeftOut {
  readonly transactions: number;
  readonly subresults: number;
}

export interface LoadTest {
  readonly id: string;
  readonly name: string;
  /** Each once, in order. */
  readonly tags: ReadonlyArray<string>;
  /** Whether retention leaves it alone. */
  readonly pinned: boolean;
  readonly createdAt: string;
  /** When somebody said that no more will come. */
  readonly finishedAt: string | null;
  /** When data became visible the last time. */
  readonly lastDataAt: string | null;
  readonly endpoints: number;
  /** Failed ones included. */
  readonly requests: number;
  readonly failedRequests: number;
  /** First UNIX second with a request. */
  readonly from: number | null;
  /** Last UNIX second with a request, included. */
  readonly until: number | null;
  /** Names of the formats that its data came in, each once, in order. */
  readonly formats: ReadonlyArray<string>;
}

export interface LoadTestWithSources {
  readonly id: string;
  readonly name: string;
  /** Each once, in order. */
  readonly tags: ReadonlyArray<string>;
  /** Whether retention leaves it alone. */
  readonly pinned: boolean;
  readonly createdAt: string;
  /** When somebody said that no more will come. */
  readonly finishedAt: string | null;
  /** When data became visible the last time. */
  readonly lastDataAt: string | null;
  readonly endpoints: number;
  /** Failed ones included. */
  readonly requests: number;
  readonly failedRequests: number;
  /** First UNIX second with a request. */
  readonly from: number | null;
  /** Last UNIX second with a request, included. */
  readonly until: number | null;
  /** Names of the formats that its data came in, each once, in order. */
  readonly formats: ReadonlyArray<string>;
  readonly sources: ReadonlyArray<{
    readonly name: string;
    readonly format: string;
    /** As it was given, compressed or not. */
    readonly sizeBytes: number;
    readonly digest: string;
  }>;
}

export interface MadeKey {
  /** Unique, also among revoked keys. */
  readonly name: string;
  readonly scopes: ReadonlyArray<"read" | "write" | "admin">;
  readonly createdAt: string;
  /** To the minute; `null`: never. */
  readonly lastUsedAt: string | null;
  /** `null`: does not expire. */
  readonly expiresAt: string | null;
  /** `null`: is not revoked. */
  readonly revokedAt: string | null;
  /** Whether it is the key of this request. */
  readonly current: boolean;
  /** The key itself. It is answered this once: only its hash is kept. */
  readonly key: string;
}

export interface NamedEndpoint {
  readonly hash: string;
  readonly label: string;
}

interface OtherRequests {
  readonly requests: number;
  /** How many labels; `null` where they were too many to tell them apart. */
  readonly labels: number | null;
  /** Labels that a load test may have. */
  readonly labelsMax: number;
}

export interface Overview {
  /** Average response time in seconds. */
  readonly avgLoadTime: string;
  /** Requests, failed ones included. */
  readonly count: string;
  /** Average size of an answer in bytes. */
  readonly downloadSize: string;
  /** The same of failed requests. */
  readonly errAvgLoadTime: string;
  /** Failed requests. */
  readonly errCount: string;
  /** The same of failed requests. */
  readonly errDownloadSize: string;
  /** Seconds from the begin of the first data point to the end of the last. */
  readonly range: number;
}

interface Rejection {
  readonly line: number;
  readonly byte: number;
  readonly reason: string;
}

export interface Shift {
  /** 0.1 where they grew by 10 %. */
  readonly change?: number;
  /** Lower limit of the true change. */
  readonly low?: number;
  /** Upper limit of the true change. */
  readonly high?: number;
  /** Whether noise does not explain the change. */
  readonly isSignificant?: boolean;
}

export interface XyPoint {
  readonly x: number;
  readonly y: number;
}
