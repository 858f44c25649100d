import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import { readReportOptions } from "../../../src/composition/report/read-report-options.ts";
import { reportToken } from "../../../src/composition/report/report-token.ts";
import { serveReports } from "../../../src/composition/report/serve-reports.ts";
import { planOf } from "../../../src/composition/run/state/run-plan.ts";
import { runValues } from "../../../src/composition/report/run-values.ts";
import { ringOf } from "../../../src/model/decision-annotation/key-ring.ts";
import type { RunRecord } from "../../../src/model/runs/run-record.ts";
import { certificateOf } from "../../support/services/certificate-of.ts";
import { type Manifest, renderVm } from "../../support/charts/render-vm.ts";

const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const ring = ringOf(NEW, OLD);
const UIDS = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"] as const;

const runOf = (uid: string, given: Partial<RunRecord> = {}): RunRecord => ({
  ...{ uid, kind: "VmTemplate", namespace: "demo", name: "web", run: "", startedAt: 1000, end: null, removedAt: null },
  ...{ plan: planOf({ duration: "1h", whenDone: "delete" }, 900), wasReady: false, machine: null, reported: null },
  ...{ pricePerHour: null, gramsCO2: null, ...given },
});

const records = new Map<string, RunRecord>();
/** Like the real ones: a change of what was changed meanwhile is a conflict. */
const runs = {
  read: (uid: string) => Promise.resolve(records.get(uid) ?? null),
  change: (record: RunRecord) => {
    if (records.get(record.uid)?.reported) return Promise.reject(new ApiError(409, { action: "PUT", detail: "" }));
    records.set(record.uid, record);
    return Promise.resolve(record);
  },
};
const heard: string[] = [];

let folder: string;
let url: string;
let certificate: string;
let stop = (): Promise<void> => Promise.resolve();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-reports-"));
  const issued = await certificateOf(new Date(Date.now() - 60_000), new Date(Date.now() + 3_600_000));
  ({ certificate } = issued);
  await writeFile(join(folder, "tls.crt"), certificate);
  await writeFile(join(folder, "tls.key"), issued.key);
  const options = { port: 0, tlsDirectory: folder, url: "https://127.0.0.1" };
  const onReport = (uid: string): void => void heard.push(uid);
  const served = await serveReports({ options, runs, ring: () => ring, onReport, log: pino({ level: "silent" }) });
  url = `https://127.0.0.1:${String(served.port)}`;
  stop = served.stop;
});
afterAll(async () => {
  await stop();
  await rm(folder, { recursive: true });
});

