import type { Action, ForwardActionConfig } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsClients } from '../../../core/aws/clients';
import { LoadBalancingReader, askBalancing, forwardTargets } from '../../../core/aws/load-balancing';
import type { ForwardTarget } from '../../../core/aws/load-balancing';
import { formatWeights } from '../../engine';
import type { Weights } from '../../engine';
import { isRefusal, noWholePercents, unfit, wholePercents } from '../live-weights';
import type { LiveReading, UnfitReading } from '../live-weights';
import type { MinimumWait } from '../router-kind';

/** ARN of each slot's target group. */
export type TargetGroups = Readonly<Record<string, string>>;

/**
 * At most so many target groups stand on one action; AWS does not raise it.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html
 */
const mostTargetGroups = 5;

/** The weights of the slots' target groups on the actions of a rule or a listener. */
export function readForward(actions: readonly Action[], slots: TargetGroups): LiveReading {
  const found = forwardOf(actions, slots);
  if (isRefusal(found)) {
    return found;
  }
  const { tuples, config } = found;
  const weightOf = new Map(tuples.map(({ arn, weight }) => [arn, weight]));
  const raw = Object.fromEntries(Object.entries(slots).map(([slot, arn]) => [slot, weightOf.get(arn) ?? 0]));
  const weights = wholePercents(raw);
  if (!weights) {
    return unfit(
      noWholePercents(raw, `every weight is 0 (${formatWeights(raw)}), so nothing is forwarded`),
      raw,
    );
  }
  return {
    weights,
    missing: Object.keys(slots).filter((slot) => !weightOf.has(slots[slot]!)),
    notes: [...keptActions(actions), ...keptStickiness(config), ...keptTargetGroups(tuples, slots)],
  };
}

/**
 * The actions with other weights; all else is as it was read, but for two things that AWS wants:
 *
 * - The client secret of an `authenticate-oidc` action can't be read, so the existing one is asked for.
 * - A single target group stands twice on an action that is read; only one of the places may say several.
 *
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_Action.html
 */
export function forwardTo(
  actions: readonly Action[],
  slots: TargetGroups,
  weights: Weights,
): readonly Action[] | UnfitReading {
  const found = forwardOf(actions, slots);
  if (isRefusal(found)) {
    return found;
  }
  const wanted = new Map(Object.entries(slots).map(([slot, arn]) => [arn, weights[slot]!]));
  const present = found.tuples.map(({ arn }) => arn);
  const arns = [...present, ...[...wanted.keys()].filter((arn) => !present.includes(arn))];
  if (arns.length > mostTargetGroups) {
    return unfit(
      `it would have ${arns.length} target groups, and AWS takes ${mostTargetGroups} at most; take off those of no slot: ` +
        arns.filter((arn) => !wanted.has(arn)).join(', '),
    );
  }
  const tuples = arns.map((arn) => ({ arn, weight: wanted.get(arn) ?? 0 }));
  return withTargets(actions, { ...found, tuples });
}

/**
 * The actions without a target group that has no traffic; all else is as in {@link forwardTo}.
 *
 * @returns nothing where it does not stand there
 */
export function forwardWithout(
  actions: readonly Action[],
  slots: TargetGroups,
  slot: string,
): readonly Action[] | UnfitReading | undefined {
  const found = forwardOf(actions, slots);
  if (isRefusal(found)) {
    return found;
  }
  const own = found.tuples.find(({ arn }) => arn === slots[slot]);
  if (!own) {
    return undefined;
  }
  if (own.weight > 0) {
    return unfit(`slot ${slot} has traffic (weight ${own.weight}): shift it away first`);
  }
  return withTargets(actions, { ...found, tuples: found.tuples.filter((each) => each !== own) });
}

interface Forward {
  readonly config: ForwardActionConfig;
  readonly tuples: readonly ForwardTarget[];
}

function forwardOf(actions: readonly Action[], slots: TargetGroups): Forward | UnfitReading {
  const forward = actions.find(({ Type }) => Type === 'forward');
  if (!forward) {
    const types = actions.map(({ Type }) => Type).join(', ') || 'nothing';
    return unfit(`it does not forward to target groups, but does ${types}`);
  }
  const config = forward.ForwardConfig ?? {};
  const tuples = forwardTargets(actions);
  const ofSlots = new Set(Object.values(slots));
  const foreign = tuples.filter(({ arn, weight }) => weight > 0 && !ofSlots.has(arn));
  if (foreign.length > 0) {
    const figures = foreign.map(({ arn, weight }) => `${arn} (weight ${weight})`).join(', ');
    return unfit(
      `traffic goes to a target group of no slot: ${figures}; make a slot of it, or set its weight to 0`,
    );
  }
  return { config, tuples };
}

