import type { ErrorObject } from "ajv";
import type { PatchOperation } from "../decision.ts";
import { isObject, keysOf, pointerKey, pointerTo } from "../json.ts";
import { combineCorrections } from "./corrections/combine-corrections.ts";
import { explainUnknown } from "./explain-unknown.ts";
import { gluedField } from "../text/glued-name.ts";
import {
  areExamples,
  assignment,
  explainValue,
  type Explanation,
  type Found,
  wantedFirst,
  WRONG_KEY,
} from "./explain-value.ts";
import { writtenAlone } from "./foreign-value.ts";
import { isFunction, UNFILLED } from "./placeholder.ts";
import { insteadOfMap } from "./instead-of-map.ts";
import { childOf, nodeAt, type SchemaNode, typeOf, valueAt } from "./schema-node.ts";
import { whyRefused } from "./why-refused.ts";
import { readString } from "./read/read-string.ts";
import { byNames } from "./pools/pool-texts.ts";
import { sizeProblem, withFreeExample, wrongAround, wrongBeside } from "./list-problems.ts";
import { readValue } from "./read/read-value.ts";
import { hoursIn } from "./texts/read-price.ts";
import { zoneIn } from "./texts/zones.ts";
import { EACH_PORT, isOpening, opensPorts } from "./read/firewall-rules.ts";
import { readForeign } from "./read/read-foreign.ts";
import { forProvider } from "./read/read-within.ts";
import { asTypesHave, listAround, noSizes, type SizeOf, withOwnSize, withSizes } from "./read/pools.ts";

/** The detail of a required field that is not there. */
const MISSING = "is missing";

/** Whether the problem is a required field that is not there. */
const isMissing = ({ detail }: Explanation): boolean => detail === MISSING;

/** A value to be explained, and the sizes of the machine types that it names. */
interface Source {
  schema: SchemaNode;
  spec: unknown;
  sizeOf: SizeOf;
}

/** A field whose meaning is known, and that is only removed: the change is certain. */
function withRemoval(explained: Explanation, pointer: string): Explanation {
  const { correction, patch, likely } = explained;
  const isRemoved = (patch ?? likely) === undefined && correction.startsWith("remove it: ");
  return isRemoved ? { ...explained, likely: [{ op: "remove", path: `/spec${pointer}` }] } : explained;
}

/** A placeholder in place of a function, which has no text to be taken over. */
const FUNCTION = "!Ref Value";

/** The text about a field of another tool whose value nothing fills in. */
function filledIn<Unknown extends Explanation>(value: unknown, explained: Unknown): Unknown {
  if (value !== FUNCTION || explained.detail.endsWith(UNFILLED)) return explained;
  const correction = "write its value in place of the function";
  return { ...explained, detail: `${explained.detail}, and ${UNFILLED}`, correction };
}

function unknownField({ schema, spec, sizeOf }: Source, parent: string, name: string): Found {
  const holder = valueAt(spec, parent);
  const siblings = isObject(holder) ? holder : {};
  const list = listAround(schema, spec, parent);
  const own = isFunction(siblings[name]) ? FUNCTION : siblings[name];
  const { value, sizes } = withSizes(schema, own, sizeOf);
  const { map, size } = parent === "" ? withOwnSize(schema, siblings, sizeOf) : { map: siblings, size: null };
  const meantValue = value === siblings[name] ? map[name] : value;
  const field = { parent, name, value: meantValue, siblings: map, ...(list === null ? {} : { list }) };
  const { meant, ...explained } = filledIn(own, explainUnknown(schema, nodeAt(schema, parent), field));
  const correction =
    explained.correction + asTypesHave(schema, size === null ? sizes : [size, ...sizes], explained.correction);
  const pointer = `${parent}/${pointerKey(name)}`;
  const found: Found = {
    ...withRemoval(explained, pointer),
    ...{ correction, pointer, value: siblings[name], keyword: "additionalProperties" },
  };
  return { ...found, meant: meant.map((one) => `${parent}/${pointerKey(one)}`) };
}

/** A key that each map of names takes. */
const KEY = "name";

