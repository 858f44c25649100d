import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { checkPushed } from "../../../src/bundle/check-pushed.ts";
import { lineOf } from "../../../src/errors.ts";
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
    return lineOf(thrown);
  }
  return "";
}

describe("the tables of clusters, features and images", () => {
  it("are accepted as shipped", () => {
    expect(said("clusters/kubernetes/warnDays", 30)).toBe("");
  });

  it.each<[string, unknown]>([
    ["texts/denials", { POL_QUOTA: { message: "{{object.name}}: {{#if allowed}}{{allowed}}{{/if}}", remedy: null } }],
    [
      "texts/denial",
      "{{id}} {{#each denials}}{{code}} {{message}}{{/each}} {{codes}}{{#each passesWith}}{{this}}{{/each}}",
    ],
    ["smoke/cases", [{ name: "a", spec: { memory: "1GB" }, allowed: false, code: "ADM_SCHEMA" }]],
  ])("are accepted with other %s", (path, value) => {
    expect(said(path, value)).toBe("");
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
    [
      "another name of an architecture",
      "images/by_provider/aws/debian-12",
      { aarch64: "ami-1" },
      'images.by_provider.aws.debian-12.aarch64 "ami-1" is not a field; write arm64: ami-1',
    ],
    [
      "an operating system that no object can name",
      "images/by_provider/aws/ubunt-24.04",
      { arm64: "ami-1" },
      'has "ubunt-24.04", which is not an operating system of the schema, so that the entry has no effect; write ubuntu-24.04',
    ],
    [
      "a misspelt answer of a smoke case",
      "smoke/cases/0/allow",
      true,
      "smoke.cases[0].allow true is not a field; remove it: allowed is set as well",
    ],
    [
      "a smoke case in other words",
      "smoke/cases/0",
      { name: "a", spec: { cpu: 1, memory: 1 }, allow: true },
      "smoke.cases[0].allow true is not a field; write allowed: true",
    ],
    [
      "a smoke case that is denied before the policy",
      "smoke/cases/0/spec",
      { cpu: 1, memory: "1GB" },
      'smoke.cases[0].spec.memory "1GB" is not a whole number; write GiB as a whole number: memory: 1',
    ],
    [
      "a text of no code",
      "texts/denials",
      { POL_QUOTTA: { message: "a" } },
      "texts.denials has POL_QUOTTA, which is not the code of a denial, so that the text is never used; write POL_QUOTA",
    ],
    [
      "a template that is not closed",
      "texts/denials",
      { POL_QUOTA: { message: "too much: {{message}" } },
      'texts.denials.POL_QUOTA.message "too much: {{message}" is not a Handlebars template (line 1); close each value as in {{message}}',
    ],
    [
      "a value that a template cannot use",
      "texts/denials",
      { POL_QUOTA: { remedy: "{{mesage}}" } },
      'texts.denials.POL_QUOTA.remedy uses "mesage", which it cannot use; write message',
    ],
    [
      "a value of a code in the whole text",
      "texts/denial",
      "{{object.nam}}: {{first.message}}",
      'texts.denial uses "nam", which it cannot use; write name',
    ],
    [
      "a smoke case of a team in other words",
      "custom",
      { security: { smoke: { cases: [{ name: "a", spec: {}, result: false }] } } },
      "custom.security.smoke.cases[0].result false is not a field; write allowed: false; correct landfall/custom/security/smoke/data.yaml",
    ],
    ["a text for a map", "texts/denials", { POL_QUOTA: "no" }, 'texts.denials.POL_QUOTA "no" is not a map; '],
  ])("are not pushed with %s", (_name, path, value, text) => {
    expect(said(path, value)).toContain(text);
  });
});
