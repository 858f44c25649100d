import type { Kept } from "../../cluster/kept-shares.ts";
import { beginOf, shortFields, shortNames, weightOf } from "../../cluster/short-object.ts";
import { isObject } from "../../model/json.ts";
import { marksIn } from "../claims/owned-marks.ts";
import type { Resource } from "../types.ts";

/** An object that takes more bytes is kept in parts: of a normal one, user data of 22,000 characters is most. */
const WHOLE = 131_072;

/** Most characters of labels, of annotations, of spec, of the other fields of status, and of all conditions, of an object that is kept in parts. */
const [TEXTS, SPEC, STATUS, CONDITIONS] = [4096, 16_384, 16_384, 32_768];

/** Most characters of a condition's message, and of its other fields. Operators quote whole answers of providers, which begin with what counts. */
const [MESSAGE, ABOUT] = [8192, 1024];
/** Operators write some ten. */
const MOST_CONDITIONS = 32;

type Metadata = Resource["metadata"];
type Texts = Metadata["labels"];

/** The marks are kept whatever stands next to them. */
const textsOf = (texts: Texts, most?: number): Record<string, string> => ({
  ...shortFields(texts, most),
  ...marksIn(texts ?? {}),
});

/** The parts of metadata that are read: the names, the marks, and what is short of labels and annotations. */
function metadataOf({ labels, annotations, ...metadata }: Metadata, most?: number): Metadata {
  return {
    ...shortNames(metadata),
    ...(labels === undefined ? {} : { labels: textsOf(labels, most) }),
    ...(annotations === undefined ? {} : { annotations: textsOf(annotations, most) }),
  };
}

const fieldsOf = (value: unknown, most: number): Record<string, unknown> =>
  isObject(value) ? shortFields(value, most) : {};

/** The first conditions, as far as they fit in, each with the begin of its message. */
function conditionsIn(value: unknown): Record<string, unknown>[] {
  let left = CONDITIONS;
  const first = Array.isArray(value) ? value.slice(0, MOST_CONDITIONS) : [];
  return first.filter(isObject).flatMap(({ message, ...about }) => {
    const text = typeof message === "string" ? { message: beginOf(message, MESSAGE) } : {};
    const short = { ...shortFields(about, ABOUT), ...text };
    left -= weightOf(short);
    return left < 0 ? [] : [short];
  });
}

function statusOf(status: unknown): Record<string, unknown> {
  const { conditions, ...others } = isObject(status) ? status : {};
  return { ...fieldsOf(others, STATUS), ...(conditions === undefined ? {} : { conditions: conditionsIn(conditions) }) };
}

/** The parts that states, marks and the look of a machine are read from. Whether the spec drifted is read from the whole object. */
function partsOf({ apiVersion, kind, metadata, spec, status }: Resource): Resource {
  return {
    ...{ apiVersion, kind, metadata: metadataOf(metadata, TEXTS) },
    ...(spec === undefined ? {} : { spec: fieldsOf(spec, SPEC) }),
    ...(status === undefined ? {} : { status: statusOf(status) }),
  };
}

/**
 * The parts of a release's object that the controller keeps: all but what nothing reads of its metadata, or the short fields of one that users made large.
 */
export function keepManaged(object: Resource): Kept {
  const whole = { ...object, metadata: metadataOf(object.metadata) };
  const weight = weightOf(whole, WHOLE);
  if (weight <= WHOLE) return { object: whole, isWhole: true, weight };
  const parts = partsOf(object);
  return { object: parts, isWhole: false, weight: weightOf(parts) };
}

/** Of an object whose namespace has its share, only that it exists is kept. It is read where its release is worked on. */
export const namesOfManaged = ({ apiVersion, kind, metadata }: Resource): Resource => ({
  ...{ apiVersion, kind, metadata: shortNames(metadata) },
});
