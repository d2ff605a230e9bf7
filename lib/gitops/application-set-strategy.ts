import type { Rule, OptionsOf } from '../problems';
import { labelKey, oneOf, listOf } from '../problems';
import { anyText } from './argo-rules';
import type { ApplicationSpec } from './application-spec';
import type { FieldChecks } from './field-checks';
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
  /** How many change at a time: a number or a share (`10%`); 0 waits for somebody to do it. @default '100%' */
  readonly maxUpdate?: number | string;
}

export const rollingSyncStepKeys: OptionsOf<RollingSyncStep> = {
  matchExpressions: listOf({ key: 'plain', operator: 'plain', values: 'list' }),
  maxUpdate: 'plain',
};

const maxUpdate: Rule = {
  allowed: 'a whole number from 0 or a percentage from "0%" to "100%"',
  accepts: (value) =>
    (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) ||
    (typeof value === 'string' && /^(\d{1,2}|100)%$/.test(value)),
};

/**
 * Checks a strategy, and that the template agrees with it.
 *
 * @param labels the labels that every Application is known to have; left out where that is not known
 */
export function checkStrategy(
  checks: FieldChecks,
  strategy: ApplicationSetStrategy,
  spec: ApplicationSpec,
  labels: Readonly<Record<string, string>> | undefined,
): void {
  checks.required('strategy.type', strategy.type, oneOf('AllAtOnce', 'RollingSync'));
  if (strategy.type !== 'RollingSync') {
    return;
  }
  checks.optional('strategy.deletionOrder', strategy.deletionOrder, oneOf('AllAtOnce', 'Reverse'));
  const path = 'strategy.rollingSync.steps';
  const { steps } = strategy.rollingSync;
  if (steps.length === 0) {
    checks.problems.add(path, steps, 'a list with at least one step');
  }
  steps.forEach((step, position) => checkStep(checks, `${path}[${position}]`, step, labels));
  if (synchronisesItself(spec.syncPolicy)) {
    checks.problems.add(
      'template.spec.syncPolicy.automated',
      spec.syncPolicy?.automated,
      'left out, or given with "enabled: false": "RollingSync" turns automated sync off (prune by "strategy.rollingSync.prune")',
    );
  }
}

function checkStep(
  checks: FieldChecks,
  path: string,
  step: RollingSyncStep,
  labels: Readonly<Record<string, string>> | undefined,
): void {
  checks.optional(`${path}.maxUpdate`, step.maxUpdate, maxUpdate);
  if (step.matchExpressions.length === 0) {
    checks.problems.add(
      `${path}.matchExpressions`,
      step.matchExpressions,
      'a list with at least one requirement',
    );
  }
  step.matchExpressions.forEach(({ key, operator, values }, position) => {
    const at = `${path}.matchExpressions[${position}]`;
    checks.required(`${at}.key`, key, labelKey);
    if (labels && !(key in labels)) {
      checks.problems.add(`${at}.key`, key, 'a label of "template.metadata.labels"');
    }
    checks.required(`${at}.operator`, operator, oneOf('In', 'NotIn'));
    checks.each(`${at}.values`, values, anyText);
    if (values.length === 0) {
      checks.problems.add(`${at}.values`, values, 'a list with at least one value');
    }
  });
}

/** A strategy as it stands in the manifest. */
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
