import Table from "cli-table3";
import type { Colors } from "picocolors/types.js";
import { formatGrams } from "../../../model/places/intensity.ts";
import { type Change, CHANGES, type Impact, type Side } from "../../../impact/compare-decisions.ts";
import { rise } from "../../../impact/passed-thresholds.ts";
import type { Sum, Summary } from "../../../impact/sum-up.ts";
import { neutralise } from "../../../model/text/neutralise.ts";

const entityOf = (character: string): string => `&#${String(character.charCodeAt(0))};`;

/**
 * A text of unknown origin as part of one line of Markdown, also in a table: no markup, HTML, link, image, mention or reference comes of it.
 * Entities, because in Markdown they are never markup themselves.
 */
export const escapeMarkdown = (text: string): string =>
  neutralise(text)
    .replace(/\s+/g, " ")
    .replace(/[&<`*[\]()!|~#$\\]|:(?=\/\/)|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, entityOf)
    .replace(/www\./gi, (start) => `${start.slice(0, 3)}&#46;`)
    // GitHub looks for mentions, issues and commits in the text of the page: a comment parts it.
    .replace(/@|&#35;|\bGH-(?=\d)|[0-9a-f]{6}(?=[0-9a-f])/gi, "$&<!-- -->");

/** The complete result of an impact analysis. */
export interface Report {
  summary: Summary;
  /** Only the changed objects. */
  impacts: Impact[];
  passed: string[];
}

const usd = (value: number | null): string => (value === null ? "-" : `${value.toFixed(2)} USD`);
const grams = (value: number | null): string => (value === null ? "-" : formatGrams(value));

function percent(sum: Sum): string {
  const change = rise(sum);
  return Number.isFinite(change) ? `${change > 0 ? "+" : ""}${change.toFixed(1)} %` : "from nothing";
}

function sideText({ allowed, place, instanceType, start, codes }: Side, change: Change): string {
  if (!allowed) return codes.join(", ");
  return change === "other start" ? `${place ?? ""} ${start ?? ""}` : `${place ?? ""} ${instanceType ?? ""}`;
}

const HEAD = ["OBJECT", "CHANGE", "BEFORE", "AFTER", "COST", "CARBON"];

const row = ({ object, change, before, after }: Impact): string[] => [
  `${object.kind} ${object.namespace}/${object.name}`,
  change,
  sideText(before, change),
  sideText(after, change),
  `${usd(before.price)} -> ${usd(after.price)}`,
  `${grams(before.carbon)} -> ${grams(after.carbon)}`,
];

const WIDE_HEAD = ["START", "WHY"];

/** The further columns of `-o wide`. */
const wideRow = ({ before, after }: Impact): string[] => [
  `${before.start ?? "-"} -> ${after.start ?? "-"}`,
  after.message ?? before.message ?? "",
];

function summaryLines({ objects, changes, price, carbon }: Summary): string[] {
  const counts = CHANGES.filter((change) => change !== "none" && changes[change] > 0);
  const said = counts.map((change) => `${String(changes[change])} ${change}`).join(", ");
  return [
    `${String(objects)} ${objects === 1 ? "object" : "objects"}: ${said === "" ? "nothing changes" : said}`,
    `cost ${usd(price.before)} -> ${usd(price.after)} (${percent(price)}), carbon ${grams(carbon.before)} -> ${grams(carbon.after)} (${percent(carbon)})`,
    "a month of the long-running machines and the runs once, list prices, objects that both bundles allow",
  ];
}

/** For a terminal. */
export function impactTable({ summary, impacts, passed }: Report, isWide: boolean, colors: Colors): string {
  const [counts = "", sums = "", note = ""] = summaryLines(summary);
  const lines = [colors.bold(counts), sums, colors.dim(note)];
  if (impacts.length > 0) {
    const head = isWide ? [...HEAD, ...WIDE_HEAD] : HEAD;
    const table = new Table({ head, style: { head: [], border: [], compact: true } });
    table.push(...impacts.map((impact) => (isWide ? [...row(impact), ...wideRow(impact)] : row(impact))));
    lines.push(table.toString());
  }
  lines.push(...passed.map((text) => colors.red(`threshold passed: ${text}`)));
  return `${lines.join("\n")}\n`;
}

/** For a pull request. */
export function impactMarkdown({ summary, impacts, passed }: Report): string {
  const [counts = "", sums = "", note = ""] = summaryLines(summary);
  const rows = impacts.map((impact) => `| ${row(impact).map(escapeMarkdown).join(" | ")} |`);
  const table = rows.length === 0 ? [] : ["", `| ${HEAD.join(" | ")} |`, `|${" --- |".repeat(HEAD.length)}`, ...rows];
  const failed = passed.map((text) => `- **threshold passed**: ${escapeMarkdown(text)}`);
  const limits = failed.length === 0 ? [] : ["", ...failed];
  return `${["### Impact of the policy bundle", "", `**${counts}**`, "", sums, `<sub>${note}</sub>`, ...limits, ...table].join("\n")}\n`;
}
