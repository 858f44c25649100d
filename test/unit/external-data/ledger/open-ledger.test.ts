import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createClient } from "../../../../src/cluster/client/create-client.ts";
import type { Claim } from "../../../../src/external-data/ledger/ledger-entry.ts";
import { openLedger } from "../../../../src/external-data/ledger/open-ledger.ts";
import { SEEN_SECONDS } from "../../../../src/external-data/ledger/shard-rules.ts";
import { KEYS, NOW } from "../../../support/admission.ts";
import { machine } from "../../../support/ledger/entries.ts";

it("reserves only while the cluster was seen lately: what left the ledger, it has seen as an object", async () => {
  const server = createServer((_, answer) => answer.writeHead(500).end(JSON.stringify({ message: "no storage" })));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const client = createClient({ server: url, tls: {}, headers: () => Promise.resolve({}), namespace: "demo" });
  let [now, elapsed] = [NOW, 1];
  const ledger = openLedger({
    ...{ client, systemNamespace: "landfall-system", keys: () => KEYS },
    ...{ nowSeconds: () => now, elapsedSeconds: () => elapsed },
    ...{ onEvent: () => undefined, onFailure: () => undefined },
  });
  onTestFinished(async () => {
    ledger.stop();
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  // Without a quota and a budget, nothing is written.
  const claim: Claim = {
    ...{ id: "a", key: "VmTemplate/demo/a", creates: true, workload: machine("a"), counted: 0 },
    ...{ slack: { quota: null, budget: null }, untilMs: Date.now() + 5000 },
  };
  await expect(ledger.claim(claim, {})).rejects.toMatchObject({
    ...{ code: "ADM_LEDGER", params: { detail: "the objects have not been read yet" } },
  });
  ledger.see({ type: "seen", at: NOW, wasAway: false });
  // Its own clock is set.
  now = NOW - 3600;
  elapsed += SEEN_SECONDS;
  expect(await ledger.claim(claim, {})).toBe("taken");
  elapsed += 1;
  await expect(ledger.claim(claim, {})).rejects.toMatchObject({
    ...{ code: "ADM_LEDGER", params: { detail: `the objects were last seen ${String(SEEN_SECONDS + 1)} s ago` } },
  });
});
