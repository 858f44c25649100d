import { pino } from "pino";
import { expect, it, onTestFinished, vi } from "vitest";
import { createClient } from "../../../../src/cluster/client/create-client.ts";
import { discover } from "../../../../src/cluster/discover.ts";
import { logLost } from "../../../../src/composition/controller/log-failures.ts";
import { watchCompositions } from "../../../../src/composition/controller/watch-compositions.ts";
import { startJsonService } from "../../../support/services/json-service.ts";

const GROUP = "/apis/composition.krateo.io";
const kind = (name: string, of: string) => ({ name, kind: of, namespaced: true, verbs: ["list", "watch"] });
const served: Record<string, object> = {
  [GROUP]: { versions: [{ groupVersion: "composition.krateo.io/v0-1-0" }] },
  [`${GROUP}/v0-1-0`]: { resources: [kind("vmtemplates", "VmTemplate"), kind("databases", "Database")] },
};

/** The paths that are listed, and what is logged, by a controller with rights to VmTemplates alone. */
async function watch(onlyDecided: boolean): Promise<{ listed: Set<string>; logged: string[] }> {
  const [listed, logged] = [new Set<string>(), [] as string[]];
  const service = await startJsonService(({ url }) => {
    const path = url.pathname;
    if (served[path] !== undefined) return { status: 200, body: served[path] };
    listed.add(path);
    return path.endsWith("/vmtemplates")
      ? { status: 200, body: { kind: "VmTemplateList", metadata: { resourceVersion: "1" }, items: [] } }
      : { status: 403, body: { message: "databases is forbidden" } };
  });
  const client = createClient({ server: service.url, tls: {}, headers: () => Promise.resolve({}), namespace: "demo" });
  const ignore = (): void => undefined;
  const log = pino({}, { write: (line: string) => logged.push(line) });
  const watches = watchCompositions({
    ...{ client, discovery: discover(client), listLimitMs: 300, onlyDecided },
    ...{ onChange: ignore, onGone: ignore, onRecovered: ignore, onFailure: logLost(log) },
  });
  onTestFinished(async () => {
    watches.stop();
    await client.close();
    await service.close();
  });
  await watches.refresh();
  await vi.waitFor(() => {
    expect(listed).toContain(`${GROUP}/v0-1-0/vmtemplates`);
  });
  return { listed, logged };
}

it("says which value of the chart gives the right to a kind that cannot be listed", async () => {
  const { listed, logged } = await watch(false);
  expect(listed).toContain(`${GROUP}/v0-1-0/databases`);
  expect(logged.join("")).toMatch(/databases cannot be listed: .*rights\.compositions.*REL_WATCH/);
});

it("leaves other kinds alone beside Krateo, whose controllers install them", async () => {
  const { listed, logged } = await watch(true);
  expect(listed).toEqual(new Set([`${GROUP}/v0-1-0/vmtemplates`]));
  expect(logged.filter((line) => line.includes("databases"))).toEqual([]);
});
