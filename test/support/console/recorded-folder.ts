import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decideAlone } from "../../../src/admission/decide/decide.ts";
import { buildEvent } from "../../../src/decision-log/build-event.ts";
import { maskEvent } from "../../../src/decision-log/mask-event.ts";
import { NOW, vm } from "../admission.ts";
import { loadPolicy } from "../load-policy.ts";

const DAY = 86_400;
const NAMESPACE = { name: "demo", labels: {}, annotations: {} };

interface Line {
  name: string;
  spec: Record<string, unknown>;
  at: number;
  dryRun?: boolean;
}

/** A line as the webhook writes it. */
async function line({ name, spec, at, dryRun = false }: Line): Promise<string> {
  const object = vm(spec, { name, namespace: "demo" });
  const decision = decideAlone({
    ...{ kind: "VmTemplate", object, namespace: NAMESPACE, policy: await loadPolicy(), nowSeconds: at },
    ...{ relatedWorkloads: null, operation: "CREATE" },
  });
  const decided = {
    ...{ uid: `uid-${name}`, operation: "CREATE", dryRun, object, namespace: NAMESPACE, nowSeconds: at, decision },
    ...{ codes: decision.denials.map(({ code }) => code), bundle: { digest: "sha256:1", revision: "1" }, others: [] },
    milliseconds: 3,
  };
  return JSON.stringify(maskEvent(buildEvent(decided, {}), []));
}

const LATER = {
  cpu: 2,
  memory: 4,
  duration: "3h",
  deadline: "2035-01-01T00:00:00Z",
  schedulingTime: "2034-12-31T00:00:00Z",
};

/** A folder with decision logs, an audit and a simulation, as Landfall writes them, and a file that is none of these. */
export async function recordedFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "landfall-recorded-"));
  const lines = await Promise.all([
    line({ name: "web", spec: { cpu: 2, memory: 4 }, at: NOW }),
    line({ name: "done", spec: { cpu: 2, memory: 4, duration: "3h" }, at: NOW - DAY }),
    line({ name: "later", spec: LATER, at: NOW }),
    line({ name: "huge", spec: { cpu: 2, memory: 40_000 }, at: NOW }),
    line({ name: "only-tried", spec: { cpu: 2, memory: 4 }, at: NOW, dryRun: true }),
  ]);
  await writeFile(join(folder, "log.json"), `{"level":30,"msg":"a line of the process"}\n${lines.join("\n")}\n`);
  // An older file: its decision on web is not the last one, and neither is a denied change.
  const older = [await line({ name: "web", spec: { cpu: 4, memory: 4 }, at: NOW - DAY })];
  const denied = [await line({ name: "web", spec: { cpu: 2, memory: 40_000 }, at: NOW + 60 })];
  await writeFile(join(folder, "log.json.1"), [...older, ...denied].join("\n"));
  const finding = {
    kind: "VmTemplate",
    namespace: "demo",
    name: "web",
    verdict: "deny",
    codes: ["POL_X"],
    message: "no",
  };
  await writeFile(join(folder, "audit.json"), JSON.stringify({ bundle: "sha256:1", findings: [finding, { kind: 1 }] }));
  const policy = {
    name: "ours",
    kgCO2: 1.5,
    cost: 20,
    meanDelayHours: 2,
    meanLatencyMs: 9,
    deadlineMisses: 0,
    violations: 0,
  };
  await writeFile(join(folder, "simulation.json"), JSON.stringify({ policies: [policy], jobs: 20 }));
  await writeFile(join(folder, "notes.txt"), "nothing of ours\n");
  return folder;
}
