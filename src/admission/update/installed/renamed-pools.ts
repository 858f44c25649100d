import { isDeepStrictEqual } from "node:util";
import type { Denial } from "../../../model/decision.ts";
import { ANNOTATION } from "../../../model/names.ts";
import { denial } from "../../check/denial.ts";
import { poolsOf } from "../../check/read-request.ts";
import { type Change, specOf } from "../change.ts";

type Fields = Record<string, unknown>;

const nameOf = (pool: Fields | undefined): string => String(pool?.["name"]);

const content = ({ name: _name, ...others }: Fields): Fields => others;

/** `old=new, …` */
const announced = (value: string | undefined): string[] =>
  (value ?? "").split(",").map((pair) => pair.replaceAll(/\s/g, ""));

/**
 * Pools whose name changes: a provider knows pools by their names, so it deletes all nodes and makes others. A pool that is added
 * while another is removed counts as renamed if it has the same content or stands in the same position.
 */
export function renamedPools({ update }: Change): Denial[] {
  const [next, old] = [poolsOf(specOf(update.object)), poolsOf(specOf(update.oldObject))];
  const [names, before] = [next.map(nameOf), old.map(nameOf)];
  const allowed = announced(update.object.metadata.annotations?.[ANNOTATION.renamePool]);
  return next.flatMap((pool, index) => {
    const to = nameOf(pool);
    if (before.includes(to)) return [];
    const gone = old.filter((other) => !names.includes(nameOf(other)));
    const from =
      gone.find((other) => isDeepStrictEqual(content(other), content(pool))) ??
      gone.find((other) => other === old[index]);
    if (from === undefined || allowed.includes(`${nameOf(from)}=${to}`)) return [];
    const where = { field: `spec.nodePools[${String(index)}].name`, actual: to, allowed: nameOf(from) };
    return [denial("ADM_POOL_RENAMED", where, { from: nameOf(from), to, annotation: ANNOTATION.renamePool })];
  });
}
