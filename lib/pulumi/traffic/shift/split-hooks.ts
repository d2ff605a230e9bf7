import * as pulumi from '@pulumi/pulumi';
import { engineHook } from '../../hooks';
import type { HookEvent } from '../../hooks';
import type { PendingUpdate, HookedResource, NewSplit, SplitKind } from './split-kind';
import type { TrafficShift } from './traffic-shift';

/** What the hooks of a rule are made with. */
export interface SplitHooksOptions {
  readonly shift: TrafficShift;
  readonly kind: SplitKind;
  /** For people: `FleetTraffic "apps"`. */
  readonly what: string;
  /** Whether somebody else runs the shift. */
  readonly byOthers: boolean;
}

/**
 * The hooks of one of the resources of a rule.
 *
 * @param resource its name
 * @param tag of the rule
 */
export function ruleHooks(
  options: SplitHooksOptions,
  resource: string,
  tag: string,
): pulumi.ResourceHookBinding {
  const on = (event: HookEvent, run: (args: pulumi.ResourceHookArgs) => Promise<void>) => [
    engineHook(`the shift of ${options.what}`, resource, event, run),
  ];
  return options.byOthers ? hooksByOthers(options, tag, on) : ownHooks(options, tag, on);
}

type HookMaker = (
  event: HookEvent,
  run: (args: pulumi.ResourceHookArgs) => Promise<void>,
) => pulumi.ResourceHook[];

function ownHooks(
  { shift, kind }: SplitHooksOptions,
  tag: string,
  on: HookMaker,
): pulumi.ResourceHookBinding {
  return {
    beforeCreate: on('beforeCreate', async (args) => {
      shift.asked = true;
      if (!pulumi.runtime.isDryRun()) {
        await shift.beforeCreate(newRule(kind, tag, args), args);
      } else if (kind.placeIn(args) !== undefined) {
        await shift.preview(newRule(kind, tag, args));
      }
    }),
    beforeUpdate: on('beforeUpdate', async (args) => {
      const { writesWeights, before } = await kind.change(args);
      if (!writesWeights) {
        return;
      }
      const due = { ...dueSplit(kind, tag, args), before };
      await (pulumi.runtime.isDryRun() ? shift.preview(due) : shift.beforeUpdate(due));
    }),
  };
}

/** Updates leave the weights alone there, where they can, so that it is mostly a replacement that has to be watched. */
function hooksByOthers(
  { shift, kind }: SplitHooksOptions,
  tag: string,
  on: HookMaker,
): pulumi.ResourceHookBinding {
  return {
    beforeCreate: on('beforeCreate', async (args) => {
      if (!pulumi.runtime.isDryRun()) {
        await shift.beforeCreateByOthers(newRule(kind, tag, args), args);
      }
    }),
    ...(kind.refusal && {
      beforeUpdate: on('beforeUpdate', (args) => shift.beforeUpdateByOthers(dueSplit(kind, tag, args), args)),
    }),
  };
}

function newRule(kind: SplitKind, tag: string, resource: HookedResource): NewSplit {
  const place = kind.placeIn(resource) ?? '';
  // Of a resource that is a rule by itself there is no id yet.
  return { tag, place, ...(kind.hasParts && { partOf: kind.idOf(resource) }) };
}

function dueSplit(kind: SplitKind, tag: string, resource: HookedResource): PendingUpdate {
  const id = kind.idOf(resource);
  return { tag, id, place: kind.placeOf(id) };
}
