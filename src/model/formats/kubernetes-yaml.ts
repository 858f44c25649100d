import type { DocumentOptions, ParseOptions, ScalarTag, SchemaOptions, Tags } from "yaml";

const TIMESTAMP = "tag:yaml.org,2002:timestamp";

const FLOAT = "tag:yaml.org,2002:float";

/** `.nan` and `.inf` are numbers without a digit; `.` is a text. */
const withDigit = (test: RegExp): RegExp => new RegExp(`^(?!\\.$)${test.source.replace(/^\^/, "")}`, test.flags);

/** A scalar that begins with a letter is a string: `e1` is a name, not a number with an exponent. A dot alone is one as well. */
function digitsFirst(tag: Tags[number]): Tags[number] {
  if (typeof tag !== "object" || tag.tag !== FLOAT) return tag;
  const scalar = tag as ScalarTag;
  if (!("format" in tag)) return scalar.test === undefined ? tag : { ...scalar, test: withDigit(scalar.test) };
  if (tag.format !== "EXP") return tag;
  return { ...(tag as ScalarTag), test: /^[-+]?(?:\.[0-9]|[0-9])[0-9_]*(?:\.[0-9_]*)?[eE][-+]?[0-9]+$/ };
}

/** YAML 1.1 without the types that sigs.k8s.io/yaml omits: times and base-60 numbers stay texts. It also reads 0o17. */
const likeKubectl = (tags: Tags): Tags => [
  ...tags
    .filter((tag) => typeof tag === "string" || (tag.tag !== TIMESTAMP && !("format" in tag && tag.format === "TIME")))
    .map(digitsFirst),
  "intOct",
];

/**
 * Parses a manifest as kubectl does: `NO`, `off` and `y` without quotes are booleans, `0777` is octal. Another parser
 * would accept manifests that the cluster then denies.
 */
export const KUBERNETES_YAML: ParseOptions & DocumentOptions & SchemaOptions = {
  schema: "yaml-1.1",
  customTags: likeKubectl,
};