/** The change of a key of a map, which is removed where its value is not understood. */
function withKey(holder: string, key: string, meant: unknown, value: unknown): PatchOperation[] {
  const path = (name: string): string => `${holder}/${pointerKey(name)}`;
  const removed: PatchOperation = { op: "remove", path: path(key) };
  return typeof meant === "string" && value !== undefined
    ? [removed, { op: "add", path: path(meant), value }]
    : [removed];
}

/** For an invalid key of a map, the pointer names only the map. */
function wrongKey(schema: SchemaNode, spec: unknown, pointer: string, key: string): Found {
  const node = nodeAt(schema, pointer);
  const name = { ...node.propertyNames, type: "string", "x-reads": "name" };
  const meant = readString(name, key)?.value;
  const holder = valueAt(spec, pointer);
  const written = isObject(holder) ? holder[key] : undefined;
  const read = readValue(childOf(node, key) ?? {}, written)?.value;
  const rule = "lower-case letters, digits, _ and -, beginning with a letter";
  const glued = gluedField(key, written);
  const field = typeof meant === "string" ? (read === undefined ? meant : assignment(`/${meant}`, read)) : rule;
  return {
    pointer,
    value: undefined,
    likely: withKey(`/spec${pointer}`, key, meant, read),
    keyword: WRONG_KEY + pointerKey(key),
    detail: `has the key ${JSON.stringify(key.slice(0, 60))}, which ${whyRefused({ ...name, examples: [KEY] }, key)}`,
    correction: glued?.correction ?? `write ${field}`,
  };
}

function isRequired(schema: SchemaNode, pointer: string): boolean {
  const [name = "", ...above] = keysOf(pointer).toReversed();
  const parent = pointerTo(above.toReversed());
  return nodeAt(schema, parent).required?.includes(name) === true;
}

function missing(schema: SchemaNode, pointer: string, keyword: string): Found {
  const asked = nodeAt(schema, pointer);
  // An example would open a port to the networks next to it.
  const node = isOpening(asked) ? { ...asked, examples: [] } : asked;
  const value = node["x-unset"] ?? node.examples?.[0];
  const found = { pointer, value: undefined, keyword, detail: MISSING, correction: wantedFirst(pointer, node) };
  return value === undefined ? found : { ...found, likely: [{ op: "add", path: `/spec${pointer}`, value }] };
}

/** A map or list in another tool's words where the schema takes the other: `nodePools: {web: {replicas: 3}}`. */
function inOtherWords(source: Source, pointer: string, node: SchemaNode, value: unknown): Explanation | null {
  const isOther = typeOf(node) === "array" ? isObject(value) : typeOf(node) === "object" && Array.isArray(value);
  if (!isOther || readValue(node, value)?.value !== undefined) return null;
  const detail = isObject(value) ? "is not a list" : "is not a map";
  const written = foreignWritten(source, pointer, node, value);
  return written === null ? (opensPorts(node) ? { detail, correction: EACH_PORT } : null) : { detail, ...written };
}

/** The correction of such a value; null for one that is not understood. */
function foreignWritten(
  { schema, sizeOf }: Source,
  pointer: string,
  node: SchemaNode,
  value: unknown,
): Pick<Explanation, "correction" | "likely"> | null {
  const sized = withSizes(schema, value, sizeOf);
  const found = readForeign(node, sized.value);
  if (found === null) return null;
  const [name = "", ...above] = keysOf(pointer).toReversed();
  const { correction: written, fields } = writtenAlone(node, name, { value, found });
  const correction = written + asTypesHave(schema, sized.sizes, written);
  const likely = fields.map(([key, one]): PatchOperation => {
    return { op: "add", path: `/spec${pointerTo([...above.toReversed(), key])}`, value: one };
  });
  return found.lacking.length > 0 ? { correction } : { correction, likely };
}

/** A correction with the fields that it needs next to it and that are missing: a pause needs a duration and a deadline. */
function withNeeded(schema: SchemaNode, spec: unknown, pointer: string, explained: Explanation): Explanation {
  const around = pointerTo(keysOf(pointer).slice(0, -1));
  const { "x-needs": needs = [] } = nodeAt(schema, pointer);
  const lacking = needs.filter((name) => valueAt(spec, `${around}/${name}`) === undefined);
  if (lacking.length === 0 || !/^write .*\}$/.test(explained.correction)) return explained;
  const examples = lacking.map((name) => {
    const at = `${around}/${name}`;
    return assignment(at, nodeAt(schema, at).examples?.[0]);
  });
  // The examples are none of the object: what is wrong after them is not known.
  const { patch: _patch, likely: _likely, ...rest } = explained;
  return { ...rest, correction: [explained.correction, ...examples].join(" and ") + areExamples(lacking) };
}

