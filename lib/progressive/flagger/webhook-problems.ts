import type { Problems } from '../../problems';
import { oneOf, wholeNumber } from '../../problems';
import type { CanaryAnalysis } from './canary-analysis';
import type { CanaryWebhook } from './canary-webhook';
import {
  checkUrl,
  entriesOf,
  flag,
  checkMapping,
  minutesAndSeconds,
  secondsOf,
  someText,
  texts,
} from './rules';

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
      disableTLS: flag,
      muteAlert: flag,
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
        'another type: without weights no traffic is increased, and nobody is asked',
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
