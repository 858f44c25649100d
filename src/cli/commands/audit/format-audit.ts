import type { Colors } from "picocolors/types.js";
import type { Finding } from "../../../audit/finding.ts";
import { type Verdict, VERDICTS } from "../../../model/verdict.ts";
import type { EmergencyObject } from "../../../audit/list-emergencies.ts";
import type { UnmanagedObject } from "../../../audit/list-unmanaged.ts";
import type { NamespaceProblem } from "../../../audit/namespace-problems.ts";
import { formatGrams } from "../../../model/places/intensity.ts";
import type { Retained } from "../../../model/runs/retained.ts";
import { type ListColumn, listText } from "../../output/list-text.ts";

/** The result of an audit. */
export interface AuditReport {
  /** Digest of the bundle that judged. */
  bundle: string;
  findings: Finding[];
  namespaceProblems: NamespaceProblem[];
  unmanaged: UnmanagedObject[];
  retained: Retained[];
  /** Objects that were created while admission was switched off. */
  emergencies: EmergencyObject[];
}

const PAINT = {
  deny: "red",
  undecided: "yellow",
  move: "cyan",
  "move-on-recreate": "cyan",
  stay: "dim",
} as const satisfies Record<Verdict, string>;

const columnsOf = (colors: Colors): ListColumn<Finding>[] => [
  [["VERDICT"], ({ verdict }) => colors[PAINT[verdict]](verdict)],
  [["OBJECT"], ({ kind, namespace, name }) => `${kind} ${namespace}/${name}`],
  [["WHERE"], ({ place }) => place ?? ""],
  [["TO"], ({ to }) => to ?? "-", true],
  [["SAVES", "right"], ({ gramsSaved }) => (gramsSaved === null ? "-" : formatGrams(gramsSaved)), true],
  [["STARTED"], ({ started }) => (started ? "yes" : "no"), true],
  [["WHAT"], ({ message, codes }) => (codes.length > 0 ? `${message} [${codes.join(", ")}]` : message)],
];

function summary(findings: readonly Finding[]): string {
  const count = (verdict: Verdict): string =>
    `${String(findings.filter((finding) => finding.verdict === verdict).length)} ${verdict}`;
  return `${String(findings.length)} objects: ${VERDICTS.map(count).join(", ")}\n`;
}

/** A titled list; no text where there is nothing. */
const section = (title: string, lines: readonly string[], colors: Colors): string =>
  lines.length === 0 ? "" : `${colors.yellow(title)}\n${lines.map((line) => `  ${line}\n`).join("")}`;

function retainedLine({ workload, why, at, uid, acknowledged }: Retained): string {
  const { kind, namespace, name, vcpus, memoryGiB, place } = workload;
  const size = `${String(vcpus)} vCPU, ${String(memoryGiB)} GiB at ${place ?? "an unknown place"}`;
  const counted = acknowledged === null ? "counted" : `acknowledged by ${acknowledged.by}: ${acknowledged.reason}`;
  return `${uid} ${kind} ${namespace}/${name}: ${size}, ${why} since ${at}, ${counted}`;
}

/** Of an object that was created in an emergency: whether it was decided since. */
const STATE = {
  true: "decided since",
  false: "never decided: change it, or annotate landfall.dev/reevaluate, to have it decided",
  null: "it names a decision whose signature was not checked",
} as const;

function emergencyLine({ kind, namespace, name, decided, emergency }: EmergencyObject): string {
  const { by, from, until, reason } = emergency;
  return `${kind} ${namespace}/${name}: ${STATE[String(decided) as keyof typeof STATE]}; off from ${from} to ${until} by ${by}: ${reason}`;
}

interface AuditLook {
  colors: Colors;
  isWide: boolean;
  /** Also objects without changes. */
  all: boolean;
}

/** An audit's report for a terminal. */
export function formatAudit(report: AuditReport, { colors, isWide, all }: AuditLook): string {
  const { findings, namespaceProblems: problems, unmanaged, retained, emergencies } = report;
  const notable = findings.filter(({ verdict }) => all || verdict !== "stay");
  const settings = `${String(problems.length)} ${problems.length === 1 ? "setting" : "settings"}`;
  return [
    listText(columnsOf(colors), notable, isWide, colors),
    summary(findings),
    section(
      `${settings} of namespaces that cannot be read:`,
      problems.map(({ namespace, message }) => `${namespace}: ${message}`),
      colors,
    ),
    section(`${String(retained.length)} deleted objects whose resources stayed:`, retained.map(retainedLine), colors),
    section(
      `${String(emergencies.length)} objects that were created while admission was switched off:`,
      emergencies.map(emergencyLine),
      colors,
    ),
    section(
      `${String(unmanaged.length)} provider objects without a decision, created past Landfall:`,
      unmanaged.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`),
      colors,
    ),
  ].join("");
}
