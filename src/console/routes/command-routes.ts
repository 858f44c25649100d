import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LandfallError } from "../../errors.ts";
import { type CommandRunner, createRunner, type Landfall } from "../commands/run-command.ts";
import { impactArgs, simulateArgs } from "../commands/simulate-args.ts";
import { type Impact, IMPACT, IMPACT_BODY } from "../contract/policies.ts";
import { type SimulateBody, SIMULATE_BODY, SIMULATION, type SimulationResult } from "../contract/simulation.ts";
import type { ConsoleApp } from "./console-app.ts";
import { leftBy } from "./left-by.ts";

export interface CommandSource {
  /** Null: the console has no command line to run. */
  landfall: Landfall | null;
  systemNamespace: string;
}

/** The output of the command: the frontier and the pauses are missing unless they were asked for. */
type Asked = "frontier" | "pauses";
type Figures = Omit<SimulationResult, Asked | "plots"> & Partial<Pick<SimulationResult, Asked>>;

async function simulated(runner: CommandRunner, asked: SimulateBody, signal: AbortSignal): Promise<SimulationResult> {
  const folder = await mkdtemp(join(tmpdir(), "landfall-simulate-"));
  try {
    const plots = join(folder, "plots.json");
    const figures = JSON.parse(await runner.run(simulateArgs(asked, plots), signal)) as Figures;
    const drawn = JSON.parse(await readFile(plots, "utf8")) as SimulationResult["plots"];
    return { ...figures, frontier: figures.frontier ?? [], pauses: figures.pauses ?? [], plots: drawn };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The commands `impact` and `simulate` in a child process: it ends when the page leaves, and with the console. */
export function addCommandRoutes(app: ConsoleApp, { landfall, systemNamespace }: CommandSource): void {
  if (landfall === null) {
    const refuse = (): never => {
      throw new LandfallError("CONSOLE_COMMAND", {
        detail: "this console runs no commands, which are for your own machine",
      });
    };
    app.post("/api/impact", refuse);
    app.post("/api/simulation", refuse);
    return;
  }
  const runner = createRunner(landfall);
  app.addHook("onClose", async () => {
    runner.stop();
    return Promise.resolve();
  });

  app.post("/api/impact", { schema: { body: IMPACT_BODY, response: { 200: IMPACT } } }, async ({ body }, reply) => {
    const { kubeconfig, registry } = landfall;
    if (kubeconfig === null)
      throw new LandfallError("CONSOLE_COMMAND", { detail: "the console was not started with a kubeconfig file" });
    if (body.bundle.trim() === "") throw new LandfallError("CONSOLE_REQUEST", { detail: "name a bundle" });
    const args = impactArgs(body, { kubeconfig, systemNamespace, registry });
    return JSON.parse(await runner.run(args, leftBy(reply))) as Impact;
  });

  app.post(
    "/api/simulation",
    { schema: { body: SIMULATE_BODY, response: { 200: SIMULATION } } },
    async ({ body }, reply) => simulated(runner, body, leftBy(reply)),
  );
}
