import type * as pulumi from '@pulumi/pulumi';
import type { SlotPreview } from '../../shift/engine';
import { mostSlots } from '../fleet';
import type { SlotPreviewsArgs } from './slot-previews-args';
import type { RuleSettings } from './weighted-rule';

/** The rule that leads to one slot for one route. */
export interface PlannedPreview {
  readonly route: string;
  readonly slot: string;
  readonly priority: number;
  /** What it takes beside the route's own conditions. */
  readonly by: PreviewCondition;
  /** Where a request for it goes; undefined where that is not known. */
  readonly url: string | undefined;
  /** Headers that the route asks for, with a value that fits. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What a preview asks for, beside the conditions of its route; a host takes the place of the route's. */
export type PreviewCondition =
  | { readonly header: string; readonly value: pulumi.Input<string> }
  | { readonly cookie: string; readonly value: pulumi.Input<string> }
  | { readonly host: string };

/** Routes that have previews, by name. */
export function previewedRoutes(
  { routes: named }: SlotPreviewsArgs,
  routes: Readonly<Record<string, RuleSettings>>,
): readonly (readonly [string, RuleSettings])[] {
  return Object.entries(routes).filter(([route]) => named === undefined || named.includes(route));
}

/** The rules of all previews, by route and slot. */
export function plannedPreviews(
  previews: SlotPreviewsArgs,
  slots: readonly string[],
  routes: Readonly<Record<string, RuleSettings>>,
): readonly PlannedPreview[] {
  const before = placesBefore(slots, previews.before);
  return previewedRoutes(previews, routes).flatMap(([route, settings]) =>
    slots.flatMap((slot) => {
      const by = conditionOf(previews, slot, route);
      return by === undefined
        ? []
        : [
            {
              ...{ route, slot, by, priority: settings.priority - before[slot]! },
              url: routeUrl(settings, previews.urls?.[route], 'host' in by ? by.host : undefined),
              headers: sampleHeaders(settings),
            },
          ];
    }),
  );
}

/** The preview of each slot as far as it is known that there is one: what checks are evaluated against beforehand. */
export function outlinedPreviews(
  previews: SlotPreviewsArgs,
  slots: readonly string[],
  routes: Readonly<Record<string, RuleSettings>>,
): Readonly<Record<string, SlotPreview>> {
  return Object.fromEntries(
    plannedPreviews(previews, slots, routes).map(({ slot, url = 'https://www.example.com' }) => [
      slot,
      { url },
    ]),
  );
}

function conditionOf(
  { header, cookie, hosts, values }: SlotPreviewsArgs,
  slot: string,
  route: string,
): PreviewCondition | undefined {
  const value = values?.[slot] ?? slot;
  if (header !== undefined) {
    return { header, value };
  }
  if (cookie !== undefined) {
    return { cookie, value };
  }
  const given = hosts?.[slot];
  const host = typeof given === 'object' ? given[route] : given;
  return host === undefined ? undefined : { host };
}

/** The factor under which common pairs of names, as blue and green, have different places. */
const factor = 112;

/**
 * How far before the priority of its route each slot's rule is. Where nothing is said, that is made of the slot's name alone,
 * as long as no other slot has the same number.
 */
export function placesBefore(
  slots: readonly string[],
  given: SlotPreviewsArgs['before'] = {},
): Readonly<Record<string, number>> {
  const places: Record<string, number> = {};
  const taken = new Set<number>();
  for (const [slot, place] of Object.entries(given)) {
    if (place !== undefined) {
      places[slot] = place;
      taken.add(place);
    }
  }
  for (const slot of slots.filter((each) => places[each] === undefined)) {
    const all = Array.from(slot).reduce((sum, letter) => (sum * factor + letter.charCodeAt(0)) % 65_521, 0);
    const candidates = Array.from({ length: mostSlots }, (_, index) => ((all + index) % mostSlots) + 1);
    // Numbers that a program says may leave none free.
    places[slot] = candidates.find((each) => !taken.has(each)) ?? Math.max(...taken) + 1;
    taken.add(places[slot]);
  }
  return places;
}

/** A text that a pattern takes. */
function sample(pattern: string): string {
  return pattern
    .replace(/\\(.)|\*|\?/g, (found, escaped: string | undefined) => escaped ?? (found === '?' ? 'x' : ''))
    .trim();
}

function sampleHeaders({ headers = {} }: RuleSettings): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, [pattern = '']]) => [name, sample(pattern) || 'x']),
  );
}

/** Where requests of a route go that a person or a check sends. */
function routeUrl(
  { hosts = [], paths: [path] = ['/'], ruleArgs }: RuleSettings,
  given: string | undefined,
  host: string | undefined,
): string | undefined {
  if (given !== undefined) {
    const url = new URL(given);
    url.hostname = host ?? url.hostname;
    return url.href;
  }
  const known = host ?? hosts.find((each) => !/[*?]/.test(each));
  // Raw conditions may ask for other hosts and paths.
  if (known === undefined || ruleArgs?.conditions !== undefined) {
    return undefined;
  }
  return new URL(`https://${known}${sample(path ?? '/').replace(/^\/?/, '/')}`).href;
}
