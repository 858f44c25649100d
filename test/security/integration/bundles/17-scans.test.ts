import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type FollowedPolicy, followPolicy } from "../../../../src/audit/follow-policy.ts";
import type { Finding } from "../../../../src/audit/finding.ts";
import { TeamStrikes } from "../../../../src/bundle/follow/team-strikes.ts";
import { defaultSettings } from "../../../../src/bundle/read-settings.ts";
import type { ClusterEvent } from "../../../../src/external-data/cluster-data.ts";
import type { Workload } from "../../../../src/model/workload.ts";
import { NOW, vm } from "../../../support/admission.ts";
import { policyFile } from "../../../support/load-policy.ts";
import { teamBundle } from "../../../support/bundles/other-bundles.ts";
import { buildTrapBundle } from "../../../support/bundles/trap-bundle.ts";

/** Rules of a team that require an owner, and loop, fail or take all memory for objects with a certain tag. */
const RULES = `package landfall.custom.security

denials contains {"code": "SEC_OWNER", "message": "an owner is required", "field": "metadata.labels.owner"} if {
	not input.metadata.labels.owner
}

_numbers := numbers.range(1, 20000)

denials contains "never" if {
	input.spec.tags.trap == "loop"
	some a in _numbers
	some b in _numbers
	some c in _numbers
	[a, b, c] == input.spec.never
}

denials contains "never" if {
	input.spec.tags.trap == "memory"
	count([text | some n in numbers.range(1, 5000000); text := sprintf("%d", [n])]) == 0
}

_value := 1 if input.spec.tags.trap == "throw"

_value := 2 if input.spec.tags.trap == "throw"

denials contains "never" if _value == 3
`;

let folder: string;
let team: Buffer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-scans-"));
  team = await teamBundle("security", { "security.rego": RULES });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let number = 0;

/** Ends a loop after 2.5 s, half of it for a team's rules: others take some milliseconds, or some hundred on a busy machine. */
const DECISION_MS = 2500;

interface Followed {
  platform?: Buffer;
  decisionMs?: number;
  /** The label that says whose a namespace is. */
  owner?: string;
}

async function follow(strikes: TeamStrikes, { platform, decisionMs = DECISION_MS, owner }: Followed = {}) {
  const events: string[] = [];
  const { rollout, ...settings } = defaultSettings("off");
  const canary = { ...rollout.canary, ...(owner === undefined ? {} : { owner }) };
  number += 1;
  const [ref, beside] = ["platform", "team"].map((name) => join(folder, `${name}-${String(number)}.tar.gz`));
  if (platform === undefined) await copyFile(await policyFile(), String(ref));
  else await writeFile(String(ref), platform);
  await writeFile(String(beside), team);
  const { poll, stale } = rollout;
  const other = { name: "security", kind: "policy" as const, required: true, poll, stale, packages: ["security"] };
  const followed = await followPolicy({
    ...{ ref: String(ref), registry: { plainHttp: true }, strikes },
    settings: {
      ...settings,
      rollout: { ...rollout, canary },
      others: [{ ...other, ref: String(beside), trust: settings.trust }],
    },
    limits: { loadMs: 300_000, decisionMs },
    onEvent: (event, { code }) => {
      if (event === "bundle not used") events.push(String(code));
    },
  });
  onTestFinished(() => followed.stop());
  return { followed, events };
}

const workload = (name: string, namespace: string, tags: Record<string, string> = {}): Workload => ({
  ...vm(
    { cpu: 2, memory: 4, provider: "gcp", tags },
    { name, namespace, labels: name === "bare" ? {} : { owner: "a" } },
  ),
  kind: "VmTemplate",
});

async function scan(
  followed: FollowedPolicy,
  objects: Workload[],
  events: ClusterEvent[] = [],
): Promise<Record<string, string>> {
  const policy = await followed.current();
  const findings = await policy.audit(objects, { events, forecasts: null, nowSeconds: NOW });
  const told = ({ namespace, name, verdict, codes }: Finding) => [
    `${namespace}/${name}`,
    [verdict, ...codes].join(" "),
  ];
  return Object.fromEntries(findings.map(told)) as Record<string, string>;
}

