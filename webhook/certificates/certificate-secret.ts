import { hasStatus } from "../../src/cluster/client/api-error.ts";
import { below } from "../../src/cluster/api-path.ts";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import { createOnce } from "../../src/cluster/create-once.ts";
import { secretsPath } from "../../src/cluster/secrets-path.ts";
import { LandfallError, messageOf } from "../../src/errors.ts";
import type { Resource } from "../../src/model/kubernetes.ts";
import { expiredOrForeign } from "./check-certificate.ts";
import { needsRenewal, nextStep, renewed, type RotationView } from "./rotation.ts";
import { makeSharedCertificate, type ServingCertificate } from "./serving-certificate.ts";
import { partsOf, readStored, type Rotation, secretOf, type StoredCertificate } from "./stored-certificate.ts";

/** How far the replacement of the CA is. */
export interface RotationStatus extends Rotation {
  /** Empty if the next step is being taken. */
  waits: string;
}

/** The source of the certificate. */
export interface CertificateSource {
  /** Throws ADM_TLS and REL_API…. */
  read(): Promise<ServingCertificate>;
  /** Takes the next step of the replacement of the CA, if it can. Null if none is replaced. */
  advance?(view: RotationView): Promise<RotationStatus | null>;
  /** A text that differs from step to step of a replacement; empty without one. */
  step?(): string;
}

export interface CertificateSecretOptions {
  client: KubeClient;
  namespace: string;
  name: string;
  /** DNS names or IPv4 addresses at which the API server calls. */
  names: readonly string[];
  /** The API server's time where it is known: replicas whose clocks differ issue certificates that it accepts. */
  nowMs: () => number;
  /** The Secret was deleted or damaged, and was put back. */
  onRestored?: (detail: string) => void;
  /** A step of the CA's replacement was taken, by this replica. */
  onStep?: (rotation: Rotation | null) => void;
  /** A renewal failed, and the certificate is still valid. */
  onFailure?: (thrown: unknown) => void;
}

/**
 * Opens the Secret with the CA and the certificate that all replicas share. The first replica makes it. Every replica does what is due
 * by one write that fails if another was faster, so there is no leader, and one that is killed leaves nothing half done. A Secret that
 * was deleted or damaged is put back as long as one replica runs that knows it. `read` throws ADM_TLS for one that cannot be used.
 */
export function openCertificateSecret(options: CertificateSecretOptions): Required<CertificateSource> {
  const { client, namespace, name, names, nowMs, onRestored, onStep, onFailure } = options;
  const collection = secretsPath(namespace);
  const path = below(collection, name);
  const where = `Secret ${namespace}/${name}`;
  let known: StoredCertificate | null = null;
  /** As it was read with `known`. */
  let secret: Resource | null = null;

  /** False if another replica wrote at the same time. */
  async function write(next: StoredCertificate): Promise<boolean> {
    try {
      secret = await client.replace<Resource>(path, secretOf(next, { name, namespace }, secret));
      known = next;
      return true;
    } catch (thrown) {
      if (hasStatus(thrown, 409) || hasStatus(thrown, 404)) return false;
      throw thrown;
    }
  }

  const fresh = async (): Promise<StoredCertificate> => ({
    ...(await makeSharedCertificate(names, { nowMs: nowMs() })),
    ...{ nextKey: null, rotation: null, requested: null },
  });

  async function create(): Promise<void> {
    const made = known ?? (await fresh());
    if (!(await createOnce(client, collection, secretOf(made, { name, namespace }, null)))) return;
    if (known !== null) onRestored?.(`${where} was deleted`);
  }

  /**
   * Reads the stored content, or puts back what is known. If nothing is, the CA signs another certificate: what trusts the CA trusts it, too.
   * Throws ADM_TLS if it cannot.
   */
  async function storedIn(present: Resource): Promise<StoredCertificate> {
    try {
      return readStored(present, where);
    } catch (thrown) {
      const whole = known ?? (await renewed(partsOf(present), { names, nowMs: nowMs() }));
      if (whole === null) throw thrown;
      if (await write(whole)) onRestored?.(messageOf(thrown));
      return whole;
    }
  }

  /** Signs the certificate again where it is due. Throws ADM_TLS if it has to be and cannot. */
  async function keepValid(stored: StoredCertificate): Promise<void> {
    const problem = expiredOrForeign(stored.cert, names, nowMs());
    if (problem === null && !needsRenewal(stored, nowMs())) return;
    const signed = await renewed(stored, { names, nowMs: nowMs() });
    if (signed !== null && problem === null) await write(signed).catch((thrown: unknown) => onFailure?.(thrown));
    else if (signed !== null) await write(signed);
    // No CA is left that anything could be signed with, and the API server accepts the old certificate no more.
    else if (problem?.isExpired === true) await write(await fresh());
    else if (problem !== null) throw new LandfallError("ADM_TLS", { where, detail: problem.detail });
  }

  async function load(): Promise<StoredCertificate> {
    const present = await client.get<Resource>(path);
    if (present === null) {
      await create();
      return load();
    }
    secret = present;
    known = await storedIn(present);
    await keepValid(known);
    return known;
  }

  return {
    async read() {
      const { ca, cert, key } = await load();
      return { ca, cert, key };
    },
    async advance(view) {
      if (known === null) return null;
      const progress = await nextStep(known, view, { names, nowMs: nowMs() });
      if (progress !== null && "next" in progress && (await write(progress.next))) onStep?.(progress.next.rotation);
      const { rotation } = known;
      return rotation === null
        ? null
        : { ...rotation, waits: progress !== null && "waits" in progress ? progress.waits : "" };
    },
    step: () => `${known?.rotation?.step ?? ""} ${known?.rotation?.since ?? ""}`.trim(),
  };
}
