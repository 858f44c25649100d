import { LandfallError } from "../../errors.ts";
import type { ForecastBook, ForecastProblem, ForecastSource, ZoneForecast } from "../../model/places/forecast.ts";
import { HOUR_SECONDS } from "../../model/time.ts";
import { checkPlausible } from "./check-plausible.ts";
import { openSuppliers, type OpenSupplier, type SupplierNeeds } from "./open-suppliers.ts";
import type { ForecastSettings, SourceSettings } from "./read-settings.ts";
import { asForecastError, type Supplied } from "./supplier.ts";

/** Relative jitter of each pause, so that replicas do not ask at the same time. */
const JITTER = 0.1;

export interface ForecastCacheOptions extends SupplierNeeds {
  settings: ForecastSettings;
  /** Called at every change with all forecasts. */
  onChange: (book: ForecastBook) => void;
  /** Called for a failure that differs from the last one. */
  onProblem: (source: string, error: LandfallError) => void;
  /** 0 to 1 */
  random: () => number;
  /** Ms since 1970; this machine's clock if omitted. */
  nowMs?: () => number;
}

/** A source's status in /status. */
export interface SourceStatus {
  name: string;
  type: SourceSettings["type"];
  zones: number;
  /** RFC 3339 of the newest forecast; null if there is none. */
  issuedAt: string | null;
  lastError: string | null;
}

/**
 * Caches forecasts: asks every source in the background at intervals, and passes the results on as plain data.
 * Decisions never wait for it.
 */
export interface ForecastCache {
  /** From now on, sources without their own zones are asked for these. Resolves when each source has answered or failed. */
  follow(zones: readonly string[]): Promise<void>;
  /** Asks every source now. Resolves when each has answered or failed. */
  refresh(): Promise<void>;
  book(): ForecastBook;
  status(): SourceStatus[];
  stop(): Promise<void>;
}

class SourceCache {
  readonly #settings: SourceSettings;
  readonly #supplier: OpenSupplier["supplier"];
  readonly #options: ForecastCacheOptions;
  readonly #onChange: () => void;
  #timer: NodeJS.Timeout | undefined;
  #underway: Promise<void> | null = null;
  #stopped = false;
  #followed: readonly string[] = [];
  lastError: LandfallError | null = null;
  known: ForecastSource;

  constructor({ settings, supplier }: OpenSupplier, options: ForecastCacheOptions, onChange: () => void) {
    this.#settings = settings;
    this.#supplier = supplier;
    this.#options = options;
    this.#onChange = onChange;
    const { name, maxAgeHours } = settings;
    const problem: ForecastProblem = { code: "FORECAST_PENDING", params: { source: name } };
    this.known = { name, maxAgeSeconds: maxAgeHours * HOUR_SECONDS, zones: {}, problems: {}, problem };
  }

  /** Asks for these zones after the running requests. */
  async follow(zones: readonly string[]): Promise<void> {
    await this.#underway;
    this.#followed = zones;
    await this.refresh();
  }

  /** Asks now, or joins the running requests. */
  refresh(): Promise<void> {
    this.#underway ??= this.#ask(this.#zones()).finally(() => {
      this.#underway = null;
      this.#plan();
    });
    return this.#underway;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #zones(): readonly string[] {
    if (this.#settings.type === "carbon-aware-sdk") return Object.keys(this.#settings.locations);
    return this.#settings.zones.length > 0 ? this.#settings.zones : this.#followed;
  }

  #plan(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const spread = 1 + JITTER * (2 * this.#options.random() - 1);
    this.#timer = setTimeout(() => void this.refresh(), this.#settings.refreshMinutes * 60_000 * spread);
    this.#timer.unref();
  }

  async #ask(zones: readonly string[]): Promise<void> {
    try {
      this.#take(await this.#supplier.supply(zones));
    } catch (thrown) {
      const error = asForecastError(this.#settings.name, thrown);
      this.#note(error);
      this.known = { ...this.known, problem: { code: error.code, params: error.params } };
    }
    if (!this.#stopped) this.#onChange();
  }

  /** A zone that failed keeps its forecast until that is too old. */
  #take(supplied: Supplied): void {
    const zones = { ...this.known.zones };
    const problems: ForecastSource["problems"] = {};
    let failed: LandfallError | null = null;
    for (const [zone, supply] of supplied) {
      const answer = this.#checked(zone, supply);
      if (!(answer instanceof LandfallError)) zones[zone] = answer;
      else {
        problems[zone] = { code: answer.code, params: answer.params };
        failed ??= answer;
      }
    }
    this.known = { ...this.known, zones, problems, problem: null };
    this.#note(failed);
  }

  #checked(zone: string, answer: ZoneForecast | LandfallError): ZoneForecast | LandfallError {
    if (answer instanceof LandfallError) return answer;
    const { nowMs = Date.now } = this.#options;
    const { name } = this.#settings;
    try {
      return checkPlausible(answer, name, zone, Math.floor(nowMs() / 1000));
    } catch (thrown) {
      return asForecastError(name, thrown);
    }
  }

  #note(error: LandfallError | null): void {
    const isNew = error !== null && error.line !== this.lastError?.line;
    this.lastError = error;
    if (isNew && !this.#stopped) this.#options.onProblem(this.#settings.name, error);
  }

  status(): SourceStatus {
    const forecasts = Object.values(this.known.zones);
    const newest = Math.max(...forecasts.map(({ issuedAt }) => issuedAt));
    const issuedAt = forecasts.length === 0 ? null : new Date(newest * 1000).toISOString();
    const { name, type } = this.#settings;
    return { name, type, zones: forecasts.length, issuedAt, lastError: this.lastError?.line ?? null };
  }
}

/** Opens the sources of the settings. No request is made before `follow` or `refresh`. */
export function openForecastCache(options: ForecastCacheOptions): ForecastCache {
  const { suppliers, close } = openSuppliers(options.settings, options);
  let followed: readonly string[] | null = null;
  const book = (): ForecastBook => ({ sources: caches.map(({ known }) => known) });
  const caches: SourceCache[] = suppliers.map(
    (open) =>
      new SourceCache(open, options, () => {
        options.onChange(book());
      }),
  );
  return {
    follow: async (zones) => {
      if (zones.join() === followed?.join()) return;
      const wanted = (followed = [...zones]);
      await Promise.all(caches.map((cache) => cache.follow(wanted)));
    },
    refresh: async () => {
      await Promise.all(caches.map((cache) => cache.refresh()));
    },
    book,
    status: () => caches.map((cache) => cache.status()),
    stop: async () => {
      for (const cache of caches) cache.stop();
      await close();
    },
  };
}
