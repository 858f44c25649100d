import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isObject } from "../../model/json.ts";
import type { SavedStrikes, StrikeStore } from "./team-strikes.ts";

type Strike = SavedStrikes["strikes"][string][number];

const isStrike = (value: unknown): value is Strike =>
  isObject(value) && typeof value["at"] === "number" && ["string", "object"].includes(typeof value["namespace"]);

function strikesOf(value: unknown): SavedStrikes["strikes"] {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([digest, all]) => [digest, Array.isArray(all) ? all.filter(isStrike) : []]),
  );
}

function timesOf(value: unknown): Record<string, number> {
  const entries = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.flatMap(([digest, at]) => (typeof at === "number" ? [[digest, at]] : [])));
}

/**
 * Strikes in a file: a process that a team's rules end takes up the count where it was. Written synchronously, since the
 * process may end at any time; `onFailure` receives errors of the disk.
 */
export function openStrikeFile(file: string, onFailure: (thrown: unknown) => void): StrikeStore {
  return {
    read: () => {
      try {
        const value: unknown = JSON.parse(readFileSync(file, "utf8"));
        return isObject(value)
          ? { strikes: strikesOf(value["strikes"]), givenUp: timesOf(value["givenUp"]) }
          : { strikes: {}, givenUp: {} };
      } catch {
        return { strikes: {}, givenUp: {} };
      }
    },
    write: (saved) => {
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writeFileSync(`${file}.tmp`, JSON.stringify(saved), { mode: 0o600 });
        renameSync(`${file}.tmp`, file);
      } catch (thrown) {
        onFailure(thrown);
      }
    },
  };
}
