import type { Rule, OptionsOf } from '../../problems';
import { dnsSubdomain, Problems, wholeNumber, refuseOptions } from '../../problems';
import type { CanaryWebhook } from './canary-webhook';
import { checkUrl, minutesAndSeconds, serviceUrl } from './rules';

/** Requests that a load tester sends. */
export interface LoadTestOptions {
  /** URL of Flagger's load tester: `http://load-tester.podinfo/`. */
  readonly loadTester: string;
  /** URL that gets the requests: of a Gateway, or of the Service `NAME-canary`. */
  readonly target: string;
  /** Host name to ask for, where the URL is a Gateway's. @default - the URL's */
  readonly host?: string;
  /** How long, in minutes and seconds. @default '1m' - the usual interval; it is started again at the next step */
  readonly duration?: string;
  /** Requests a second, by each client. @default 10 */
  readonly rate?: number;
  /** Clients at once. @default 2 */
  readonly clients?: number;
  /** Name of the webhook. @default 'load-test' */
  readonly name?: string;
}

const loadTestOptionsKeys: OptionsOf<LoadTestOptions> = {
  loadTester: 'plain',
  target: 'plain',
  host: 'plain',
  duration: 'plain',
  rate: 'plain',
  clients: 'plain',
  name: 'plain',
};

/** The command is run by a shell; within single quotes it knows only the quote itself. */
const quotable: Rule = {
  allowed: serviceUrl.allowed + ', without spaces and "\'"',
  accepts: (value) => serviceUrl.accepts(value) && /^[^'\s\p{Cc}]+$/u.test(value as string),
};

/**
 * A webhook that lets Flagger's load tester send requests while a new version is judged. Where nobody calls an application, its
 * metrics have no values, and a metric without a value is a failed check.
 *
 * It only starts the requests, so it can't fail because of them: metrics have to judge.
 * @see https://docs.flagger.app/usage/webhooks#load-testing
 *
 * @throws InvalidInput with everything that is wrong
 */
export function loadTest(options: LoadTestOptions): CanaryWebhook {
  refuseOptions('loadTest', options, loadTestOptionsKeys);
  const { name = 'load-test', loadTester, target, host, duration = '1m', rate = 10, clients = 2 } = options;
  const problems = new Problems(`loadTest "${name}"`);
  checkUrl(problems, 'loadTester', loadTester);
  if (!quotable.accepts(target)) {
    problems.addSecret('target', quotable.allowed);
  }
  problems.checkGiven('', options, { host: dnsSubdomain });
  problems.check('duration', duration, minutesAndSeconds);
  problems.check('rate', rate, wholeNumber(1, 100_000));
  problems.check('clients', clients, wholeNumber(1, 1000));
  problems.throwIfAny();
  const asked = host === undefined ? '' : ` -host ${host}`;
  return {
    name,
    type: 'rollout',
    url: loadTester,
    // It answers at once.
    timeout: '5s',
    metadata: { type: 'cmd', cmd: `hey -z ${duration} -q ${rate} -c ${clients}${asked} '${target}'` },
  };
}
