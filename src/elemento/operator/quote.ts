import type { ClusterRequest, MachineShape, Offer } from "../api/types.ts";
import { warning } from "../step/step.ts";
import type { Item, OperatorContext } from "./context.ts";
import { notReady, saveStatus } from "./save-status.ts";
import { isElsewhere, placeText, type WantedPlace } from "../step/is-elsewhere.ts";

/** The cheapest monthly offer at the wanted place; null if there is none. */
export function chooseOffer(offers: readonly Offer[], wanted: WantedPlace): Offer | null {
  const fitting = offers.filter((offer) => !isElsewhere(offer, wanted));
  return fitting.reduce<Offer | null>(
    (best, offer) => (best === null || offer.price.perMonth < best.price.perMonth ? offer : best),
    null,
  );
}

/** Ms until capacity may be available again. */
const NO_ROOM_MS = 30_000;

/** Requests offers for the machine, and writes place and price of the cheapest matching one into the status. */
export async function quoteMachine(
  context: OperatorContext,
  item: Item,
  { shape, wanted }: { shape: MachineShape; wanted: WantedPlace },
): Promise<number> {
  const offers = await item.account.api.listOffers(shape);
  const offer = chooseOffer(offers, wanted);
  if (offer === null) {
    const others = [...new Set(offers.map(({ provider, region }) => placeText({ provider, region: region ?? "" })))];
    const instead = others.length === 0 ? "no other provider has it" : `there is at ${others.slice(0, 8).join(", ")}`;
    const message = `no room for ${String(shape.slots)} slots and ${String(shape.memoryMiB)} MiB at ${placeText(wanted)}; ${instead}`;
    await saveStatus(context, item, {}, [notReady(item.object, warning("NoOffer", message))]);
    return NO_ROOM_MS;
  }
  const { provider, region, price } = offer;
  await saveStatus(context, item, {
    placement: { provider, ...(region === null ? {} : { region }) },
    price: { currency: price.currency, perHour: price.perHour.toFixed(4), perMonth: price.perMonth.toFixed(2) },
  });
  return 0;
}

/** Checks whether the cluster can be created, and writes place and prices into the status. */
export async function quoteCluster(context: OperatorContext, item: Item, request: ClusterRequest): Promise<number> {
  const quote = await item.account.api.canCreateCluster(request);
  const { provider, region } = request.place;
  if (!quote.canCreate) {
    const message = `Elemento cannot create this cluster at ${provider} at the moment`;
    await saveStatus(context, item, {}, [notReady(item.object, warning("NoOffer", message))]);
    return NO_ROOM_MS;
  }
  const perPeriod = Object.fromEntries(quote.prices.map(({ period, amount }) => [period, amount.toFixed(2)]));
  const { hour, month } = perPeriod;
  await saveStatus(context, item, {
    placement: { provider: quote.provider ?? provider, ...(region === null ? {} : { region }) },
    price: {
      perPeriod,
      ...(hour === undefined ? {} : { perHour: hour }),
      ...(month === undefined ? {} : { perMonth: month }),
    },
  });
  return 0;
}
