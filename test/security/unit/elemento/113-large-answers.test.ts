import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { DEFAULTS, serviceUrls } from "../../../../src/elemento/api/client-options.ts";
import type { ElementoApi } from "../../../../src/elemento/api/elemento-api.ts";
import { openClient } from "../../../../src/elemento/api/open-client.ts";
import { hasMoreValues } from "../../../../src/model/formats/count-json.ts";

const ACCOUNT = { username: "somebody", password: "hunter2 and more" };

/** A client of an Elemento that answers everything but the login with this text, and how often it did. */
async function answering(status: number, text: string): Promise<{ api: ElementoApi; asked: () => number }> {
  let asked = 0;
  const server = createServer((request, response) => {
    const isLogin = request.url?.endsWith("/login") ?? false;
    if (!isLogin) asked += 1;
    response.writeHead(isLogin ? 200 : status).end(isLogin ? '{"authenticated":true,"token":"a-token"}' : text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const urls = serviceUrls(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  const api = openClient({ ...DEFAULTS, urls, account: ACCOUNT, retries: 2, firstPauseMs: 1 });
  onTestFinished(async () => {
    await api.close();
    server.close();
  });
  return { api, asked: () => asked };
}

const lists = (count: number): string => `[${"[],".repeat(count - 1)}[]]`;

describe("113: an answer of Elemento", () => {
  it.each([200, 400])("with many values and status %i is refused before it is parsed", async (status) => {
    const { api } = await answering(status, lists(300_000));
    const params = { detail: "it has more than 200000 values" };
    await expect(api.listVms()).rejects.toMatchObject({ code: "ELEMENTO_ANSWER", params });
  });

  it("of many bytes is refused while it arrives, and not asked for again", async () => {
    const { api, asked } = await answering(200, JSON.stringify(["x".repeat(5 * 1024 * 1024)]));
    const params = { detail: "it has more than 4194304 bytes" };
    await expect(api.listVms()).rejects.toMatchObject({ code: "ELEMENTO_ANSWER", params });
    expect(asked()).toBe(1);
  });
});

describe("113: values are counted without parsing", () => {
  it.each<[string, string, number]>([
    ["a list", "[1, 2, 3]", 4],
    ["an object", '{"a": {"b": []}}', 4],
    ["texts with brackets, commas and quotes", String.raw`["[,{:", "\"[,", "\\"]`, 4],
    ["an open text", '["a, [[[[', 2],
    ["nested lists", "[[[[]]]]", 5],
  ])("in %s", (_what, text, count) => {
    expect(hasMoreValues(text.padEnd(20), count - 1)).toBe(true);
    expect(hasMoreValues(text.padEnd(20), count)).toBe(false);
  });
});
