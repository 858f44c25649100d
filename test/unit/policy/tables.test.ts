import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { checkPushed } from "../../../src/bundle/check-pushed.ts";
import { readTar, writeTar } from "../../../src/model/bundle-format/tar.ts";
import { policyFile } from "../../support/load-policy.ts";

type Fields = Record<string, unknown>;

const files = readTar(await readFile(await policyFile()));
const data = files.get("data.json")?.toString("utf8") ?? "{}";

/** What a push says of the project's bundle with another value in a table; `path` below landfall. */
function said(path: string, value: unknown): string {
  const changed = JSON.parse(data) as { landfall: Fields };
  const keys = path.split("/");
  const holder = keys.slice(0, -1).reduce<Fields>((one, key) => one[key] as Fields, changed.landfall);
  holder[keys.at(-1) ?? ""] = value;
  const all = [...files].map(([name, body]): [string, Buffer] => [`/${name}`, body]);
  const bytes = writeTar(new Map([...all, ["/data.json", Buffer.from(JSON.stringify(changed))]]));
  try {
    checkPushed(bytes, "bundle.tar.gz");
  } catch (thrown) {
    return String(thrown);
  }
  return "";
}

describe("the tables of clusters, features and images", () => {
  it("are accepted as shipped", () => {
    expect(said("clusters/kubernetes/warnDays", 30)).toBe("");
  });

  it.each<[string, string, unknown, string]>([
    [
      "a limit in quotes, which is more than every number",
      "clusters/limits/azure/pools",
      "100",
      'bundle.tar.gz: clusters.limits.azure.pools "100" is a text, because of its quotes; write pools: 100',
    ],
    [
      "a switch in quotes",
      "clusters/kubernetes/denyEnded",
      "no",
      'clusters.kubernetes.denyEnded "no" is a text, because of its quotes; write denyEnded: false',
    ],
    [
      "days in quotes",
      "clusters/kubernetes/warnDays",
      "60 days",
      'clusters.kubernetes.warnDays "60 days" is not a whole number; ',
    ],
    [
      "a part that is gone",
      "clusters/kubernetes",
      undefined,
      "clusters.kubernetes is missing; write a map with warnDays",
    ],
    ["a misspelt limit", "clusters/limits/azure/poolss", 100, "clusters.limits.azure.poolss 100 is not a field; "],
    [
      "a misspelt feature",
      "features/unsupported/gcp/portz",
      "why",
      'features.unsupported.gcp has "portz", which is not a feature that a rule asks for, so that the entry has no effect; write ports',
    ],
    [
      "a provider that there is not",
      "clusters/unsupported/gpc",
      { labels: "why" },
      'clusters.unsupported has "gpc", which is not a provider of the catalog, so that the entry has no effect; write gcp',
    ],
    [
      "a pattern that matches no image",
      "images/notations/aws",
      "^(ami-",
      'images.notations.aws "^(ami-" is not a regular expression (RE2): missing closing )',
    ],
  ])("are not pushed with %s", (_name, path, value, text) => {
    expect(said(path, value)).toContain(text);
  });
});