const looping = (name: string, namespace: string): Workload => workload(name, namespace, { trap: "loop" });

/** Child processes of this one. */
const children = (): number => process.getActiveResourcesInfo().filter((name) => name === "ProcessWrap").length;

describe("17: a scan with rules of a team that loop", () => {
  it("names the object, audits all others, and leaves no process behind", async () => {
    const { followed, events } = await follow(new TeamStrikes());
    const objects = [workload("good", "a"), looping("loops", "a"), workload("bare", "b")];
    expect(await scan(followed, objects)).toEqual({
      "a/good": "undecided",
      "a/loops": "deny POL_TEAM",
      "b/bare": "deny SEC_OWNER",
    });
    expect(events).toEqual([]);
    await vi.waitFor(() => {
      expect(children()).toBe(0);
    }, 20_000);
  });

  it("goes on without the team if they loop for several namespaces, also after a restart", async () => {
    const strikes = new TeamStrikes();
    const { followed, events } = await follow(strikes);
    const objects = [looping("one", "a"), looping("two", "b"), looping("three", "b"), workload("bare", "b")];
    const all = { "a/one": "undecided", "b/two": "undecided", "b/three": "undecided", "b/bare": "undecided" };
    expect(await scan(followed, objects)).toEqual(all);
    expect(events).toEqual(["BUNDLE_LOOPS"]);
    expect(await scan(followed, objects)).toEqual(all);
    const restarted = await follow(strikes);
    expect(await scan(restarted.followed, objects)).toEqual(all);
    expect(restarted.events).toEqual(["BUNDLE_LOOPS"]);
  });

  it("keeps the team if it loops for several namespaces of one owner", async () => {
    const { followed, events } = await follow(new TeamStrikes(), { owner: "tenant" });
    const namespaces = ["a", "b"].map((name): ClusterEvent => {
      return { type: "namespace", name, data: { name, labels: { tenant: "acme" }, annotations: {} } };
    });
    const objects = [looping("one", "a"), looping("two", "b"), looping("three", "b"), workload("bare", "b")];
    expect(await scan(followed, objects, namespaces)).toEqual({
      ...{ "a/one": "deny POL_TEAM", "b/two": "deny POL_TEAM", "b/three": "deny POL_TEAM", "b/bare": "deny SEC_OWNER" },
    });
    expect(events).toEqual([]);
  });

  it("keeps the team if it loops for one namespace only, and audits no more of this namespace than that", async () => {
    const { followed, events } = await follow(new TeamStrikes());
    const objects = [...["one", "two", "three", "four"].map((name) => looping(name, "a")), workload("bare", "b")];
    expect(await scan(followed, objects)).toEqual({
      ...{ "a/one": "deny POL_TEAM", "a/two": "deny POL_TEAM", "a/three": "deny POL_TEAM" },
      ...{ "a/four": "deny ADM_NOT_AUDITED", "b/bare": "deny SEC_OWNER" },
    });
    expect(events).toEqual([]);
  });
});

describe("17: a scan with rules that fail", () => {
  it("names the object whose rules fail or take all memory, and audits all others", async () => {
    // Rules that take all memory need longer than those that are ended for their time.
    const { followed } = await follow(new TeamStrikes(), { decisionMs: 60_000 });
    const failing = ["throw", "memory"].map((trap) => workload(trap, "a", { trap }));
    expect(await scan(followed, [...failing, workload("bare", "b")])).toEqual({
      ...{ "a/throw": "deny POL_TEAM", "a/memory": "deny POL_TEAM", "b/bare": "deny SEC_OWNER" },
    });
  });

  it("names the object if the platform's rules loop, and audits all others", async () => {
    const { followed } = await follow(new TeamStrikes(), {
      platform: await buildTrapBundle(await mkdtemp(join(folder, "trap-"))),
    });
    expect(await scan(followed, [looping("loops", "a"), workload("bare", "b")]).catch(String)).toEqual({
      ...{ "a/loops": "deny ADM_TIMEOUT", "b/bare": "deny SEC_OWNER" },
    });
  });
});
