import type { Logger } from "pino";

/** What a process was told that takes a protection away. */
export interface Doors {
  /** How signatures of bundles are checked, of the platform's and of others by name; empty where no bundle is read. */
  bundles: Readonly<Record<string, string>>;
  /** The same of charts; omitted where none are fetched. */
  charts?: string;
  plainHttp?: boolean | undefined;
  allowUndecided?: boolean | undefined;
  allowSelectors?: boolean | undefined;
  failurePolicy?: string;
}

/** One line for each protection that is off. */
export function openDoors(doors: Doors): string[] {
  const unsigned = Object.entries(doors.bundles)
    .filter(([, mode]) => mode !== "required")
    .map(([name, mode]) => `signatures of ${name} are ${mode}: whoever can write to its registry decides`);
  const { charts = "required" } = doors;
  return [
    ...unsigned,
    ...(charts === "required" ? [] : [`signatures of charts are ${charts}: they are pinned at their first use`]),
    ...(doors.plainHttp === true ? ["--plain-http: whoever is on the way to the registry changes its answers"] : []),
    ...(doors.allowUndecided === true ? ["--allow-undecided: objects are installed without a decision"] : []),
    ...(doors.allowSelectors === true ? ["--allow-selectors: objects can be taken out of the configurations"] : []),
    ...(doors.failurePolicy === "Ignore" ? ["failure policy Ignore: objects pass while no webhook answers"] : []),
  ];
}

/** Logs at the start of a process which protections are off; nothing if none is. */
export function warnOpenDoors(log: Pick<Logger, "warn">, doors: Doors): void {
  const open = openDoors(doors);
  if (open.length > 0) log.warn({ open }, "protections are off");
}
