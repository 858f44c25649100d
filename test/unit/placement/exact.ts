/** An object of a small batch: at which cost it may run where and when. Hours count from 0. */
export interface ExactJob {
  hours: number;
  vcpus: number;
  options: { place: string; start: number; cost: number }[];
}

/**
 * The least cost of placing all jobs where no place may run more than `limit` vCPU in any hour, by branch and bound over
 * every combination of options; infinite where there is none.
 */
export function leastCost(jobs: readonly ExactJob[], limit: number): number {
  // Who has least to choose from comes first: the search ends sooner.
  const ordered = jobs
    .map((job) => ({ ...job, options: [...job.options].sort((a, b) => a.cost - b.cost) }))
    .sort((a, b) => a.options.length - b.options.length);
  // What the jobs from here on cost at least.
  const rest = ordered.map((_, index) =>
    ordered.slice(index).reduce((sum, { options }) => sum + (options[0]?.cost ?? Infinity), 0),
  );
  const load = new Map<string, number>();
  let best = Number.POSITIVE_INFINITY;

  function touch({ hours, vcpus }: ExactJob, place: string, start: number, sign: 1 | -1): boolean {
    let fits = true;
    for (let hour = start; hour < start + hours; hour++) {
      const key = `${place} ${String(hour)}`;
      const sum = (load.get(key) ?? 0) + sign * vcpus;
      load.set(key, sum);
      if (sum > limit) fits = false;
    }
    return fits;
  }

  function search(depth: number, cost: number): void {
    const job = ordered[depth];
    if (job === undefined) {
      best = Math.min(best, cost);
      return;
    }
    for (const { place, start, cost: own } of job.options) {
      if (cost + own + (rest[depth + 1] ?? 0) >= best - 1e-9) return;
      if (touch(job, place, start, 1)) search(depth + 1, cost + own);
      touch(job, place, start, -1);
    }
  }

  search(0, 0);
  return best;
}
