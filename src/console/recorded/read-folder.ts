import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { LandfallError, messageOf } from "../../errors.ts";
import { isObject, textOf } from "../../model/json.ts";
import type { Recorded, RecordedFile, RecordedSimulation } from "../contract/recorded.ts";
import { boundedLines } from "./bounded-lines.ts";
import { decidedObject, type DecidedObject } from "./decided-object.ts";

/** A finding of an audit: the verdict of the rules on one object. */
export type Finding = Record<string, unknown> & { kind: string; namespace: string; name: string };

/** The content of a folder. */
export interface FolderContent extends Recorded {
  /** The last decision on each object. */
  decided: ReadonlyMap<string, DecidedObject>;
  /** Null if no file is an audit. */
  findings: readonly Finding[] | null;
}

/** Most files of a folder, and bytes of a file that is read as a whole. A decision log is read line by line, whatever its size. */
const FILES = 1000;
const WHOLE_BYTES = 64 * 1024 * 1024;
/** Longest line: a decision has some kilobytes. */
const LINE_CHARACTERS = 4 * 1024 * 1024;

interface Found {
  decided: Map<string, DecidedObject>;
  findings: Finding[] | null;
  simulations: RecordedSimulation[];
}

const nameOf = ({ object: { kind, metadata } }: DecidedObject): string =>
  `${kind}/${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

/** A later decision replaces an earlier one; a denial never replaces the object that stays as it was. */
function keep(found: Found, one: DecidedObject): void {
  const before = found.decided.get(nameOf(one));
  if (before !== undefined && (before.atSeconds > one.atSeconds || (one.isDenied && !before.isDenied))) return;
  found.decided.set(nameOf(one), one);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The object of a line; undefined for one of another form, such as a decision of another version. */
function readable(event: unknown, nowSeconds: number): DecidedObject | null | undefined {
  try {
    return decidedObject(event, nowSeconds);
  } catch {
    return undefined;
  }
}

/** Reads the lines of a decision log, among them those of other logs. */
async function readLines(
  path: string,
  found: Found,
  nowSeconds: number,
): Promise<{ decisions: number; others: number }> {
  let [decisions, others] = [0, 0];
  const parts = createReadStream(path, "utf8") as AsyncIterable<string>;
  for await (const line of boundedLines(parts, LINE_CHARACTERS)) {
    if (line?.trim() === "") continue;
    const value = line === null ? null : parsed(line);
    const events = (Array.isArray(value) ? value : [value]).filter((one) => isObject(one) && "decision_id" in one);
    if (events.length === 0) others += 1;
    for (const event of events) {
      const one = readable(event, nowSeconds);
      if (one === undefined) {
        others += 1;
        continue;
      }
      decisions += 1;
      if (one !== null) keep(found, one);
    }
  }
  return { decisions, others };
}

const figure = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

function simulationOf(file: string, { policies, jobs }: Record<string, unknown>): RecordedSimulation {
  const given = Array.isArray(policies) ? policies.filter(isObject) : [];
  return {
    ...{ file, jobs: figure(jobs) },
    policies: given.map((one) => ({
      ...{ name: textOf(one["name"]), kgCO2: figure(one["kgCO2"]), usd: figure(one["cost"]) },
      ...{ meanDelayHours: figure(one["meanDelayHours"]), meanLatencyMs: figure(one["meanLatencyMs"]) },
      ...{ deadlineMisses: figure(one["deadlineMisses"]), violations: figure(one["violations"]) },
    })),
  };
}

const isFinding = (value: unknown): value is Finding =>
  isObject(value) && ["kind", "namespace", "name", "verdict"].every((name) => typeof value[name] === "string");

/** Takes a file that is one JSON value; null if it is neither an audit nor a simulation. */
function takeWhole(file: string, value: unknown, found: Found): RecordedFile | null {
  if (!isObject(value)) return null;
  if (Array.isArray(value["findings"])) {
    const findings = value["findings"].filter(isFinding);
    found.findings = [...(found.findings ?? []), ...findings];
    return { file, holds: "audit", entries: findings.length, note: "" };
  }
  if (!Array.isArray(value["policies"]) || typeof value["jobs"] !== "number") return null;
  const simulation = simulationOf(file, value);
  found.simulations.push(simulation);
  return { file, holds: "simulation", entries: simulation.jobs, note: "" };
}

async function readOne(folder: string, file: string, found: Found, nowSeconds: number): Promise<RecordedFile> {
  const path = join(folder, file);
  const { size } = await stat(path);
  const whole = size > WHOLE_BYTES ? null : takeWhole(file, parsed(await readFile(path, "utf8")), found);
  if (whole !== null) return whole;
  const { decisions, others } = await readLines(path, found, nowSeconds);
  if (decisions === 0)
    return { file, holds: "unknown", entries: 0, note: "neither decisions, an audit nor a simulation" };
  const note = others === 0 ? "" : `${String(others)} other lines`;
  return { file, holds: "decisions", entries: decisions, note };
}

/**
 * Reads a folder with files of the decision log, of `landfall audit -o json` and of `landfall simulate --json`, recognised by their content.
 * Throws CONSOLE_FOLDER if it cannot be read, or has none of them.
 */
export async function readFolder(folder: string, nowSeconds: number): Promise<FolderContent> {
  const found: Found = { decided: new Map(), findings: null, simulations: [] };
  const fail = (detail: string, cause?: unknown): LandfallError =>
    new LandfallError("CONSOLE_FOLDER", { folder, detail }, cause);
  const entries = await readdir(folder, { withFileTypes: true }).catch((thrown: unknown) => {
    throw fail(messageOf(thrown), thrown);
  });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  if (names.length > FILES) throw fail(`it has more than ${String(FILES)} files`);
  const files: RecordedFile[] = [];
  for (const file of names.sort()) files.push(await readOne(folder, file, found, nowSeconds));
  if (files.every(({ holds }) => holds === "unknown")) throw fail("no file has decisions, an audit or a simulation");
  return { folder, files, ...found };
}
