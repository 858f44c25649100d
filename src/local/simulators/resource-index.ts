import type { Family, Lookup, OwnerReference, Reference, Resource } from "./types.ts";

export const groupOf = (resource: Resource): string => resource.apiVersion.split("/")[0] ?? "";

export const keyOf = (resource: Resource): string =>
  `${groupOf(resource)}/${resource.kind}/${resource.metadata.namespace}/${resource.metadata.name}`;

const keyOfReference = ({ group, kind, namespace, name }: Omit<Reference, "owner">): string =>
  `${group}/${kind}/${namespace}/${name}`;

const versionOf = (resource: Resource): number => Number(resource.metadata.resourceVersion ?? 0);

const REMEMBERED = 10_000;

/** The resources as last seen, and who refers to whom. */
export class ResourceIndex {
  readonly #resources = new Map<string, Resource>();
  readonly #references = new Map<string, Reference[]>();
  readonly #dependents = new Map<string, Set<string>>();
  /** uids of deleted resources: the answer to an own write may arrive after the event of the deletion. */
  readonly #gone = new Set<string>();
  /** Keys of what was deleted once. */
  readonly #deleted = new Set<string>();
  readonly #referencesOf: (resource: Resource) => Reference[];

  constructor(referencesOf: (resource: Resource) => Reference[]) {
    this.#referencesOf = referencesOf;
  }

  readonly lookup: Lookup = (reference) => this.#resources.get(keyOfReference(reference));

  /** The surroundings of the resource: the others, those that refer to it, and whether there was one of its name before. */
  around(resource: Resource): { lookup: Lookup; dependents: Resource[]; wasThere: boolean } {
    const key = keyOf(resource);
    const dependents = this.dependents(key).flatMap((one) => this.#resources.get(one) ?? []);
    return { lookup: this.lookup, dependents, wasThere: this.#deleted.has(key) };
  }

  get(key: string): Resource | undefined {
    return this.#resources.get(key);
  }

  /** False if the index has the same or a newer version: the answer to an own write may come before or after its event. */
  set(resource: Resource): boolean {
    const key = keyOf(resource);
    if (this.#gone.has(resource.metadata.uid)) return false;
    const known = this.#resources.get(key);
    if (known?.metadata.uid === resource.metadata.uid && versionOf(known) >= versionOf(resource)) return false;
    this.#resources.set(key, resource);
    if (known?.metadata.generation !== resource.metadata.generation || known?.metadata.uid !== resource.metadata.uid) {
      this.#link(key, this.#referencesOf(resource));
    }
    return true;
  }

  delete(resource: Resource): void {
    const key = keyOf(resource);
    this.#resources.delete(key);
    if (this.#gone.size >= REMEMBERED) this.#gone.clear();
    this.#gone.add(resource.metadata.uid);
    this.#deleted.add(key);
    this.#link(key, []);
  }

  dependents(key: string): string[] {
    return [...(this.#dependents.get(key) ?? [])];
  }

  /** Keys of what the resource refers to, also after it is gone. */
  referencedBy(resource: Resource): string[] {
    return this.#referencesOf(resource).map(keyOfReference);
  }

  /** The owners' references for the garbage collector; null if there is none or it is not known. */
  ownerReferences(resource: Resource): OwnerReference[] | null {
    const owners = (this.#references.get(keyOf(resource)) ?? [])
      .filter((reference) => reference.owner)
      .map(this.lookup);
    const known = owners.filter((owner) => owner !== undefined);
    if (known.length === 0) return null;
    return known.map(({ apiVersion, kind, metadata: { name, uid } }) => ({ apiVersion, kind, name, uid }));
  }

  /**
   * A resource of the provider that still uses this one and so keeps it from being deleted, or null. Where children are
   * adopted they go with their owner and block nothing.
   */
  blocker(resource: Resource, family: Family): string | null {
    const key = keyOf(resource);
    for (const dependent of this.dependents(key)) {
      const other = this.#resources.get(dependent);
      const owned = (this.#references.get(dependent) ?? []).some(
        (reference) => reference.owner && keyOfReference(reference) === key,
      );
      if (other && family.exists(other) && !(family.adoptsChildren && owned)) {
        return `${other.kind} ${other.metadata.namespace}/${other.metadata.name}`;
      }
    }
    return null;
  }

  #link(key: string, references: Reference[]): void {
    for (const old of this.#references.get(key) ?? []) this.#dependents.get(keyOfReference(old))?.delete(key);
    if (references.length === 0) this.#references.delete(key);
    else this.#references.set(key, references);
    for (const reference of references) {
      const target = keyOfReference(reference);
      const dependents = this.#dependents.get(target) ?? new Set<string>();
      this.#dependents.set(target, dependents.add(key));
    }
  }
}
