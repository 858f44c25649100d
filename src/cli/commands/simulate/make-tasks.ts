import { readFile } from "node:fs/promises";
import { LandfallError, messageOf } from "../../../errors.ts";
import { bootTimeOf } from "../../../model/places/boot-times.ts";
import type { HourlySeries } from "../../../model/places/intensity.ts";
import type { Candidate } from "../../../model/policy.ts";
import { HOUR_SECONDS, formatTime } from "../../../model/time.ts";
import { generateWorkload } from "../../../simulate/generate-workload.ts";
import type { Job, Task } from "../../../simulate/job.ts";
import { readWorkload } from "../../../simulate/read-workload.ts";
import type { AllowedPlaces } from "./allowed-places.ts";
import type { SimulateOptions } from "./options.ts";
import type { Origins } from "./origins.ts";

export interface Recording {
  /** Seconds since 1970. */
  from: number;
  to: number;
}

/** The hours that every series covers. */
export function recordingOf(series: ReadonlyMap<string, HourlySeries>): Recording {
  const all = [...series.values()];
  const from = Math.max(...all.map(({ start }) => start));
  return { from, to: Math.min(...all.map(({ start, values }) => start + values.length * HOUR_SECONDS)) };
}

async function readJobs(file: string, known: ReadonlySet<string>): Promise<Job[]> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (thrown) {
    throw new LandfallError("SIM_FILE", { file, detail: messageOf(thrown) }, thrown);
  }
  return readWorkload(text, file, known);
}

function generated(options: SimulateOptions, { chosen }: Origins, { from, to }: Recording): Job[] {
  const { jobs, seed, duration, slack, latency, residencyShare } = options;
  const wrong = (detail: string): LandfallError => new LandfallError("SIM_OPTIONS", { detail });
  if (chosen.length === 0) throw wrong("no European region has an hourly series: name others by --origins");
  if ((duration[1] + slack[1]) * HOUR_SECONDS > to - from) {
    throw wrong(`--duration and --slack pass the ${String((to - from) / HOUR_SECONDS)} recorded hours`);
  }
  const ranges = { durationHours: duration, slackHours: slack, latencyMs: latency };
  return generateWorkload({ jobs, seed, ...ranges, residencyShare, origins: chosen, from, to });
}

/** The jobs from the options' file or generator. Throws SIM_… for invalid ones. */
export async function makeJobs(options: SimulateOptions, origins: Origins, recording: Recording): Promise<Job[]> {
  const { workload } = options;
  const { from, to } = recording;
  const made =
    workload === undefined ? generated(options, origins, recording) : await readJobs(workload, origins.known);
  const outside = made.find((job) => job.arrival < from || job.arrival + job.durationSeconds > to);
  // After the recording there is no data, so no job can wait beyond its end.
  if (outside === undefined) return made.map((job) => ({ ...job, deadline: Math.min(job.deadline, to) }));
  throw new LandfallError("SIM_OUTSIDE", { id: outside.id, from: formatTime(from), to: formatTime(to) });
}

/**
 * The task with time to boot, as admission counts it: places whose machine is not ready early enough are omitted, and the run ends before
 * its deadline by the longest boot of those that are left. Unchanged if there is none.
 */
export function withBoots(task: Task): Task {
  const { job, allowed } = task;
  const bootOf = ({ provider }: Candidate): number => bootTimeOf("VmTemplate", provider).seconds;
  const free = job.deadline - job.durationSeconds - job.arrival;
  const timely = allowed.filter((candidate) => bootOf(candidate) <= free);
  if (timely.length === 0) return task;
  const longest = Math.max(...timely.map(bootOf));
  return { ...task, allowed: timely, job: { ...job, deadline: job.deadline - longest } };
}

/**
 * Each job with the places that the policies allow. A generated job without an allowed place gets the next higher limit
 * that has one; a job from a file causes SIM_NO_PLACE.
 */
export function makeTasks(jobs: readonly Job[], places: AllowedPlaces): Task[] {
  return jobs.map((job) => withBoots(places.taskOf(job)));
}
