import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { expect, it, onTestFinished } from "vitest";
import type { Cli } from "../../../../src/cli/cli.ts";
import { addKeys } from "../../../../src/cli/commands/keys/keys.ts";
import { createSpecReader, specOf } from "../../../../src/external-data/ledger/shard-content.ts";
import { idOf, type KeyEntry } from "../../../../src/keys/key-entries.ts";
import { ringOf } from "../../../../src/model/decision-annotation/key-ring.ts";
import type { Resource } from "../../../../src/model/kubernetes.ts";
import { entry } from "../../../support/ledger/entries.ts";
import { kubeconfigText } from "../../../support/kubeconfig.ts";

const keyOf = (fill: number, day: string): KeyEntry => {
  const bytes = Buffer.alloc(32, fill);
  return { name: `202601${day}T000000Z-${idOf({ name: "", bytes })}.key`, bytes };
};
const [OLD, NEW] = [keyOf(1, "01"), keyOf(2, "02")];
const BEFORE = ringOf(OLD.bytes);
const NAME = "reservations-0";
const CONTENT = { serial: 7, notBefore: 5, entries: [entry("waiting")] };
const SYSTEM = "/namespaces/landfall-system";
const [KEYS, LEDGER] = [
  `/api/v1${SYSTEM}/secrets/landfall-signing-keys`,
  `/apis/landfall.dev/v1alpha1${SYSTEM}/placementledgers`,
];

async function bodyOf(request: IncomingMessage): Promise<Resource> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString() || "{}") as Resource;
}

/** An API server with two keys, and a shard of the ledger that the older one signed. */
async function openCluster() {
  const data = Object.fromEntries([OLD, NEW].map(({ name, bytes }) => [name, Buffer.from(bytes).toString("base64")]));
  const shard = { apiVersion: "landfall.dev/v1alpha1", kind: "PlacementLedger", spec: specOf(BEFORE, NAME, CONTENT) };
  const stored = new Map<string, Resource>([
    [KEYS, { apiVersion: "v1", kind: "Secret", metadata: { resourceVersion: "1" }, data }],
    [`${LEDGER}/${NAME}`, { ...shard, metadata: { name: NAME, resourceVersion: "1" } }],
  ]);
  const listOf = (path: string): object | undefined => {
    const [kind, items] = path === LEDGER ? ["PlacementLedgerList", [stored.get(`${LEDGER}/${NAME}`)]] : ["List", []];
    return path === LEDGER || path.endsWith("/secrets") ? { apiVersion: "v1", kind, metadata: {}, items } : undefined;
  };
  /** False for a conflict. */
  const replace = (path: string, body: Resource): boolean => {
    const version = stored.get(path)?.metadata.resourceVersion;
    if (version === undefined || body.metadata.resourceVersion !== version) return false;
    stored.set(path, { ...body, metadata: { ...body.metadata, resourceVersion: `${version}0` } });
    return true;
  };
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const [path = ""] = (request.url ?? "").split("?");
      if (request.method === "PUT" && !replace(path, body)) response.statusCode = 409;
      const found = request.method === "POST" ? body : (stored.get(path) ?? listOf(path));
      if (found === undefined) response.statusCode = 404;
      response.setHeader("content-type", "application/json").end(JSON.stringify(found ?? { kind: "Status" }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = await mkdtemp(join(tmpdir(), "landfall-keys-"));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });
  const kubeconfig = join(folder, "config");
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  await writeFile(kubeconfig, kubeconfigText({ server: url }, { token: "t" }));
  const run = (...args: string[]): Promise<unknown> => {
    const cli = { env: {}, write: () => undefined, note: () => undefined } as unknown as Cli;
    const program = new Command();
    addKeys(program, cli);
    const asked = program.parseAsync(["keys", ...args, "--kubeconfig", kubeconfig], { from: "user" });
    return asked.then(
      () => null,
      (thrown: unknown) => thrown,
    );
  };
  return {
    run,
    keys: () => Object.keys(stored.get(KEYS)?.data ?? {}),
    /** As a webhook reads the shard that has this key alone. */
    read: (key: KeyEntry) => createSpecReader(NAME)(ringOf(key.bytes), stored.get(`${LEDGER}/${NAME}`)?.spec),
  };
}

it("222: a key stays while the ledger needs it: without it, the webhooks would refuse the shard as someone else's", async () => {
  const { run, keys, read } = await openCluster();
  expect(await run("remove", idOf(OLD))).toMatchObject({ code: "CLI_KEY" });
  expect(keys()).toHaveLength(2);
  expect(read(OLD)).toEqual(CONTENT);
});

it("222: the ledger is signed again with the others, and keeps its entries", async () => {
  const { run, keys, read } = await openCluster();
  expect(await run("resign", "--reason", "rotation", "--dry-run")).toBeNull();
  expect(read(NEW)).toBeNull();
  expect(await run("resign", "--reason", "rotation")).toBeNull();
  expect(read(NEW)).toEqual({ ...CONTENT, serial: 8 });
  expect(await run("remove", idOf(OLD))).toBeNull();
  expect(keys()).toEqual([NEW.name]);
});
