import { below } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { createOnce } from "../../cluster/create-once.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import { LandfallError } from "../../errors.ts";
import { PART_OF_LANDFALL } from "../../model/names.ts";
import { isObject, textOf } from "../../model/json.ts";
import { sha256, sha256Digest } from "../../model/sha256.ts";
import type { ChartReference } from "../types.ts";

/** The content of a chart as it was first used. */
export interface Pin {
  /** `sha256:…` of the archive. */
  archive: string;
  /** `sha256:…` of the image's manifest; null for a chart that is not from an OCI registry. */
  image: string | null;
  /** Who signed it; empty where no one looked. */
  signers: string[];
  /** The archive itself; null for one that a Secret cannot hold. */
  content: Buffer | null;
}

/** The pins of all charts that were ever used. */
export interface Pins {
  read(reference: ChartReference): Promise<Pin | null>;
  /** Records a pin. If there is one already, that one is returned and stays. */
  create(reference: ChartReference, pin: Pin & { content: Buffer }): Promise<Pin>;
  /** Namespace and name of the Secret. */
  nameOf(reference: ChartReference): string;
}

interface PinSecret {
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  data?: { pin?: string; chart?: string };
}

const TYPE = "landfall.dev/chart-pin";
/** A Secret may have 1 MiB, as base64. */
const MOST_CONTENT = 700 * 1024;

const idOf = ({ url, repo, version }: ChartReference): string =>
  sha256(JSON.stringify([url, repo ?? null, version ?? null])).slice(0, 24);

/** Null for one that is missing or not intact. */
function contentOf(chart: string | undefined, archive: string): Buffer | null {
  const content = Buffer.from(chart ?? "", "base64");
  return sha256Digest(content) === archive ? content : null;
}

/** Throws REL_CHART_UNREADABLE: what is pinned is not pinned again because its record is damaged. */
function parsePin({ metadata, data = {} }: PinSecret, { url }: ChartReference): Pin {
  const value: unknown = JSON.parse(Buffer.from(data.pin ?? "", "base64").toString() || "null");
  if (!isObject(value) || typeof value["archive"] !== "string") {
    throw new LandfallError("REL_CHART_UNREADABLE", { chart: url, detail: `Secret ${metadata.name} holds no pin` });
  }
  const { archive, image, signers } = value;
  return {
    archive,
    image: typeof image === "string" ? image : null,
    signers: Array.isArray(signers) ? signers.map(textOf) : [],
    content: contentOf(data.chart, archive),
  };
}

function secretOf(name: string, { url, repo, version }: ChartReference, pin: Pin & { content: Buffer }) {
  const { content, ...about } = pin;
  const text = JSON.stringify({ ...about, url, repo, version });
  const chart = content.length <= MOST_CONTENT ? { chart: content.toString("base64") } : {};
  return {
    ...{ apiVersion: "v1", kind: "Secret", type: TYPE, immutable: true },
    metadata: {
      name,
      labels: PART_OF_LANDFALL,
      annotations: { "landfall.dev/chart": `${url} ${version ?? ""}`.trim() },
    },
    data: { pin: Buffer.from(text).toString("base64"), ...chart },
  };
}

/** Opens the pins: one Secret for each chart, in Landfall's own namespace, where tenants cannot write. */
export function openPins(client: KubeClient, systemNamespace: string): Pins {
  const collection = secretsPath(systemNamespace);
  const secretName = (reference: ChartReference): string => `landfall.chart.${idOf(reference)}`;

  async function read(reference: ChartReference): Promise<Pin | null> {
    const secret = await client.get<PinSecret>(below(collection, secretName(reference)));
    return secret && parsePin(secret, reference);
  }

  return {
    read,
    async create(reference, pin) {
      const secret = secretOf(secretName(reference), reference, pin);
      await createOnce(client, collection, secret);
      return (await read(reference)) ?? pin;
    },
    nameOf: (reference) => `${systemNamespace}/${secretName(reference)}`,
  };
}
