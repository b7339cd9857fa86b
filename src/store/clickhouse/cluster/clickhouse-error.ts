import { type ErrorCode, UserError } from "../../../model/errors.ts";

/**
 * How to handle the failure of one server. "passing": retry on another replica, or here later. "elsewhere":
 * another replica may succeed, but this one will fail again. "final": every server will fail.
 */
export type Remedy = "passing" | "elsewhere" | "final";

/** A server did not execute a request, or the outcome is unknown. The message names the server. */
export class ClickHouseError extends Error {
  /** ClickHouse's error number; `undefined` if ClickHouse did not respond. */
  readonly code: number | undefined;
  readonly remedy: Remedy;
  /** Error code for users, if it does not depend on the number. */
  readonly meaning: ErrorCode | undefined;

  constructor(message: string, code: number | undefined, options: ClickHouseErrorOptions = {}) {
    super(message, options);
    this.name = "ClickHouseError";
    this.code = code;
    this.remedy = options.remedy ?? remedyOf(code);
    this.meaning = options.meaning;
  }
}

interface ClickHouseErrorOptions extends ErrorOptions {
  readonly remedy?: Remedy;
  readonly meaning?: ErrorCode;
}

/** Whether `error` means that a server could not be reached or the connection broke. */
export function isSilence(error: unknown): boolean {
  return error instanceof ClickHouseError && error.code === undefined;
}

/** The error to throw after the last attempt at `doing` something; unchanged if users cannot fix it. */
export function storeError(error: unknown, doing: string): unknown {
  if (!(error instanceof ClickHouseError)) return error;
  const meaning = meaningOf(error);
  if (meaning === undefined) return error;
  const hint = isOfSchema(error) ? "; run `tachograph migrate` with the same servers" : "";
  return new UserError(meaning, `cannot ${doing}: ${error.message}${hint}`, { cause: error });
}

/** Which attempts can help. https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp */
const PASSING: ReadonlySet<number> = new Set([
  57, // TABLE_ALREADY_EXISTS, while another process creates it
  82, // DATABASE_ALREADY_EXISTS, the same
  159, // TIMEOUT_EXCEEDED
  160, // TOO_SLOW
  173, // CANNOT_ALLOCATE_MEMORY
  198, // DNS_ERROR
  201, // QUOTA_EXCEEDED
  202, // TOO_MANY_SIMULTANEOUS_QUERIES
  203, // NO_FREE_CONNECTION
  209, // SOCKET_TIMEOUT
  210, // NETWORK_ERROR
  218, // TABLE_IS_DROPPED, while one is made
  225, // NO_ZOOKEEPER
  236, // ABORTED
  241, // MEMORY_LIMIT_EXCEEDED
  242, // TABLE_IS_READ_ONLY, while ZooKeeper is away
  243, // NOT_ENOUGH_SPACE
  244, // UNEXPECTED_ZOOKEEPER_ERROR
  252, // TOO_MANY_PARTS
  253, // REPLICA_ALREADY_EXISTS, the same
  254, // NO_ACTIVE_REPLICAS
  255, // TOO_MANY_RETRIES_TO_FETCH_PARTS
  265, // NO_AVAILABLE_REPLICA
  279, // ALL_CONNECTION_TRIES_FAILED
  285, // TOO_FEW_LIVE_REPLICAS
  286, // UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE
  289, // REPLICA_IS_NOT_IN_QUORUM
  319, // UNKNOWN_STATUS_OF_INSERT
  369, // ALL_REPLICAS_ARE_STALE
  394, // QUERY_WAS_CANCELLED, as when a server stops
  416, // REPLICA_STATUS_CHANGED
  425, // SYSTEM_ERROR
  439, // CANNOT_SCHEDULE_TASK
  473, // DEADLOCK_AVOIDED
  499, // S3_ERROR
  677, // THREAD_WAS_CANCELED
  700, // USER_SESSION_LIMIT_EXCEEDED
  722, // ASYNC_LOAD_WAIT_FAILED, while a server starts
  745, // SERVER_OVERLOADED
  749, // TCP_CONNECTION_LIMIT_REACHED
  999, // KEEPER_EXCEPTION, such as an expired session
  1000, // POCO_EXCEPTION
  1001, // STD_EXCEPTION
  1002, // UNKNOWN_EXCEPTION
]);

