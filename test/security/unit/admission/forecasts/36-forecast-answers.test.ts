import { expect, it, vi } from "vitest";
import { openService } from "../../../../../src/external-data/forecasts/open-service.ts";
import { startJsonService } from "../../../../support/services/json-service.ts";

const http = { timeoutMs: 5000, retries: 2, parallel: 2, breakAfter: 3, breakSeconds: 60 };

async function codesOf(body: string, times: number) {
  const server = await startJsonService(() => ({ status: 200, body }));
  const service = openService({ source: "grid", url: server.url, tokenFile: null, authorize: () => ({}), http });
  const codes: unknown[] = [];
  for (let count = 0; count < times; count += 1)
    codes.push(
      await service.ask("/", (answer) => answer).catch((thrown: unknown) => (thrown as { code: unknown }).code),
    );
  await service.close();
  await server.close();
  return { codes, asked: server.asked.length };
}

it("36: a forecast service whose answers are not JSON is asked no more after a few, and none is asked for twice", async () => {
  const { codes, asked } = await codesOf("[".repeat(1000), 5);
  expect(codes).toEqual([...Array<string>(3).fill("FORECAST_ANSWER"), "FORECAST_CIRCUIT", "FORECAST_CIRCUIT"]);
  expect(asked).toBe(3);
});

it("36: an answer of a forecast service above 1 MiB is not parsed", async () => {
  const parse = vi.spyOn(JSON, "parse");
  const { codes } = await codesOf("[".repeat(2 * 1024 * 1024), 1);
  expect(codes).toEqual([expect.stringMatching(/^FORECAST_(AWAY|CIRCUIT)$/)]);
  expect(parse.mock.calls.filter(([text]) => text.length > 1024 * 1024)).toEqual([]);
  parse.mockRestore();
});
