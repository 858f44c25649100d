import type { Colors } from "picocolors/types.js";
import type { CompactDecision } from "../../../model/decision-annotation/compact-decision.ts";
import { isObject, stringOf, textOf } from "../../../model/json.ts";
import { formatGrams } from "../../../model/places/intensity.ts";
import type { ListColumn } from "../../output/list-text.ts";
import { placementLines } from "../../output/placement-lines.ts";
import type { LiveObject } from "./live-object.ts";

const line = (title: string, text: string): string => `  ${title.padEnd(8)} ${text}`;

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : []);

const machineOf = ({ machine }: LiveObject): Record<string, unknown> => (isObject(machine) ? machine : {});

function statusLines(live: LiveObject): string[] {
  const { id, resource, publicAddresses, privateAddresses, disks } = machineOf(live);
  const addresses = [
    ...texts(publicAddresses).map((address) => `${address} (public)`),
    ...texts(privateAddresses).map((address) => `${address} (private)`),
  ];
  const pools = Array.isArray(live.pools) ? live.pools.filter(isObject) : [];
  const named: [string, string][] = [
    ["machine", stringOf(id)],
    ["", stringOf(resource)],
    ["address", addresses.join(", ")],
    ...(Array.isArray(disks) ? disks.filter(isObject) : []).map((disk): [string, string] => [
      ...(["disk", `${stringOf(disk["name"])} ${stringOf(disk["id"])}`] as const),
    ]),
    ["endpoint", stringOf(live.endpoint)],
    [
      "pools",
      pools.map((pool) => `${stringOf(pool["name"])} ${textOf(pool["ready"])}/${textOf(pool["desired"])}`).join(", "),
    ],
    ["made of", live.managed.join(", ")],
  ];
  return named.filter(([, text]) => text !== "").map(([title, text]) => line(title, text));
}

function otherText({ place, gramsCO2, pricePerHour }: CompactDecision["alternatives"][number]): string {
  const grams = gramsCO2 === null ? "unknown" : formatGrams(gramsCO2);
  return `${place} (${grams}, ${pricePerHour === null ? "unknown" : pricePerHour.toFixed(4)} USD/h)`;
}

function moveText({ at, from, to, why }: NonNullable<CompactDecision["moves"]>[number]): string {
  return `${at} from ${from.place} ${from.start} to ${to.place} ${to.start}: ${why}`;
}

function decisionLines({ decision }: LiveObject, nowSeconds: number, colors: Colors): string[] {
  if (decision === null)
    return [line("", "no decision that this version reads: it was made without Landfall's webhook")];
  const { placement, why, considered, eligible, alternatives, moves = [], degraded, policy, written } = decision;
  return [
    ...placementLines(placement, nowSeconds, colors),
    line("why", [`${String(considered)} places`, ...why, `${String(eligible)} remained`].join(" · ")),
    ...(alternatives.length === 0 ? [] : [line("next", alternatives.map(otherText).join(" · "))]),
    ...moves.map((move) => line("moved", moveText(move))),
    ...(written.length === 0 ? [] : [line("filled", written.map((field) => `spec.${field}`).join(", "))]),
    ...(degraded.length === 0 ? [] : [line("lacked", degraded.join(", "))]),
    line("bundle", `${policy.revision} ${colors.dim(policy.digest)}`),
  ];
}

const conditionOf = ({ conditions }: LiveObject, type: string) => conditions.find((one) => one.type === type);

/** An object and its state in words; `nowSeconds` since 1970. */
export function formatLive(live: LiveObject, nowSeconds: number, colors: Colors): string {
  const { kind, namespace, name, decision, conditions } = live;
  const ready = conditionOf(live, "Ready");
  const paint = ready?.status === "True" ? colors.green : colors.yellow;
  const id = decision === null ? "" : `  ${colors.dim(`decision ${decision.id}`)}`;
  const told = conditions.filter(({ message }) => stringOf(message) !== "");
  return `${[
    `${kind} ${namespace}/${name}  ${paint(ready?.reason ?? "Unknown")}${id}`,
    ...decisionLines(live, nowSeconds, colors),
    ...statusLines(live),
    ...told.map(({ type, status, reason, message }) => line("state", `${type} ${status} (${reason}): ${message}`)),
  ].join("\n")}\n`;
}

const dash = (text: string | undefined): string => (text === undefined || text === "" ? "-" : text);

/** The columns of a list of objects. */
export const LIVE_COLUMNS: readonly ListColumn<LiveObject>[] = [
  [["KIND"], ({ kind }) => kind],
  [["OBJECT"], ({ namespace, name }) => `${namespace}/${name}`],
  [["PLACE"], ({ decision }) => (decision ? `${decision.placement.provider}/${decision.placement.region}` : "-")],
  [["TYPE"], ({ decision }) => dash(decision?.placement.instanceType)],
  [["START"], ({ decision }) => dash(decision?.placement.start)],
  [["USD/H", "right"], ({ decision }) => dash(decision?.placement.pricePerHour?.toFixed(4))],
  [["REASON"], (live) => dash(conditionOf(live, "Ready")?.reason)],
  [["ADDRESS"], (live) => dash(texts(machineOf(live)["publicAddresses"])[0] ?? stringOf(live.endpoint)), true],
  [["INTERNAL"], (live) => dash(texts(machineOf(live)["privateAddresses"])[0]), true],
  [["ID"], (live) => dash(stringOf(machineOf(live)["id"])), true],
  [["DECISION"], ({ decision }) => dash(decision?.id), true],
];
