import { LandfallError } from "../../errors.ts";
import { isObject, textOf } from "../../model/json.ts";
import { specDigest } from "../../model/decision-annotation/still-holds.ts";
import { type Emergency, emergencyAt } from "../../model/emergency.ts";
import { parseTime } from "../../model/time.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import { valuesIn } from "../helm/stored-release.ts";
import { LABEL } from "../keys.ts";
import { claimOf, ownerIn } from "../record/release-owner.ts";
import type { Resource } from "../types.ts";

/** Providers whose machines lie in a zone that someone has to choose. */
const ZONED = new Set(["aws", "gcp"]);

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

/** The fields that admission would have chosen, and that the spec of the object lacks. */
export function missingChoices({ kind, spec = {} }: Resource): string[] {
  const place = ["provider", "schedulingLocation"].filter((field) => !isText(spec[field]));
  if (kind === "VmTemplate") {
    const zone = ZONED.has(textOf(spec["provider"])) ? ["zone"] : [];
    return [...place, ...["instanceType", "image", ...zone].filter((field) => !isText(spec[field]))];
  }
  const pools = Array.isArray(spec["nodePools"]) ? spec["nodePools"] : [];
  const types = isObject(spec["poolInstanceTypes"]) ? spec["poolInstanceTypes"] : {};
  const names = pools.map((pool) => (isObject(pool) ? textOf(pool["name"]) : ""));
  return [
    ...place,
    ...(isText(spec["kubernetesVersion"]) ? [] : ["kubernetesVersion"]),
    ...(spec["provider"] === "aws" && !Array.isArray(spec["zones"]) ? ["zones"] : []),
    ...names.filter((name) => !isText(types[name])).map((name) => `poolInstanceTypes.${name}`),
  ];
}

/** Seconds after an emergency in which its objects are still installed for the first time: some are seen at its last moment. */
const GRACE_SECONDS = 300;

/** The spec that is deployed for the object, by the controller's own record; null for none. Its label is the tenant's. */
async function installedSpec(context: CompositionContext, object: Resource): Promise<string | null> {
  const { namespace = "", labels = {} } = object.metadata;
  const record = await context.records.read(namespace, labels[LABEL.releaseName] ?? "");
  const deployed = record?.revisions.find(({ status }) => status === "deployed");
  if (deployed === undefined) return null;
  const values = valuesIn(deployed.release);
  return claimOf(ownerIn(values), object) === "foreign" ? null : specDigest(values);
}

/** Whether the object was created in a recorded emergency. */
export async function isCreatedInEmergency(
  { emergencies }: Pick<CompositionContext, "emergencies">,
  { metadata: { namespace = "", creationTimestamp = "" } }: Resource,
): Promise<boolean> {
  return emergencyAt(await emergencies(), namespace, parseTime(creationTimestamp) ?? Number.NaN) !== null;
}

function tell(context: CompositionContext, object: Resource, { by, until, reason }: Emergency): void {
  const off = `it was created while ${by} had switched admission off until ${until} (${reason})`;
  const message = `${off}: it is installed as it is, without a decision of its own`;
  context.record(object, { type: "Warning", reason: "InstalledInEmergency", message });
}

/** Throws REL_EMERGENCY for an object that does not name what admission would have chosen. */
function assertChosen(object: Resource): void {
  const fields = missingChoices(object).map((field) => `spec.${field}`);
  if (fields.length === 0) return;
  const { kind, metadata } = object;
  throw new LandfallError("REL_EMERGENCY", { kind, name: metadata.name ?? "", fields: fields.join(", ") });
}

/**
 * Whether an object without a decision of its own may be installed because it was created in a recorded emergency: for the first time, or with
 * another spec, only while one lasts. So nothing that was held back meanwhile is installed later. Throws REL_EMERGENCY.
 */
export async function isOfEmergency(context: CompositionContext, object: Resource): Promise<boolean> {
  const { namespace = "", creationTimestamp = "" } = object.metadata;
  const emergencies = await context.emergencies();
  const offAt = (seconds: number | null, grace = 0): Emergency | null =>
    emergencyAt(emergencies, namespace, seconds ?? Number.NaN, grace);
  const found = offAt(parseTime(creationTimestamp));
  if (found === null) return false;
  const installed = await installedSpec(context, object);
  const isChange = installed !== specDigest(object.spec);
  if (isChange && offAt(context.serverSeconds(), installed === null ? GRACE_SECONDS : 0) === null) return false;
  assertChosen(object);
  if (installed === null) tell(context, object, found);
  return true;
}
