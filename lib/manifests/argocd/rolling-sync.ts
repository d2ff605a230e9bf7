import { slotLabel } from '../../core/names';
import { across, list, object, optional } from '../../core/validation/collections';
import { dnsLabel, labelKey, oneOfWords } from '../../core/validation/formats';
import { Problems, isPlainObject } from '../../core/validation/problems';
import type { Format, Problem } from '../../core/validation/problems';
import type { Schema, Unevaluated } from '../../core/validation/schema';
import { flag } from '../../core/validation/values';
import { refuseProps } from '../field-schemas';
import type { FieldsOf } from '../field-schemas';
import type { ApplicationSpec } from './application';
import { templated } from './application-template';
import { anyText } from './argo-object';
import { synchronisesItself } from './sync-policy';

/**
 * In which order changes reach the Applications.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Progressive-Syncs/
 */
export type ApplicationSetStrategy = AllAtOnce | RollingSync;

/** Every Application changes at once. */
export interface AllAtOnce {
  /** Tells the strategies apart. */
  readonly type: 'AllAtOnce';
}

/**
 * Applications change in steps: the next step starts when all of the last one are healthy. The ApplicationSet
 * controller starts the syncs itself and turns automated sync off, so an `automated` in the template is refused.
 * Needs `applicationsetcontroller.enable.progressive.syncs` in Argo CD's parameters.
 */
export interface RollingSync {
  /** Tells the strategies apart. */
  readonly type: 'RollingSync';
  /** The steps. */
  readonly rollingSync: {
    /** The steps in their order. An Application that no step selects is never synchronised. */
    readonly steps: readonly RollingSyncStep[];
    /**
     * Whether the syncs that the controller starts delete what left the source. Argo CD reads this from the
     * template's `automated.prune` although it then turns `automated` off, so that is what is written.
     * @see https://github.com/argoproj/argo-cd/blob/37ee0097cf851bc2dd7665fc081bbce61a7e836e/applicationset/progressivesync/progressive_sync.go
     * @default false
     */
    readonly prune?: boolean;
  };
  /** Order in which Applications are deleted: at once, or from the last step to the first. @default 'AllAtOnce' */
  readonly deletionOrder?: 'AllAtOnce' | 'Reverse';
}

/** Applications that change together. */
export interface RollingSyncStep {
  /** Labels of the Applications; all must hold. A label must be one that the template gives. */
  readonly matchExpressions: readonly {
    /** Key of the label. */
    readonly key: string;
    /** Whether the value must be among the listed ones, or must not. */
    readonly operator: 'In' | 'NotIn';
    /** The values, at least one. */
    readonly values: readonly string[];
  }[];
  /** How many change at a time: a number or a share (`10%`); 0 waits for a user to do it. @default '100%' */
  readonly maxUpdate?: number | string;
}

const maxUpdate: Format = {
  allowed: 'a whole number from 0 or a percentage from "0%" to "100%"',
  accepts: (value) =>
    (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) ||
    (typeof value === 'string' && /^(\d{1,2}|100)%$/.test(value)),
};

const deletionOrders = oneOfWords('AllAtOnce', 'Reverse');

const step = object<RollingSyncStep>({
  matchExpressions: list(
    object({
      key: templated(labelKey),
      operator: templated(oneOfWords('In', 'NotIn')),
      values: list(templated(anyText), 1, 'a list with at least one value'),
    }),
    1,
    'a list with at least one requirement',
  ),
  maxUpdate: optional(templated(maxUpdate)),
});

/** A strategy on its own. */
export const strategySchema: Schema<ApplicationSetStrategy> = across(
  object<FieldsOf<ApplicationSetStrategy>>({
    type: templated(oneOfWords('AllAtOnce', 'RollingSync')),
    rollingSync: optional(
      object({ steps: list(step, 1, 'a list with at least one step'), prune: optional(flag) }),
    ),
    deletionOrder: optional(templated(deletionOrders)),
  }),
  ({ type, rollingSync }, { mustBe }) => {
    if (type === 'RollingSync' && rollingSync === undefined) {
      mustBe(['rollingSync'], 'an object with steps, prune');
    }
  },
) as Schema<ApplicationSetStrategy>;

/**
 * Where the template does not agree with a strategy.
 *
 * @param labels the labels that every Application is known to have; left out where that is not known
 */
