import { compileSchema } from "../../model/schemas/compile-schema.ts";

/** A meter of the Azure Retail Prices API, as far as it is read. */
export interface AzureItem {
  currencyCode: string;
  tierMinimumUnits?: number;
  /** Of one unit. */
  retailPrice: number;
  armRegionName: string;
  /** RFC 3339. */
  effectiveStartDate?: string;
  effectiveEndDate?: string | null;
  meterName: string;
  productName: string;
  skuName: string;
  unitOfMeasure: string;
  /** Consumption, Reservation or DevTestConsumption. */
  type: string;
  isPrimaryMeterRegion?: boolean;
  armSkuName: string;
}

export interface AzurePage {
  Items: AzureItem[];
  NextPageLink?: string | null;
}

const text = { type: "string" };

/** Whether a page has the fields that are read. */
export const isAzurePage = compileSchema<AzurePage>({
  type: "object",
  required: ["Items"],
  properties: {
    NextPageLink: { type: ["string", "null"] },
    Items: {
      type: "array",
      items: {
        type: "object",
        required: [
          "currencyCode",
          "retailPrice",
          "armRegionName",
          "meterName",
          "productName",
          "skuName",
          "unitOfMeasure",
          "type",
          "armSkuName",
        ],
        properties: {
          ...{ currencyCode: text, armRegionName: text, meterName: text, productName: text, skuName: text },
          ...{ unitOfMeasure: text, type: text, armSkuName: text, effectiveStartDate: text },
          effectiveEndDate: { type: ["string", "null"] },
          tierMinimumUnits: { type: "number" },
          retailPrice: { type: "number" },
          isPrimaryMeterRegion: { type: "boolean" },
        },
      },
    },
  },
});

/** Meters of other offers: with a licence, for interruptible machines, of Cloud Services, or for whole hosts. */
const OTHER = / (Windows|Spot|Low Priority|Cloud ?Services|Dedicated Host)\b/i;

const inForce = ({ effectiveStartDate, effectiveEndDate }: AzureItem, nowMs: number): boolean =>
  !(Date.parse(effectiveStartDate ?? "") > nowMs) && !(Date.parse(effectiveEndDate ?? "") <= nowMs);

/** Whether a meter is the price of an hour of a machine with Linux, on demand, in force at `nowMs`. */
export const isHourOfMachine = (item: AzureItem, nowMs: number): boolean =>
  item.type === "Consumption" &&
  item.currencyCode === "USD" &&
  item.unitOfMeasure === "1 Hour" &&
  // Fields that older editions of the API omit.
  item.isPrimaryMeterRegion !== false &&
  (item.tierMinimumUnits ?? 0) === 0 &&
  item.armSkuName !== "" &&
  item.retailPrice > 0 &&
  inForce(item, nowMs) &&
  ![item.productName, item.meterName, item.skuName].some((name) => OTHER.test(` ${name}`));
