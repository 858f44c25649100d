import { expect, it } from "vitest";
import { withBoots } from "../../../src/cli/commands/simulate/make-tasks.ts";
import type { Candidate } from "../../../src/model/policy.ts";
import { bootTimeOf } from "../../../src/model/places/boot-times.ts";
import type { Task } from "../../../src/simulate/job.ts";
import { latestStart } from "../../../src/simulate/job.ts";

const ARRIVAL = 1_650_000_000;
const HOUR = 3600;
const boot = (provider: Candidate["provider"]): number => bootTimeOf("VmTemplate", provider).seconds;

function task(providers: Candidate["provider"][], slack: number): Task {
  const allowed = providers.map((provider) => ({ place: `${provider}/x`, provider }) as unknown as Candidate);
  const job = { arrival: ARRIVAL, durationSeconds: HOUR, deadline: ARRIVAL + HOUR + slack } as Task["job"];
  return { job, allowed, atOrigin: allowed[0] as Candidate };
}

it("leaves time to boot in the slowest of the places that are ready in time", () => {
  const free = withBoots(task(["gcp", "azure"], 2 * HOUR));
  expect(latestStart(free.job)).toBe(ARRIVAL + 2 * HOUR - boot("azure"));
  expect(free.allowed).toHaveLength(2);
  const hurried = withBoots(task(["gcp", "azure"], boot("azure") - 1));
  expect(hurried.allowed.map(({ provider }) => provider)).toEqual(["gcp"]);
  expect(latestStart(hurried.job)).toBe(ARRIVAL + boot("azure") - 1 - boot("gcp"));
});

it("leaves a job as it is whose deadline leaves no time to boot anywhere", () => {
  const late = task(["gcp", "aws"], 0);
  expect(withBoots(late)).toBe(late);
});
