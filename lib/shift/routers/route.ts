import type { AllowStatement } from '../../core/aws/iam';
import { opaque, refuseArguments } from '../../core/validation/arguments';
import { object, optional, record } from '../../core/validation/collections';
import { dnsLabel } from '../../core/validation/formats';
import { nearKey } from '../../core/validation/near-key';
import { isPlainObject } from '../../core/validation/problems';
import type { PlainObject } from '../../core/validation/problems';
import { pathText, placedBelow, problemsOf } from '../../core/validation/schema';
import type { PathSteps, PlacedProblem, Schema } from '../../core/validation/schema';
import { anything, flag, number, secret, text, that } from '../../core/validation/values';
import type { ShiftSubject, ShiftedSlot } from '../engine';
import { samePreviews, slotPreview } from '../probes';
import { routerKinds } from './registry';
import type { RouteSettings, RouterName, RouterSettings } from './registry';
import type { OpenRouter, RouterContext, RouterKind, SlotField } from './router-kind';

/** Fewest and most slots of a route: AWS takes five target groups on a rule. */
export const slotCount = { min: 2, max: 5 } as const;

const routerContext = object<RouterContext>({
  clients: optional(opaque('AWS clients')),
  http: optional(opaque('an HTTP client')),
  secrets: optional(opaque('a reader of secrets')),
  clocks: optional(opaque('two clocks')),
  clock: optional(opaque('a clock')),
  awaitsPropagation: optional(flag),
  wanted: optional(record(number('a weight'))),
  instance: optional(text('a name')),
});

/** The kinds by name; a name may be any text. */
function kindNamed(name: string): RouterKind | undefined {
  return Object.hasOwn(routerKinds, name)
    ? (routerKinds as Readonly<Record<string, RouterKind>>)[name]
    : undefined;
}

/** The one key of a router, and its settings; a router without settings has an empty mapping of them. */
function chosen(router: RouterSettings): { readonly kind: RouterKind; readonly settings: unknown } {
  const [[name, settings]] = Object.entries<unknown>(router) as [[string, unknown]];
  return { kind: kindNamed(name)!, settings: settings ?? {} };
}

/** What each slot says to its router, by name; empty where it says nothing. */
function slotValues(kind: RouterKind, slots: PlainObject): Readonly<Record<string, unknown>> {
  const field = kind.slot?.field;
  return Object.fromEntries(
    Object.entries(slots).map(([slot, given]) => [
      slot,
      isPlainObject(given) && field !== undefined ? given[field] : undefined,
    ]),
  );
}

/**
 * The router of a route. Nothing is asked of AWS yet.
 *
 * @throws InvalidInput with every problem of router and slots
 * @example
 * const router = openRouter({
 *   router: { albRule: { ruleArn: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener-rule/app/edge/50dc6c495c0c9188/f2f7dc8efc522ab2/9683b2d02a6cabee' } },
 *   slots: { blue: { targetGroupArn: blueArn }, green: { targetGroupArn: greenArn } },
 * });
 * await router.write({ blue: 90, green: 10 });
 */
export function openRouter(route: RouteSettings, context: RouterContext = {}): OpenRouter {
  refuseArguments('route', routeSettings, route, routeProblems);
  refuseArguments('openRouter', routerContext, context);
  const { kind, settings } = chosen(route.router);
  const values = Object.entries(slotValues(kind, route.slots)).map(([slot, value]) => [slot, value ?? '']);
  return kind.open(settings, Object.fromEntries(values) as Readonly<Record<string, string>>, context);
}

/** What of a kind of router whoever writes a route has to know. */
export interface RouterFacts {
  /** What holds the weights, on one line. */
  readonly title: string;
  /** Where weights act. */
  readonly layer: ShiftSubject['layer'];
  /** What each slot says, beside its cluster. @default - nothing */
  readonly slot?: SlotField;
}

/** What a kind of router is, by its key in a plan file. */
export function routerFacts(name: RouterName): RouterFacts {
  const { title, layer, slot }: RouterFacts = routerKinds[name];
  return { title, layer, ...(slot && { slot }) };
}

/** The keys of `router` in a plan file. */
export function routerNames(): readonly RouterName[] {
  return Object.keys(routerKinds) as RouterName[];
}

