import type { CheckSettings } from '../../checks';
import type { LeaseSettings, PlanSettings, RouteSettings } from '../../plans';
import type { ShiftSettings, Weights } from '../../shift';

/** A rule whose ARN is known. */
export interface PlannedRule {
  readonly ruleArn: string;
  readonly targetGroupArns: Readonly<Record<string, string>>;
}

/** What a plan is made of. */
export interface PlanParts {
  /** Rules by route. */
  readonly rules: Readonly<Record<string, PlannedRule>>;
  readonly weights: Weights;
  readonly clusterNames: Readonly<Record<string, string>>;
  readonly settings: ShiftSettings;
  readonly checks: readonly CheckSettings[];
  readonly lease: LeaseSettings | undefined;
  readonly roleArn: string | undefined;
}

/** The shift of these rules as a plan file has it: several routes move in one wave. */
export function planSettings(parts: PlanParts): PlanSettings {
  const { weights, settings, checks, lease } = parts;
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
  { ruleArn, targetGroupArns }: PlannedRule,
  { clusterNames, roleArn }: PlanParts,
): RouteSettings {
  const slots = Object.entries(targetGroupArns).map(([slot, targetGroupArn]) => [
    slot,
    { targetGroupArn, ...(clusterNames[slot] !== undefined && { clusterName: clusterNames[slot] }) },
  ]);
  return {
    router: { albRule: { ruleArn, ...(roleArn !== undefined && { roleArn }) } },
    slots: Object.fromEntries(slots) as RouteSettings['slots'],
  };
}

function defined<T extends object>(settings: T): T {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as T;
}
