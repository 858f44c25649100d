import { describe, expect, test } from "vitest";
import { clusterRequest, MACHINE, networkRequest, openBoth, PLACE, vmRequest, volumeRequest } from "./open-both.ts";

const only = <T>(list: Iterable<T>): T => {
  const [one, ...rest] = [...list];
  if (one === undefined || rest.length > 0) throw new Error("expected one");
  return one;
};

describe("machines", () => {
  test("lists offers by monthly price, and none without capacity", async () => {
    await using both = await openBoth();
    const offers = await both.api.listOffers(MACHINE);
    expect(offers.map(({ provider, region }) => `${provider}/${region ?? ""}`)).toEqual([
      "ovh/gra7",
      "arubacloud/it-mil",
      "ionos/de-fra",
    ]);
    expect(offers[0]?.price).toMatchObject({ currency: "EUR", perMonth: 19.75 });
    both.double.change({ capacity: 1 });
    expect(await both.api.listOffers(MACHINE)).toEqual([]);
  });

  test.each(["uuid", "server"] as const)(
    "a machine is registered and seen running, answer form %s",
    async (registered) => {
      await using both = await openBoth({ registered });
      const { api, double } = both;
      const volume = await api.createVolume(volumeRequest("web-data"));
      await api.createNetwork(networkRequest("web-net"));
      const network = only(await api.listNetworks());
      const request = { volumeIds: [volume.id], networkIds: [network.id], labels: { "landfall.dev/uid": "u-1" } };
      const { id } = await api.registerVm(vmRequest("web", request));
      const vm = only(await api.listVms());
      expect(vm).toMatchObject({
        id,
        name: "web",
        state: "running",
        slots: 2,
        memoryMiB: 2048,
        labels: { "landfall.dev/uid": "u-1" },
        volumeIds: [volume.id],
      });
      expect(vm.ipv4).toMatch(/^10\./);
      expect(vm.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
      expect(Date.now() - Date.parse(vm.createdAt ?? "")).toBeLessThan(10_000);
      expect((await api.findVolume(volume.id))?.vmIds).toEqual([id]);
      expect(only(double.world.vms.values()).provider).toBe("ovh");
    },
  );

  test("sends memory in MB and frequency in GHz, and reads memory in GB", async () => {
    await using both = await openBoth();
    await both.api.registerVm(vmRequest("small", { memoryMiB: 512 }));
    const { request } = only(both.double.world.vms.values());
    expect(request).toMatchObject({
      ramsize: 512,
      min_frequency: 2.5,
      misc: { os_family: "linux", os_flavour: "ubuntu" },
      pci: [{ vendor: "10de", model: "1bb1", quantity: 1 }],
      ip_address: "ovh.mesos.elemento.cloud",
      has_network: false,
    });
    expect(only(await both.api.listVms()).memoryMiB).toBe(512);
  });

  test('stops and starts; reports "too early" if the state does not allow it', async () => {
    await using both = await openBoth();
    const { api } = both;
    const { id } = await api.registerVm(vmRequest("web"));
    await api.stopVm(id);
    expect(only(await api.listVms()).state).toBe("off");
    await expect(api.rebootVm(id)).rejects.toMatchObject({ code: "ELEMENTO_TOO_EARLY" });
    await api.startVm(id);
    expect(only(await api.listVms()).state).toBe("running");
    await api.rebootVm(id);
  });

  test("removes a machine that is already gone", async () => {
    await using both = await openBoth();
    const { id } = await both.api.registerVm(vmRequest("web"));
    await both.api.unregisterVm(id);
    await both.api.unregisterVm(id);
    expect(await both.api.listVms()).toEqual([]);
    expect(both.double.counts().vms).toMatchObject({ alive: 0, created: 1, deleted: 1 });
  });
});

describe("volumes", () => {
  test("names the source of an image volume, which is creating for a while", async () => {
    await using both = await openBoth({ volumeMs: 60_000 });
    const imageUrl = "https://cloud-images.example/noble.qcow2";
    const { id } = await both.api.createImageVolume({
      name: "web-boot",
      place: PLACE,
      sizeGB: 50,
      private: true,
      imageUrl,
    });
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(await both.api.findVolume(id)).toEqual({
      id,
      name: "web-boot",
      state: "creating",
      sizeGB: 50,
      bootable: false,
      cloudInit: false,
      vmIds: [],
    });
    expect(only(both.double.world.volumes.values()).request).toMatchObject({
      alg: "cp",
      format: "qcow2",
      url: imageUrl,
    });
  });

  test("completes a cloud-init volume with its second file, also when sent again", async () => {
    await using both = await openBoth();
    const { api, double } = both;
    // Base64 of this name holds a slash and a plus, which a path must not.
    const name = "web-cloudinit-???>>>";
    const userData = "#cloud-config\nusers: [{name: admin}]\n";
    const { id } = await api.createCloudInit({ name, place: PLACE, private: true, userData });
    expect((await api.findVolume(id))?.state).toBe("creating");
    expect(await api.feedCloudInit(id, "instance-id: web\n")).toBe(true);
    expect(await api.feedCloudInit(id, "instance-id: web\n")).toBe(true);
    expect(await api.findVolume(id)).toMatchObject({ name, state: "available", cloudInit: true });
    expect([...only(double.world.volumes.values()).files]).toEqual([
      ["user-data", userData],
      ["meta-data", "instance-id: web\n"],
    ]);
  });

  test("reads 206 as waiting for further files", async () => {
    await using both = await openBoth();
    const { id } = await both.api.createCloudInit({
      name: "c",
      place: PLACE,
      private: true,
      userData: "#cloud-config",
    });
    only(both.double.world.volumes.values()).expectedFiles = 3;
    expect(await both.api.feedCloudInit(id, "instance-id: c")).toBe(false);
  });

  test("reports a used volume, and destroys one that is already gone", async () => {
    await using both = await openBoth();
    const { api } = both;
    const { id } = await api.createVolume(volumeRequest("data"));
    const vm = await api.registerVm(vmRequest("web", { volumeIds: [id] }));
    await expect(api.destroyVolume(id)).rejects.toMatchObject({
      code: "ELEMENTO_IN_USE",
      params: { reason: "CannotBeDeleted" },
    });
    await api.unregisterVm(vm.id);
    await api.destroyVolume(id);
    await api.destroyVolume(id);
    expect(await api.findVolume(id)).toBeNull();
    expect(await api.listVolumes()).toEqual([]);
  });
});

describe("networks", () => {
  test("gives out every usable address, as the Go client does", async () => {
    await using both = await openBoth();
    await both.api.createNetwork(networkRequest("lan", "10.20.5.0/22"));
    expect(only(both.double.world.networks.values()).request).toMatchObject({
      serverurl: "https://ovh.meson.elemento.cloud:7776",
      ip: { address: "10.20.5.0/22", dhcp: { start: "10.20.4.1", end: "10.20.7.254" } },
    });
    const { id } = only(await both.api.listNetworks());
    expect(await both.api.findNetwork(id)).toEqual({ id, name: "lan", cidr: "10.20.5.0/22" });
  });

  test("sets a range, or none", async () => {
    await using both = await openBoth();
    const dhcp = {
      start: "10.0.0.10",
      end: "10.0.0.20",
      hosts: [{ mac: "52:54:00:00:00:01", name: "a", address: "10.0.0.11" }],
    };
    await both.api.createNetwork({ ...networkRequest("one"), dhcp });
    await both.api.createNetwork({ ...networkRequest("two"), dhcp: null });
    const sent = [...both.double.world.networks.values()].map(({ request }) => request["ip"]);
    expect(sent).toEqual([
      { address: "10.20.0.0/24", dhcp },
      { address: "10.20.0.0/24", dhcp: null },
    ]);
  });

  test.each(["10.0.0.0/31", "10.0.0.0", "300.0.0.0/24", "fd00::/64"])("%s has no addresses to give", async (cidr) => {
    await using both = await openBoth();
    await expect(both.api.createNetwork(networkRequest("lan", cidr))).rejects.toMatchObject({
      code: "ELEMENTO_REFUSED",
    });
    expect(both.double.counts().networks.created).toBe(0);
  });

  test("deletes a network twice, and reads an unknown one as null", async () => {
    await using both = await openBoth();
    await both.api.createNetwork(networkRequest("lan"));
    const { id } = only(await both.api.listNetworks());
    await both.api.deleteNetwork(id);
    await both.api.deleteNetwork(id);
    expect(await both.api.findNetwork(id)).toBeNull();
  });
});

describe("clusters", () => {
  test("quotes and creates a cluster, reads its kubeconfig when it runs, and deletes it", async () => {
    await using both = await openBoth({ clusterMs: 600_000 });
    const { api } = both;
    expect(await api.canCreateCluster(clusterRequest("prod"))).toEqual({
      canCreate: true,
      provider: "ovh",
      prices: [{ period: "month", amount: 19.75 }],
    });
    const { id } = await api.createCluster(clusterRequest("prod"));
    expect(await api.findCluster(id)).toMatchObject({ state: "creating", endpoint: null });
    expect(await api.readKubeconfig(id)).toBeNull();
    only(both.double.world.clusters.values()).timeline = [{ at: 0, state: "running" }];
    expect(only(await api.listClusters())).toEqual({
      id,
      name: "prod",
      state: "running",
      kubernetesVersion: "1.34",
      cidr: "192.168.1.0/24",
      location: "gra7",
      endpoint: `https://${id}.kaas.example:6443`,
      labels: { owner: "landfall" },
    });
    expect(await api.readKubeconfig(id)).toContain("kind: Config");
    await api.deleteCluster(id);
    await api.deleteCluster(id);
    expect(await api.findCluster(id)).toBeNull();
    await expect(api.readKubeconfig(id)).rejects.toMatchObject({ code: "ELEMENTO_NOT_FOUND" });
  });

  test("uses MB and words in the note's form, and GB and a CIDR in the newer one", async () => {
    await using note = await openBoth();
    await note.api.createCluster(clusterRequest("one"));
    expect(only(note.double.world.clusters.values()).request).toMatchObject({
      nodepool: [
        {
          pool_name: "workers",
          desired_nodes: 3,
          specs: { cpu: 2, ram: 4096, storage: 40, gpu: 0 },
          billing: "MONTHLY",
        },
      ],
      nodes_subnet: {
        dhcp: "True",
        subnet_netmask: "192.168.1.0/24",
        start_address: "192.168.1.1",
        last_address: "192.168.1.254",
      },
    });
    const [pool] = clusterRequest("own").nodePools;
    if (pool === undefined) throw new Error("the sample has a pool");
    const range = { startAddress: "192.168.1.10", lastAddress: "192.168.1.99" };
    const named = {
      nodePools: [{ ...pool, billing: "hour" as const }],
      network: { ...clusterRequest("own").network, ...range },
    };
    const { id } = await note.api.createCluster({ ...clusterRequest("own"), ...named });
    expect(note.double.world.clusters.get(id)?.request).toMatchObject({
      nodepool: [{ billing: "HOURLY" }],
      nodes_subnet: { start_address: "192.168.1.10", last_address: "192.168.1.99" },
    });
    await using intent = await openBoth({}, { clusterForm: "intent" });
    await intent.api.createCluster(clusterRequest("two"));
    expect(only(intent.double.world.clusters.values()).request).toMatchObject({
      nodepools: [{ pool_name: "workers", specs: { cpu_cores: 2, ram_gb: 4, storage_gb: 40, gpu: 0 } }],
      nodes_subnet: { dhcp: true, network: "192.168.1.0/24" },
      billing_frequency: "month",
      region: "gra7",
    });
  });
});