/** The least permissions at AWS that a router needs whose settings are sound. */
export function routerPermissions(router: RouterSettings): readonly AllowStatement[] {
  const { kind, settings } = chosen(router);
  return kind.permissions?.(settings) ?? [];
}

/** Whether a router keeps its weights in this process alone: it asks nobody, and only tries a plan. */
export function isInProcess(router: unknown): boolean {
  return kindOf(router)?.isInProcess === true;
}

/** Whether the weights of a router are in AWS: clients of AWS ask it, and its lease is beside it where the plan names none. */
export function isOfAws(router: unknown): boolean {
  const kind = kindOf(router);
  return kind === undefined || kind.permissions !== undefined;
}

function kindOf(router: unknown): RouterKind | undefined {
  const [name = ''] = isPlainObject(router) ? Object.keys(router) : [];
  return kindNamed(name);
}

/** What checks have to know of a route that is sound. */
export function subjectOf({ router, slots }: RouteSettings): ShiftSubject {
  const { subject } = openRouter({ router, slots });
  const known = Object.entries(slots).map(([slot, settings]): [string, ShiftedSlot] => [
    slot,
    { ...subject.slots[slot], ...shiftedSlot(settings ?? {}) },
  ]);
  return { ...subject, slots: Object.fromEntries(known) };
}

/** What checks are evaluated against before it is known whether the route itself is sound. */
export function roughSubject({ router, slots }: PlainObject): ShiftSubject {
  const [[name, settings] = ['', undefined]] = isPlainObject(router) ? Object.entries(router) : [];
  const { region, roleArn } = isPlainObject(settings) ? settings : {};
  return {
    layer: kindNamed(name)?.layer ?? 'http',
    slots: Object.fromEntries(
      Object.entries(isPlainObject(slots) ? slots : {}).map(([slot, given]) => [
        slot,
        shiftedSlot(isPlainObject(given) ? given : {}),
      ]),
    ),
    ...(typeof region === 'string' ? { region } : {}),
    ...(typeof roleArn === 'string' ? { roleArn } : {}),
  };
}

/** A slot as checks have to know it. */
function shiftedSlot({ targetGroupArn, clusterName: name, preview }: ShiftedSlot): ShiftedSlot {
  return {
    ...(targetGroupArn === undefined ? {} : { targetGroupArn }),
    ...(name === undefined ? {} : { clusterName: name }),
    ...(preview === undefined ? {} : { preview }),
  };
}

/** @see https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html */
const clusterName = text(
  'the name of an EKS cluster: 1 to 100 letters, digits, "-" and "_", a letter or digit first',
  /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/,
);

/** Where weights act on connections or on names, nothing sees a request's host or headers. */
const noPreview: Schema = secret(
  that<never>(
    anything,
    'left out: only a router of requests can have a preview, by rules of an Application Load Balancer',
    () => false,
    { not: {} },
  ),
);

/** What stands under each slot of a router of this kind. */
export function routerSlotSchema({ slot, layer }: Pick<RouterKind, 'slot' | 'layer'>): Schema<PlainObject> {
  const own = slot && { [slot.field]: slot.isOptional ? optional(slot.value) : slot.value };
  const preview = layer === 'http' ? slotPreview : noPreview;
  return object<PlainObject>({ ...own, clusterName: optional(clusterName), preview: optional(preview) });
}

/** Everything that is wrong with the settings of one kind of router, without its slots. */
export function routerSettingsProblems(name: RouterName, settings: unknown): readonly PlacedProblem[] {
  return problemsOf(routerKinds[name].settings, settings);
}

/** Everything that is wrong with a router and its slots; paths are those within the route. */
export function routeProblems({ router, slots: given }: PlainObject): readonly PlacedProblem[] {
  const [name, ofRouter] = nameOf(router);
  const slots = isPlainObject(given) ? given : {};
  if (name === undefined) {
    return [...namesProblems(given), ...ofRouter];
  }
  const kind = kindNamed(name)!;
  const settings = (router as PlainObject)[name] ?? {};
  const found = [
    ...namesProblems(given),
    ...placedBelow(['router', name], problemsOf(kind.settings, settings)),
    ...slotProblems(kind, slots),
    ...previewProblems(slots),
  ];
  const both = kind.together?.(isPlainObject(settings) ? settings : {}, slotValues(kind, slots)) ?? {};
  // Of one value one problem is enough.
  const known = new Set(found.map(({ path }) => path));
  const { field = '' } = kind.slot ?? {};
  const together = [
    ...placedBelow(['router', name], both.settings ?? []),
    ...(both.slots ?? []).map(({ path: slot, ...problem }) => placed(['slots', slot, field], problem)),
  ];
  return [...found, ...together.filter(({ path }) => !known.has(path))];
}

