import { dnsSubdomain, oneOf, trueOrFalse, wholeNumber } from '../../core/validation/formats';
import { refuseOptions } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import type { Format } from '../../core/validation/problems';
import type { CanaryAnalysis, CanaryWebhook } from './canary-analysis';
import {
  checkMapping,
  checkUrl,
  entriesOf,
  minutesAndSeconds,
  secondsOf,
  serviceUrl,
  someText,
  texts,
} from './formats';

const types = [
  ...['confirm-rollout', 'pre-rollout', 'rollout', 'confirm-traffic-increase', 'confirm-promotion'],
  ...['post-rollout', 'rollback', 'event'],
];

/** Checks the webhooks of an analysis. `weighs`: whether traffic moves by weights. */
export function checkWebhooks(
  problems: Problems,
  path: string,
  webhooks: readonly CanaryWebhook[] | undefined,
  weighs: boolean,
): void {
  const names = new Set<string>();
  entriesOf(problems, path, webhooks).forEach((webhook, position) => {
    const at = `${path}[${position}]`;
    if (!checkMapping(problems, at, webhook)) {
      return;
    }
    problems.check(`${at}.name`, webhook.name, someText);
    checkUrl(problems, `${at}.url`, webhook.url);
    problems.checkGiven(at, webhook, {
      type: oneOf(...types),
      timeout: minutesAndSeconds,
      retries: wholeNumber(0, 100),
      disableTLS: trueOrFalse,
      muteAlert: trueOrFalse,
      metadata: texts,
    });
    if (names.has(webhook.name)) {
      problems.add(`${at}.name`, webhook.name, 'in the list once');
    }
    names.add(webhook.name);
    if (webhook.type === 'confirm-traffic-increase' && !weighs) {
      problems.add(
        `${at}.type`,
        webhook.type,
        'another type: without weights no traffic is increased, and the webhook is not called',
      );
    }
  });
}

/**
 * Checks that a step has time for its webhooks, which are called one after the other.
 * @see https://docs.flagger.app/usage/webhooks
 */
export function checkTimeouts(
  problems: Problems,
  path: string,
  interval: string,
  analysis: CanaryAnalysis,
): void {
  const each = (analysis.webhooks ?? []).filter(({ type = 'rollout' }) => type === 'rollout');
  const longest = each.reduce(
    (sum, { timeout = '10s', retries = 0 }) => sum + secondsOf(timeout) * (retries + 1),
    0,
  );
  if (each.length > 0 && longest >= secondsOf(interval)) {
    problems.add(
      path,
      interval,
      `longer than ${longest}s, which the timeouts of all tries of the "rollout" webhooks are together`,
    );
  }
}

/** Whether a webhook can halt a new version. A command of the load tester is only started, and its end is not waited for. */
export function canHalt({ type = 'rollout', metadata = {} }: CanaryWebhook): boolean {
  const isStartedOnly = metadata['cmd'] !== undefined && (metadata['type'] ?? 'cmd') === 'cmd';
  return ['pre-rollout', 'rollout', 'confirm-promotion'].includes(type) && !isStartedOnly;
}

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
const quotable: Format = {
  allowed: serviceUrl.allowed + ', without spaces and "\'"',
  accepts: (value) => serviceUrl.accepts(value) && /^[^'\s\p{Cc}]+$/u.test(value as string),
};

/**
 * A webhook that lets Flagger's load tester send requests while a new version is evaluated. Where an application has no callers, its
 * metrics have no values, and a metric without a value is a failed check.
 *
 * It only starts the requests, so it can't fail because of them: metrics have to evaluate.
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
