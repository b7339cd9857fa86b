/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

/** By operation what it takes and what it answers. */
export interface Operations {
  /** Metrics of a load test, by endpoint and second. */
  readonly getMetrics: {
    readonly parameters: {
      /** Identifies the load test. */
      readonly loadTestId: string;
      /** Text that the label contains, letter case included; no character has a special meaning. Either `filter` or `hash` must be given. */
      readonly filter?: string | undefined;
      /** SHA-1 of the label's UTF-8 bytes, 40 hex digits in either case. The answer then holds at most one item. Either `filter` or `hash` must be given. */
      readonly hash?: string | undefined;
      /** Form of each item's `data`. */
      readonly format?: "csv" | "xy" | "default" | undefined;
      /** Leaves out what is before this UNIX second. */
      readonly from?: number | undefined;
      /** Leaves out what is at this UNIX second or later. */
      readonly until?: number | undefined;
      /** Seconds merged into one data point; points begin at multiples of it. */
      readonly resolution?: number | undefined;
    };
    readonly body?: undefined;
    readonly answer: ReadonlyArray<{
      /** SHA-1 of the label's UTF-8 bytes. */
      readonly hash: string;
      /** The label as it was recorded. */
      readonly label: string;
      readonly data: readonly [readonly ["Timestamp", "avgLoadTime", "count", "downloadSize", "errAvgLoadTime", "errCount", "errDownloadSize"], ...ReadonlyArray<readonly [string, string, string, string, string, string, string]>] | {
        /** All data points together. */
        readonly overview: {
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
        };
        /** Every x of the series, ascending. */
        readonly labels: ReadonlyArray<number>;
        /** Average response time in seconds. */
        readonly pageRespTimePerSec: ReadonlyArray<{
          readonly x: number;
          readonly y: number;
        }>;
        /** Requests per second, failed ones included. */
        readonly pageReqPerSec: ReadonlyArray<{
          readonly x: number;
          readonly y: number;
        }>;
        /** KiB (1,024 bytes) received per second. */
        readonly pageKbPerSec: ReadonlyArray<{
          readonly x: number;
          readonly y: number;
        }>;
        /** Average response time of failed requests in seconds, 0 where none failed. */
        readonly pageErrRespTime: ReadonlyArray<{
          readonly x: number;
          readonly y: number;
        }>;
        /** Failed requests per second. */
        readonly pageErrCount: ReadonlyArray<{
          readonly x: number;
          readonly y: number;
        }>;
        /** KiB received by failed requests per second. */
        readonly pageErrKb: ReadonlyArray<{
          readonly x: number;
          readonly y: number;
        }>;
      } | {
        /** All data points together. */
        readonly overview: {
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
        };
        /** Every x of the series, ascending. */
        readonly labels: ReadonlyArray<number>;
        /** Average response time in seconds. */
        readonly pageRespTimePerSec: Readonly<Record<string, number>>;
        /** Requests per second, failed ones included. */
        readonly pageReqPerSec: Readonly<Record<string, number>>;
        /** KiB (1,024 bytes) received per second. */
        readonly pageKbPerSec: Readonly<Record<string, number>>;
        /** Average response time of failed requests in seconds, 0 where none failed. */
        readonly pageErrRespTime: Readonly<Record<string, string>>;
        /** Failed requests per second. */
        readonly pageErrCount: Readonly<Record<string, number>>;
        /** KiB received by failed requests per second. */
        readonly pageErrKb: Readonly<Record<string, number>>;
      };
    }>;
  };
  /** Load tests, latest start first. */
  readonly listLoadTests: {
    readonly parameters: {
      /** Text that the id, the name, a tag or a format contains; letter case does not matter. */
      readonly search?: string | undefined;
      /** A tag that the load test has, exactly. */
      readonly tag?: string | undefined;
      /** Load tests in one answer. */
      readonly limit?: number | undefined;
      /** `next` of the answer before, with the same `search` and `tag`. */
      readonly after?: string | undefined;
    };
    readonly body?: undefined;
    readonly answer: {
      /** Latest start first. */
      readonly loadTests: ReadonlyArray<{
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
      }>;
      /** Value of `after` for the next page; `null` on the last one. */
      readonly next: string | null;
    };
  };
  /** Create a load test. */
  readonly createLoadTest: {
    readonly parameters: {};
    readonly body?: {
      /** 1 to 128 of A-Z a-z 0-9 . _ -; a new one where it is not given. */
      readonly id?: string;
      /** What people call it: 1 to 200 characters. */
      readonly name?: string;
      /** At most 50, each of 1 to 64 characters. */
      readonly tags?: ReadonlyArray<string>;
      /** Whether retention leaves it alone. */
      readonly pinned?: boolean;
    };
    readonly answer: {
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
    };
  };
  /** A load test and its sources. */
  readonly getLoadTest: {
    readonly parameters: {
      /** Identifies the load test. */
      readonly id: string;
    };
    readonly body?: undefined;
    readonly answer: {
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
    };
  };
  /** Rename, tag, pin or finish a load test. */
  readonly changeLoadTest: {
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
    readonly answer: {
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
    };
  };
  /** Delete a load test. */
  readonly deleteLoadTest: {
    readonly parameters: {
      /** Identifies the load test. */
      readonly id: string;
    };
    readonly body?: undefined;
    readonly answer: undefined;
  };
  /** Import a result file. */
  readonly uploadResults: {
    readonly parameters: {
      /** Load test to import into; created if it is not there. */
      readonly id: string;
      /** Name of the file, for the report and the list of sources. */
      readonly file?: string | undefined;
      /** Name of the load test, where it is created. Without it, that of the file. */
      readonly name?: string | undefined;
      /** Name of the format. Without it, found by content. */
      readonly format?: string | undefined;
      /** Zone of timestamps written without one. */
      readonly timezone?: string | undefined;
      /** Start of the run, for files that only tell the time since then: ISO 8601 with a zone, UNIX seconds or milliseconds. */
      readonly startedAt?: string | undefined;
      /** Labels, with fields of the source in braces. */
      readonly label?: string | undefined;
    };
    readonly body: RequestInit["body"];
    readonly answer: {
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
      /** First UNIX second with a sample. */
      readonly from: number | null;
      /** Last UNIX second with a sample, included. */
      readonly until: number | null;
      /** The first 20 of them. */
      readonly rejections: ReadonlyArray<{
        readonly line: number;
        readonly byte: number;
        readonly reason: string;
      }>;
      /** Where the file ends inside a record or without its closing part. */
      readonly cut: null | {
        readonly line: number;
        readonly byte: number;
        readonly reason: string;
      };
      /** The same bytes were in the load test: nothing has changed. */
      readonly alreadyImported: boolean;
      readonly notes: ReadonlyArray<string>;
      readonly seconds: number;
    };
  };
  /** How far uploads have come. */
  readonly listUploads: {
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
  };
  /** Keep what was received of uploads. */
  readonly stopUploads: {
    readonly parameters: {
      /** Identifies the load test. */
      readonly id: string;
    };
    readonly body?: undefined;
    readonly answer: {
      readonly reports: ReadonlyArray<{
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
        /** First UNIX second with a sample. */
        readonly from: number | null;
        /** Last UNIX second with a sample, included. */
        readonly until: number | null;
        /** The first 20 of them. */
        readonly rejections: ReadonlyArray<{
          readonly line: number;
          readonly byte: number;
          readonly reason: string;
        }>;
        /** Where the file ends inside a record or without its closing part. */
        readonly cut: null | {
          readonly line: number;
          readonly byte: number;
          readonly reason: string;
        };
        /** The same bytes were in the load test: nothing has changed. */
        readonly alreadyImported: boolean;
        readonly notes: ReadonlyArray<string>;
        readonly seconds: number;
      }>;
    };
  };
  /** Figures of a load test, by endpoint and overall. */
  readonly getSummary: {
    readonly parameters: {
      /** Identifies the load test. */
      readonly id: string;
      /** Text that the label contains, letter case included; no character has a special meaning. */
      readonly filter?: string | undefined;
      /** SHA-1 of the label's UTF-8 bytes, 40 hex digits in either case. */
      readonly hash?: string | undefined;
      /** The same for several endpoints, at most 1000, separated by commas. */
      readonly hashes?: string | undefined;
      /** Leaves out what is before this UNIX second. */
      readonly from?: number | undefined;
      /** Leaves out what is at this UNIX second or later. */
      readonly until?: number | undefined;
      /** Response time in milliseconds that satisfies; with it comes the Apdex. */
      readonly apdexMs?: number | undefined;
    };
    readonly body?: undefined;
    readonly answer: {
      readonly overall: {
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
      };
      /** `everything` where `overall` holds transactions or sub-results: endpoints that were named by hash, or nothing but those. */
      readonly overallOf: "requests" | "everything";
      /** How many of the endpoints are not in `overall`. */
      readonly leftOut: {
        readonly transactions: number;
        readonly subresults: number;
      };
      readonly endpoints: ReadonlyArray<{
        readonly hash: string;
        readonly label: string;
        /** Absent where the rows are requests: what they repeat of others. */
        readonly role?: "transaction" | "subresult";
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
      }>;
    };
  };
  /** Percentiles of response times over time, by endpoint or merged. */
  readonly getPercentiles: {
    readonly parameters: {
      /** Identifies the load test. */
      readonly id: string;
      /** Text that the label contains, letter case included; no character has a special meaning. */
      readonly filter?: string | undefined;
      /** SHA-1 of the label's UTF-8 bytes, 40 hex digits in either case. */
      readonly hash?: string | undefined;
      /** The same for several endpoints, at most 1000, separated by commas. */
      readonly hashes?: string | undefined;
      /** Leaves out what is before this UNIX second. */
      readonly from?: number | undefined;
      /** Leaves out what is at this UNIX second or later. */
      readonly until?: number | undefined;
      /** Seconds merged into one data point; points begin at multiples of it. */
      readonly resolution?: number | undefined;
      /** Percentiles, at most 10, separated by commas; 50,90,95,99 without it. */
      readonly percent?: string | undefined;
      /** Whether all endpoints that are selected become one series. */
      readonly merge?: "false" | "true" | undefined;
      /** Whether the merged series comes with the lowest and the highest value that one of its endpoints has in each point. */
      readonly band?: "false" | "true" | undefined;
    };
    readonly body?: undefined;
    readonly answer: ReadonlyArray<{
      readonly hash?: string;
      /** Absent, like `hash`, where endpoints were merged. */
      readonly label?: string;
      /** UNIX seconds at which points begin, ascending. */
      readonly labels: ReadonlyArray<number>;
      /** Seconds that each point covers; absent where all cover `resolution`. */
      readonly windows?: ReadonlyArray<number>;
      /** Requests of each point. */
      readonly count: ReadonlyArray<number>;
      /** Failed requests of each point. */
      readonly errCount: ReadonlyArray<number>;
      /** In seconds. */
      readonly avgLoadTime: ReadonlyArray<number>;
      /** Bytes of each point. */
      readonly receivedBytes: ReadonlyArray<number>;
      /** By percentile its values in seconds, one for each of `labels`. */
      readonly percentiles: Readonly<Record<string, ReadonlyArray<number>>>;
      /** Only with `band=true`. */
      readonly band?: {
        /** Of the values of the endpoints that have requests in a point. */
        readonly lowest: {
          /** In seconds. */
          readonly avgLoadTime: ReadonlyArray<number>;
          /** By percentile its values in seconds, one for each of `labels`. */
          readonly percentiles: Readonly<Record<string, ReadonlyArray<number>>>;
        };
        /** Of the values of the endpoints that have requests in a point. */
        readonly highest: {
          /** In seconds. */
          readonly avgLoadTime: ReadonlyArray<number>;
          /** By percentile its values in seconds, one for each of `labels`. */
          readonly percentiles: Readonly<Record<string, ReadonlyArray<number>>>;
        };
      };
    }>;
  };
  /** Distribution of response times, over everything that is selected. */
  readonly getDistribution: {
    readonly parameters: {
      /** Identifies the load test. */
      readonly id: string;
      /** Text that the label contains, letter case included; no character has a special meaning. */
      readonly filter?: string | undefined;
      /** SHA-1 of the label's UTF-8 bytes, 40 hex digits in either case. */
      readonly hash?: string | undefined;
      /** The same for several endpoints, at most 1000, separated by commas. */
      readonly hashes?: string | undefined;
      /** Leaves out what is before this UNIX second. */
      readonly from?: number | undefined;
      /** Leaves out what is at this UNIX second or later. */
      readonly until?: number | undefined;
    };
    readonly body?: undefined;
    readonly answer: {
      /** Figures of all that is selected as one, as in the summary. */
      readonly overall: {
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
      };
      /** Response times that were seen, seconds, ascending. */
      readonly times: ReadonlyArray<number>;
      /** Requests that took each of `times`; they add up to `overall.count`. */
      readonly counts: ReadonlyArray<number>;
    };
  };
  /** What stands out in a load test. */
  readonly getFindings: {
    readonly parameters: {
      /** Identifies the load test. */
      readonly id: string;
      /** Text that the label contains, letter case included; no character has a special meaning. */
      readonly filter?: string | undefined;
      /** SHA-1 of the label's UTF-8 bytes, 40 hex digits in either case. */
      readonly hash?: string | undefined;
      /** The same for several endpoints, at most 1000, separated by commas. */
      readonly hashes?: string | undefined;
      /** Leaves out what is before this UNIX second. */
      readonly from?: number | undefined;
      /** Leaves out what is at this UNIX second or later. */
      readonly until?: number | undefined;
    };
    readonly body?: undefined;
    readonly answer: ReadonlyArray<{
      readonly kind: "step";
      /** First UNIX second after the step. */
      readonly at: number;
      /** 95th percentile of the minute before, seconds. */
      readonly p95Before: number;
      /** 95th percentile of the minute after, seconds. */
      readonly p95After: number;
      /** When it was over; absent where it held. */
      readonly backAt?: number;
      /** Those that became slower, the worst first. */
      readonly endpoints: ReadonlyArray<{
        readonly hash: string;
        readonly label: string;
      }>;
    } | {
      readonly kind: "burst";
      /** First UNIX second. */
      readonly from: number;
      /** Last UNIX second. */
      readonly until: number;
      /** Failed requests within. */
      readonly errCount: number;
      /** Failed requests of the whole range. */
      readonly allErrCount: number;
      /** The kind that most of them are of, if there is one. */
      readonly failure?: {
        readonly code: string;
        readonly message: string;
        readonly count: number;
      };
      /** Those with failures within, the most first. */
      readonly endpoints: ReadonlyArray<{
        readonly hash: string;
        readonly label: string;
      }>;
    }>;
  };
  /** Distribution of response times over time. */
  readonly getHeatmap: {
    readonly parameters: {
      /** Identifies the load test. */
      readonly id: string;
      /** Text that the label contains, letter case included; no character has a special meaning. */
      readonly filter?: string | undefined;
      /** SHA-1 of the label's UTF-8 bytes, 40 hex digits in either case. */
      readonly hash?: string | undefined;
      /** The same for several endpoints, at most 1000, separated by commas. */
      readonly hashes?: string | undefined;
      /** Leaves out what is before this UNIX second. */
      readonly from?: number | undefined;
      /** Leaves out what is at this UNIX second or later. */
      readonly until?: number | undefined;
      /** Seconds merged into one data point; points begin at multiples of it. */
      readonly resolution?: number | undefined;
    };
    readonly body?: undefined;
    readonly answer: {
      /** Seconds of a column. */
      readonly resolution: number;
      /** UNIX seconds at which the columns that have requests begin, ascending. */
      readonly labels: ReadonlyArray<number>;
      /** Seconds at which rows begin, ascending; the last one ends the row before it. */
      readonly rows: ReadonlyArray<number>;
      /** For each column its cells: pairs of the index of the row and the requests. */
      readonly cells: ReadonlyArray<ReadonlyArray<readonly [number, number]>>;
    };
  };
  /** Why requests failed, by endpoint and kind. */
  readonly getFailures: {
    readonly parameters: {
      /** Identifies the load test. */
      readonly id: string;
      /** Text that the label contains, letter case included; no character has a special meaning. */
      readonly filter?: string | undefined;
      /** SHA-1 of the label's UTF-8 bytes, 40 hex digits in either case. */
      readonly hash?: string | undefined;
      /** The same for several endpoints, at most 1000, separated by commas. */
      readonly hashes?: string | undefined;
      /** Leaves out what is before this UNIX second. */
      readonly from?: number | undefined;
      /** Leaves out what is at this UNIX second or later. */
      readonly until?: number | undefined;
      /** Whether each kind comes with its number in each second. */
      readonly series?: "false" | "true" | undefined;
      /** Whether all endpoints that are selected become one item. */
      readonly merge?: "false" | "true" | undefined;
      /** Seconds merged into one data point; points begin at multiples of it. */
      readonly resolution?: number | undefined;
    };
    readonly body?: undefined;
    readonly answer: ReadonlyArray<{
      readonly hash?: string;
      /** Absent, like `hash`, where endpoints were merged. */
      readonly label?: string;
      /** All failed requests of the endpoint. */
      readonly errCount: number;
      /** Those of which the source does not say why. */
      readonly withoutKind: number;
      readonly kinds: ReadonlyArray<{
        /** As the tool recorded it; may be empty. */
        readonly code: string;
        /** As the tool recorded it; `(other)` holds the kinds beyond the first hundred. */
        readonly message: string;
        readonly count: number;
        /** First UNIX second; absent where it is not known. */
        readonly from?: number;
        /** Last UNIX second; absent where it is not known. */
        readonly until?: number;
        /** Pairs of UNIX second and count, ascending; second 0 is not known. */
        readonly series?: ReadonlyArray<readonly [number, number]>;
        /** Endpoints that have it; only with `merge=true`. */
        readonly endpointCount?: number;
        /** The first 100 of them, that with the most failures first. */
        readonly endpoints?: ReadonlyArray<{
          readonly hash: string;
          readonly label: string;
          readonly count: number;
        }>;
      }>;
    }>;
  };
  /** Active users of a load test. */
  readonly getUsers: {
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
  };
  /** What differs from another load test, by endpoint and overall. */
  readonly compareLoadTests: {
    readonly parameters: {
      /** Identifies the load test. */
      readonly id: string;
      /** The load test that is compared with. */
      readonly base: string;
      /** Text that the label contains, letter case included; no character has a special meaning. */
      readonly filter?: string | undefined;
      /** SHA-1 of the label's UTF-8 bytes, 40 hex digits in either case. */
      readonly hash?: string | undefined;
      /** The same for several endpoints, at most 1000, separated by commas. */
      readonly hashes?: string | undefined;
      /** Leaves out what is before this UNIX second. */
      readonly from?: number | undefined;
      /** Leaves out what is at this UNIX second or later. */
      readonly until?: number | undefined;
      /** The same as `from`, of the load test that is compared with. */
      readonly baseFrom?: number | undefined;
      /** The same as `until`, of the load test that is compared with. */
      readonly baseUntil?: number | undefined;
      /** Seconds left out at the start of each load test, until it runs steadily. */
      readonly skipStart?: number | undefined;
      /** Seconds left out at the end of each load test, from when on it ends. */
      readonly skipEnd?: number | undefined;
    };
    readonly body?: undefined;
    readonly answer: {
      readonly overall: {
        readonly verdict: "slower" | "faster" | "unchanged" | "tooFew" | "new" | "gone";
        readonly count: {
          readonly base: number;
          readonly value: number;
        };
        /** How far response times have moved as a whole: the average of their logarithms, and over several endpoints that of each of them. Members that the data do not tell are absent. */
        readonly shift: {
          /** 0.1 where they grew by 10 %. */
          readonly change?: number;
          /** Lower limit of the true change. */
          readonly low?: number;
          /** Upper limit of the true change. */
          readonly high?: number;
          /** Whether noise does not explain the change. */
          readonly isSignificant?: boolean;
        };
        /** Failed requests by all requests. Members that do not exist or that the data do not tell are absent. */
        readonly errRate: {
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
        };
        /** Seconds. Members that do not exist or that the data do not tell are absent. */
        readonly avgLoadTime: {
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
        };
        /** Seconds. Members that do not exist or that the data do not tell are absent. */
        readonly p50: {
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
        };
        /** Seconds. Members that do not exist or that the data do not tell are absent. */
        readonly p95: {
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
        };
        /** Seconds. Members that do not exist or that the data do not tell are absent. */
        readonly p99: {
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
        };
      };
      /** `everything` where `overall` holds transactions or sub-results: endpoints that were named by hash, or nothing but those. */
      readonly overallOf: "requests" | "everything";
      /** How many of the endpoints are not in `overall`. */
      readonly leftOut: {
        readonly transactions: number;
        readonly subresults: number;
      };
      readonly endpoints: ReadonlyArray<{
        readonly hash: string;
        readonly label: string;
        readonly verdict: "slower" | "faster" | "unchanged" | "tooFew" | "new" | "gone";
        readonly count: {
          readonly base: number;
          readonly value: number;
        };
        /** How far response times have moved as a whole: the average of their logarithms, and over several endpoints that of each of them. Members that the data do not tell are absent. */
        readonly shift: {
          /** 0.1 where they grew by 10 %. */
          readonly change?: number;
          /** Lower limit of the true change. */
          readonly low?: number;
          /** Upper limit of the true change. */
          readonly high?: number;
          /** Whether noise does not explain the change. */
          readonly isSignificant?: boolean;
        };
        /** Failed requests by all requests. Members that do not exist or that the data do not tell are absent. */
        readonly errRate: {
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
        };
        /** Seconds. Members that do not exist or that the data do not tell are absent. */
        readonly avgLoadTime: {
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
        };
        /** Seconds. Members that do not exist or that the data do not tell are absent. */
        readonly p50: {
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
        };
        /** Seconds. Members that do not exist or that the data do not tell are absent. */
        readonly p95: {
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
        };
        /** Seconds. Members that do not exist or that the data do not tell are absent. */
        readonly p99: {
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
        };
        /** Absent where the rows are requests: what they repeat of others. */
        readonly role?: "transaction" | "subresult";
      }>;
    };
  };
  /** A series of load tests, and what changed in it. */
  readonly getTrend: {
    readonly parameters: {
      /** Name that the load tests have, exactly. */
      readonly name?: string | undefined;
      /** Tag that the load tests have, exactly; with `name` or without. */
      readonly tag?: string | undefined;
      /** At most so many load tests, the latest. */
      readonly last?: number | undefined;
      /** The baseline: leaves out load tests that started before the one with this id. */
      readonly since?: string | undefined;
      /** Ends with the load test of this id, whatever its name. */
      readonly upTo?: string | undefined;
      /** Text that the label contains, letter case included; no character has a special meaning. */
      readonly filter?: string | undefined;
      /** SHA-1 of the label's UTF-8 bytes, 40 hex digits in either case. */
      readonly hash?: string | undefined;
      /** The same for several endpoints, at most 1000, separated by commas. */
      readonly hashes?: string | undefined;
      /** Seconds left out at the start of each load test, until it runs steadily. */
      readonly skipStart?: number | undefined;
      /** Seconds left out at the end of each load test, from when on it ends. */
      readonly skipEnd?: number | undefined;
    };
    readonly body?: undefined;
    readonly answer: {
      /** By their start, the latest last. */
      readonly loadTests: ReadonlyArray<{
        readonly id: string;
        readonly name: string;
        /** UNIX second of the first request. */
        readonly startedAt: number;
      }>;
      readonly leftOut: {
        /** Load tests of the series before these. */
        readonly loadTests: number;
        /** Endpoints with fewer requests: at least so many. */
        readonly endpoints: number;
      };
      /** The latest first. */
      readonly changes: ReadonlyArray<{
        /** The load test that brought it. */
        readonly loadTestId: string;
        readonly figure: "count" | "errRate" | "avgLoadTime" | "p50" | "p95" | "p99";
        /** How many load tests have the level before. */
        readonly loadTestsBefore: number;
        /** How many have the level after; of 1 or 2, it may be an outlier. */
        readonly loadTestsAfter: number;
        /** Average of the level before. */
        readonly before: number;
        /** Average of the level after. */
        readonly after: number;
        /** That noise alone makes levels so different. */
        readonly chance: number;
        /** Absent where it is all endpoints as one. */
        readonly label?: string;
        readonly hash?: string;
        /** 0.1 where it grew by 10 %; of `errRate` the difference. Absent where it was 0. */
        readonly change?: number;
      }>;
      readonly overall: {
        /** As in the summary of each of `loadTests`; `null` where it has no request. */
        readonly count: ReadonlyArray<number | null>;
        /** As in the summary of each of `loadTests`; `null` where it has no request. */
        readonly errRate: ReadonlyArray<number | null>;
        /** As in the summary of each of `loadTests`; `null` where it has no request. */
        readonly avgLoadTime: ReadonlyArray<number | null>;
        /** As in the summary of each of `loadTests`; `null` where it has no request. */
        readonly p50: ReadonlyArray<number | null>;
        /** As in the summary of each of `loadTests`; `null` where it has no request. */
        readonly p95: ReadonlyArray<number | null>;
        /** As in the summary of each of `loadTests`; `null` where it has no request. */
        readonly p99: ReadonlyArray<number | null>;
      };
      readonly endpoints: ReadonlyArray<{
        readonly label: string;
        readonly hash: string;
        /** As in the summary of each of `loadTests`; `null` where it has no request. */
        readonly count: ReadonlyArray<number | null>;
        /** As in the summary of each of `loadTests`; `null` where it has no request. */
        readonly errRate: ReadonlyArray<number | null>;
        /** As in the summary of each of `loadTests`; `null` where it has no request. */
        readonly avgLoadTime: ReadonlyArray<number | null>;
        /** As in the summary of each of `loadTests`; `null` where it has no request. */
        readonly p50: ReadonlyArray<number | null>;
        /** As in the summary of each of `loadTests`; `null` where it has no request. */
        readonly p95: ReadonlyArray<number | null>;
        /** As in the summary of each of `loadTests`; `null` where it has no request. */
        readonly p99: ReadonlyArray<number | null>;
        /** Absent where the rows are requests: what they repeat of others. */
        readonly role?: "transaction" | "subresult";
      }>;
    };
  };
  /** How many load tests there are, and with which tags. */
  readonly countTags: {
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
  };
  /** A load test as one file to hand over. */
  readonly getReport: {
    readonly parameters: {
      /** Identifies the load test. */
      readonly id: string;
      /** Text that the label contains, letter case included; no character has a special meaning. */
      readonly filter?: string | undefined;
      /** SHA-1 of the label's UTF-8 bytes, 40 hex digits in either case. */
      readonly hash?: string | undefined;
      /** The same for several endpoints, at most 1000, separated by commas. */
      readonly hashes?: string | undefined;
      /** Leaves out what is before this UNIX second. */
      readonly from?: number | undefined;
      /** Leaves out what is at this UNIX second or later. */
      readonly until?: number | undefined;
      /** Where people find the load test, to be named in the report. */
      readonly address?: string | undefined;
    };
    readonly body?: undefined;
    readonly answer: string;
  };
  /** Add a batch of data points. */
  readonly appendBatch: {
    readonly parameters: {
      /** Identifies the load test. */
      readonly id: string;
    };
    readonly body: RequestInit["body"];
    readonly answer: {
      /** It was there already. */
      readonly duplicate: boolean;
    };
  };
  /** Sources of a load test. */
  readonly listSources: {
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
  };
  /** Show a staged source. */
  readonly publishSource: {
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
  };
  /** Take a source away. */
  readonly removeSource: {
    readonly parameters: {
      /** Identifies the load test. */
      readonly id: string;
      /** Identifies the source within its load test. */
      readonly sourceId: string;
    };
    readonly body?: undefined;
    readonly answer: undefined;
  };
  /** The key of this request. */
  readonly getCurrentKey: {
    readonly parameters: {};
    readonly body?: undefined;
    readonly answer: {
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
    };
  };
  /** Keys. */
  readonly listKeys: {
    readonly parameters: {};
    readonly body?: undefined;
    readonly answer: {
      /** By time of creation, revoked and expired ones included. */
      readonly keys: ReadonlyArray<{
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
      }>;
    };
  };
  /** Make a key. */
  readonly createKey: {
    readonly parameters: {};
    readonly body: {
      /** Such as who uses it: 1 to 100 characters, never given before. */
      readonly name: string;
      /** What it may do, at least one; `admin` includes the others. `read` without it. */
      readonly scopes?: ReadonlyArray<"read" | "write" | "admin">;
      /** Days until it expires; never without it. */
      readonly expiresDays?: number;
    };
    readonly answer: {
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
    };
  };
  /** Revoke a key. */
  readonly revokeKey: {
    readonly parameters: {
      /** Name of the key, percent-encoded. */
      readonly name: string;
    };
    readonly body?: undefined;
    readonly answer: {
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
    };
  };
}

