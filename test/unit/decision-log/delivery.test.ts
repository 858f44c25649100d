import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { deliverToFile } from "../../../src/decision-log/deliver-to-file.ts";
import { deliverToHttp } from "../../../src/decision-log/deliver-to-http.ts";
import { type Deliver, openBuffer, Refused } from "../../../src/decision-log/line-buffer.ts";
import { openLog } from "../../../src/decision-log/open-log.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-log-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const buffer = (deliver: Deliver, changes: object = {}) =>
  openBuffer({ deliver, capacity: 100, batch: 30, lingerMs: 5, retryMs: 5, ...changes });

describe("the buffer", () => {
  it("delivers lines in order, in batches", async () => {
    const got: string[][] = [];
    const log = buffer((lines) => Promise.resolve(void got.push([...lines])));
    for (const line of ["a".repeat(20), "b".repeat(20), "c"]) log.add(line);
    await log.close(1000);
    expect(got.map((lines) => lines.map(([first]) => first))).toEqual([["a", "b"], ["c"]]);
    expect(log.lost()).toBe(0);
  });

  it("retries after failures without losses", async () => {
    let failures = 3;
    const got: string[] = [];
    const log = buffer((lines) => {
      if (failures-- > 0) return Promise.reject(new Error("not now"));
      got.push(...lines);
      return Promise.resolve();
    });
    log.add("a");
    await vi.waitFor(() => expect(got).toEqual(["a"]), { timeout: 10_000 });
    await log.close(100);
    expect(log.lost()).toBe(0);
  });

  it("counts lines that do not fit, are refused, or are left at the end", async () => {
    const never = buffer(() => new Promise(() => undefined), { capacity: 10 });
    for (const line of ["12345", "12345", "6"]) never.add(line);
    expect(never.lost()).toBe(1);
    await never.close(20);
    expect(never.lost()).toBe(3);
    never.add("late");
    expect(never.lost()).toBe(4);
    const refusing = buffer(() => Promise.reject(new Refused("no")));
    refusing.add("a");
    await refusing.close(200);
    expect(refusing.lost()).toBe(1);
  });

  it("lets callers wait for space, with a limit", async () => {
    let open = (): void => undefined;
    const log = buffer(() => new Promise((resolve) => void (open = resolve)), { capacity: 10 });
    await log.whenSpace(1000);
    log.add("1234567890");
    const began = performance.now();
    await log.whenSpace(30);
    expect(performance.now() - began).toBeGreaterThanOrEqual(25);
    // Longer than a test may take: only space ends it.
    const waiting = log.whenSpace(3_600_000);
    open();
    await waiting;
  });
});

describe("a file", () => {
  it("is renamed when it is full, and the oldest is removed", async () => {
    const path = join(folder, "decisions.json");
    const deliver = deliverToFile({ path, maxBytes: 10, files: 3 });
    const lines = ["first", "second", "third", "fourth", "fifth", "sixth", "last"];
    for (const line of lines) await deliver([line]);
    expect((await readdir(folder)).sort()).toEqual(["decisions.json", "decisions.json.1", "decisions.json.2"]);
    expect(await readFile(path, "utf8")).toBe("last\n");
    expect(await readFile(`${path}.1`, "utf8")).toBe("fifth\nsixth\n");
    expect(await readFile(`${path}.2`, "utf8")).toBe("third\nfourth\n");
  });

  it("loses no line when it is renamed, and counts what an earlier process wrote", async () => {
    const path = join(folder, "many.json");
    const lines = Array.from({ length: 400 }, (_, index) => `line ${String(index)}`);
    for (let at = 0; at < lines.length; at += 10)
      await deliverToFile({ path, maxBytes: 500, files: 100 })(lines.slice(at, at + 10));
    const names = (await readdir(folder)).filter((name) => name.startsWith("many.json"));
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
    expect(names.length).toBeGreaterThan(5);
    expect(texts.join("").trim().split("\n").sort()).toEqual([...lines].sort());
  });

  it("rejects on a write failure, and succeeds after recovery", async () => {
    const path = join(folder, "blocked.json");
    await mkdir(path);
    const deliver = deliverToFile({ path, maxBytes: 500, files: 2 });
    await expect(deliver(["a"])).rejects.toThrow("blocked.json");
    await rmdir(path);
    await deliver(["a"]);
    expect(await readFile(path, "utf8")).toBe("a\n");
    await expect(deliverToFile({ path: "/dev/full", maxBytes: 500, files: 2 })(["a"])).rejects.toMatchObject({
      code: "ENOSPC",
    });
  });
});

describe("an HTTP service", () => {
  it("gets gzipped batches with the present token; a busy service, and one that refuses the token, is asked again; a refused batch is lost", async () => {
    const got: unknown[] = [];
    const statuses = [503, 401, 200, 400];
    let token = "old";
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { authorization, "content-encoding": encoding } = request.headers;
        got.push({
          authorization,
          encoding,
          body: JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()) as unknown,
        });
        const status = statuses.shift() ?? 500;
        // By the next attempt, the token is renewed.
        if (status === 401) token = "new";
        response.writeHead(status).end();
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/logs`;
    const log = buffer(deliverToHttp({ url, token: () => Promise.resolve(token), timeoutMs: 1000 }));
    log.add('{"a":1}');
    log.add('{"b":2}');
    await vi.waitFor(() => expect(got).toHaveLength(3), { timeout: 10_000 });
    log.add('{"c":3}');
    await log.close(1000);
    const [old, renewed] = ["old", "new"].map((one) => ({ authorization: `Bearer ${one}`, encoding: "gzip" }));
    expect(got).toEqual([
      { ...old, body: [{ a: 1 }, { b: 2 }] },
      { ...old, body: [{ a: 1 }, { b: 2 }] },
      { ...renewed, body: [{ a: 1 }, { b: 2 }] },
      { ...renewed, body: [{ c: 3 }] },
    ]);
    expect(log.lost()).toBe(1);
    server.close();
    server.closeAllConnections();
  });

  it("does not affect answers if it is unavailable", async () => {
    const log = openLog({ target: "http://127.0.0.1:1/logs", whenFull: "drop", token: null });
    log.add("{}");
    const first = await Promise.race([log.ready().then(() => "ready"), setImmediate("waits")]);
    expect(first).toBe("ready");
    expect(log.lost()).toBe(0);
  });

  it("must have a valid URL", () => {
    expect(() => openLog({ target: "ftp://x", whenFull: "drop", token: null })).toThrow(
      expect.objectContaining({ code: "ADM_DECISION_LOG" }) as Error,
    );
  });
});
