import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import type { PlacesMap } from "../../../src/console/contract/map.ts";
import type { Explanation } from "../../../src/console/contract/object.ts";
import type { Settings } from "../../../src/console/contract/policies.ts";
import type { Rows } from "../../../src/console/contract/rows.ts";
import { readFolder } from "../../../src/console/recorded/read-folder.ts";
import { recordedClient } from "../../../src/console/recorded/recorded-client.ts";
import { NOW } from "../../support/admission.ts";
import { testConsole } from "../../support/console/console-app.ts";
import { recordedFolder } from "../../support/console/recorded-folder.ts";

let folder = "";
beforeAll(async () => {
  folder = await recordedFolder();
});
afterAll(() => rm(folder, { recursive: true }));

/** What a user sees who reads the objects, and the namespaces or not. */
async function flagsFor(readsNamespaces: boolean): Promise<boolean[]> {
  const client = recordedClient(await readFolder(folder, NOW + 3600));
  const get: KubeClient["get"] = async (path, options) => {
    if (!readsNamespaces && /^\/api\/v1\/namespaces\/[^/]+$/.test(path))
      throw new ApiError(403, { action: `GET ${path}`, detail: "forbidden" });
    return client.get(path, options);
  };
  const { app, signIn } = await testConsole({ ...client, get });
  const headers = await signIn();
  const read = async <T>(url: string): Promise<T> => (await app.inject({ url, headers })).json<T>();
  const { rows } = await read<Rows>("/api/objects");
  const decided = rows.find(({ decision }) => decision !== null);
  const { namespace = "", name = "" } = decided ?? {};
  const answers = [
    await read<PlacesMap>(`/api/map?namespace=${namespace}`),
    await read<Explanation>(`/api/objects/VmTemplate/${namespace}/${name}/explanation`),
    await read<Settings>(`/api/policies/settings?namespace=${namespace}`),
  ];
  await app.close();
  return answers.map(({ readable }) => readable);
}

it("map, explanation and settings say whether the settings of the namespace are known", async () => {
  expect(await flagsFor(true)).toEqual([true, true, true]);
  expect(await flagsFor(false)).toEqual([false, false, false]);
});