function post(path: string, token: string, body: string, method = "POST"): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = request(`${url}${path}`, { method, ca: certificate, headers }, (response) => {
      response.setEncoding("utf8");
      let text = "";
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => {
        resolve(`${String(response.statusCode)} ${/\[(\w+)\]/.exec(text)?.[1] ?? ""}`.trim());
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

describe("a machine's report of the completion of its run", () => {
  const [uid, other] = UIDS;
  const token = reportToken(ring, runOf(uid));
  const report = async (given: { path?: string; token?: string; body?: string; method?: string }): Promise<string> => {
    records.set(uid, runOf(uid));
    const { path = `/v1/runs/${uid}`, body = '{"exitCode": 0}', method } = given;
    return post(path, given.token ?? token, body, method);
  };

  it("is recorded once, and told the controller", async () => {
    expect(await report({ body: '{"exitCode": 3}' })).toBe("204");
    expect(records.get(uid)?.reported).toEqual({ exitCode: 3 });
    expect(heard).toEqual([uid]);
    expect(await post(`/v1/runs/${uid}`, token, '{"exitCode": 0}')).toBe("409 RUN_REPORT_REPEATED");
    expect(records.get(uid)?.reported).toEqual({ exitCode: 3 });
  });

  it("counts once if two arrive at the same moment", async () => {
    records.set(uid, runOf(uid));
    const answers = await Promise.all([0, 1].map((code) => post(`/v1/runs/${uid}`, token, `{"exitCode": ${code}}`)));
    expect(answers.sort()).toEqual(["204", "409 RUN_REPORT_REPEATED"]);
  });

  it("counts with a token that an older key signed, until the key is removed", async () => {
    expect(await report({ token: reportToken(ringOf(OLD), runOf(uid)) })).toBe("204");
    expect(await report({ token: reportToken(ringOf(Buffer.alloc(32, 3)), runOf(uid)) })).toBe("401 RUN_REPORT_TOKEN");
  });

  it.each([
    ["with no token", { token: "" }, "401 RUN_REPORT_TOKEN"],
    ["with a made-up token", { token: `${ring[0].id}.${"A".repeat(43)}` }, "401 RUN_REPORT_TOKEN"],
    ["with the token of another object", { token: reportToken(ring, runOf(other)) }, "401 RUN_REPORT_TOKEN"],
    ["with the token of another run", { token: reportToken(ring, runOf(uid, { run: "2" })) }, "401 RUN_REPORT_TOKEN"],
    ["of an object that does not exist", { path: `/v1/runs/${other}` }, "401 RUN_REPORT_TOKEN"],
    ["that is no JSON", { body: "done" }, "400 RUN_REPORT_BODY"],
    ["with an exit code that no program has", { body: '{"exitCode": 256}' }, "400 RUN_REPORT_BODY"],
    ["with a text as its exit code", { body: '{"exitCode": "0"}' }, "400 RUN_REPORT_BODY"],
    ["that is too large", { body: `{"exitCode": 0, "log": "${"x".repeat(2000)}"}` }, "400 RUN_REPORT_BODY"],
    ["to another path", { path: `/v1/runs/${uid}/../x` }, "404"],
    ["by another method", { method: "GET", body: "" }, "404"],
  ])("is refused %s", async (_what, given, answer) => {
    expect(await report(given)).toBe(answer);
    expect(records.get(uid)?.reported).toBeNull();
  });

  it("is refused when the run is over", async () => {
    records.set(uid, runOf(uid, { end: { at: 2000, by: "time", outcome: "unknown" } }));
    expect(await post(`/v1/runs/${uid}`, token, '{"exitCode": 0}')).toBe("409 RUN_REPORT_REPEATED");
  });
});

describe("the machine that reports", () => {
  const [uid] = UIDS;
  const ELEMENTO = { cpu: 1, memory: 1, provider: "elemento", schedulingLocation: "ionos-de-txl" };
  const spec = { ...ELEMENTO, instanceType: "helium", image: "ubuntu-22-04", os: "ubuntu-22.04", duration: "3h" };

  /** The chart's manifests, as the controller asks for them. */
  async function rendered(more: Record<string, unknown>): Promise<{ userData: string; others: Manifest[] }> {
    const step = { found: null, do: "run", endsAt: null, deletesAt: null, overdueSince: null, lookAt: null } as const;
    const object = { apiVersion: "x/v1", kind: "VmTemplate", metadata: { uid }, spec };
    const run = { record: runOf(uid), step, now: 1000 };
    const global = runValues({ keys: () => ring, reportUrl: url }, object, run);
    const manifests = await renderVm({ ...spec, ...more, global });
    const secret = manifests.find(({ kind }) => kind === "Secret") as unknown as { data: { userData: string } };
    const userData = Buffer.from(secret.data.userData, "base64").toString();
    return { userData, others: manifests.filter(({ kind }) => kind !== "Secret") };
  }

  /** Runs a script as cloud-init would; its exit code. */
  function runScript(script: string, ...args: string[]): Promise<number> {
    const env = { ...process.env, CURL_CA_BUNDLE: join(folder, "tls.crt") };
    return new Promise((resolve) => {
      const child = execFile("sh", ["-s", "--", ...args], { env, timeout: 60_000 }, (failure) => {
        resolve(failure === null ? 0 : Number(failure.code));
      });
      child.stdin?.end(script);
    });
  }

  it("has the token only in a Secret", async () => {
    const { userData, others } = await rendered({ userData: "#!/bin/sh\nexit 3\n" });
    const token = reportToken(ring, runOf(uid));
    expect(Buffer.from(userData.match(/^[\w+/=]{200,}$/m)?.[0] ?? "", "base64").toString()).toContain(token);
    expect(JSON.stringify(others)).not.toContain(token);
    expect(others.find(({ kind }) => kind === "ElementoVm")?.spec).toMatchObject({
      userDataSecret: { name: "web-report" },
    });
  });

  it("runs the user's script, and reports its exit code", async () => {
    records.set(uid, runOf(uid));
    const { userData } = await rendered({ userData: "#!/bin/sh\nexit 3\n" });
    expect(await runScript(userData)).toBe(3);
    expect(records.get(uid)?.reported).toEqual({ exitCode: 3 });
  });

  it.each([
    ["without user data", {}],
    ["beside other user data", { userData: "#cloud-config\npackages: [git]\n" }],
  ])("gets a program that reports, %s", async (_what, more) => {
    records.set(uid, runOf(uid));
    const { userData } = await rendered(more);
    const part = /#cloud-config\nmerge_how[\s\S]*?content: [\w+/=]+/.exec(userData)?.[0] ?? "";
    const [file] = (parse(part) as { write_files: { path: string; permissions: string; content: string }[] })
      .write_files;
    expect(file).toMatchObject({ path: "/usr/local/sbin/landfall-report", permissions: "0700" });
    expect(await runScript(Buffer.from(file?.content ?? "", "base64").toString(), "7")).toBe(0);
    expect(records.get(uid)?.reported).toEqual({ exitCode: 7 });
    expect(userData.includes("packages: [git]")).toBe("userData" in more);
  });

  it("is none at a provider whose machines others can read, and none if the listener is off", () => {
    const step = { found: null, do: "run", endsAt: null, deletesAt: null, overdueSince: null, lookAt: null } as const;
    const run = { record: runOf(uid), step, now: 1000 };
    const object = (provider: string) => ({
      apiVersion: "x/v1",
      kind: "VmTemplate",
      metadata: { uid },
      spec: { provider },
    });
    for (const provider of ["aws", "azure", "gcp"])
      expect(runValues({ keys: () => ring, reportUrl: url }, object(provider), run)).toEqual({});
    expect(runValues({ keys: () => ring, reportUrl: null }, object("elemento"), run)).toEqual({});
  });
});

describe("the flags of the listener", () => {
  const all = { reportPort: 8443, reportTls: "/tls", reportUrl: "https://landfall.example.org:8443" };

  it("are off by default, and belong together", () => {
    expect(readReportOptions({}, true)).toBeNull();
    expect(readReportOptions(all, true)).toEqual({ port: 8443, tlsDirectory: "/tls", url: all.reportUrl });
    for (const [key, value] of [["reportPort"], ["reportTls"], ["reportUrl"], ["reportUrl", 'https://x/"; reboot']]) {
      const given = { ...all, [key ?? ""]: value } as Parameters<typeof readReportOptions>[0];
      expect(() => readReportOptions(given, true)).toThrow(
        expect.objectContaining({ code: "RUN_REPORT_FLAGS" }) as Error,
      );
    }
    expect(() => readReportOptions(all, false)).toThrow(/signing keys/);
  });
});