/** Two slots with one preview: a check would ask one of them for both. */
function previewProblems(slots: PlainObject): readonly PlacedProblem[] {
  const previews = Object.entries(slots).map(([slot, each]) => [
    slot,
    isPlainObject(each) ? each.preview : undefined,
  ]);
  const same = samePreviews(Object.fromEntries(previews) as Readonly<Record<string, unknown>>);
  return [...same].map(([slot, other]) =>
    placed(['slots', slot, 'preview'], {
      allowed: `another one than that of ${other}: it leads to one slot`,
    }),
  );
}

function placed(
  steps: PathSteps,
  problem: { readonly allowed: string; readonly value?: unknown },
): PlacedProblem {
  return { ...problem, path: pathText(steps), steps };
}

/** The key of a router, or what is wrong with it. */
function nameOf(router: unknown): readonly [name: string | undefined, problems: readonly PlacedProblem[]] {
  const keys = isPlainObject(router) ? Object.keys(router) : [];
  const [name = ''] = keys;
  if (keys.length === 1 && kindNamed(name)) {
    return [name, []];
  }
  const names = routerNames();
  if (keys.length === 1) {
    const near = nearKey(name, names);
    const allowed = near === undefined ? `one of ${names.join(', ')}` : `spelled "${near}"`;
    return [undefined, [placed(['router', name], { allowed })]];
  }
  const value = isPlainObject(router) ? keys : router;
  return [undefined, [placed(['router'], { value, allowed: routerAllowed })]];
}

/** What a plan file has under `router`. */
export const routerAllowed = `a mapping with one of the keys ${routerNames().join(', ')}`;

/** What a plan file has under `slots`. */
export const slotsAllowed = `a mapping of ${slotCount.min} to ${slotCount.max} slots by name`;

/** A route by itself; what is within it is evaluated by the kind of its router. */
const routeSettings = object<RouteSettings>({ router: opaque(routerAllowed), slots: opaque(slotsAllowed) });

/** Which slots there are, whatever each of them is. */
function namesProblems(slots: unknown): readonly PlacedProblem[] {
  const { min, max } = slotCount;
  if (!isPlainObject(slots)) {
    return [placed(['slots'], { value: slots, allowed: slotsAllowed })];
  }
  const names = Object.keys(slots);
  const isRight = names.length >= min && names.length <= max;
  return [
    ...(isRight ? [] : [placed(['slots'], { value: names, allowed: slotsAllowed })]),
    ...names
      .filter((name) => !dnsLabel.accepts(name))
      .map((name) => placed(['slots', name], { value: name, allowed: dnsLabel.allowed })),
  ];
}

/** Each slot for itself, a slot without settings being one; and that no two are the same. */
function slotProblems(kind: RouterKind, slots: PlainObject): readonly PlacedProblem[] {
  const schema = routerSlotSchema(kind);
  const apart = ['clusterName', ...(kind.slot && !kind.slot.isOptional ? [kind.slot.field] : [])];
  const taken = new Map<string, string>();
  return Object.entries(slots).flatMap(([slot, given]) => {
    const found = [...placedBelow(['slots', slot], problemsOf(schema, given ?? {}))];
    for (const field of apart) {
      const value = isPlainObject(given) ? given[field] : undefined;
      const here = placed(['slots', slot, field], { value, allowed: '' });
      if (typeof value === 'string' && !found.some(({ path }) => path === here.path)) {
        const first = taken.get(`${field} ${value}`) ?? slot;
        taken.set(`${field} ${value}`, first);
        if (first !== slot) {
          found.push({ ...here, allowed: `another than that of the slot "${first}"` });
        }
      }
    }
    return found;
  });
}
