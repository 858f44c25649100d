import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { expect, it, onTestFinished } from "vitest";
import type { Cli } from "../../../../src/cli/cli.ts";
import { addBreakGlass } from "../../../../src/cli/commands/break-glass/break-glass.ts";
import { readEmergencies } from "../../../../src/model/emergency.ts";
import { parseTime } from "../../../../src/model/time.ts";
import { kubeconfigText } from "../../../support/kubeconfig.ts";

type Metadata = Parameters<typeof readEmergencies>[0];

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString() || "null");
}

const BEGIN = ["-n", "demo", "--for", "30m", "--reason", "a bad night"];

/**
 * Runs the command at an API server whose clock is so many seconds ahead, and that has this record. Returns the failure, and the emergencies
 * that it recorded.
 */
async function breakGlass(aheadSeconds: number, flags = BEGIN, before: Metadata = null) {
  let recorded = before;
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const isSecret = request.url?.includes("/secrets") === true;
      if (isSecret && request.method !== "GET") recorded = body as Metadata;
      const found = isSecret ? recorded : { metadata: { name: "a" }, webhooks: [] };
      const answer = request.method === "GET" ? found : body;
      response.statusCode = answer === null ? 404 : 200;
      response.setHeader("date", new Date(Date.now() + aheadSeconds * 1000).toUTCString());
      response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = await mkdtemp(join(tmpdir(), "landfall-clock-"));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });
  const kubeconfig = join(folder, "config");
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  await writeFile(kubeconfig, kubeconfigText({ server: url }, { token: "t" }));
  const cli = { env: {}, write: () => undefined, note: () => undefined } as unknown as Cli;
  const program = new Command();
  addBreakGlass(program, cli);
  const all = ["break-glass", ...flags, "--kubeconfig", kubeconfig];
  const failure: unknown = await program.parseAsync(all, { from: "user" }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { failure, recorded, emergencies: readEmergencies(recorded) };
}

it("192: an emergency begins by the API server's clock", async () => {
  const { failure, emergencies } = await breakGlass(60);
  expect(failure).toBeNull();
  const [from = 0, until = 0] = [emergencies[0]?.from, emergencies[0]?.until].map((time) => parseTime(time ?? "") ?? 0);
  expect(until - from).toBe(1800);
  expect(Math.abs(from - Date.now() / 1000 - 60)).toBeLessThan(20);
});

it.each([600, -600])("192: none begins while the two clocks are %i s apart", async (seconds) => {
  const { failure, emergencies } = await breakGlass(seconds);
  expect(failure).toMatchObject({ code: "CLI_CLOCK" });
  expect(emergencies).toEqual([]);
});

it("346: one that began at an API server whose clock is ahead ends at another", async () => {
  const { recorded } = await breakGlass(90);
  const { failure, emergencies } = await breakGlass(0, ["--end"], recorded);
  expect(failure).toBeNull();
  expect(emergencies.map(({ from, until }) => from === until)).toEqual([true]);
});