/** The statement itself is wrong. */
const FINAL: ReadonlySet<number> = new Set([
  6, // CANNOT_PARSE_TEXT
  20, // NUMBER_OF_COLUMNS_DOESNT_MATCH
  27, // CANNOT_PARSE_INPUT_ASSERTION_FAILED
  36, // BAD_ARGUMENTS
  42, // NUMBER_OF_ARGUMENTS_DOESNT_MATCH
  43, // ILLEGAL_TYPE_OF_ARGUMENT
  46, // UNKNOWN_FUNCTION
  53, // TYPE_MISMATCH
  62, // SYNTAX_ERROR
  70, // CANNOT_CONVERT_TYPE
  117, // INCORRECT_DATA
  229, // QUERY_IS_TOO_LARGE
  349, // CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
]);

const OF_SCHEMA: readonly number[] = [
  16, // NO_SUCH_COLUMN_IN_TABLE
  47, // UNKNOWN_IDENTIFIER
  60, // UNKNOWN_TABLE
  81, // UNKNOWN_DATABASE
];

const OF_RIGHTS: readonly number[] = [
  164, // READONLY
  192, // UNKNOWN_USER
  193, // WRONG_PASSWORD
  194, // REQUIRED_PASSWORD
  195, // IP_ADDRESS_NOT_ALLOWED
  452, // SETTING_CONSTRAINT_VIOLATION
  497, // ACCESS_DENIED
  516, // AUTHENTICATION_FAILED
];

/** Something else has the name of our tables. */
const OF_PLACE: readonly number[] = [57, 82, 253];

const OF_LOAD: readonly number[] = [159, 160, 173, 201, 202, 241, 252, 439, 700, 745, 749];

const OF_DAMAGE: readonly number[] = [
  32, // ATTEMPT_TO_READ_AFTER_EOF
  33, // CANNOT_READ_ALL_DATA
  40, // CHECKSUM_DOESNT_MATCH
  226, // NO_FILE_IN_DATA_PART
  228, // BAD_SIZE_OF_FILE_IN_DATA_PART
  231, // TOO_MANY_UNEXPECTED_DATA_PARTS
  246, // CORRUPTED_DATA
  271, // CANNOT_DECOMPRESS
  740, // POTENTIALLY_BROKEN_DATA_PART
];

const MEANINGS: ReadonlyMap<number, ErrorCode> = new Map([
  ...meant("store-unusable", [...OF_SCHEMA, ...OF_RIGHTS, ...OF_PLACE]),
  ...meant("busy", OF_LOAD),
  ...meant("damaged-store", OF_DAMAGE),
  ...meant("storage-full", [243]),
]);

function meant(code: ErrorCode, numbers: readonly number[]): [number, ErrorCode][] {
  return numbers.map((number) => [number, code]);
}

function remedyOf(code: number | undefined): Remedy {
  if (code === undefined || PASSING.has(code)) return "passing";
  // An unknown error may be a fault of this server alone; trying another one is cheap.
  return FINAL.has(code) ? "final" : "elsewhere";
}

function meaningOf(error: ClickHouseError): ErrorCode | undefined {
  const { code, remedy, meaning, message } = error;
  if (meaning !== undefined) return meaning;
  // Old servers have no separate number for it.
  if (message.includes("No space left on device")) return "storage-full";
  const known = code === undefined ? undefined : MEANINGS.get(code);
  if (known !== undefined) return known;
  if (remedy === "passing") return "store-unreachable";
  return code === undefined ? "store-unusable" : undefined;
}

function isOfSchema({ code }: ClickHouseError): boolean {
  return code !== undefined && OF_SCHEMA.includes(code);
}
