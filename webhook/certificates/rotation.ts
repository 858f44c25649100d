// How a CA is replaced without a refused admission. This file alone knows the order of the steps; each is one write of the Secret:
//   (begin)      a new CA is made, and the Secret names both
//   made         the webhook configurations name both
//   published    every replica sees that; then the certificate is signed by the new CA
//   served       every replica serves it; then the old CA is no longer named
import { keyPem, readAuthority } from "../../src/certificates/issue-certificate.ts";
import { authorityOf, fingerprintsIn, isOld, issuersOf, joinAuthorities, leafIn } from "./authorities.ts";
import { makeAuthority, signServingCertificate } from "./serving-certificate.ts";
import type { RotationStep, StoredCertificate } from "./stored-certificate.ts";

/** The report of one replica. */
export interface ReplicaState {
  name: string;
  /** Fingerprint of the certificate that it serves. */
  serves: string;
  /** Fingerprints of the CAs that it sees in every webhook configuration. */
  sees: readonly string[];
}

/** The state of the others and of the API server, as a replica knows it. */
export interface RotationView {
  /** Fingerprints in each webhook configuration that exists. */
  configurations: readonly (readonly string[])[];
  /** All, this one included. */
  replicas: readonly ReplicaState[];
  /** Whether the present step is old enough that every API server has followed. */
  settled: boolean;
}

export interface IssueOptions {
  names: readonly string[];
  /** Ms since 1970. */
  nowMs: number;
}

interface Rule {
  /** The condition that is not met yet; null if none is left. */
  waits: (stored: StoredCertificate, view: RotationView) => string | null;
  take: (stored: StoredCertificate, options: IssueOptions) => Promise<StoredCertificate>;
}

const holdsAll = (all: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every((one) => all.includes(one));

const listed = (replicas: readonly ReplicaState[]): string => replicas.map(({ name }) => name).join(", ");

const timeOf = (nowMs: number): string => new Date(nowMs).toISOString();

function unpublished({ ca }: StoredCertificate, { configurations }: RotationView): string | null {
  if (configurations.length === 0) return "for the webhook configurations, which do not exist";
  const all = configurations.every((one) => holdsAll(one, fingerprintsIn(ca)));
  return all ? null : "for the webhook configurations to name both CAs";
}

const at = (stored: StoredCertificate, step: RotationStep, nowMs: number): StoredCertificate => ({
  ...stored,
  rotation: { reason: stored.rotation?.reason ?? "", step, since: timeOf(nowMs) },
});

/** The certificate is signed by the new CA, whose key takes the place of the old one. */
async function signByNext(stored: StoredCertificate, { names, nowMs }: IssueOptions): Promise<StoredCertificate> {
  const caKey = stored.nextKey ?? "";
  const certificate = authorityOf(stored.ca, caKey)?.toString() ?? "";
  const signed = await signServingCertificate(await readAuthority({ certificate, key: caKey }), names, { nowMs });
  const next = { ...stored, ...signed, caKey, nextKey: null, ca: joinAuthorities(certificate, stored.ca) };
  return at(next, "served", nowMs);
}

const RULES: Readonly<Record<RotationStep, Rule>> = {
  made: {
    waits: unpublished,
    take: (stored, { nowMs }) => Promise.resolve(at(stored, "published", nowMs)),
  },
  published: {
    waits: (stored, view) => {
      const { replicas, settled } = view;
      const blind = replicas.filter(({ sees }) => !holdsAll(sees, fingerprintsIn(stored.ca)));
      if (blind.length > 0) return `for ${listed(blind)} to see both CAs in the webhook configurations`;
      // Someone may have changed them since.
      const missing = unpublished(stored, view);
      if (missing !== null) return missing;
      return settled ? null : "for every API server to follow";
    },
    take: signByNext,
  },
  served: {
    waits: ({ cert }, { replicas, settled }) => {
      const [leaf] = fingerprintsIn(cert);
      const late = replicas.filter(({ serves }) => serves !== leaf);
      if (late.length > 0) return `for ${listed(late)} to serve the new certificate`;
      return settled ? null : "for every API server to follow";
    },
    take: (stored) => Promise.resolve({ ...stored, ca: issuersOf(stored.cert, stored.ca), rotation: null }),
  },
};

/** Why the CA has to be replaced; null if it need not be. */
function rotationReason({ ca, cert, caKey, requested }: StoredCertificate, nowMs: number): string | null {
  if (requested !== null) return requested === "" ? "asked for" : requested;
  const signing = authorityOf(ca, caKey);
  if (signing === null || issuersOf(cert, signing.toString()) === "") return "ca.key is not the key of the CA";
  return isOld(signing, nowMs) ? `the CA is valid until ${signing.validToDate.toISOString()}` : null;
}

async function begin(stored: StoredCertificate, reason: string, nowMs: number): Promise<StoredCertificate> {
  const authority = await makeAuthority({ nowMs });
  // Only what signed the certificate stays next to it: the rest of an earlier attempt has signed nothing.
  const ca = joinAuthorities(issuersOf(stored.cert, stored.ca), authority.certificate.toString("pem"));
  const nextKey = await keyPem(authority.keys);
  const rotation = { step: "made", since: timeOf(nowMs), reason } as const;
  return { ...stored, ca, nextKey, rotation, requested: null };
}

export type Progress = { next: StoredCertificate } | { waits: string } | null;

/** The next write of the Secret, or what it waits for; null if nothing is to be done. */
export async function nextStep(
  stored: StoredCertificate,
  view: RotationView,
  options: IssueOptions,
): Promise<Progress> {
  const { rotation, nextKey } = stored;
  if (rotation === null) {
    const reason = rotationReason(stored, options.nowMs);
    return reason === null ? null : { next: await begin(stored, reason, options.nowMs) };
  }
  if (nextKey !== null && authorityOf(stored.ca, nextKey) === null)
    return { next: await begin(stored, "next-ca.key is not the key of a CA in ca.crt", options.nowMs) };
  const rule = RULES[rotation.step];
  const waits = rule.waits(stored, view);
  return waits === null ? { next: await rule.take(stored, options) } : { waits };
}

/** Signs the certificate again by the present CA. Null if that CA cannot sign any more. */
export async function renewed(
  stored: StoredCertificate,
  { names, nowMs }: IssueOptions,
): Promise<StoredCertificate | null> {
  const signing = authorityOf(stored.ca, stored.caKey);
  if (signing === null || signing.validToDate.getTime() <= nowMs) return null;
  const authority = await readAuthority({ certificate: signing.toString(), key: stored.caKey });
  const { cert, key } = await signServingCertificate(authority, names, { nowMs });
  return { ...stored, cert, key };
}

/** Whether it is time to sign the certificate again. */
export const needsRenewal = ({ cert }: StoredCertificate, nowMs: number): boolean => isOld(leafIn(cert), nowMs);
