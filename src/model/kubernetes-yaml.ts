import type { DocumentOptions, ParseOptions, SchemaOptions, Tags } from "yaml";

const TIMESTAMP = "tag:yaml.org,2002:timestamp";

/** YAML 1.1 without what sigs.k8s.io/yaml leaves out: times and numbers of base 60 stay texts. It knows 0o17 besides. */
const likeKubectl = (tags: Tags): Tags => [
  ...tags.filter(
    (tag) => typeof tag === "string" || (tag.tag !== TIMESTAMP && !("format" in tag && tag.format === "TIME")),
  ),
  "intOct",
];

/**
 * How kubectl reads a manifest: `NO`, `off` and `y` without quotes are booleans, `0777` is octal. Whoever reads a manifest
 * otherwise says yes to what kubectl then sees refused.
 */
export const KUBERNETES_YAML: ParseOptions & DocumentOptions & SchemaOptions = {
  schema: "yaml-1.1",
  customTags: likeKubectl,
};
