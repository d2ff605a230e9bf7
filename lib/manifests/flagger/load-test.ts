import { refuseArguments } from '../../core/validation/arguments';
import { object, optional } from '../../core/validation/collections';
import { dnsSubdomain } from '../../core/validation/formats';
import { fits, secret, text, that, whole } from '../../core/validation/values';
import type { CanaryWebhook } from './canary-analysis';
import { minutesAndSeconds, serviceUrl } from './formats';

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

const loadTestOptions = object<LoadTestOptions>({
  loadTester: serviceUrl,
  // The command is run by a shell; within single quotes it knows only the quote itself.
  target: secret(
    that(serviceUrl, `${serviceUrl.allowed}, without spaces and "'"`, (url) => /^[^'\s\p{Cc}]+$/u.test(url)),
  ),
  host: optional(fits(dnsSubdomain)),
  duration: optional(minutesAndSeconds),
  rate: optional(whole(1, 100_000)),
  clients: optional(whole(1, 1000)),
  name: optional(text('a text')),
});

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
  refuseArguments('loadTest', loadTestOptions, options);
  const { name = 'load-test', loadTester, target, host, duration = '1m', rate = 10, clients = 2 } = options;
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
