import { byProvider, providerOf } from "../../model/decision-annotation/running-sizes.ts";
import { type ExistingWorkload, HOURS_PER_MONTH, type Usage } from "../../model/cluster-data.ts";
import { countedAmount } from "../../model/read-workload.ts";

/** An object whose size and price may be added to others: users can write any number into an object that is being deleted. */
function boundAmounts(workload: ExistingWorkload): ExistingWorkload {
  const { vcpus, memoryGiB, pricePerHour } = workload;
  return {
    ...workload,
    vcpus: countedAmount(vcpus),
    memoryGiB: countedAmount(memoryGiB),
    pricePerHour: pricePerHour === null ? null : countedAmount(pricePerHour),
  };
}

/** Sums are integers (billionths) of any length, so that adding and removing leaves no rounding error. */
const UNITS = 1e9;

/** The versions of one object that may be stored: never empty. */
type Versions = readonly ExistingWorkload[];

type Amount = (version: ExistingWorkload) => number;

/** The sum of what runs at all providers, if the object is stored as `other`: that is the machine of its provider, or one more. */
function sumWith(running: ReadonlyMap<string, Versions>, other: ExistingWorkload | null, amount: Amount): number {
  const named = other === null ? null : providerOf(other.place);
  // The machine whose place is not known may be this one.
  const own = named !== null && !running.has(named) && running.has("") ? "" : named;
  const sums = [...running].map(([provider, versions]) =>
    Math.max(...[...versions, ...(other !== null && provider === own ? [other] : [])].map(amount)),
  );
  const isMore = other !== null && own !== null && own !== "" && !running.has(own);
  const sum = sums.reduce((all, one) => all + one, isMore ? amount(other) : 0);
  return other === null ? sum : Math.max(sum, amount(other));
}

/**
 * One object, with the largest size and price that it may have. What a controller recorded at several providers are several machines. Of the
 * other versions, only one is or will be stored.
 */
function inUnits(versions: Versions): bigint[] {
  const running = byProvider(versions.filter(({ runs }) => runs === true));
  const others = versions.filter(({ runs }) => runs !== true);
  const most = (amount: Amount): number =>
    Math.max(...[null, ...others].map((other) => sumWith(running, other, amount)));
  return [
    1,
    most(({ vcpus }) => vcpus),
    most(({ memoryGiB }) => memoryGiB),
    most(({ pricePerHour }) => pricePerHour ?? 0),
  ].map((amount) => BigInt(Math.round(amount * UNITS)));
}

/** The usage of a namespace, updated as objects come and go. */
class UsageSum {
  readonly #sums = [0n, 0n, 0n, 0n];

  add(versions: Versions): void {
    this.#change(versions, 1n);
  }

  subtract(versions: Versions): void {
    this.#change(versions, -1n);
  }

  get empty(): boolean {
    return this.#sums[0] === 0n;
  }

  /** The sums without one of the objects. */
  usage(except?: Versions): Usage {
    const left = except === undefined ? [] : inUnits(except);
    const [objects = 0, vcpus = 0, memoryGiB = 0, perHour = 0] = this.#sums.map(
      (sum, index) => Number(sum - (left[index] ?? 0n)) / UNITS,
    );
    return { objects, vcpus, memoryGiB, pricePerMonth: perHour * HOURS_PER_MONTH };
  }

  #change(versions: Versions, sign: bigint): void {
    for (const [index, amount] of inUnits(versions).entries())
      this.#sums[index] = (this.#sums[index] ?? 0n) + sign * amount;
  }
}

const namespaceOf = ([first]: Versions): string => first?.namespace ?? "";

/** The key by which the index finds the versions of an object. */
const namesOf = (versions: Versions): string =>
  versions.map(({ namespace, vmName }) => `${namespace}/${vmName ?? ""}`).join(" ");

