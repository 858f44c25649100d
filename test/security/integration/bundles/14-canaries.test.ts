import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_STORE } from "../../../../src/bundle/follow/open-others.ts";
import { sha256Digest } from "../../../../src/model/sha256.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { reviewOf, vm } from "../../../support/admission.ts";
import type { BundleWatch } from "../../../../webhook/bundle-watch/watch-bundle.ts";
import { type Bench, type BundleData, changedBundle, openBench } from "../../../support/bundles/watched-bundle.ts";

let bench: Bench;
let number = 0;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.stop());

/** A bundle that allows these providers. */
const allowing = (providers: string[], more: object, different: number): Promise<Buffer> =>
  changedBundle((data: BundleData) => {
    data.landfall["settings"] = { ...data.landfall["settings"], providers, ...more };
    data.landfall["number"] = { number: different };
  });

const ALL = ["azure", "aws", "gcp", "elemento"];
const NO_AWS = ["azure", "gcp", "elemento"];
const onAws = (namespace: string, name = "vm"): WorkloadObject =>
  vm({ cpu: 2, memory: 4, provider: "aws" }, { namespace, name });

describe("14: a bundle that changes decisions", () => {
  let live: WorkloadObject[] = [];
  let refused: string[] = [];
  let watch: BundleWatch;

  /** What becomes of a bundle with these providers, after the active one. */
  async function push(providers: string[], announced: object[] = []): Promise<string> {
    number += 1;
    const digest = await bench.push(await allowing(providers, announced.length === 0 ? {} : { announced }, number));
    await watch.poll();
    if (watch.status().active?.digest === digest) return "used";
    return watch.status().quarantined.at(-1)?.code ?? "nothing";
  }

  const announcement = (denies: number, allows: number) => ({
    ...{ replaces: watch.status().active?.bundle.digest, denies, allows, by: "platform" },
  });

  beforeAll(async () => {
    const options = { canaries: () => Promise.resolve(live), refused: () => refused, store: NO_STORE };
    ({ watch } = await bench.watch(options));
    expect(await push(ALL)).toBe("used");
  });

  const tenant = Array.from({ length: 6 }, (_, index) => onAws("tenant", `vm-${String(index)}`));

  it("is used although it denies all objects of one tenant", async () => {
    live = [...tenant, vm({ cpu: 2, memory: 4, provider: "gcp" }, { namespace: "other" })];
    expect(await push(NO_AWS)).toBe("used");
    live = [];
    expect(await push(ALL)).toBe("used");
  });

  it("is refused if several namespaces show that it denies more, unless it is announced for the active bundle", async () => {
    live = [...tenant, onAws("other")];
    expect(await push(NO_AWS, [{ ...announcement(7, 0), replaces: sha256Digest("another") }])).toBe("BUNDLE_CANARY");
    expect(await push(NO_AWS, [announcement(7, 0)])).toBe("used");
  });

  it("is refused if it allows what was denied lately, unless it is announced; one tenant cannot stop it", async () => {
    live = [];
    refused = [reviewOf(onAws("one")), reviewOf(onAws("two"))];
    expect(await push(ALL)).toBe("BUNDLE_LOOSER");
    refused = [reviewOf(onAws("tenant", "a")), reviewOf(onAws("tenant", "b"))];
    expect(await push(ALL)).toBe("used");
    expect(await push(NO_AWS)).toBe("used");
    refused = [reviewOf(onAws("one")), reviewOf(onAws("two"))];
    expect(await push(ALL, [announcement(0, 2)])).toBe("used");
  });
});