export function strategyProblems(
  strategy: unknown,
  spec: Unevaluated<ApplicationSpec>,
  labels: Readonly<Record<string, unknown>> | undefined,
): readonly Problem[] {
  const problems = new Problems('');
  if (!isPlainObject(strategy) || strategy.type !== 'RollingSync') {
    return [];
  }
  const steps = isPlainObject(strategy.rollingSync) ? listIn(strategy.rollingSync.steps) : [];
  for (const [position, each] of labels ? steps.entries() : []) {
    for (const [index, requirement] of (isPlainObject(each) ? listIn(each.matchExpressions) : []).entries()) {
      const key: unknown = isPlainObject(requirement) ? requirement.key : undefined;
      if (typeof key === 'string' && !(key in labels!)) {
        const path = `strategy.rollingSync.steps[${position}].matchExpressions[${index}].key`;
        problems.add(path, key, 'a label of "template.metadata.labels"');
      }
    }
  }
  const { syncPolicy } = spec;
  if (isPlainObject(syncPolicy) && synchronisesItself(syncPolicy)) {
    problems.add(
      'template.spec.syncPolicy.automated',
      syncPolicy.automated,
      'left out, or given with "enabled: false": "RollingSync" turns automated sync off (prune by "strategy.rollingSync.prune")',
    );
  }
  return problems.all;
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A strategy as it is in the manifest. */
export function strategyManifest(strategy: ApplicationSetStrategy): Record<string, unknown> {
  return strategy.type === 'RollingSync'
    ? {
        type: strategy.type,
        rollingSync: { steps: strategy.rollingSync.steps },
        deletionOrder: strategy.deletionOrder,
      }
    : { type: strategy.type };
}

/** The template's spec, with what the strategy reads there. */
export function specForStrategy(
  spec: ApplicationSpec,
  strategy: ApplicationSetStrategy | undefined,
): ApplicationSpec {
  const prunes = strategy?.type === 'RollingSync' && strategy.rollingSync.prune === true;
  return prunes ? { ...spec, syncPolicy: { ...spec.syncPolicy, automated: { prune: true } } } : spec;
}

/** How a fleet's slots become steps. */
export interface RollingSyncOptions {
  /** Label of the Applications that names their slot. @default 'cluster-canary/slot' - as `slotLabels()` gives it */
  readonly label?: string;
  /** How many Applications of a slot change at a time: a number or a share. @default '100%' - all of a slot's at once */
  readonly maxUpdate?: number | string;
  /** Whether the syncs delete what left the source. @default false */
  readonly prune?: boolean;
  /** Order in which Applications are deleted. @default 'Reverse' - the canary's go last, as they came first */
  readonly deletionOrder?: 'AllAtOnce' | 'Reverse';
}

const rollingSyncOptions = object<RollingSyncOptions>({
  label: optional(templated(labelKey)),
  maxUpdate: optional(templated(maxUpdate)),
  prune: optional(flag),
  deletionOrder: optional(templated(deletionOrders)),
});

/**
 * A strategy that takes a fleet's slots one after the other: the canary slot first, then the others in their order. A change
 * of an application reaches the slot with the least to lose before any other.
 *
 * Applications of clusters that are in no slot are in the last step, since one that no step selects is never synchronised.
 *
 * @param slots names of the slots, as the fleet has them
 * @param canaryFirst the slot, or slots, that go first
 * @throws InvalidInput where a slot is wrong or occurs twice, or the canary is none of them
 *
 * @example
 * new argocd.ApplicationSet(chart, 'podinfo', {
 *   ...podinfo,
 *   template: { ...podinfo.template, metadata: { name: '{{.name}}-podinfo', labels: argocd.slotLabels() } },
 *   strategy: argocd.rollingSyncForFleet(['blue', 'green'], 'green'),
 * });
 */
export function rollingSyncForFleet(
  slots: readonly string[],
  canaryFirst: string | readonly string[],
  options: RollingSyncOptions = {},
): RollingSync {
  refuseProps('rollingSyncForFleet', rollingSyncOptions, options);
  const first = typeof canaryFirst === 'string' ? [canaryFirst] : canaryFirst;
  check(slots, first);
  const { label = slotLabel, maxUpdate, prune, deletionOrder = 'Reverse' } = options;
  const stepOf = (operator: 'In' | 'NotIn', values: readonly string[]): RollingSyncStep => ({
    matchExpressions: [{ key: label, operator, values }],
    ...(maxUpdate === undefined ? {} : { maxUpdate }),
  });
  const order = [...first, ...slots.filter((slot) => !first.includes(slot))];
  return {
    type: 'RollingSync',
    rollingSync: {
      steps: [...order.map((slot) => stepOf('In', [slot])), stepOf('NotIn', slots)],
      ...(prune === undefined ? {} : { prune }),
    },
    deletionOrder,
  };
}

function check(slots: readonly string[], first: readonly string[]): void {
  const problems = new Problems('rollingSyncForFleet');
  if (slots.length === 0) {
    problems.add('slots', slots, 'a list with at least one slot');
  }
  slots.forEach((slot, position) => {
    problems.check(`slots[${position}]`, slot, dnsLabel);
    if (slots.indexOf(slot) !== position) {
      problems.add(`slots[${position}]`, slot, 'a slot that the list does not hold already');
    }
  });
  if (first.length === 0) {
    problems.add('canaryFirst', first, 'at least one slot');
  }
  first.forEach((slot, position) => {
    if (!slots.includes(slot) || first.indexOf(slot) !== position) {
      problems.add('canaryFirst', slot, `one of ${slots.map((each) => `"${each}"`).join(', ')}, given once`);
    }
  });
  problems.throwIfAny();
}
