import type {
  CloudInitRequest,
  Cluster,
  ClusterQuote,
  ClusterRequest,
  ImageVolumeRequest,
  MachineShape,
  Network,
  NetworkRequest,
  Offer,
  Vm,
  VmRequest,
  Volume,
  VolumeRequest,
} from "./types.ts";

/**
 * Elemento's services as the reconcilers see them: one account, one session, units in the field names.
 * docs/internals/elemento-api.md describes the wire format, and which parts of it are inferred.
 *
 * Every call rejects with a LandfallError whose code starts with ELEMENTO_; `failureClass` says how to react. Reads,
 * quotes and deletes are repeated here, with backoff. Creates and actions are not, unless Elemento certainly did
 * nothing: after ELEMENTO_UNCERTAIN the object may exist, so look it up by name before another create, but not immediately:
 * lists lag (LIST_LAG_MS of inferred.ts). Elemento accepts several objects with the same name.
 */
export interface ElementoApi {
  /**
   * Logs in if there is no session, and returns whether the account is logged in. Throws ELEMENTO_LOGIN if Elemento
   * refuses.
   */
  checkSession(): Promise<boolean>;

  /** Offers for the machine, cheapest month first; empty if no one has capacity. Creates nothing. */
  listOffers(machine: MachineShape): Promise<Offer[]>;
  /** Requests a machine, once. Elemento starts it; `listVms` shows its progress. */
  registerVm(request: VmRequest): Promise<{ id: string }>;
  /** All machines of the account in one call: Elemento has no call for one machine and no selectors. */
  listVms(): Promise<Vm[]>;
  /** Requests the deletion of a machine; succeeds if it is already gone. Its volumes stay. */
  unregisterVm(id: string): Promise<void>;
  /** Throws ELEMENTO_TOO_EARLY if the machine's state does not allow it yet. */
  startVm(id: string): Promise<void>;
  stopVm(id: string): Promise<void>;
  rebootVm(id: string): Promise<void>;

  /** An empty data volume. */
  createVolume(request: VolumeRequest): Promise<{ id: string }>;
  /** A boot volume that Elemento fills from a cloud image; `creating` until it is complete. */
  createImageVolume(request: ImageVolumeRequest): Promise<{ id: string }>;
  /** A cloud-init volume with its user data; `creating` until `feedCloudInit` adds the meta-data. */
  createCloudInit(request: CloudInitRequest): Promise<{ id: string }>;
  /** Adds the meta-data to a cloud-init volume. True if the volume is complete, so the call can be repeated. */
  feedCloudInit(id: string, metaData: string): Promise<boolean>;
  /** All volumes that the account can use. */
  listVolumes(): Promise<Volume[]>;
  /** One volume; null if it does not exist. */
  findVolume(id: string): Promise<Volume | null>;
  /** Succeeds if it is already gone. Throws ELEMENTO_IN_USE while a machine uses it. */
  destroyVolume(id: string): Promise<void>;

  /** Elemento's answer has no id: look the network up by name with `listNetworks`. */
  createNetwork(request: NetworkRequest): Promise<void>;
  listNetworks(): Promise<Network[]>;
  findNetwork(id: string): Promise<Network | null>;
  /**
   * Succeeds if it is already gone. Throws ELEMENTO_IN_USE while a machine uses it. Lists show it for a few more
   * seconds.
   */
  deleteNetwork(id: string): Promise<void>;

  /** Whether Elemento can create the cluster, with prices. Creates nothing. */
  canCreateCluster(request: ClusterRequest): Promise<ClusterQuote>;
  createCluster(request: ClusterRequest): Promise<{ id: string }>;
  listClusters(): Promise<Cluster[]>;
  findCluster(id: string): Promise<Cluster | null>;
  /** Requests the deletion of a cluster; succeeds if it is already gone. */
  deleteCluster(id: string): Promise<void>;
  /** The kubeconfig, a secret. Null while the cluster is being created. */
  readKubeconfig(id: string): Promise<string | null>;

  /** The same account for the calls of one namespace. Calls of namespaces are sent in turn; those of this client itself count as of none. */
  inTurnOf(namespace: string): ElementoApi;

  /** Closes connections; calls in progress fail. */
  close(): Promise<void>;
}
