import { withinDefault } from "../../../admission/decide/narrow-places.ts";
import { policyInput } from "../../../admission/decide/policy-input.ts";
import { readRequest } from "../../../admission/check/read-request.ts";
import type { WorkloadObject } from "../../../model/workload.ts";
import { LandfallError } from "../../../errors.ts";
import { API_VERSION } from "../../../model/names.ts";
import type { HourlySeries } from "../../../model/places/intensity.ts";
import type { Candidate, PolicyResult } from "../../../model/policy.ts";
import type { LoadedBundle } from "../../../policy/loaded-bundle.ts";
import type { Job, Task } from "../../../simulate/job.ts";
import type { Recorded } from "../../../simulate/world.ts";

const NAMESPACE = { name: "default", labels: {}, annotations: {} };

/** The job as an object that a user would apply, so that the policies get the same input as from admission. */
function objectOf(job: Job, atOrigin: boolean): WorkloadObject {
  const [provider, schedulingLocation] = job.origin.split("/", 2);
  const limits = {
    ...(job.maxLatencyMs === null ? {} : { maxLatency: job.maxLatencyMs }),
    ...(job.dataResidency.length === 0 ? {} : { dataResidency: job.dataResidency }),
  };
  const { cpu, memory, origin, durationSeconds } = job;
  const spec = { cpu, memory, origin, duration: `${String(durationSeconds)}s`, optimizeFor: "carbon" };
  const metadata = { name: "job", namespace: NAMESPACE.name };
  const pinned = { ...spec, provider, schedulingLocation };
  return { apiVersion: API_VERSION, kind: "VmTemplate", metadata, spec: atOrigin ? pinned : { ...spec, ...limits } };
}

/** Turns jobs into tasks by asking the policy bundle; equal requests are evaluated once. */
export class AllowedPlaces {
  readonly #bundle: LoadedBundle;
  readonly #series: ReadonlyMap<string, HourlySeries>;
  readonly #answers = new Map<string, PolicyResult>();

  constructor(bundle: LoadedBundle, series: ReadonlyMap<string, HourlySeries>) {
    this.#bundle = bundle;
    this.#series = series;
  }

  /** Throws SIM_NO_PLACE for a job without an allowed place. */
  taskOf(job: Job): Task {
    const result = this.#ask(job, false);
    // As in admission, so that all policies and the bound choose among the same places.
    const allowed = withinDefault({ ...result, candidates: this.#recorded(result.candidates) }).candidates;
    const [atOrigin] = this.#recorded(this.#ask(job, true).candidates);
    const refused = result.denials[0]?.message ?? "no allowed place has an hourly series";
    if (allowed.length === 0) throw new LandfallError("SIM_NO_PLACE", { id: job.id, detail: refused });
    if (atOrigin === undefined) {
      throw new LandfallError("SIM_NO_PLACE", { id: job.id, detail: `${job.origin} has no machine of this size` });
    }
    return { job, allowed, atOrigin };
  }

  /** The bundle's objective, horizon and cost of waiting. */
  settingsOf(job: Job): Pick<Recorded, "objective" | "horizonSeconds" | "waitingCost"> {
    const { objective, horizonSeconds, schedule } = this.#ask(job, false);
    return { objective, horizonSeconds, waitingCost: (schedule.waitingCostPercent ?? 0) / 100 };
  }

  #recorded(candidates: readonly Candidate[]): Candidate[] {
    return candidates.filter(({ electricityZone }) => this.#series.has(electricityZone ?? ""));
  }

  #ask(job: Job, atOrigin: boolean): PolicyResult {
    const { origin, maxLatencyMs, dataResidency, cpu, memory, arrival: nowSeconds } = job;
    const key = JSON.stringify([atOrigin, origin, cpu, memory, ...(atOrigin ? [] : [maxLatencyMs, dataResidency])]);
    let answer = this.#answers.get(key);
    if (answer === undefined) {
      const object = objectOf(job, atOrigin);
      const request = readRequest("VmTemplate", object);
      const input = policyInput({
        object,
        request,
        operation: "CREATE",
        namespace: NAMESPACE,
        nowSeconds,
        relatedWorkloads: null,
      });
      answer = this.#bundle.evaluate(input);
      this.#answers.set(key, answer);
    }
    return answer;
  }
}
