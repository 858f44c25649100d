import { expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { context, create, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();

/** The denials of a machine in a namespace with this setting, each with what to write. */
function denied(key: string, value: string): string[] {
  const namespace = { name: "demo", labels: {}, annotations: { [`landfall.dev/${key}`]: value } };
  const outcome = admit(create(vm({ cpu: 2, memory: 4 })), { ...context(policy), namespace });
  return (outcome.decision?.denials ?? []).map(({ message, remedy }) => `${message}; ${remedy}`);
}

it.each<[string, Record<string, string>, Record<string, string>]>([
  ["an annotation", { "landfall.dev/os": "windows-2022" }, {}],
  ["a label", {}, { "landfall.dev/os": "windows-2022" }],
])("a namespace's os of which there are no images is named where it denies, as %s", (_is, annotations, labels) => {
  const namespace = { name: "demo", labels, annotations };
  const answer = (spec: Record<string, unknown>) =>
    admit(create(vm({ cpu: 2, memory: 4, ...spec })), { ...context(policy), namespace });
  for (const spec of [{}, { provider: "azure", schedulingLocation: "italynorth" }]) {
    const [first] = answer(spec).decision?.denials ?? [];
    expect(first?.message).toContain("namespace demo sets landfall.dev/os to windows-2022");
    expect(first?.remedy).toMatch(/^os \S+ \(\w+/);
  }
  expect(answer({ os: "debian-12" }).allowed).toBe(true);
  const tooBig = answer({ cpu: 4000 }).decision?.denials[0];
  expect(tooBig?.message).toContain("sets landfall.dev/os to windows-2022");
});

it.each([
  [
    "max-latency",
    "30ms",
    'namespace demo sets landfall.dev/max-latency to 30ms; valid values: a whole number; ask the namespace\'s owner to set landfall.dev/max-latency to "30"',
  ],
  [
    "providers",
    "[azure, aws]",
    'namespace demo sets landfall.dev/providers to [azure, aws]; valid values: azure, aws, gcp, elemento; ask the namespace\'s owner to set landfall.dev/providers to "azure,aws"',
  ],
  [
    "regions",
    "eu-west-3, italynorth",
    'namespace demo sets landfall.dev/regions to eu-west-3, italynorth; valid values: provider/region of the catalog; ask the namespace\'s owner to set landfall.dev/regions to "aws/eu-west-3,azure/italynorth"',
  ],
  [
    "max-wait",
    "soon",
    'namespace demo sets landfall.dev/max-wait to soon; valid values: a duration such as 12h, 90m or 1d12h; ask the namespace\'s owner to set landfall.dev/max-wait to e.g. "12h"',
  ],
])("a namespace's %s %j is denied once, with the whole value and what to write", (key, value, line) => {
  expect(denied(key, value)).toEqual([line]);
});

it("a label is told in a label's form, or to become an annotation", () => {
  const labels = { "landfall.dev/providers": "AWS_Azure", "landfall.dev/regions": "eu-west-3" };
  const namespace = { name: "demo", labels, annotations: {} };
  const outcome = admit(create(vm({ cpu: 2, memory: 4 })), { ...context(policy), namespace });
  const told = (outcome.decision?.denials ?? []).map(({ message, remedy }) => `${message}; ${remedy}`);
  expect(told).toEqual([
    "namespace demo sets landfall.dev/providers to AWS_Azure; valid values: azure, aws, gcp, elemento; " +
      'ask the namespace\'s owner to set the label landfall.dev/providers to "aws_azure"',
    "namespace demo sets landfall.dev/regions to eu-west-3; valid values: provider/region of the catalog; " +
      'ask the namespace\'s owner to replace the label landfall.dev/regions by an annotation, "aws/eu-west-3"',
  ]);
});

it.each([
  ["optimize-for", "green"],
  ["optimize-for", "price"],
  ["families", "general memory"],
  ["families", "General; Compute"],
  ["estimates", "no"],
  ["regions", "*"],
  ["regions", "aws/eu-west-3 azure/West-Europe"],
  ["residency", "anywhere"],
  ["quota-vcpus", "unlimited"],
  ["quota-price", "$1,000 per month"],
  ["quota-objects", "20 objects"],
  ["os-disk-gib", "50Gi"],
  ["max-wait", "2 days"],
  ["waiting-cost-percent", "10%"],
])("what a denial of a namespace's %s %j says to write is taken", (key, value) => {
  const [line = ""] = denied(key, value);
  const [, write] = /(?:set landfall\.dev\/\S+ to "([^"]*)"|remove landfall\.dev\/\S+)$/.exec(line) ?? [];
  expect(line).toMatch(/ to "[^"]*"$| remove landfall\.dev\/\S+$/);
  if (write !== undefined) expect(denied(key, write)).toEqual([]);
});
