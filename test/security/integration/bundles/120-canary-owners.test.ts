import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_STORE } from "../../../../src/bundle/follow/open-others.ts";
import { sampleFairly } from "../../../../src/external-data/sample-fairly.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { namespaceOwner } from "../../../../src/external-data/namespace-owner.ts";
import type { BundleWatch } from "../../../../webhook/bundle-watch/watch-bundle.ts";
import { reviewOf, vm } from "../../../support/admission.ts";
import { type Bench, type BundleData, changedBundle, openBench } from "../../../support/bundles/watched-bundle.ts";

const OWNER = "acme.example/tenant";
/** All namespaces of one tenant, and one of another. */
const owners: Record<string, string> = { "eve-1": "eve", "eve-2": "eve", "eve-3": "eve", bob: "bob" };
const ownerOf = namespaceOwner(OWNER, (name) => {
  const owner = owners[name];
  return { name, labels: owner === undefined ? {} : { [OWNER]: owner }, annotations: {} };
});

let bench: Bench;
let number = 0;
let live: WorkloadObject[] = [];
let refused: string[] = [];
let watch: BundleWatch;

beforeAll(async () => {
  bench = await openBench();
  const canaries = () => Promise.resolve(live);
  ({ watch } = await bench.watch({ canaries, refused: () => refused, ownerOf, store: NO_STORE }));
  expect(await push(["azure", "aws", "gcp", "elemento"])).toBe("used");
});
afterAll(() => bench.stop());

/** What becomes of a bundle that allows these providers. */
async function push(providers: string[]): Promise<string> {
  number += 1;
  const bytes = await changedBundle((data: BundleData) => {
    data.landfall["settings"] = { ...data.landfall["settings"], providers };
    data.landfall["number"] = { number };
  });
  const digest = await bench.push(bytes);
  await watch.poll();
  return watch.status().active?.digest === digest ? "used" : (watch.status().quarantined.at(-1)?.code ?? "nothing");
}

const on = (provider: string, namespace: string): WorkloadObject =>
  vm({ cpu: 2, memory: 4, provider }, { namespace, name: "vm" });
const EVE = ["eve-1", "eve-2", "eve-3"];

describe("120: one owner of many namespaces", () => {
  it("neither stops a stricter bundle nor a looser one", async () => {
    live = [...EVE.map((namespace) => on("aws", namespace)), on("gcp", "bob")];
    expect(await push(["azure", "gcp", "elemento"])).toBe("used");
    live = [];
    refused = EVE.map((namespace) => reviewOf(on("aws", namespace)));
    expect(await push(["azure", "aws", "gcp", "elemento"])).toBe("used");
  });

  it("counts as one of two that show a change", async () => {
    live = [...EVE.map((namespace) => on("aws", namespace)), on("aws", "bob")];
    refused = [];
    expect(await push(["azure", "gcp", "elemento"])).toBe("BUNDLE_CANARY");
  });

  it("has one share of the sample", () => {
    const sample = sampleFairly<WorkloadObject>(4, "seed", ownerOf);
    for (const namespace of [...EVE, "bob"])
      for (const name of ["a", "b", "c", "d"]) sample.add(vm({}, { namespace, name }));
    expect(sample.take().filter(({ metadata }) => metadata.namespace === "bob")).toHaveLength(2);
  });

  it("is not whoever has the name of a namespace without an owner", () => {
    owners["eve-4"] = "namespace carol";
    expect(ownerOf("eve-4")).not.toBe(ownerOf("carol"));
  });
});
