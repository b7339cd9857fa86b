/** The tables, each keyed by load test (docs/internals/formats/postgres.md). */

import { randomBytes } from "node:crypto";
import { UserError } from "../../model/errors.ts";
import { COMPUTED_FIGURES } from "../../model/load-test/search.ts";
import { LAYOUT } from "../refusals.ts";
import { OVERALL_FIGURES } from "../store.ts";
import type { Database } from "./database.ts";

const VERSION = 1;

/** Expressions of indexes: statements that use them have the same ones. */
export const ENVIRONMENT_OF_HOUR = "CASE WHEN hour IS NULL THEN '' ELSE environment END";
export const STARTED_AT_MS = "coalesce(first_second * 1000, created_at_ms)";
/** Of `COMPUTED_FIGURES`, by index. */
export const computedFigure = (index: number): string => `(text::json ->> ${index})::float8`;
/** Of the advisory lock that one process at a time holds while it creates the tables. */
const SCHEMA_LOCK = 0x54616368;

/** Texts that people choose are bytes, as PostgreSQL stores no NUL in a text. */
const TABLES = `
  CREATE TABLE store (id text NOT NULL, version int NOT NULL, layout int NOT NULL);
  CREATE SEQUENCE numbers INCREMENT 1000;
  CREATE TABLE load_tests (
    number bigint PRIMARY KEY,
    project text COLLATE "C" NOT NULL,
    environment text COLLATE "C",
    hour bigint,
    id text COLLATE "C" NOT NULL,
    name bytea NOT NULL,
    created_at_ms bigint NOT NULL,
    revision bigint NOT NULL,
    latest_revision bigint NOT NULL,
    blocks bigint NOT NULL,
    endpoints bigint NOT NULL,
    hidden_endpoints bigint NOT NULL,
    requests bigint NOT NULL,
    failed_requests bigint NOT NULL,
    uncounted_requests bigint NOT NULL,
    uncounted_failed_requests bigint NOT NULL,
    first_second bigint,
    last_second bigint,
    finished_at_ms bigint,
    last_data_at_ms bigint,
    attributes text NOT NULL
  ) WITH (fillfactor = 70);
  CREATE UNIQUE INDEX load_tests_by_id ON load_tests (project, (${ENVIRONMENT_OF_HOUR}), id);
  CREATE INDEX load_tests_by_start
    ON load_tests (project, (${ENVIRONMENT_OF_HOUR}), (${STARTED_AT_MS}) DESC, id);
  CREATE TABLE endpoints (
    load_test bigint NOT NULL,
    number int NOT NULL,
    label bytea NOT NULL,
    PRIMARY KEY (load_test, number)
  );
  CREATE TABLE measure_series (
    load_test bigint NOT NULL,
    key bytea NOT NULL,
    PRIMARY KEY (load_test, key)
  );
  CREATE TABLE sources (
    load_test bigint NOT NULL,
    number bigint NOT NULL,
    id bytea NOT NULL,
    visibility text NOT NULL,
    format text,
    digest text,
    size_bytes bigint,
    last_batch_at_ms bigint NOT NULL,
    withdrawn boolean NOT NULL,
    batches bigint NOT NULL,
    last_sequence bigint,
    name bytea,
    marks text,
    quality text,
    blocks bigint NOT NULL,
    requests bigint NOT NULL,
    failed_requests bigint NOT NULL,
    first_second bigint,
    last_second bigint,
    endpoints bytea NOT NULL,
    request_endpoints bytea NOT NULL,
    role_counts bytea NOT NULL,
    PRIMARY KEY (load_test, number),
    UNIQUE (load_test, id)
  );
  CREATE INDEX sources_by_digest ON sources (digest) WHERE digest IS NOT NULL;
  CREATE INDEX sources_staged ON sources (last_batch_at_ms)
    WHERE visibility = 'staged' AND digest IS NULL;
  CREATE TABLE batches (
    load_test bigint NOT NULL,
    source bigint NOT NULL,
    sequence bigint NOT NULL,
    digest bytea NOT NULL,
    role_counts bytea,
    PRIMARY KEY (load_test, source, sequence)
  );
  CREATE TABLE samples (
    load_test bigint NOT NULL,
    source bigint NOT NULL,
    sequence bigint NOT NULL,
    shown_from bigint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (load_test, source, sequence)
  );
  CREATE TABLE reported_percentiles (
    load_test bigint NOT NULL,
    source bigint NOT NULL,
    sequence bigint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (load_test, source, sequence)
  );
  CREATE TABLE blocks (
    load_test bigint NOT NULL,
    number bigint NOT NULL,
    source bigint NOT NULL,
    kind text NOT NULL,
    endpoint_group int,
    points bigint NOT NULL,
    first_second bigint NOT NULL,
    last_second bigint NOT NULL,
    plain_crc bigint NOT NULL,
    distribution_crc bigint NOT NULL,
    crc bigint NOT NULL,
    shown_from bigint,
    shown_until bigint,
    hidden_at_ms bigint,
    level int,
    endpoints bytea NOT NULL,
    roles bytea,
    plain bytea NOT NULL,
    distribution bytea,
    PRIMARY KEY (load_test, number)
  ) WITH (fillfactor = 90);
  ALTER TABLE blocks ALTER plain SET STORAGE EXTERNAL, ALTER distribution SET STORAGE EXTERNAL;
  CREATE INDEX blocks_hidden ON blocks (hidden_at_ms) WHERE hidden_at_ms IS NOT NULL;
  CREATE INDEX blocks_to_merge ON blocks (load_test, source)
    WHERE level IS NOT NULL AND shown_from IS NOT NULL AND shown_until IS NULL;
  CREATE TABLE figures (
    load_test bigint NOT NULL,
    part text NOT NULL,
    revision bigint NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    text text NOT NULL,
    PRIMARY KEY (load_test, part)
  );
  ${COMPUTED_FIGURES.map(
    (figure, index) => `CREATE INDEX figures_by_${figure} ON figures ((${computedFigure(index)}))
      WHERE part = '${OVERALL_FIGURES}';`,
  ).join("\n")}
  CREATE TABLE access_keys (
    digest text PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    scopes text NOT NULL,
    created_at_ms bigint NOT NULL,
    last_used_at_ms bigint,
    expires_at_ms bigint,
    revoked_at_ms bigint,
    opened_load_tests text,
    opens_files int NOT NULL,
    project text,
    sign_in int NOT NULL
  );
  CREATE TABLE contents (
    number bigint PRIMARY KEY,
    digest text UNIQUE,
    size_bytes bigint NOT NULL,
    written_at_ms bigint NOT NULL
  );
  CREATE INDEX contents_staged ON contents (written_at_ms) WHERE digest IS NULL;
  CREATE TABLE content_chunks (
    content bigint NOT NULL,
    sequence bigint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (content, sequence)
  );
  ALTER TABLE content_chunks ALTER bytes SET STORAGE EXTERNAL;
  CREATE TABLE files (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    load_test bigint NOT NULL,
    id text NOT NULL,
    name bytea NOT NULL,
    source bytea,
    content bigint NOT NULL,
    added_at_ms bigint NOT NULL,
    author bytea,
    UNIQUE (load_test, id)
  );
  CREATE INDEX files_by_content ON files (content);
  CREATE TABLE thresholds (
    project text NOT NULL,
    name bytea NOT NULL,
    text bytea NOT NULL,
    PRIMARY KEY (project, name)
  );
  CREATE TABLE sender_states (
    project text NOT NULL,
    environment text NOT NULL,
    load_test_id text NOT NULL,
    text bytea NOT NULL,
    PRIMARY KEY (project, environment, load_test_id)
  );
  CREATE TABLE judge_notes (project text PRIMARY KEY, text bytea NOT NULL);
  CREATE TABLE audit (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at_ms bigint NOT NULL,
    project text,
    key_name text,
    operation text NOT NULL,
    target bytea,
    outcome text NOT NULL,
    details text
  );
  CREATE INDEX audit_by_key ON audit (project, key_name, number);
`;

