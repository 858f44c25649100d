import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readFolder } from "../../../../src/console/recorded/read-folder.ts";
import { boundedLines } from "../../../../src/console/recorded/bounded-lines.ts";
import { recordedClient } from "../../../../src/console/recorded/recorded-client.ts";
import type { Overview } from "../../../../src/console/contract/overview.ts";
import type { ObjectReport, Explanation } from "../../../../src/console/contract/object.ts";
import type { Rows } from "../../../../src/console/contract/rows.ts";
import type { Tried } from "../../../../src/console/contract/trying.ts";
import { API_VERSION } from "../../../../src/model/names.ts";
import { NOW } from "../../../support/admission.ts";
import { testConsole, ORIGIN } from "../../../support/console/console-app.ts";
import { recordedFolder } from "../../../support/console/recorded-folder.ts";

let folder = "";

beforeAll(async () => {
  folder = await recordedFolder();
});

afterAll(() => rm(folder, { recursive: true }));

async function openRecorded() {
  const content = await readFolder(folder, NOW + 3600);
  const { app, signIn } = await testConsole(recordedClient(content));
  const headers = await signIn();
  const read = async <T>(url: string): Promise<T> => (await app.inject({ url, headers })).json<T>();
  const post = async <T>(url: string, payload: object): Promise<T> =>
    (await app.inject({ method: "POST", url, payload, headers: { ...headers, origin: ORIGIN } })).json<T>();
  return { content, read, post };
}

describe("the lines of a file", () => {
  it("are bounded: one that is too long is none, and the others stay", async () => {
    async function* parts() {
      yield* ["a\nbb", "bb", "b\nc\r\nd", "d"];
      await Promise.resolve();
    }
    expect(await Array.fromAsync(boundedLines(parts(), 4))).toEqual(["a", null, "c\r", "dd"]);
  });
});

describe("a folder of recorded files", () => {
  it("is told apart by its content", async () => {
    const { content } = await openRecorded();
    expect(content.files).toEqual([
      { file: "audit.json", holds: "audit", entries: 1, note: "" },
      { file: "log.json", holds: "decisions", entries: 5, note: "1 other lines" },
      { file: "log.json.1", holds: "decisions", entries: 2, note: "" },
      { file: "notes.txt", holds: "unknown", entries: 0, note: "neither decisions, an audit nor a simulation" },
      { file: "simulation.json", holds: "simulation", entries: 20, note: "" },
    ]);
    expect(content.simulations[0]?.policies[0]).toMatchObject({ name: "ours", kgCO2: 1.5, usd: 20 });
  });

  it("passes over lines whose decision has another form", async () => {
    const other = await mkdtemp(join(tmpdir(), "landfall-recorded-"));
    const object = { kind: "VmTemplate", metadata: { name: "a", namespace: "demo" }, spec: {} };
    const result = { allowed: true, placement: { start: NOW }, inputs: "x" };
    const lines = [
      { decision_id: "1", input: { object }, result },
      { decision_id: "2", input: { object }, result: [] },
    ];
    await writeFile(join(other, "log.json"), lines.map((line) => JSON.stringify(line)).join("\n"));
    const { files } = await readFolder(other, NOW);
    await rm(other, { recursive: true });
    expect(files).toEqual([{ file: "log.json", holds: "decisions", entries: 1, note: "1 other lines" }]);
  });

  it("shows each stored object with its last decision, in the state that this plans, and the audit's verdict", async () => {
    const { read } = await openRecorded();
    const { rows } = await read<Rows>("/api/objects?namespace=demo");
    expect(rows.map(({ name, state, reason, verdict }) => [name, state, reason, verdict])).toEqual([
      ["done", "ended", "Recorded", null],
      ["huge", "failing", "PLACEMENT_NONE", null],
      ["later", "waiting", "WaitingForStart", null],
      ["web", "running", "Recorded", "deny"],
    ]);
    const overview = await read<Overview>("/api/overview");
    expect(overview.states).toMatchObject({ ended: 1, failing: 1, waiting: 1, running: 1, denied: 1 });
    expect((await read<Rows>("/api/objects?namespace=empty")).rows).toEqual([]);
  });

  it("explains a recorded decision at its own time", async () => {
    const { read } = await openRecorded();
    const path = "/api/objects/VmTemplate/demo/web";
    const report = await read<ObjectReport>(path);
    expect(report.yaml).toContain("cpu: 2");
    expect(report.why.length).toBeGreaterThan(0);
    expect(await read<Explanation>(`${path}/explanation`)).toMatchObject({
      sameResult: true,
      at: "2026-11-20T22:00:00Z",
    });
  });

  it("refuses every change, and tries objects with the console's own bundle", async () => {
    const { post } = await openRecorded();
    const object = {
      apiVersion: API_VERSION,
      kind: "VmTemplate",
      metadata: { name: "new" },
      spec: { cpu: 2, memory: 4 },
    };
    const given = { namespace: "demo", object: JSON.stringify(object) };
    const tried = await post<Tried>("/api/try", given);
    expect(tried).toMatchObject({ by: "console", mayCreate: false, denials: [] });
    expect(tried.why).toBe("the console shows recorded decisions, not a cluster");
    expect(await post<{ code: string }>("/api/apply", given)).toMatchObject({ code: "CONSOLE_REFUSED" });
  });

  it("is refused if it cannot be read, or has nothing of Landfall's", async () => {
    await expect(readFolder(join(folder, "absent"), NOW)).rejects.toMatchObject({ code: "CONSOLE_FOLDER" });
    const empty = await mkdtemp(join(tmpdir(), "landfall-recorded-"));
    await writeFile(join(empty, "a.json"), "{}");
    await expect(readFolder(empty, NOW)).rejects.toMatchObject({ code: "CONSOLE_FOLDER" });
    await rm(empty, { recursive: true });
  });
});
