import { afterEach, describe, expect, it, vi } from "vitest";
import { type ForecastCache, openForecastCache } from "../../../src/external-data/forecasts/forecast-cache.ts";
import { checkForecastSettings } from "../../../src/external-data/forecasts/read-settings.ts";
import { forecastHours } from "../../../src/forecast/forecast-hours.ts";
import { type Fault, type JsonService } from "../../support/services/json-service.ts";
import { startElectricityMaps } from "../../support/services/electricity-maps.ts";

const NOW = 1_795_213_200;
const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));

interface Bench {
  grid: JsonService;
  cache: ForecastCache;
  problems: string[];
  changes: () => number;
}

async function bench(http: object = {}, refreshMinutes = 60): Promise<Bench> {
  const grid = await startElectricityMaps({ token: "", nowSeconds: () => NOW, zones: { DE: () => 300 } });
  // Without a token file no header is sent, and the double wants an empty one: any answer will do for what is tested here.
  const source = { name: "grid", type: "electricity-maps", url: grid.url, refreshMinutes, zones: ["DE"], http };
  const problems: string[] = [];
  let changes = 0;
  const cache = openForecastCache({
    settings: checkForecastSettings({ sources: [source] }, "settings.yaml"),
    onChange: () => {
      changes++;
    },
    onProblem: (_name, { code }) => void problems.push(code),
    forecastHours,
    folder: null,
    random: () => 0.5,
  });
  open.push(grid, { close: () => cache.stop() });
  return { grid, cache, problems, changes: () => changes };
}

const reply = (status: number, body: unknown, headers: Record<string, string> = {}): Fault => ({
  times: 99,
  kind: "reply",
  reply: { status, body, headers },
});

describe("the cache of forecasts", () => {
  it.each<[string, Fault, string]>([
    ["hangs", { times: 99, kind: "hang" }, "FORECAST_AWAY"],
    ["cuts the connection", { times: 99, kind: "cut" }, "FORECAST_AWAY"],
    ["answers 500", reply(500, { message: "oops" }), "FORECAST_STATUS"],
    ["answers 401", reply(401, { message: "token" }), "FORECAST_STATUS"],
    ["answers HTML", reply(200, "<html>Sign in</html>"), "FORECAST_ANSWER"],
    ["answers other JSON", reply(200, { hello: "world" }), "FORECAST_ANSWER"],
    ["answers a negative intensity", reply(200, answer([-5, 3])), "FORECAST_VALUE"],
    ["answers no figures", reply(200, answer([])), "FORECAST_ZONE"],
  ])("notes what is wrong with a source that %s, and goes on with what it had", async (_name, fault, code) => {
    // A busy machine takes long for a good answer as well.
    const { grid, cache, problems } = await bench({ retries: 0, timeoutMs: fault.kind === "hang" ? 1000 : 5000 });
    grid.fail({ times: 99, kind: "reply", reply: { status: 200, body: answer([300, 310]) } });
    await cache.refresh();
    grid.fail(fault);
    await cache.refresh();
    const [source] = cache.book().sources;
    expect(source?.problems["DE"]?.code).toBe(code);
    expect(source?.zones["DE"]?.values).toEqual([300, 310]);
    expect(problems).toEqual([code]);
    expect(cache.status()[0]?.lastError).toContain(code);
  });

  it("retries temporary failures after the requested pause, and not permanent ones", async () => {
    const { grid, cache } = await bench({ retries: 2, timeoutMs: 1000 });
    grid.fail({ ...reply(503, {}), times: 2 });
    await cache.refresh();
    expect(grid.asked.filter((path) => path.includes("/forecast"))).toHaveLength(3);
    grid.fail(reply(429, {}, { "retry-after": "3600" }));
    await cache.refresh();
    expect(grid.asked.filter((path) => path.includes("/forecast"))).toHaveLength(4);
    grid.fail(reply(403, {}));
    await cache.refresh();
    expect(grid.asked.filter((path) => path.includes("/forecast"))).toHaveLength(5);
  });

  it("stops asking a source that keeps failing, and retries after a while", async () => {
    const { grid, cache } = await bench({ retries: 0, breakAfter: 2, breakSeconds: 0.2 });
    grid.fail(reply(500, {}));
    for (let round = 0; round < 4; round++) await cache.refresh();
    expect(grid.asked).toHaveLength(2);
    expect(cache.book().sources[0]?.problems["DE"]?.code).toBe("FORECAST_CIRCUIT");
    grid.fail(reply(200, answer([7])));
    await vi.waitFor(
      async () => {
        await cache.refresh();
        expect(cache.book().sources[0]?.zones["DE"]?.values).toEqual([7]);
      },
      { timeout: 3000, interval: 50 },
    );
  });

  it("polls in the background, and reports each change", async () => {
    const { grid, cache, changes } = await bench({ retries: 0 }, 0.01);
    grid.fail(reply(200, answer([7])));
    await cache.follow(["DE"]);
    await vi.waitFor(
      () => {
        expect(changes()).toBeGreaterThanOrEqual(3);
      },
      { timeout: 5000 },
    );
    await cache.stop();
    const asked = grid.asked.length;
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(grid.asked).toHaveLength(asked);
  });
});

function answer(values: number[]): object {
  const at = (hour: number): string => new Date((NOW - 1200 + hour * 3600) * 1000).toISOString();
  const forecast = values.map((carbonIntensity, hour) => ({ carbonIntensity, datetime: at(hour) }));
  return { zone: "DE", forecast, updatedAt: at(0), carbonIntensity: values[0] ?? null, datetime: at(0) };
}
