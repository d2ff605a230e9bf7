import { openRouter } from 'cluster-canary/routers';
import type { OpenRouter, RouterSettings, SlotSettings } from 'cluster-canary/routers';
import type { Clock } from 'cluster-canary/shift';
import type { AwsClients } from '../../../lib/core/aws/clients';
import type { LookClocks } from '../../../lib/shift/routers';

type Named = Readonly<Record<string, string>>;

/** A route whose slots have these values under a key. */
export function routeOf(router: RouterSettings, field: keyof SlotSettings, values: Named) {
  const slots = Object.entries(values).map(([slot, value]) => [slot, { [field]: value }]);
  return { router, slots: Object.fromEntries(slots) as Record<string, SlotSettings> };
}

interface OnRule {
  readonly ruleArn: string;
  readonly targetGroupArns: Named;
}

interface OnListener {
  readonly listenerArn: string;
  readonly targetGroupArns: Named;
}

type Open<Settings> = (settings: Settings, clients?: AwsClients, clocks?: LookClocks) => OpenRouter;

export const albRule: Open<OnRule> = ({ ruleArn, targetGroupArns }, clients, clocks) =>
  openRouter(routeOf({ albRule: { ruleArn } }, 'targetGroupArn', targetGroupArns), { clients, clocks });

export const albDefaultAction: Open<OnListener> = ({ listenerArn, targetGroupArns }, clients, clocks) =>
  openRouter(routeOf({ albDefaultAction: { listenerArn } }, 'targetGroupArn', targetGroupArns), {
    ...{ clients, clocks },
  });

export const nlbListener: Open<OnListener> = ({ listenerArn, targetGroupArns }, clients, clocks) =>
  openRouter(routeOf({ nlbListener: { listenerArn } }, 'targetGroupArn', targetGroupArns), {
    clients,
    clocks,
  });

type Records = Extract<RouterSettings, { route53: unknown }>['route53'] & { readonly setIdentifiers: Named };

export function route53(
  { setIdentifiers, ...settings }: Records,
  clients?: AwsClients,
  clock?: Clock,
  clocks?: LookClocks,
): OpenRouter {
  return openRouter(routeOf({ route53: settings }, 'setIdentifier', setIdentifiers), {
    clients,
    clock,
    clocks,
  });
}