/** A question for the other objects with a machine's name. */
export interface Namesakes {
  vmName: string;
  /** That of the object that asks. */
  namespace: string;
  except: string;
  most: number;
}

/** The keys of this namespace, then those of the others. */
function* ownFirst(spaces: ReadonlyMap<string, Set<string>>, namespace: string): Iterable<string> {
  yield* spaces.get(namespace) ?? [];
  for (const [name, keys] of spaces) if (name !== namespace) yield* keys;
}

export type Entry = [key: string, workload: ExistingWorkload];

/** Objects by key, with indexes so that a decision needs no scan. */
export class UsageIndex {
  readonly #entries = new Map<string, Versions>();
  readonly #sums = new Map<string, UsageSum>();
  /** By the machine's name, then by namespace. */
  readonly #names = new Map<string, Map<string, Set<string>>>();

  /** The versions of an object that may be stored, all in one namespace; none if there is no such object. */
  set(key: string, given: Versions): void {
    const versions = given.map(boundAmounts);
    if (this.#replace(key, versions)) return;
    this.#delete(key);
    if (versions.length === 0) return;
    this.#entries.set(key, versions);
    const namespace = namespaceOf(versions);
    const sum = this.#sums.get(namespace) ?? new UsageSum();
    this.#sums.set(namespace, sum);
    sum.add(versions);
    for (const { vmName } of versions) if (vmName !== null) this.#remember(vmName, namespace, key);
  }

  /** An object is usually reported again after its admission, without a change of namespace or name. */
  #replace(key: string, versions: Versions): boolean {
    const old = this.#entries.get(key);
    if (old === undefined || namesOf(old) !== namesOf(versions)) return false;
    this.#entries.set(key, versions);
    const sum = this.#sums.get(namespaceOf(old));
    sum?.subtract(old);
    sum?.add(versions);
    return true;
  }

  #delete(key: string): void {
    const old = this.#entries.get(key);
    if (old === undefined) return;
    this.#entries.delete(key);
    const sum = this.#sums.get(namespaceOf(old));
    sum?.subtract(old);
    if (sum?.empty === true) this.#sums.delete(namespaceOf(old));
    for (const { vmName } of old) if (vmName !== null) this.#forget(vmName, namespaceOf(old), key);
  }

  #remember(vmName: string, namespace: string, key: string): void {
    const spaces = this.#names.get(vmName) ?? new Map<string, Set<string>>();
    this.#names.set(vmName, spaces.set(namespace, (spaces.get(namespace) ?? new Set()).add(key)));
  }

  #forget(vmName: string, namespace: string, key: string): void {
    const spaces = this.#names.get(vmName);
    const keys = spaces?.get(namespace);
    keys?.delete(key);
    if (keys?.size === 0) spaces?.delete(namespace);
    if (spaces?.size === 0) this.#names.delete(vmName);
  }

  /** Usage of a namespace, without the object with this key. */
  usage(namespace: string, except: string): Usage {
    const own = this.#entries.get(except);
    const sum = this.#sums.get(namespace) ?? new UsageSum();
    return sum.usage(own !== undefined && namespaceOf(own) === namespace ? own : undefined);
  }

  /**
   * At most `most` objects with this spec.vmName, without the one with this key. Those of this namespace come first, so that a rule about
   * one namespace sees them, however many others have the name.
   */
  named({ vmName, namespace, except, most }: Namesakes): Entry[] {
    const spaces = this.#names.get(vmName) ?? new Map<string, Set<string>>();
    const found: Entry[] = [];
    for (const key of ownFirst(spaces, namespace)) {
      if (found.length >= most) return found;
      const version = this.#entries.get(key)?.find((one) => one.vmName === vmName);
      if (version !== undefined && key !== except) found.push([key, version]);
    }
    return found;
  }

  /** An object with versions in several places is listed once for each of them. */
  *entries(): Iterable<Entry> {
    for (const [key, versions] of this.#entries) for (const version of versions) yield [key, version];
  }
}
