import { once } from "node:events";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import { buildConsole } from "../../../../src/console/build-console.ts";
import { readGeography } from "../../../../src/console/map/read-geography.ts";
import { createTurns } from "../../../../src/console/server/turns.ts";
import { openUsers } from "../../../../src/console/users/open-users.ts";
import { serveUsers } from "../../../../src/console/users/serve-users.ts";
import { COMPOSITION_GROUP } from "../../../../src/model/names.ts";
import { nowSeconds } from "../../../../src/model/time.ts";
import { vm } from "../../../support/admission.ts";
import { answering } from "../../../support/console/console-app.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const HOST = "landfall.example.org";
const VERSION = `${COMPOSITION_GROUP}/v0-2-0`;
const ABOUT = { groupVersion: VERSION, version: "v0-2-0" };
const PAGE = "/api/objects/VmTemplate/demo/web";
const CLUSTER = {
  [`/apis/${COMPOSITION_GROUP}`]: { name: COMPOSITION_GROUP, versions: [ABOUT], preferredVersion: ABOUT },
  [`/apis/${VERSION}`]: { resources: [{ name: "vmtemplates", kind: "VmTemplate", namespaced: true }] },
  [`/apis/${VERSION}/namespaces/demo/vmtemplates/web`]: vm({ cpu: 2, memory: 4, duration: "3h" }, { name: "web" }),
  "/api/v1/namespaces/demo": { metadata: { name: "demo" } },
};

/** A console in a cluster, whose users' tokens are their names. Returns what asks it for a path, and resolves to the status. */
async function serve(): Promise<(user: string, path: string) => Promise<number>> {
  const [policy, geography] = [await loadPolicy(), await readGeography("catalog")];
  const failed = (): void => undefined;
  const users = openUsers({
    clientOf(username) {
      const create: KubeClient["create"] = () => Promise.resolve({ status: { userInfo: { username } } } as never);
      return { ...answering(CLUSTER), create };
    },
    build: (client, inTurn) =>
      buildConsole({
        ...{ client, inTurn, callers: null, policy, geography, systemNamespace: "landfall-system", failed },
        ...{ pages: new Map(), ruleLine: () => null },
        cluster: { server: "https://127.0.0.1:6443", namespace: "demo", timeLapse: 1, recorded: null },
      }),
    ...{ nowMs: () => performance.now(), nowSeconds },
  });
  const server = serveUsers({ users, origin: `http://${HOST}`, certificate: null, failed });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await users.stop();
  });
  const { port } = server.address() as AddressInfo;
  return (user, path) =>
    new Promise((resolve, reject) => {
      const headers = { host: HOST, authorization: `Bearer ${user}` };
      const asked = request({ port, host: "127.0.0.1", path, headers, agent: false });
      asked.on("response", (answer) => answer.resume().on("end", () => resolve(answer.statusCode ?? 0)));
      asked.on("error", reject).end();
    });
}

it("375: what one user has computed holds up no other user of the console in a cluster for long", async () => {
  const ask = await serve();
  expect([await ask("mallory", `${PAGE}/explanation`), await ask("alice", PAGE)]).toEqual([200, 200]);
  let done = 0;
  const crowd = Array.from({ length: 40 }, async () => {
    const status = await ask("mallory", `${PAGE}/explanation`);
    done += 1;
    return status;
  });
  // Until the first of them is answered, the others have arrived.
  await Promise.race(crowd);
  const before = done;
  expect([await ask("alice", PAGE), await ask("alice", `${PAGE}/explanation`)]).toEqual([200, 200]);
  expect(done - before).toBeLessThan(20);
  expect(new Set(await Promise.all(crowd))).toEqual(new Set([200]));
}, 120_000);

it("375: work is done one after the other, in turns of the users, and not for a page that has left", async () => {
  const [turns, left, done] = [createTurns(), new AbortController(), [] as string[]];
  const [mallory, alice] = [turns("mallory"), turns("alice")];
  const { signal } = new AbortController();
  const work = [1, 2, 3, 4].map((at) => mallory(() => done.push(`mallory ${String(at)}`), signal));
  const gone = mallory(() => done.push("gone"), left.signal);
  left.abort();
  work.push(alice(() => done.push("alice"), signal));
  await expect(gone).rejects.toMatchObject({ code: "CONSOLE_AGAIN" });
  await Promise.all(work);
  expect(done.indexOf("alice")).toBeLessThan(3);
  expect(done.filter((one) => one !== "alice")).toEqual(["mallory 1", "mallory 2", "mallory 3", "mallory 4"]);
});

it("375: a failure of some work is its own", async () => {
  const turn = createTurns()("alice");
  const { signal } = new AbortController();
  const failing = turn(() => {
    throw new Error("no answer");
  }, signal);
  await expect(failing).rejects.toThrow("no answer");
  await expect(turn(() => 1, signal)).resolves.toBe(1);
});
