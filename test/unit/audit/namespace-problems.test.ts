import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import schema from "../../../schemas/namespace-settings.schema.json" with { type: "json" };
import { loadPolicy } from "../../support/load-policy.ts";
import { metadataProblem } from "../../../src/cli/objects/metadata-problem.ts";
import { namespaceProblems } from "../../../src/audit/namespace-problems.ts";

const messages = (fields: { annotations?: Record<string, string>; labels?: Record<string, string> }): string[] =>
  namespaceProblems([{ apiVersion: "v1", kind: "Namespace", metadata: { name: "team-a", ...fields } }]).map(
    ({ message }) => message,
  );
const invalid = (key: string, value: string, advice: string): string =>
  `annotation landfall.dev/${key} "${value}" is not valid, so objects of the namespace are denied; ${advice}`;
const unknown = (key: string, advice: string): string =>
  `annotation ${key} is not a setting of a namespace, so it has no effect; ${advice}`;

const NO_LIMIT = "remove it for no limit by the namespace";

interface Setting {
  examples: string[];
  enum?: string[];
}

const POLICY = parseAllDocuments(
  readFileSync(new URL("../../../charts/landfall/optional/namespace-settings.yaml", import.meta.url), "utf8"),
)[0]?.toJS() as { spec: { variables: { name: string; expression: string }[] } };

