import { asLandfallError, LandfallError } from "../../errors.ts";
import type { ChartReference } from "../types.ts";
import type { ChartTrust } from "./chart-trust.ts";
import type { Pin } from "./open-pins.ts";
import { imageRef, inPrivateFolder, isLocal, isOci, writeLogin } from "./pull-chart.ts";

export interface VerifyInput {
  trust: ChartTrust;
  reference: ChartReference;
  password: string | null;
  /** Gets a folder for the time of the call. */
  directory: string;
}

const refused = (chart: string, detail: string, cause?: unknown): LandfallError =>
  new LandfallError("REL_CHART_SIGNATURE", { chart, detail }, cause);

/** The image of this digest; of the tag, if the digest is not known. */
const refOf = ({ url, version = "latest" }: ChartReference, image: string | null): string =>
  image === null ? imageRef(url, version) : `${imageRef(url, version).replace(/@[^/@]{1,200}$/, "")}@${image}`;

/**
 * Verifies the signature of a chart's image, and that the image has this archive. A pin that records a signer who is still trusted
 * proves both: a registry that hides the signature later does not stop the chart. Returns what to record. Throws REL_CHART_SIGNATURE.
 */
export async function verifyChart(input: VerifyInput, pin: Pin): Promise<Pick<Pin, "image" | "signers">> {
  const { trust, reference, directory } = input;
  const { verify } = trust;
  if (verify === null || pin.signers.some((signer) => trust.signers.has(signer))) return pin;
  if (!isOci(reference)) {
    if (trust.signaturesRequired) throw refused(reference.url, "only charts in an OCI registry have signatures");
    return pin;
  }
  return inPrivateFolder(directory, async (scratch) => {
    const about = { login: await writeLogin(scratch, input), plainHttp: isLocal(reference.url) };
    try {
      return await verify({ ref: refOf(reference, pin.image), archive: pin.archive, ...about });
    } catch (thrown) {
      throw refused(reference.url, asLandfallError(thrown).line, thrown);
    }
  });
}