/** Creates the tables if there are none. Returns the store's random id. Throws `store-too-new`, `store-unusable`. */
export async function requireTables(database: Database): Promise<string> {
  const found = await readStore(database);
  if (found !== undefined) return checked(found, database);
  const created = await database.transaction(async (run) => {
    await run(`SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`);
    // Another process may have created them meanwhile.
    const [there] = await run("SELECT to_regclass('store') IS NOT NULL AS exists");
    const sql = there?.["exists"] === true ? [] : TABLES.split(";").filter((text) => text.trim());
    for (const text of sql) await run(text);
    if (sql.length > 0) {
      await run("INSERT INTO store VALUES ($1, $2, $3)", [
        randomBytes(9).toString("base64url"),
        VERSION,
        LAYOUT,
      ]);
    }
    return { result: undefined, statements: [] };
  }, true);
  return created ?? checked((await readStore(database)) ?? {}, database);
}

interface StoreState {
  readonly id?: unknown;
  readonly version?: unknown;
  readonly layout?: unknown;
}

async function readStore(database: Database): Promise<StoreState | undefined> {
  const [there] = await database.read("SELECT to_regclass('store') IS NOT NULL AS exists");
  if (there?.["exists"] !== true) return undefined;
  const [row] = await database.read("SELECT * FROM store");
  return row ?? {};
}

function checked({ id, version, layout }: StoreState, { place }: Database): string {
  if (version === VERSION && layout === LAYOUT && typeof id === "string") return id;
  if (typeof version === "number" && version > VERSION) {
    throw new UserError(
      "store-too-new",
      `cannot use ${place}: its tables have version ${version}, this program supports ${VERSION}`,
    );
  }
  throw new UserError(
    "store-unusable",
    `cannot use ${place}: it has a table "store" of another program, or of a development version; ` +
      "import the files again into an empty database or schema (?options=-csearch_path%3Dtachograph)",
  );
}
