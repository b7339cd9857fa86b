/**
 * Go's gob encoding, as far as structs of plain values, lists, maps and types that encode themselves
 * go. Answers the structs of a stream in order, as objects; fields that are zero are not there.
 */
export function readGob(plain) {
  const values = [];
  const types = {};
  let rest = plain;
  while (rest.length > 0) {
    const [length, behind] = numberAt(rest);
    if (length === undefined || behind.length < Number(length)) return { values, cut: true };
    readMessage(behind.subarray(0, Number(length)), types, values);
    rest = behind.subarray(Number(length));
  }
  return { values, cut: false };
}

function readMessage(message, types, values) {
  const cursor = { rest: message };
  const id = signed(cursor);
  if (id > 0n) values.push(BY_SHAPE.struct(types[id], cursor, types));
  else types[-id] = definition(cursor);
}

/** [value, rest], the value undefined where the bytes end before it does. */
function numberAt(bytes) {
  const [first] = bytes;
  if (first === undefined) return [undefined, bytes];
  if (first < 128) return [BigInt(first), bytes.subarray(1)];
  const end = 1 + 256 - first;
  if (bytes.length < end) return [undefined, bytes];
  return [BigInt(`0x${Buffer.from(bytes.subarray(1, end)).toString("hex")}`), bytes.subarray(end)];
}

function unsigned(cursor) {
  const [value, rest] = numberAt(cursor.rest);
  cursor.rest = rest;
  return value ?? 0n;
}

function signed(cursor) {
  const value = unsigned(cursor);
  return value % 2n === 1n ? -(value / 2n) - 1n : value / 2n;
}

function blob(cursor) {
  const length = Number(unsigned(cursor));
  const found = cursor.rest.subarray(0, length);
  cursor.rest = cursor.rest.subarray(length);
  return found;
}

const text = (cursor) => Buffer.from(blob(cursor)).toString("utf8");

/** Readers of the fields of a struct, in order, that a stream does not define itself. */
const COMMON = [
  ["name", text],
  ["id", signed],
];
const FIELD = [
  ["name", text],
  ["type", signed],
];
const common = (cursor) => fixed(COMMON, cursor);
const DEFINITION = [
  [
    "array",
    (cursor) =>
      fixed(
        [
          ["common", common],
          ["element", signed],
          ["size", signed],
        ],
        cursor,
      ),
  ],
  [
    "slice",
    (cursor) =>
      fixed(
        [
          ["common", common],
          ["element", signed],
        ],
        cursor,
      ),
  ],
  [
    "struct",
    (cursor) =>
      fixed(
        [
          ["common", common],
          ["fields", fieldList],
        ],
        cursor,
      ),
  ],
  [
    "map",
    (cursor) =>
      fixed(
        [
          ["common", common],
          ["key", signed],
          ["element", signed],
        ],
        cursor,
      ),
  ],
  ["own", (cursor) => fixed([["common", common]], cursor)],
  ["own", (cursor) => fixed([["common", common]], cursor)],
  ["own", (cursor) => fixed([["common", common]], cursor)],
];

function definition(cursor) {
  const [[shape, detail]] = Object.entries(fixed(DEFINITION, cursor));
  return { shape, ...detail };
}

function fieldList(cursor) {
  return Array.from({ length: Number(unsigned(cursor)) }, () => fixed(FIELD, cursor));
}

function fixed(readers, cursor) {
  const found = {};
  let index = -1;
  for (let step = unsigned(cursor); step !== 0n; step = unsigned(cursor)) {
    index += Number(step);
    const [name, read] = readers[index];
    found[name] = read(cursor);
  }
  return found;
}

const BASIC = { 1: unsigned, 2: signed, 3: unsigned, 4: unsigned, 5: blob, 6: text };

const BY_SHAPE = {
  own: (_type, cursor) => blob(cursor),
  struct: (type, cursor, types) =>
    fixed(
      type.fields.map((field) => [field.name, (inner) => valueOf(field.type, inner, types)]),
      cursor,
    ),
  slice: (type, cursor, types) => times(cursor, () => valueOf(type.element, cursor, types)),
  array: (type, cursor, types) => times(cursor, () => valueOf(type.element, cursor, types)),
  map: (type, cursor, types) =>
    times(cursor, () => [valueOf(type.key, cursor, types), valueOf(type.element, cursor, types)]),
};

function valueOf(id, cursor, types) {
  const basic = BASIC[id];
  return basic ? basic(cursor) : BY_SHAPE[types[id].shape](types[id], cursor, types);
}

function times(cursor, read) {
  return Array.from({ length: Number(unsigned(cursor)) }, read);
}