describe("namespaceProblems", () => {
  it.each([
    ["landfall.dev/max-latncy", "30", unknown("landfall.dev/max-latncy", "write landfall.dev/max-latency")],
    ["landfall.dev/maxLatency", "30", unknown("landfall.dev/maxLatency", "write landfall.dev/max-latency")],
    ["landfal.dev/residency", "EU", unknown("landfal.dev/residency", "write landfall.dev/residency")],
    [
      "landfall.dev/budget",
      "5",
      unknown("landfall.dev/budget", "remove it, or write one of the names in docs/reference/settings.md"),
    ],
    ["landfall.dev/max-latency", "30ms", invalid("max-latency", "30ms", 'write "30"')],
    ["landfall.dev/max-latency", "2s", invalid("max-latency", "2s", 'write "2000"')],
    ["landfall.dev/quota-memory", "64Gi", invalid("quota-memory", "64Gi", 'write "64"')],
    ["landfall.dev/quota-price", "500 USD", invalid("quota-price", "500 USD", 'write "500"')],
    ["landfall.dev/providers", "azure aws", invalid("providers", "azure aws", 'write "azure,aws"')],
    ["landfall.dev/providers", "[azure, aws]", invalid("providers", "[azure, aws]", 'write "azure,aws"')],
    ["landfall.dev/regions", "aws:eu-west-3", invalid("regions", "aws:eu-west-3", 'write "aws/eu-west-3"')],
    ["landfall.dev/quota-vcpus", "many", invalid("quota-vcpus", "many", 'write e.g. "64"')],
    ["landfall.dev/residency", "Europe", invalid("residency", "Europe", 'write "EU"')],
    ["landfall.dev/residency", "italy, france", invalid("residency", "italy, france", 'write "IT,FR"')],
    ["landfall.dev/estimates", "no", invalid("estimates", "no", 'write "false"')],
    ["landfall.dev/when-done", "remove", invalid("when-done", "remove", 'write "delete"')],
    ["landfall.dev/when-done", "perhaps", invalid("when-done", "perhaps", 'write "delete" or "stop" or "keep"')],
    ["landfall.dev/max-wait", "86400", invalid("max-wait", "86400", 'write "24h"')],
    ["landfall.dev/os-disk-type", "ssd", invalid("os-disk-type", "ssd", 'write "balanced"')],
    ["landfall.dev/when-done", "terminate", invalid("when-done", "terminate", 'write "delete"')],
    ["landfall.dev/dataResidency", "EU", unknown("landfall.dev/dataResidency", "write landfall.dev/residency")],
    ["landfall.dev/schedulingLocation", "a", unknown("landfall.dev/schedulingLocation", "write landfall.dev/regions")],
    ["landfall.dev/max-wait", "a day", invalid("max-wait", "a day", 'write e.g. "12h"')],
    ["landfall.dev/regions", "westeurope", invalid("regions", "westeurope", 'write "azure/westeurope"')],
    [
      "landfall.dev/regions",
      "azure/italynorth, eu-west-1",
      invalid("regions", "azure/italynorth, eu-west-1", 'write "azure/italynorth,aws/eu-west-1"'),
    ],
    ["landfall.dev/regions", "moon", invalid("regions", "moon", 'write e.g. "azure/italynorth,aws/eu-south-1"')],
    ["landfall.dev/residency", "Italy; France", invalid("residency", "Italy; France", 'write "IT,FR"')],
    ["landfall.dev/providers", "AWS, amazon; gcp", invalid("providers", "AWS, amazon; gcp", 'write "aws,gcp"')],
    [
      "landfall.dev/os",
      "Ubuntu 24.04",
      'annotation landfall.dev/os "Ubuntu 24.04" is not valid, so objects of the namespace without os in their spec are denied; write "ubuntu-24.04"',
    ],
    ["landfall.dev/max-wait", "1 day", invalid("max-wait", "1 day", 'write "24h"')],
    ["landfall.dev/when-done", "Delete", invalid("when-done", "Delete", 'write "delete"')],
    [
      "landfall.dev/name-pattern",
      "(?!test).*",
      'annotation landfall.dev/name-pattern "(?!test).*" is not valid: RE2 has no (?!…), (?=…) and (?<…), so objects of the namespace are denied; write e.g. "^team-a-"',
    ],
    ["landfall.dev/origin", "Milan", invalid("origin", "Milan", 'write "azure/italynorth"')],
    ["landfall.dev/origin", "italynorth", invalid("origin", "italynorth", 'write "azure/italynorth"')],
    [
      "landfall.dev/name-pattern",
      "(",
      'annotation landfall.dev/name-pattern "(" is not valid: missing closing ): (, so objects of the namespace are denied; write e.g. "^team-a-"',
    ],
    ["landfall.dev/estimates", "False", invalid("estimates", "False", 'write "false"')],
    ["landfall.dev/families", "general memory", invalid("families", "general memory", 'write "general,memory"')],
    ["landfall.dev/quota-price", "$1,000", invalid("quota-price", "$1,000", 'write "1000"')],
    ["landfall.dev/quota-price", "99.50/month", invalid("quota-price", "99.50/month", 'write "99"')],
    ["landfall.dev/quota-vcpus", "8.5", invalid("quota-vcpus", "8.5", 'write "8"')],
    ["landfall.dev/quota-memory", "1500Mi", invalid("quota-memory", "1500Mi", 'write "1"')],
    ["landfall.dev/quota-objects", "1e3", invalid("quota-objects", "1e3", 'write "1000"')],
    ["landfall.dev/quota-objects", "1k", invalid("quota-objects", "1k", 'write "1000"')],
    ["landfall.dev/providers", "aws;-gcp", invalid("providers", "aws;-gcp", 'write e.g. "azure,aws"')],
    ["landfall.dev/residency", "EU+CH", invalid("residency", "EU+CH", 'write "EU,CH"')],
    ["landfall.dev/residency", "not US", invalid("residency", "not US", 'write e.g. "EU,CH"')],
    ["landfall.dev/quota-objects", "10.5", invalid("quota-objects", "10.5", 'write "10"')],
    ["landfall.dev/max-latency", "29.9", invalid("max-latency", "29.9", 'write "29"')],
    ["landfall.dev/os-disk-gib", "50.5", invalid("os-disk-gib", "50.5", 'write "51"')],
    ["landfall.dev/quota-objects", "20 objects", invalid("quota-objects", "20 objects", 'write "20"')],
    ["landfall.dev/os-disk-gib", "50Gi", invalid("os-disk-gib", "50Gi", 'write "50"')],
    ["landfall.dev/waiting-cost-percent", "10%", invalid("waiting-cost-percent", "10%", 'write "10"')],
    ["landfall.dev/regions", "*", invalid("regions", "*", NO_LIMIT)],
    ["landfall.dev/quota-vcpus", "unlimited", invalid("quota-vcpus", "unlimited", NO_LIMIT)],
    ["landfall.dev/quota-objects", "-1", invalid("quota-objects", "-1", NO_LIMIT)],
    ["landfall.dev/residency", "anywhere", invalid("residency", "anywhere", NO_LIMIT)],
  ])("says what is wrong with %s: %s", (key, value, message) => {
    expect(messages({ annotations: { [key]: value } })).toEqual([message]);
  });

  it("accepts every setting's example, names of others, and labels with an underscore for a comma or a slash", () => {
    const examples = Object.entries(schema.properties).map(
      ([
        key,
        {
          examples: [example = ""],
        },
      ]) => [key, example],
    );
    expect(messages({ annotations: Object.fromEntries(examples) as Record<string, string> })).toEqual([]);
    const labels = {
      "landfall.dev/residency": "EU_CH",
      "landfall.dev/origin": "azure_italynorth",
      "landfall.dev/managed": "true",
    };
    expect(
      messages({ labels, annotations: { "example.org/residency": "x", "landfall.dev/webhooks-suspended": "x" } }),
    ).toEqual([]);
  });

  it.each([
    ["residency", "EU,CH", "EU_CH"],
    ["residency", "EU-CH", "EU_CH"],
    ["residency", "Italy, France", "IT_FR"],
    ["residency", "Europe", "EU"],
    ["origin", "azure/italynorth", "azure_italynorth"],
    ["origin", "Milan", "azure_italynorth"],
    ["providers", "azure,aws", "azure_aws"],
    ["providers", "AWS; gcp", "aws_gcp"],
    ["os", "Ubuntu 24.04", "ubuntu-24.04"],
    ["max-latency", "30ms", "30"],
    ["quota-memory", "64 GiB", "64"],
  ])("tells a label %s: %s what is taken: %s", (name, value, write) => {
    const key = `landfall.dev/${name}`;
    const labels = { [key]: value };
    const first = metadataProblem({ name: "team-a", labels })?.correction ?? messages({ labels })[0] ?? "";
    const [, followed = ""] = /"([^"]*)"$/.exec(first) ?? [];
    expect(followed).toBe(write);
    expect(metadataProblem({ name: "team-a", labels: { [key]: followed } })).toBeNull();
    expect(messages({ labels: { [key]: followed } })).toEqual([]);
  });

  it.each([
    ["regions", "azure_italynorth"],
    ["regions", "azure/italynorth,aws/eu-south-1"],
    ["name-pattern", "^team-a-"],
  ])("tells an annotation where no label can hold %s: %s", (name, value) => {
    const key = `landfall.dev/${name}`;
    const labels = { [key]: value };
    const first = metadataProblem({ name: "team-a", labels })?.correction ?? messages({ labels })[0] ?? "";
    expect(first).toContain("write an annotation instead of the label, ");
    const [, followed = ""] = /"([^"]*)"$/.exec(first) ?? [];
    expect(messages({ annotations: { [key]: followed } })).toEqual([]);
  });

  it("reads an underscore of a label as the policy does", () => {
    expect(messages({ labels: { "landfall.dev/os": "ubuntu_24.04", "landfall.dev/name-pattern": "team_a" } })).toEqual(
      [],
    );
  });

  it.each([
    ["optimize-for", "price", 'the bundle does not know "price", so objects of the namespace are denied; write "cost"'],
    ["families", "general,gpu", 'the bundle does not know "gpu", so objects of the namespace are denied; write one of'],
    ["providers", "azure, hetzner", 'the bundle does not know "hetzner"'],
    ["regions", "azure/itlaynorth", 'write "azure/italynorth"'],
  ])("says which name of %s the bundle does not know: %s", async (name, value, says) => {
    const { catalog } = await loadPolicy();
    const annotations = { [`landfall.dev/${name}`]: value };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team-a", annotations } };
    const found = namespaceProblems([namespace], catalog.settingNames);
    expect(found).toEqual([{ namespace: "team-a", message: expect.stringContaining(says) as string }]);
    const right = { ...namespace, metadata: { name: "team-a", annotations: { "landfall.dev/optimize-for": "cost" } } };
    expect(namespaceProblems([right], catalog.settingNames)).toEqual([]);
  });

  it("knows the same names and forms as the policy of the chart", () => {
    const textsOf = (wanted: string): string =>
      POLICY.spec.variables.find(({ name }) => name === wanted)?.expression ?? "";
    const forms = textsOf("forms");
    const written = new Map(
      [...forms.matchAll(/'(landfall\.dev\/[a-z-]+)': '([^']*)'/g)].map(
        ([, key = "", form = ""]) => [key, form] as const,
      ),
    );
    expect([...textsOf("names").matchAll(/'(landfall\.dev\/[a-z-]+)'/g)].map(([, key]) => key)).toEqual([
      ...written.keys(),
    ]);
    const told = new Map(
      [...textsOf("wanted").matchAll(/'(landfall\.dev\/[a-z-]+)': '([^']*)'/g)].map((m) => [m[1], m[2]]),
    );
    for (const [key, { examples, enum: values }] of Object.entries<Setting>(schema.properties))
      for (const value of values ?? [examples[0]]) expect(told.get(key)).toContain(`"${value ?? ""}"`);
    expect(written.get("landfall.dev/webhooks-suspended")).toBe(".*");
    written.delete("landfall.dev/webhooks-suspended");
    const wanted = Object.entries(schema.properties).map(([key, setting]) => {
      const { pattern, enum: values } = setting as { pattern?: string; enum?: string[] };
      return [key, values?.join("|") ?? pattern?.slice(1, -1) ?? ".*"];
    });
    expect(Object.fromEntries(written)).toEqual(Object.fromEntries(wanted));
  });
});
