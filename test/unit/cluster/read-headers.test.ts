import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { apiPath } from "../../../src/cluster/api-path.ts";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import { createClient } from "../../../src/cluster/client/create-client.ts";

it("a write gives the warnings of a refusal, and when to ask again", async () => {
  const server = createServer((_, reply) => {
    reply.setHeader("warning", [
      '299 - "placed in \\"aws/eu-north-1\\""',
      '299 kube-apiserver "second", 299 - "third"',
    ]);
    reply.setHeader("retry-after", "30");
    reply.writeHead(429).end(JSON.stringify({ message: "busy" }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = createClient({
    ...{
      server: `http://127.0.0.1:${String(port)}`,
      namespace: "demo",
      tls: {},
      headers: async () => Promise.resolve({}),
    },
  });
  const warnings: string[] = [];
  const warned = (text: string): void => void warnings.push(text);
  const refused = await client.create(apiPath`/apis`, {}, {}, { warned }).catch((thrown: unknown) => thrown);
  await client.close();
  server.close();
  expect(warnings).toEqual(['placed in "aws/eu-north-1"', "second", "third"]);
  expect(refused).toBeInstanceOf(ApiError);
  expect(refused).toMatchObject({ status: 429, detail: "busy", retryAfterSeconds: 30 });
});
