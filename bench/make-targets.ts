import { policyInput } from "../src/admission/decide/policy-input.ts";
import { readRequest } from "../src/admission/check/read-request.ts";
import type { Landfall } from "../src/local/landfall/start-landfall.ts";
import { batchObjects, OBJECTS, reviewOf } from "./sample-objects.ts";
import { startPeers } from "./start-peers.ts";
import type { Target } from "./types.ts";
import { nowSeconds } from "../src/model/time.ts";

const NO_SETTINGS = { labels: {}, annotations: {} };

/** The webhook and its peers with the same requests: reviews for webhook and echo, the policy's input for OPA. */
export async function makeTargets(landfall: Landfall, apiVersion: string): Promise<Target[]> {
  const peers = await startPeers(landfall);
  const now = nowSeconds();
  const objects = batchObjects(OBJECTS, now, apiVersion);
  const reviews = objects.map((object, index) => JSON.stringify(reviewOf(object, `bench-${index}`)));
  const inputs = objects.map((object) => {
    const request = readRequest("VmTemplate", object);
    const namespace = { name: request.namespace, ...NO_SETTINGS };
    return JSON.stringify({
      input: policyInput({ object, request, operation: "CREATE", namespace, nowSeconds: now, relatedWorkloads: null }),
    });
  });
  return [
    {
      server: "landfall",
      url: `${landfall.webhookUrl ?? ""}/mutate`,
      bodies: reviews,
      client: landfall.pki.webhookClient,
    },
    { server: "opa", url: `${peers.opa}/v1/data/landfall/main/compact`, bodies: inputs },
    { server: "echo", url: `${peers.echo}/`, bodies: reviews },
  ];
}
