import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSettings } from "../../../../../src/bundle/read-settings.ts";
import { selectsNamespace } from "../../../../../src/policy/selects-namespace.ts";

const namespace = (name: string, labels: Record<string, string> = {}) => ({ name, labels, annotations: {} });

describe("17: the namespaces that a team's rules decide about", () => {
  it.each<[string, Record<string, string>, boolean]>([
    ["payments", {}, true],
    ["payments-test", {}, false],
    ["shop", {}, true],
    ["shop-eu", {}, true],
    ["workshop", {}, false],
    ["other", { team: "payments", stage: "prod" }, true],
    ["other", { team: "payments" }, false],
    ["other", { stage: "prod" }, false],
  ])("are those with a name or with all labels: %s %j", (name, labels, selected) => {
    const selector = { names: ["payments", "shop*"], labels: { team: "payments", stage: "prod" } };
    expect(selectsNamespace(selector, namespace(name, labels))).toBe(selected);
  });

  it("are all without a selector, and none with an empty one", () => {
    expect(selectsNamespace(null, namespace("any"))).toBe(true);
    expect(selectsNamespace({ names: [], labels: {} }, namespace("any", { a: "b" }))).toBe(false);
  });
});

describe("17: the namespaces in the bundle settings", () => {
  let file: string;
  beforeAll(async () => {
    file = join(await mkdtemp(join(tmpdir(), "landfall-team-")), "settings.yaml");
  });
  afterAll(() => rm(join(file, ".."), { recursive: true, force: true }));

  const read = async (kind: string, namespaces: unknown) => {
    const bundles = [{ name: "payments", kind, ref: "r", namespaces }];
    await writeFile(file, JSON.stringify({ signatures: "off", bundles }));
    return (await readSettings(file)).others[0]?.namespaces;
  };

  it("are read with their defaults", async () => {
    expect(await read("policy", { names: ["payments-*"] })).toEqual({ names: ["payments-*"], labels: {} });
    expect(await read("policy", undefined)).toBeUndefined();
  });

  it.each<[string, string, unknown]>([
    ["no name and no label", "policy", {}],
    ["a star in the middle", "policy", { names: ["a*b"] }],
    ["a data image, which applies to all", "data", { names: ["payments"] }],
  ])("are refused: %s", async (_, kind, namespaces) => {
    await expect(read(kind, namespaces)).rejects.toMatchObject({ code: "BUNDLE_SETTINGS" });
  });
});
