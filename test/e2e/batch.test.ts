import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { sendRequest } from "../support/send-request.ts";
import { type Landfall, startLandfall } from "../../src/local/landfall/start-landfall.ts";
import { vm } from "../support/admission.ts";

const policies = fileURLToPath(new URL("../../policies", import.meta.url));
let base: string;
let landfall: Landfall;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-batch-"));
  await cp(policies, join(base, "policies"), { recursive: true });
  const file = join(base, "policies/bundle/landfall/settings/data.yaml");
  const settings = parseDocument(await readFile(file, "utf8"));
  settings.setIn(["schedule", "budgets", "vcpus"], 2);
  // Long enough for a busy machine to bring all requests to the webhook.
  settings.setIn(["schedule", "gatherMilliseconds"], 1000);
  await writeFile(file, settings.toString());
  landfall = await startLandfall({
    ...{ dir: join(base, "plane"), env: process.env, components: ["webhook", "composition"] },
    policies: join(base, "policies/bundle"),
  });
});

afterAll(async () => {
  await landfall.stop();
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

/** Creates an object through the real API server. */
async function create(name: string, dataResidency: string[]): Promise<string> {
  const body = vm({ cpu: 2, memory: 4, provider: "gcp", dataResidency }, { name, namespace: "default" });
  const path = "/apis/composition.krateo.io/v0-1-0/namespaces/default/vmtemplates";
  const { status, body: answer } = await sendRequest(landfall.client, path, { method: "POST", body });
  const { message = "", spec } = answer as { message?: string; spec?: { schedulingLocation: string } };
  if (status === 201) return spec?.schedulingLocation ?? "";
  return /PLACEMENT_\w+/.exec(message)?.[0] ?? String(status);
}

describe("objects that are created at the same moment on a cluster with budgets", () => {
  it("all get a place, because none takes another's only place", async () => {
    // One place in France, two in Germany: placed one after the other, who is free to choose takes France first.
    const [either, other, france] = await Promise.all([
      create("either", ["FR", "DE"]),
      create("other", ["FR", "DE"]),
      create("france", ["FR"]),
    ]);
    expect(france).toBe("europe-west9");
    expect([either, other].sort()).toEqual(["europe-west10", "europe-west3"]);
    expect(await create("late", ["FR", "DE"])).toBe("PLACEMENT_BUDGET");
  });
});
