import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { regionWord } from "../../../src/elemento/read-elemento-catalog.ts";
import { crdValidator } from "../../support/crd-validator.ts";
import { catalog } from "./samples.ts";

const root = new URL("../../../", import.meta.url);
const read = async (path: string): Promise<unknown> => parse(await readFile(new URL(path, root), "utf8"));

describe("Elemento's flavours", () => {
  it("equal the published ones", () => {
    expect(Object.keys(catalog.flavours).sort()).toEqual(["argon", "argon2", "helium", "kripton", "neon"]);
  });

  it.each(["charts/vmtemplate", "charts/kaas-cluster"])("are the same in %s", async (chart) => {
    const expected = Object.entries(catalog.flavours).map(([name, { vcpus, memoryGiB, overprovision, flags }]) => [
      name,
      { slots: vcpus, memoryMiB: memoryGiB * 1024, overprovision, flags },
    ]);
    expect(await read(`${chart}/files/elemento-flavours.yaml`)).toEqual(Object.fromEntries(expected));
  });
});

describe("Elemento's targets", () => {
  it("include every provider that workloads are placed at, for machines and for clusters", () => {
    const missing = Object.keys(catalog.regions).filter(
      (provider) => !["vm", "kaas"].every((service) => catalog.providers[provider]?.services.includes(service)),
    );
    expect(missing).toEqual([]);
  });

  it("have an address for every image that the policies name", async () => {
    const images = (await read("policies/bundle/landfall/images/data.yaml")) as {
      by_provider: { elemento: Record<string, Record<string, string>> };
    };
    const named = Object.values(images.by_provider.elemento).flatMap((byArch) => Object.values(byArch));
    expect(named.filter((image) => catalog.images[image] === undefined)).toEqual([]);
    expect(named.length).toBeGreaterThan(0);
  });

  it.each([
    ["ionos", "de-fra", "de/fra"],
    ["arubacloud", "itbg-bergamo", "ITBG-Bergamo"],
    ["ovh", "gra7", "gra7"],
    ["acme", "x", "x"],
  ])("%s calls %s %s", (provider, region, word) => {
    expect(regionWord(catalog, provider, region)).toBe(word);
    expect(regionWord(catalog, provider, undefined)).toBeNull();
  });
});

describe("the status that the operator writes", () => {
  const crds = crdValidator([new URL("charts/landfall/definitions", root).pathname]);
  const conditions = [
    {
      type: "Ready",
      status: "False",
      severity: "Info",
      reason: "A",
      message: "b",
      observedGeneration: 1,
      lastTransitionTime: "2026-11-21T08:00:00Z",
    },
  ];
  const common = {
    ...{
      id: "0a",
      state: "running",
      observedGeneration: 1,
      conditions,
      attempts: { "machine/a": "2026-11-21T08:00:00.000Z" },
    },
    placement: { provider: "ovh", region: "gra7" },
    price: { currency: "EUR", perHour: "0.0271", perMonth: "19.75", perPeriod: { month: "19.75" } },
  };
  it.each([
    [
      "ElementoVm",
      {
        ipv4: "10.0.0.2",
        network: { id: "n" },
        cloudInit: { id: "v" },
        volumes: [{ name: "a", id: "v", state: "available" }],
      },
    ],
    ["ElementoKaas", { endpoint: "https://x", kubernetesVersion: "1.34" }],
    ["ElementoNetwork", {}],
    ["ElementoVolume", { attachedTo: ["m"] }],
  ])("of %s is in its schema, or the API server would drop it", (kind, own) => {
    const manifest = { apiVersion: "elemento.landfall.dev/v1alpha1", kind, status: { ...common, ...own } };
    const wrong = crds.check(manifest).filter((problem) => problem.includes("/status"));
    expect(wrong).toEqual([]);
  });
});
