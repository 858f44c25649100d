import { expect, it, onTestFinished } from "vitest";
import { createClient } from "../../../../src/cluster/client/create-client.ts";
import { discover } from "../../../../src/cluster/discover.ts";
import { watchManaged } from "../../../../src/composition/managed/watch-managed.ts";
import { startJsonService } from "../../../support/services/json-service.ts";

it("reports why a kind cannot be listed instead of waiting indefinitely", async () => {
  const resources = [{ name: "boats", kind: "Boat", namespaced: true, verbs: ["list", "watch"] }];
  const service = await startJsonService(({ url }) =>
    url.pathname === "/apis/example.dev/v1"
      ? { status: 200, body: { resources } }
      : { status: 403, body: { message: "boats is forbidden" } },
  );
  const client = createClient({ server: service.url, tls: {}, headers: () => Promise.resolve({}), namespace: "demo" });
  const ignore = (): void => undefined;
  const watches = watchManaged({
    ...{
      client,
      tenant: () => client,
      discovery: discover(client),
      onChange: ignore,
      onFailure: ignore,
      onRecovered: ignore,
    },
    listLimitMs: 300,
  });
  onTestFinished(async () => {
    watches.stop();
    await client.close();
    await service.close();
  });
  await expect(watches.ensure("example.dev/v1", "Boat")).rejects.toMatchObject({
    code: "REL_WATCH",
    message: expect.stringMatching(/boats cannot be listed: .*boats is forbidden/) as string,
  });
});
