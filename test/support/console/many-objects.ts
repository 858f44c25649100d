import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pLimit from "p-limit";
import { expect, vi } from "vitest";
import { admit } from "../../../src/admission/admit.ts";
import { apiPath, below } from "../../../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import type { RestConfig } from "../../../src/cluster/client/rest-config.ts";
import { ensureCrd } from "../../../src/composition/definition/ensure-crd.ts";
import { generateCrd } from "../../../src/composition/definition/generate-crd.ts";
import { buildConsole } from "../../../src/console/build-console.ts";
import { readGeography } from "../../../src/console/map/read-geography.ts";
import { builtPages } from "../../../src/console/pages/built-pages.ts";
import { readPages } from "../../../src/console/pages/read-pages.ts";
import { createSessions } from "../../../src/console/server/sessions.ts";
import { startControlPlane } from "../../../src/local/control-plane/start-control-plane.ts";
import { projectPath } from "../../../src/local/processes/project-path.ts";
import { nowSeconds } from "../../../src/model/time.ts";
import { context, create, patched, vm } from "../admission.ts";
import { loadPolicy } from "../load-policy.ts";

export const OBJECTS = 10_000;
const VERSION = apiPath`/apis/composition.krateo.io/v0-2-0`;
const OWN = below(VERSION, "namespaces", "default", "vmtemplates");

/** The name of an object by its number, in the order of the names. */
export const nameAt = (at: number): string => `job-${String(at).padStart(5, "0")}`;

/** The objects with the decision that admission makes for one of them; no controller is there to change them. */
async function createAll(admin: KubeClient): Promise<void> {
  const asked = vm({ cpu: 2, memory: 4, duration: "3h", deadline: "2035-01-01T00:00:00Z" }, { namespace: "default" });
  const decided = patched(asked, admit(create(asked), context(await loadPolicy(), nowSeconds())));
  const limit = pLimit(32);
  await Promise.all(
    Array.from({ length: OBJECTS }, (_, at) =>
      limit(() => {
        const metadata = { ...decided.metadata, name: nameAt(at) };
        return admin.create(OWN, { ...decided, apiVersion: "composition.krateo.io/v0-2-0", metadata });
      }),
    ),
  );
}

export interface CountedConsole {
  /** An address that signs a page in at the table of objects. */
  address: string;
  /** How often the console read or watched the objects. */
  count: (what: "list" | "watch") => number;
  stop: () => Promise<void>;
}

/** A console whose requests are counted. `later`: what its requests for later pages of a list wait for. */
async function serveCounted(config: RestConfig, later: Promise<void>): Promise<CountedConsole> {
  const client = createClient(config);
  const sessions = createSessions(() => performance.now());
  const calls: string[] = [];
  const noting: KubeClient = {
    ...client,
    async get(path, options) {
      calls.push(`list ${path}`);
      if (options?.query?.["continue"] !== undefined) await later;
      return client.get(path, options);
    },
    stream(path, options) {
      calls.push(`watch ${path}`);
      return client.stream(path, options);
    },
  };
  let host = "";
  const app = buildConsole({
    ...{
      client: noting,
      cluster: { ...config, timeLapse: 1, recorded: null },
      systemNamespace: "landfall-system",
      callers: { sessions, hosts: () => [host] },
    },
    pages: await readPages(
      await builtPages({ root: projectPath("."), cacheDir: join(tmpdir(), "landfall-test-console") }),
    ),
    ...{ policy: await loadPolicy(), ruleLine: () => null, geography: await readGeography("catalog") },
    failed: (thrown) => {
      throw thrown;
    },
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  host = `127.0.0.1:${String((app.server.address() as AddressInfo).port)}`;
  const all = below(VERSION, "vmtemplates");
  return {
    address: `http://${host}/objects#token=${sessions.token()}`,
    count: (what) => calls.filter((call) => call === `${what} ${all}`).length,
    async stop() {
      await app.close();
      await client.close();
    },
  };
}

export interface ManyObjects {
  serve: (later?: Promise<void>) => Promise<CountedConsole>;
  /** Changes an annotation of one object. */
  change: (at: number, value: string) => Promise<void>;
  stop: () => Promise<void>;
}

/** A control plane with 10,000 VmTemplates. */
export async function createManyObjects(): Promise<ManyObjects> {
  const dir = await mkdtemp(join(tmpdir(), "landfall-console-"));
  const plane = await startControlPlane({ dir: join(dir, "plane"), env: process.env });
  const config = await loadKubeconfig(plane.kubeconfig, {});
  const admin = createClient(config);
  const schema = JSON.parse(await readFile("charts/vmtemplate/values.schema.json", "utf8")) as Record<string, unknown>;
  await ensureCrd(admin, generateCrd({ schema, chartName: "vm-template", chartVersion: "0.2.0" }));
  await vi.waitFor(async () => expect(await admin.get(OWN)).not.toBeNull(), 30_000);
  await createAll(admin);
  return {
    serve: (later = Promise.resolve()) => serveCounted(config, later),
    async change(at, value) {
      await admin.patch(below(OWN, nameAt(at)), "merge", {
        metadata: { annotations: { "team.example.org/count": value } },
      });
    },
    async stop() {
      await admin.close();
      await plane.stop();
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
