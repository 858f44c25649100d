import type { Logger } from "pino";

/** The options of a process that switch a protection off. */
export interface Protections {
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
export function protectionsOff(protections: Protections): string[] {
  const unsigned = Object.entries(protections.bundles)
    .filter(([, mode]) => mode !== "required")
    .map(([name, mode]) => `signatures of ${name} are ${mode}: whoever can write to its registry decides`);
  const { charts = "required" } = protections;
  return [
    ...unsigned,
    ...(charts === "required" ? [] : [`signatures of charts are ${charts}: they are pinned at their first use`]),
    ...(protections.plainHttp === true
      ? ["--plain-http: whoever is on the way to the registry changes its answers"]
      : []),
    ...(protections.allowUndecided === true ? ["--allow-undecided: objects are installed without a decision"] : []),
    ...(protections.allowSelectors === true
      ? ["--allow-selectors: objects can be taken out of the configurations"]
      : []),
    ...(protections.failurePolicy === "Ignore" ? ["failure policy Ignore: objects pass while no webhook answers"] : []),
  ];
}

/** Logs at the start of a process which protections are off; nothing if none is. */
export function warnProtectionsOff(log: Pick<Logger, "warn">, protections: Protections): void {
  const open = protectionsOff(protections);
  if (open.length > 0) log.warn({ open }, "protections are off");
}
