import { table } from "../../model/table.ts";

/** A product of the Cloud Billing Catalog API, as far as it is read. */
export interface GcpSku {
  description: string;
  category: { resourceFamily: string; usageType: string };
  serviceRegions: string[];
  pricingInfo: {
    pricingExpression: {
      usageUnit: string;
      tieredRates: { startUsageAmount?: number; unitPrice: { currencyCode: string; units?: string; nanos?: number } }[];
    };
  }[];
}

/** The units in which a machine is sold: an hour of a vCPU, a GiB, a GPU, or of a whole machine of a kind. */
export type Resource = "core" | "ram" | "gpu" | "machine";

interface Sold {
  /** The series (`n2`), the model of a GPU, or the machine type. */
  name: string;
  resource: Resource;
}

/** How products name a series before `Core running in` and `Ram running in`. */
const SERIES: Readonly<Record<string, string>> = table({
  "N1 Predefined Instance": "n1",
  "N2 Instance": "n2",
  "N2D AMD Instance": "n2d",
  "E2 Instance": "e2",
  "T2D AMD Instance": "t2d",
  "T2A Arm Instance": "t2a",
  "Compute optimized": "c2",
  "C2D AMD Instance": "c2d",
  "Memory-optimized Instance": "m1",
  "A2 Instance": "a2",
  "A3 Instance": "a3",
  "G2 Instance": "g2",
});
const GPUS: Readonly<Record<string, string>> = table({
  "Nvidia Tesla A100 GPU": "a100",
  "Nvidia Tesla A100 80GB GPU": "a100-80gb",
  "Nvidia L4 GPU": "l4",
  "Nvidia H100 80GB GPU": "h100",
  "Nvidia H100 80GB Mega GPU": "h100-mega",
});
const MACHINES: Readonly<Record<string, string>> = table({
  "Micro Instance with burstable CPU": "f1-micro",
  "Small Instance with 1 VCPU": "g1-small",
});

const lowered = (names: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(names).map(([text, name]) => [text.toLowerCase(), name]));
const [SERIES_OF, GPU_OF, MACHINE_OF] = [lowered(SERIES), lowered(GPUS), lowered(MACHINES)];

/** The unit that a description names; null for anything else, such as machines that are custom, reserved or interruptible. */
function soldAs(description: string): Sold | null {
  const [, what = ""] = /^(.+) running in /.exec(description.toLowerCase()) ?? [];
  const [, series = "", part = ""] = /^(.+) (core|ram)$/.exec(what) ?? [];
  const name = SERIES_OF.get(series);
  if (name !== undefined) return { name, resource: part === "core" ? "core" : "ram" };
  const gpu = GPU_OF.get(what);
  if (gpu !== undefined) return { name: gpu, resource: "gpu" };
  const machine = MACHINE_OF.get(what);
  return machine === undefined ? null : { name: machine, resource: "machine" };
}

const UNITS: Readonly<Record<Resource, string>> = { core: "h", ram: "GiBy.h", gpu: "h", machine: "h" };

/** USD for one unit; null in another currency or unit. A first tier that is free is not the price. */
function rateOf({ pricingInfo }: GcpSku, resource: Resource): number | null {
  const expression = pricingInfo.at(-1)?.pricingExpression;
  if (expression?.usageUnit !== UNITS[resource]) return null;
  const rates = expression.tieredRates.map(({ unitPrice: { currencyCode, units = "0", nanos = 0 } }) =>
    currencyCode === "USD" ? Number(units) + nanos / 1e9 : Number.NaN,
  );
  const rate = rates.find((one) => one > 0);
  return rate === undefined || rates.some(Number.isNaN) ? null : rate;
}

/** USD per hour by region, resource and name. A product with two prices has none: no one knows which one is true. */
export class GcpRates {
  private readonly rates = new Map<string, number | null>();

  add(sku: GcpSku): void {
    const { resourceFamily, usageType } = sku.category;
    const sold = resourceFamily === "Compute" && usageType === "OnDemand" ? soldAs(sku.description) : null;
    const rate = sold === null ? null : rateOf(sku, sold.resource);
    if (sold === null || rate === null) return;
    for (const region of sku.serviceRegions) {
      const key = `${region} ${sold.resource} ${sold.name}`;
      const known = this.rates.get(key);
      this.rates.set(key, known === undefined || known === rate ? rate : null);
    }
  }

  /** Null if it is not sold there, or not at one price. */
  of(region: string, resource: Resource, name: string): number | null {
    return this.rates.get(`${region} ${resource} ${name}`) ?? null;
  }
}
