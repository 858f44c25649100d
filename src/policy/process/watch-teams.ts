import type { OtherTarball } from "../load-bundles.ts";
import type { During } from "../load-team.ts";
import type { Progress } from "./progress.ts";

/** Processor time of this thread, in ms: a busy machine must not make anything look slow. */
export function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The names of the bundles with rules: a process says by the index whose are at work. */
export const teamNames = (others: readonly OtherTarball[]): string[] =>
  others.flatMap(({ expected }) => (expected?.kind === "policy" ? [expected.name] : []));

/** Names, before this process ends of an error outside of all work, the request and the team that probably left it behind. */
export function blameStrayErrors(working: Progress): void {
  process.on("uncaughtExceptionMonitor", () => {
    working.blameRecent();
  });
}

interface Watch {
  working: Progress;
  /** See teamNames. */
  teams: readonly string[];
  /** Evaluations that take more processor time (ms) are passed to `onSlow`. */
  slowMs: number;
  onSlow: (team: string, ms: number) => void;
  /** Receives the processor time (ms) of each evaluation. */
  onUsed?: (team: string, ms: number) => void;
}

/** Says whose rules are at work, for the process that watches this one, and which are slow. */
export function watchTeams({ working, teams, slowMs, onSlow, onUsed }: Watch): During {
  return (team, work) => {
    const beganMs = usedMs();
    try {
      return working.of(teams.indexOf(team), work);
    } finally {
      const ms = usedMs() - beganMs;
      if (ms > slowMs) onSlow(team, ms);
      onUsed?.(team, ms);
    }
  };
}
