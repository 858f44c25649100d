import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createClient } from "../../../src/cluster/client/create-client.ts";
import { applyRights } from "../../../src/local/landfall/apply-rights.ts";
import { startJsonService } from "../../support/services/json-service.ts";

const ROLE = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: { name: more }\nrules: []\n";

it("gives the rights that charts of one's own bring, as far as they bring any", async () => {
  const charts = await mkdtemp(join(tmpdir(), "landfall-rights-"));
  for (const name of ["private-network", "vmtemplate", "landfall"]) await mkdir(join(charts, name));
  await writeFile(join(charts, "private-network/rbac.yaml"), ROLE);
  await writeFile(join(charts, "landfall/rbac.yaml"), ROLE.replace("more", "not-a-composition"));
  const resources = [{ name: "clusterroles", kind: "ClusterRole", namespaced: false, verbs: ["list", "watch"] }];
  const service = await startJsonService(({ url }) => ({
    status: 200,
    body: url.pathname.endsWith("/v1") ? { resources } : { items: [] },
  }));
  const client = createClient({ server: service.url, tls: {}, headers: () => Promise.resolve({}), namespace: "demo" });
  onTestFinished(async () => {
    await client.close();
    await service.close();
    await rm(charts, { recursive: true });
  });
  await applyRights(client, charts);
  const written = service.asked.filter((path) => path.includes("fieldManager"));
  expect(written.map((path) => path.split("?")[0])).toEqual(["/apis/rbac.authorization.k8s.io/v1/clusterroles/more"]);
});