function withTargets(actions: readonly Action[], { config, tuples }: Forward): readonly Action[] {
  const TargetGroups = tuples.map(({ arn, weight }) => ({ TargetGroupArn: arn, Weight: weight }));
  const changed = { ...config, TargetGroups };
  return actions.map((action) => (action.Type === 'forward' ? withForward(action, changed) : asRead(action)));
}

function withForward({ TargetGroupArn: _single, ...action }: Action, config: ForwardActionConfig): Action {
  return { ...action, ForwardConfig: config };
}

function asRead(action: Action): Action {
  if (!action.AuthenticateOidcConfig) {
    return action;
  }
  const { ClientSecret: _never, ...config } = action.AuthenticateOidcConfig;
  return { ...action, AuthenticateOidcConfig: { ...config, UseExistingClientSecret: true } };
}

function keptActions(actions: readonly Action[]): string[] {
  return actions.filter(({ Type }) => Type !== 'forward').map(({ Type }) => `keeps the action ${Type}`);
}

function keptStickiness({ TargetGroupStickinessConfig: sticky }: ForwardActionConfig): string[] {
  return sticky?.Enabled ? [`keeps the stickiness of ${sticky.DurationSeconds ?? '?'} s`] : [];
}

function keptTargetGroups(tuples: Forward['tuples'], slots: TargetGroups): string[] {
  const ofSlots = new Set(Object.values(slots));
  return tuples
    .filter(({ arn }) => !ofSlots.has(arn))
    .map(({ arn }) => `keeps ${arn}, which is of no slot, at 0`);
}

/** Attributes of a target group, by key. */
export type TargetGroupAttributes = Readonly<Record<string, string>>;

/** The attributes of every slot's target group. */
export async function targetGroupAttributes(
  clients: Pick<AwsClients, 'elasticLoadBalancing'>,
  slots: TargetGroups,
  region: string,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, TargetGroupAttributes>>> {
  const read = async ([slot, arn]: [string, string]): Promise<[string, TargetGroupAttributes]> => {
    const ask = askBalancing(
      { elasticLoadBalancing: () => clients.elasticLoadBalancing(), region },
      `target group ${arn} of slot ${slot}`,
    );
    return [slot, await new LoadBalancingReader(ask).attributes(arn, signal)];
  };
  return Object.fromEntries(await Promise.all(Object.entries(slots).map(read)));
}

interface Cause {
  readonly seconds: number;
  readonly why: string;
}

/**
 * How long the weights of a step have to stand before its figures are whole: the longest of the action's stickiness and of
 * the target groups' deregistration delay, which says how long a request may last, and slow start.
 *
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/edit-target-group-attributes.html
 */
export function targetGroupWait(
  actions: readonly Action[],
  attributes: Readonly<Record<string, TargetGroupAttributes>>,
): MinimumWait {
  const causes = [
    ...stickiness(actions),
    ...Object.entries(attributes).flatMap(([slot, of]) => [
      ...cause(of['deregistration_delay.timeout_seconds'], (seconds) => {
        return `a request to ${slot} may last ${seconds} s (deregistration delay of its target group)`;
      }),
      ...cause(of['slow_start.duration_seconds'], (seconds) => {
        return `a new target of ${slot} takes its full share after ${seconds} s (slow start of its target group)`;
      }),
    ]),
  ];
  return {
    milliseconds: Math.max(0, ...causes.map(({ seconds }) => seconds)) * 1_000,
    writeMilliseconds: 0,
    because: causes.map(({ why }) => why),
  };
}

function stickiness(actions: readonly Action[]): Cause[] {
  const config = actions.find(({ Type }) => Type === 'forward')?.ForwardConfig?.TargetGroupStickinessConfig;
  return config?.Enabled
    ? cause(config.DurationSeconds, (seconds) => {
        return `a client may stay with its slot for ${seconds} s (stickiness of the action)`;
      })
    : [];
}

function cause(value: string | number | undefined, why: (seconds: number) => string): Cause[] {
  const seconds = Number(value ?? 0);
  return seconds > 0 ? [{ seconds, why: why(seconds) }] : [];
}
