import type { OutliersFile } from "../catalog-files.ts";
import { type Outlier, type Rule, RULES } from "./find-outliers.ts";

const isRule = (name: string): name is Rule => (RULES as readonly string[]).includes(name);

/** The prices that outliers.json lists. Pure. */
export const omitted = ({ outliers }: OutliersFile): Outlier[] =>
  Object.entries(outliers).flatMap(([provider, rules]) =>
    Object.entries(rules).flatMap(([rule, regions]) =>
      Object.entries(isRule(rule) ? regions : {}).flatMap(([region, types]) =>
        Object.entries(types).map(([type, [price, expected]]) => ({
          ...{ rule: rule as Rule, provider, region, type, price, expected },
        })),
      ),
    ),
  );
