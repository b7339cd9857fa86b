import {
  flag,
  type Form,
  list,
  type MemberForms,
  members,
  number,
  orNull,
  second,
  text,
  time,
} from "./answer-form.ts";

import type { QualityRemark } from "../api/parts.ts";
import { QUALITY } from "./measured-forms.ts";

/** A load test as `render/load-test-json.ts` writes it. */
export interface LoadTestJson {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly pinned: boolean;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly lastDataAt: string | null;
  readonly endpoints: number;
  readonly requests: number;
  readonly failedRequests: number;
  readonly from: number | null;
  readonly until: number | null;
  readonly formats: readonly string[];
}

const MEMBERS: MemberForms<LoadTestJson> = {
  id: text,
  name: text,
  tags: list(text),
  pinned: flag,
  createdAt: time,
  finishedAt: orNull(time),
  lastDataAt: orNull(time),
  endpoints: number,
  requests: number,
  failedRequests: number,
  from: orNull(second),
  until: orNull(second),
  formats: list(text),
};

/** What a change answers. */
export const LOAD_TEST: Form<LoadTestJson> = members<LoadTestJson>(MEMBERS);

interface PageJson {
  readonly loadTests: readonly LoadTestJson[];
  readonly next: string | null;
}

/** Of `GET /Api/LoadTests`. */
export const PAGE: Form<PageJson> = members<PageJson>({
  loadTests: list(LOAD_TEST),
  next: orNull(text),
});

interface SourceJson {
  readonly name: string;
  readonly format: string;
  readonly sizeBytes: number;
  readonly digest: string;
}

const SOURCE = members<SourceJson>({ name: text, format: text, sizeBytes: number, digest: text });

interface ShownJson extends LoadTestJson {
  readonly sources: readonly SourceJson[];
  readonly quality: readonly QualityRemark[];
}

/** Of `GET /Api/LoadTests/{id}`. */
export const SHOWN: Form<ShownJson> = members<ShownJson>({
  ...MEMBERS,
  sources: list(SOURCE),
  quality: QUALITY,
});