function explain(source: Source, error: ErrorObject): Found {
  const { schema, spec } = source;
  const { keyword, instancePath, params, propertyName } = error;
  const { missingProperty, additionalProperty } = params as Record<string, unknown>;
  if (typeof additionalProperty === "string") return unknownField(source, instancePath, additionalProperty);
  if (propertyName !== undefined) return wrongKey(schema, spec, instancePath, propertyName);
  if (typeof missingProperty === "string") return missing(schema, `${instancePath}/${missingProperty}`, keyword);
  const list = wrongAround(schema, spec, instancePath);
  if (list !== null) return list;
  const value = valueAt(spec, instancePath);
  const node = withFreeExample(nodeAt(schema, instancePath), spec, instancePath);
  if (value === undefined) return missing(schema, instancePath, keyword);
  const explained =
    byNames(spec, node, instancePath) ??
    insteadOfMap(schema, spec, node, instancePath) ??
    sizeProblem(error, instancePath, node, value) ??
    inOtherWords(source, instancePath, node, value) ??
    explainValue(instancePath, node, value, isRequired(schema, instancePath));
  return { ...withNeeded(schema, spec, instancePath, explained), pointer: instancePath, value, keyword };
}

/** Whether another problem of the same entry is that the list has it: what else is wrong in it goes with it. */
const goesWith = (one: Found, all: readonly Found[]): boolean =>
  all.some(
    (other) =>
      other !== one &&
      other.correction.startsWith("remove the entry") &&
      one.pointer.startsWith(`${pointerTo(keysOf(other.pointer).slice(0, -1))}/`),
  );

/** A misspelt field explains why the right one is missing, and an invalid key is reported with its value. */
const isExplained = (one: Found, all: readonly Found[]): boolean =>
  goesWith(one, all) ||
  (isMissing(one) && all.some(({ meant = [] }) => meant.includes(one.pointer))) ||
  all.some(
    (other) =>
      other.keyword.startsWith(WRONG_KEY) &&
      one.pointer === `${other.pointer}/${other.keyword.slice(WRONG_KEY.length)}`,
  );

/** Errors of values that are present come before errors of missing values. */
const inOrder = (all: readonly Found[]): Found[] => [...all.filter((one) => !isMissing(one)), ...all.filter(isMissing)];

/** Several errors can be about one value. */
const firstOfEach = (all: readonly Found[]): Found[] =>
  all.filter(
    ({ pointer, detail }, index) =>
      all.findIndex((other) => other.pointer === pointer && other.detail === detail) === index,
  );

/** Those that tell more than the others, in the order in which they are best read. */
export const worthTelling = (all: readonly Found[], told: readonly Found[] = all): Found[] =>
  inOrder(firstOfEach(told).filter((one) => !isExplained(one, all)));

/** The schema for an object that names the zone of its times, `timezone: CET`, or the hours of its run. */
function withRun(schema: SchemaNode, spec: unknown): SchemaNode {
  const run = { "x-zone": zoneIn(spec), "x-hours": hoursIn(spec) };
  if (run["x-zone"] === undefined && run["x-hours"] === undefined) return schema;
  const fields = Object.entries(schema.properties ?? {});
  return { ...schema, properties: Object.fromEntries(fields.map(([name, node]) => [name, { ...node, ...run }])) };
}

/** Explains all errors of a validator, in the order in which they are best read. */
export function explainErrors(
  schema: SchemaNode,
  value: unknown,
  errors: readonly ErrorObject[],
  sizeOf: SizeOf = noSizes,
): Found[] {
  // An error about a key is covered by the error about its content.
  const source = { schema: withRun(forProvider(schema, value), value), spec: value, sizeOf };
  const all = errors.filter(({ keyword }) => keyword !== "propertyNames").map((error) => explain(source, error));
  const found = [...all, ...wrongBeside(source.schema, value, all)];
  return combineCorrections(source.schema, value, worthTelling(all, found));
}
