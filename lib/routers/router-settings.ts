import type { AwsClients, RightsStatement } from '../aws';
import type { Problem } from '../problems';
import { InvalidInput, Problems } from '../problems';
import type { AlbRuleSettings } from './alb-rule';
import { albRule, albRuleProblems, albRuleRights } from './alb-rule';
import type { AwsRouter } from './aws-router';
import type { ListenerSettings } from './listener';
import {
  albDefaultAction,
  albDefaultActionProblems,
  listenerRights,
  nlbListener,
  nlbListenerProblems,
} from './listener';
import { route53 } from './route53';
import type { Route53Settings } from './route53-settings';
import { route53Problems, route53Rights } from './route53-settings';
import { untyped } from './settings-problems';

/** A router as a plan file has it: one of the keys, with the settings of that router. */
export type AwsRouterSettings =
  | {
      /** A rule of an Application Load Balancer's listener. */
      readonly albRule: AlbRuleSettings;
    }
  | {
      /** The default action of an Application Load Balancer's listener. */
      readonly albDefaultAction: ListenerSettings;
    }
  | {
      /** A Network Load Balancer's listener. */
      readonly nlbListener: ListenerSettings;
    }
  | {
      /** Weighted records of Route 53. */
      readonly route53: Route53Settings;
    };

interface RouterKind<Settings> {
  readonly problems: (settings: unknown) => readonly Problem[];
  readonly rights: (settings: Settings) => readonly RightsStatement[];
  readonly make: (settings: Settings, clients?: AwsClients) => AwsRouter;
}

const kinds = {
  albRule: kind<AlbRuleSettings>({ problems: albRuleProblems, rights: albRuleRights, make: albRule }),
  albDefaultAction: kind<ListenerSettings>({
    problems: albDefaultActionProblems,
    rights: listenerRights,
    make: albDefaultAction,
  }),
  nlbListener: kind<ListenerSettings>({
    problems: nlbListenerProblems,
    rights: listenerRights,
    make: nlbListener,
  }),
  route53: kind<Route53Settings>({ problems: route53Problems, rights: route53Rights, make: route53 }),
};

/** The keys of {@link AwsRouterSettings}. */
export const awsRouterKinds: readonly string[] = Object.keys(kinds);

/** What is wrong with a router's settings, whatever they are: paths begin with the router's key. */
export function awsRouterProblems(settings: unknown): readonly Problem[] {
  const problems = new Problems('router');
  const given = untyped(settings, problems, 'router');
  if (!given) {
    return problems.all;
  }
  const keys = Object.keys(given);
  const [key = ''] = keys;
  if (keys.length !== 1 || !Object.hasOwn(kinds, key)) {
    problems.add('router', keys, `a mapping with one of the keys ${awsRouterKinds.join(', ')}`);
  } else if (untyped(given[key], problems, key)) {
    problems.addAll(kinds[key as keyof typeof kinds].problems(given[key]), key);
  }
  return problems.all;
}

/**
 * The router of these settings.
 *
 * @param clients @default - clients of the router's own region and role
 * @throws InvalidInput with every problem of the settings
 */
export function awsRouter(settings: AwsRouterSettings, clients?: AwsClients): AwsRouter {
  const [of, own] = chosen(settings);
  return of.make(own, clients);
}

/**
 * The least rights that the router of these settings needs.
 *
 * @throws InvalidInput with every problem of the settings
 */
export function awsRouterRights(settings: AwsRouterSettings): readonly RightsStatement[] {
  const [of, own] = chosen(settings);
  return of.rights(own);
}

function chosen(settings: AwsRouterSettings): [RouterKind<unknown>, unknown] {
  const problems = awsRouterProblems(settings);
  if (problems.length > 0) {
    throw new InvalidInput('router', problems);
  }
  const [[key, own]] = Object.entries(settings) as [[string, unknown]];
  return [kinds[key as keyof typeof kinds] as RouterKind<unknown>, own];
}

function kind<Settings>(of: RouterKind<Settings>): RouterKind<Settings> {
  return of;
}
