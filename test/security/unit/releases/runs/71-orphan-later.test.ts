import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isOrphaned } from "../../../../../src/composition/remove/is-orphaned.ts";
import { MATCH_CONDITIONS } from "../../../../../webhook/registration/match-conditions.ts";

const ROOT = new URL("../../../../../", import.meta.url).pathname;
const ORPHAN = "krateo.io/deletion-policy";

/** Keys of an object's annotations that the rules of the bundle name. */
const readByRules = globSync("policies/bundle/**/*.rego", { cwd: ROOT })
  .filter((file) => !file.endsWith("_test.rego"))
  .flatMap((file) => [
    ...readFileSync(`${ROOT}${file}`, "utf8").matchAll(/input\.metadata\.annotations(?:\[|,\s*)"([^"]+)"/g),
  ])
  .map(([, key = ""]) => key);

const conditions = MATCH_CONDITIONS.map(({ expression }) => expression).join("\n");

type Context = Parameters<typeof isOrphaned>[0];

/** What the controller would do with an object whose run and whose installed revision say this, and the reasons of its Events. */
async function removal(run: object | null, values: object | null, annotations: Record<string, string>) {
  const events: string[] = [];
  const context = {
    ...{ graceSeconds: 60, runs: { read: () => Promise.resolve(run && { plan: run }) } },
    records: { read: () => Promise.resolve(values && { revisions: [{ release: { config: values } }] }) },
    record: (_: unknown, { reason }: { reason: string }) => void events.push(reason),
  } as unknown as Context;
  const metadata = { name: "web", namespace: "demo", uid: "u", annotations };
  const object = { apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata };
  return { isOrphan: await isOrphaned(context, object, values && "web-u"), events };
}

describe("71: an annotation that is set later", () => {
  it("is seen by the webhook if a rule reads it", () => {
    expect(readByRules).toContain(ORPHAN);
    const unseen = readByRules.filter((key) =>
      key.startsWith("krateo.io/")
        ? !conditions.includes(`k != '${key}'`)
        : key === "kubectl.kubernetes.io/last-applied-configuration",
    );
    expect(unseen).toEqual([]);
  });

  it.each([
    ["a recorded limit", { maxLifetime: 3600, whenDone: "keep" }, null],
    ["a recorded deletion", { maxLifetime: null, whenDone: "delete" }, {}],
    ["a recorded stop", { maxLifetime: null, whenDone: "stop" }, {}],
    ["an installed limit", null, { maxLifetime: "1h" }],
    ["an installed deletion", null, { duration: "1h", whenDone: "delete" }],
  ])("leaves nothing behind that has an end: %s", async (_, run, values) => {
    expect(await removal(run, values, { [ORPHAN]: "orphan" })).toEqual({ isOrphan: false, events: ["OrphanIgnored"] });
  });

  it.each([
    ["a service", null, { cpu: 2 }],
    ["a run that is kept", { maxLifetime: null, whenDone: "keep" }, { duration: "1h" }],
    ["nothing that is known", null, null],
  ])("leaves %s behind", async (_, run, values) => {
    expect(await removal(run, values, { [ORPHAN]: "orphan" })).toEqual({ isOrphan: true, events: [] });
    expect(await removal(run, values, {})).toEqual({ isOrphan: false, events: [] });
    expect(await removal(run, values, { [ORPHAN]: "delete" })).toEqual({ isOrphan: false, events: [] });
  });
});
