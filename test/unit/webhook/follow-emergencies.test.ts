import { expect, it } from "vitest";
import type { KubernetesObject } from "../../../src/model/kubernetes.ts";
import { emergencyMetadata } from "../../../src/model/emergency.ts";
import { formatTime } from "../../../src/model/time.ts";
import { followEmergencies } from "../../../webhook/registration/follow-emergencies.ts";

const START = 1_800_000_000;
const secret = {
  metadata: emergencyMetadata([
    {
      ...{ namespaces: ["shop"], from: formatTime(START), until: formatTime(START + 600) },
      ...{ by: "admin", reason: "a registry is down" },
    },
  ]),
} as unknown as KubernetesObject;

/** The condition at a time of the API server, in seconds since 1970; null: it has not told its time. */
async function conditionAt(seconds: number | null) {
  const client = { get: async <T>() => Promise.resolve(secret as T) };
  const emergencies = followEmergencies({ client, clock: { nowSeconds: () => seconds } }, "landfall");
  await emergencies.read();
  return emergencies.condition();
}

it("keeps an emergency's condition while it lasts by the API server's clock, whatever this machine's says", async () => {
  expect((await conditionAt(START + 1))?.expression).toBe("!(request.namespace in ['shop'])");
  expect((await conditionAt(START + 599))?.name).toBe("no-emergency");
  expect(await conditionAt(START + 600)).toBeNull();
  expect(await conditionAt(START - 1)).toBeNull();
});

it("takes this machine's clock while the API server's is not known", async () => {
  expect(await conditionAt(null)).toBeNull();
});