/** By operation how it is asked; `{name}` stands for a parameter. */
export const OPERATIONS = {
  getMetrics: { method: "GET", path: "/Api/Metrics" },
  listLoadTests: { method: "GET", path: "/Api/LoadTests" },
  createLoadTest: { method: "POST", path: "/Api/LoadTests" },
  getLoadTest: { method: "GET", path: "/Api/LoadTests/{id}" },
  changeLoadTest: { method: "PATCH", path: "/Api/LoadTests/{id}" },
  deleteLoadTest: { method: "DELETE", path: "/Api/LoadTests/{id}" },
  uploadResults: { method: "POST", path: "/Api/LoadTests/{id}/Results" },
  listUploads: { method: "GET", path: "/Api/LoadTests/{id}/Results" },
  stopUploads: { method: "POST", path: "/Api/LoadTests/{id}/Results/Stop" },
  getSummary: { method: "GET", path: "/Api/LoadTests/{id}/Summary" },
  getPercentiles: { method: "GET", path: "/Api/LoadTests/{id}/Percentiles" },
  getDistribution: { method: "GET", path: "/Api/LoadTests/{id}/Distribution" },
  getFindings: { method: "GET", path: "/Api/LoadTests/{id}/Findings" },
  getHeatmap: { method: "GET", path: "/Api/LoadTests/{id}/Heatmap" },
  getFailures: { method: "GET", path: "/Api/LoadTests/{id}/Failures" },
  getUsers: { method: "GET", path: "/Api/LoadTests/{id}/Users" },
  compareLoadTests: { method: "GET", path: "/Api/LoadTests/{id}/Compare" },
  getTrend: { method: "GET", path: "/Api/Trend" },
  countTags: { method: "GET", path: "/Api/Tags" },
  getReport: { method: "GET", path: "/Api/LoadTests/{id}/Report" },
  appendBatch: { method: "POST", path: "/Api/LoadTests/{id}/Batches" },
  listSources: { method: "GET", path: "/Api/LoadTests/{id}/Sources" },
  publishSource: { method: "POST", path: "/Api/LoadTests/{id}/Sources/{sourceId}/Publish" },
  removeSource: { method: "DELETE", path: "/Api/LoadTests/{id}/Sources/{sourceId}" },
  getCurrentKey: { method: "GET", path: "/Api/CurrentKey" },
  listKeys: { method: "GET", path: "/Api/Keys" },
  createKey: { method: "POST", path: "/Api/Keys" },
  revokeKey: { method: "DELETE", path: "/Api/Keys/{name}" },
} as const;
