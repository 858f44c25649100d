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
 * Elemento's services as the reconcilers see them: one account, one session, units in the names of the fields. What goes over
 * the wire, and which of it is inferred, is docs/internals/elemento-api.md's matter.
 *
 * Every call rejects with a LandfallError whose code starts with ELEMENTO_; `failureClass` says what to do about it. Reads,
 * questions and deletes are repeated here already, with backoff. Creates and actions are not, unless Elemento certainly did
 * nothing: their ELEMENTO_UNCERTAIN means that the thing may exist, so look it up by name before another create, and not
 * at once: lists follow late (LIST_LAG_MS of inferred.ts). Elemento refuses no second thing of the same name.
 */
export interface ElementoApi {
  /** Logs in if there is no session, and says whether the account is logged in. Throws ELEMENTO_LOGIN where refused. */
  checkSession(): Promise<boolean>;

  /** Where the machine could run, cheapest month first; empty where nobody has room. Creates nothing. */
  listOffers(machine: MachineShape): Promise<Offer[]>;
  /** Asks for a machine, once. It starts by itself; `listVms` tells how far it is. */
  registerVm(request: VmRequest): Promise<{ id: string }>;
  /** All machines of the account, one call: Elemento has no call for one machine and no selectors. */
  listVms(): Promise<Vm[]>;
  /** Asks for the end of a machine; done also where it is gone. Its volumes stay. */
  unregisterVm(id: string): Promise<void>;
  /** ELEMENTO_TOO_EARLY where the machine's state does not allow it yet. */
  startVm(id: string): Promise<void>;
  stopVm(id: string): Promise<void>;
  rebootVm(id: string): Promise<void>;

  /** An empty data volume. */
  createVolume(request: VolumeRequest): Promise<{ id: string }>;
  /** A boot volume that Elemento fills from a cloud image; state `creating` until it is there. */
  createImageVolume(request: ImageVolumeRequest): Promise<{ id: string }>;
  /** A cloud-init volume with its user data; state `creating` until `feedCloudInit` gave it the rest. */
  createCloudInit(request: CloudInitRequest): Promise<{ id: string }>;
  /** Gives a cloud-init volume its meta-data. True when it is complete now or was before, so it can be repeated. */
  feedCloudInit(id: string, metaData: string): Promise<boolean>;
  /** All volumes that the account may use. */
  listVolumes(): Promise<Volume[]>;
  /** One volume, or null where there is none. */
  findVolume(id: string): Promise<Volume | null>;
  /** Done also where it is gone. ELEMENTO_IN_USE while a machine holds it. */
  destroyVolume(id: string): Promise<void>;

  /** Elemento answers without an id: look it up by name with `listNetworks`. */
  createNetwork(request: NetworkRequest): Promise<void>;
  listNetworks(): Promise<Network[]>;
  findNetwork(id: string): Promise<Network | null>;
  /** Done also where it is gone. ELEMENTO_IN_USE while a machine is on it; lists show it for seconds more. */
  deleteNetwork(id: string): Promise<void>;

  /** Whether the cluster could be created, with prices. Creates nothing. */
  canCreateCluster(request: ClusterRequest): Promise<ClusterQuote>;
  createCluster(request: ClusterRequest): Promise<{ id: string }>;
  listClusters(): Promise<Cluster[]>;
  findCluster(id: string): Promise<Cluster | null>;
  /** Asks for the end of a cluster; done also where it is gone. */
  deleteCluster(id: string): Promise<void>;
  /** The kubeconfig's text: a secret. Null while the cluster is being created. */
  readKubeconfig(id: string): Promise<string | null>;

  /** Ends connections; calls under way fail. */
  close(): Promise<void>;
}
