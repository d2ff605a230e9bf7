import type { CheckSettings } from '../../checks';
import type { LeaseSettings, PlanSettings, RouteSettings } from '../../plans';
import { kubeconfigProblems } from '../../plans';
import { Problems } from '../../problems';
import type { ShiftSettings, Weights } from '../../shift';
import type { RuleKind } from './rule-kind';

/** A rule whose id is known. */
export interface PlannedRule {
  readonly id: string;
  readonly targets: Readonly<Record<string, string>>;
}

/** What a plan is made of. */
export interface PlanParts {
  readonly kind: RuleKind;
  /** Rules by route. */
  readonly rules: Readonly<Record<string, PlannedRule>>;
  readonly weights: Weights;
  readonly clusterNames: Readonly<Record<string, string>>;
  readonly settings: ShiftSettings;
  readonly checks: readonly CheckSettings[];
  readonly lease: LeaseSettings | undefined;
  readonly roleArn: string | undefined;
}

/**
 * The shift of these rules as a plan file has it: several routes move in one wave.
 *
 * @throws InvalidInput where a check has a kubeconfig itself, which stands in no plan
 */
export function planSettings(parts: PlanParts): PlanSettings {
  const { weights, settings, checks, lease } = parts;
  const problems = new Problems('plan');
  problems.addAll(kubeconfigProblems(checks), 'shift');
  problems.throwIfAny();
  const common = {
    weights,
    shift: { ...defined(settings), checks },
    ...(lease !== undefined && { lease }),
  };
  const routes = Object.fromEntries(
    Object.entries(parts.rules).map(([route, rule]) => [route, routeSettings(rule, parts)]),
  );
  const [only, ...others] = Object.values(routes);
  return only !== undefined && others.length === 0
    ? { ...only, ...common }
    : { routes, waves: [Object.keys(routes)], ...common };
}

function routeSettings(
  { id, targets }: PlannedRule,
  { kind, clusterNames, roleArn }: PlanParts,
): RouteSettings {
  const slots = Object.entries(targets).map(([slot, target]) => [
    slot,
    {
      ...kind.plannedSlot(target),
      ...(clusterNames[slot] !== undefined && { clusterName: clusterNames[slot] }),
    },
  ]);
  return {
    router: kind.planned(id, roleArn),
    slots: Object.fromEntries(slots) as RouteSettings['slots'],
  };
}

function defined<T extends object>(settings: T): T {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as T;
}
