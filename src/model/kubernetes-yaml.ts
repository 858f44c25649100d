import type { DocumentOptions, ParseOptions, SchemaOptions, Tags } from "yaml";

const TIMESTAMP = "tag:yaml.org,2002:timestamp";

/** YAML 1.1 without the types that sigs.k8s.io/yaml omits: times and base-60 numbers stay texts. It also reads 0o17. */
const likeKubectl = (tags: Tags): Tags => [
  ...tags.filter(
    (tag) => typeof tag === "string" || (tag.tag !== TIMESTAMP && !("format" in tag && tag.format === "TIME")),
  ),
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
