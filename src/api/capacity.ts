import { QUALITY } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";

const NUMBER = { type: "number", minimum: 0 } as const;

const LIMITED = object(
  { value: NUMBER, low: NUMBER, high: NUMBER },
  {},
  { title: "Limited", description: "A value with its 95 % confidence limits." },
);

/** Of `GET /Api/LoadTests/{id}/Capacity`. */
export const CAPACITY = object(
  {
    load: {
      type: "string",
      enum: ["users", "rate"],
      description: "What load is: active users, or requests per second if users are not recorded.",
    },
    levels: list(
      object({
        load: NUMBER,
        reqPerSec: NUMBER,
        p95: {
          type: ["number", "null"],
          description: "In seconds; `null` if not known, or of fewer than 20 requests per window.",
        },
      }),
      "Load levels, ascending.",
    ),
    isLoadVaried: {
      type: "boolean",
      description:
        "Whether the load varied enough to find limits: 5 levels, the largest twice the smallest.",
    },
    quality: QUALITY,
  },
  {
    peak: object(
      {
        load: LIMITED,
        reqPerSec: LIMITED,
        law: object(
          { reqPerSecOfOne: NUMBER, contention: { type: "number" }, coherency: NUMBER },
          {},
          {
            description:
              "The fitted Universal Scalability Law: reqPerSecOfOne * N / " +
              "(1 + contention * (N - 1) + coherency * N * (N - 1)) requests per second at N users.",
          },
        ),
      },
      {},
      { description: "Largest throughput; absent if throughput grew up to the largest load." },
    ),
    p95Doubled: object(
      { load: NUMBER, p95Before: NUMBER, p95After: NUMBER },
      {},
      {
        description:
          "Load at which the 95th percentile is twice that of the lowest loads; absent if none is.",
      },
    ),
  },
  { title: "Capacity" },
);

export type CapacityJson = Static<typeof CAPACITY>;
