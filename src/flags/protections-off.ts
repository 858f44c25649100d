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
  /** Addresses that the process connects to, by the flag or setting that names them. */
  urls?: Readonly<Record<string, string | undefined>>;
}

const OWN_MACHINE: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** One line for each address without TLS on another machine. */
function withoutTls(urls: NonNullable<Protections["urls"]>): string[] {
  return Object.entries(urls).flatMap(([name, url = ""]) => {
    const address = URL.parse(url);
    if (address?.protocol !== "http:" || OWN_MACHINE.has(address.hostname)) return [];
    return [
      `${name} has no TLS: whoever is on the way to ${address.host} reads tokens and contents, and changes answers`,
    ];
  });
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
    ...withoutTls(protections.urls ?? {}),
    ...(protections.failurePolicy === "Ignore" ? ["failure policy Ignore: objects pass while no webhook answers"] : []),
  ];
}

/** Logs at the start of a process which protections are off; nothing if none is. */
export function warnProtectionsOff(log: Pick<Logger, "warn">, protections: Protections): void {
  const open = protectionsOff(protections);
  if (open.length > 0) log.warn({ open }, "protections are off");
}
