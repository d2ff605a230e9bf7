import { dirname } from 'node:path';
import { awsClients } from '../../core/aws/clients';
import type { AwsClients } from '../../core/aws/clients';
import { processSecrets } from '../../core/secret-source';
import { httpClient } from '../../core/http';
import type { KubernetesApi } from '../../core/kubernetes/api';
import { openKubernetes, openedOnce } from '../../core/kubernetes/open';
import { refuseArguments } from '../../core/validation/arguments';
import { list, object, optional, record } from '../../core/validation/collections';
import { anything, callback, number, text } from '../../core/validation/values';
import type { ShiftObserver } from '../engine';
import { Delivery } from './delivery';
import type { DeliveryOptions, DeliveryReport } from './delivery';
import type { EventOrigin } from './event';
import { shiftFeed } from './feed';
import type { FeedOptions } from './feed';
import { notifySchema, openSinks } from './settings';
import type { SinkSettings } from './settings';
import type { Sink, SinkContext } from './sink';

/** No key is longer; in bytes. */
export const longestSecretFile = 1_000_000;

/** What a service says to an event is short; in bytes. */
const longestAnswer = 1_000_000;

/** What sinks are opened with, and what closes it. */
export interface OpenSinkContext extends SinkContext {
  /** Closes connections. */
  close(): void;
}

/** What sinks are opened with outside of tests. */
export function sinkContext(base: string, given: Partial<SinkContext> = {}): OpenSinkContext {
  const clients: AwsClients[] = [];
  const servers: KubernetesApi[] = [];
  return {
    ...processSecrets(longestSecretFile),
    http: httpClient({ longestAnswer }),
    aws: (access) => {
      // The delivery tries again; a call that tries for half a minute would not hear of the shift's end.
      const made = awsClients({ ...access, maxAttempts: 2 });
      clients.push(made);
      return made;
    },
    kubernetes: openedOnce(async (settings) => {
      const api = await openKubernetes(settings);
      servers.push(api);
      return api;
    }),
    base,
    ...given,
    close: () => [...clients, ...servers].forEach((each) => each.close()),
  };
}

/** How long it waits at the end of a run for what is not delivered yet, in milliseconds. */
const endsWithinMs = 15_000;

/** What a notifier is made with. */
export interface NotifierOptions {
  /** Where events go. */
  readonly sinks: readonly Sink[];
  /** Where they come from; the route is that of an observer. */
  readonly origin: Omit<EventOrigin, 'route'>;
  /** How each sink is tried. @default - as in {@link DeliveryOptions} */
  readonly delivery?: DeliveryOptions;
  /** Closes what the sinks share. @default - nothing is left to close */
  readonly close?: () => void;
}

const filled = text('a text that is not empty', /\S/);
const milliseconds = number('a number of milliseconds above 0', { above: 0 });
const count = number('a whole number, at least 1', { min: 1, whole: true });

const notifierOptions = object<NotifierOptions>({
  // Each is an object of a program's own.
  sinks: list(anything),
  origin: object<NotifierOptions['origin']>({
    by: filled,
    source: filled,
    fleet: optional(filled),
    links: optional(record(filled)),
  }),
  delivery: optional(
    object<DeliveryOptions>({
      timeoutMs: optional(milliseconds),
      tries: optional(count),
      most: optional(count),
      clock: optional(anything),
      random: optional(callback),
    }),
  ),
  close: optional(callback),
});

/**
 * Takes the events of shifts to sinks. It has no part in the shifts: none of its calls waits for a sink but `end`.
 *
 * @example
 * const notifier = new Notifier({ sinks: [mySink], origin: { by: 'alex@laptop', source: 'plan.yaml' } });
 * const outcome = await runShift({ …, observer: notifier.observer('traffic') });
 * const reports = await notifier.end();
 */
export class Notifier {
  private readonly deliveries: readonly Delivery[];

  public constructor(private readonly options: NotifierOptions) {
    refuseArguments('Notifier', notifierOptions, options);
    this.deliveries = options.sinks.map((sink) => new Delivery(sink, options.delivery));
  }

  /**
   * An observer for the run of a shift, which makes its events.
   *
   * @param how how a person lets it go beyond a pause. @default - no way is known
   * @param approve makes a link that does so. @default - there is none
   */
  public observer(route: string, how?: string, approve?: FeedOptions['approve']): ShiftObserver {
    return shiftFeed({
      origin: { route, ...this.options.origin },
      ...(how !== undefined && { how }),
      ...(approve && { approve }),
      emit: (event) => this.deliveries.forEach((delivery) => delivery.add(event)),
    });
  }

  /**
   * Waits until all is delivered, for 15 seconds at most.
   *
   * @param signal ends the wait at once
   */
  public end(signal?: AbortSignal): Promise<readonly DeliveryReport[]> {
    return Promise.all(this.deliveries.map((delivery) => delivery.end(endsWithinMs, signal)));
  }

  /** Closes connections. */
  public close(): void {
    this.options.close?.();
  }
}

const sinksSchema = object<{ readonly notify: readonly SinkSettings[] }>({ notify: notifySchema });

/**
 * Opens the sinks of a plan file or a program. No one is asked yet.
 *
 * @param file where the settings are from; a secret in a file of a relative path is looked for from the current folder
 * @throws InvalidInput
 */
export function openNotifier(
  settings: readonly SinkSettings[],
  file: string,
  origin: NotifierOptions['origin'],
  given: Partial<SinkContext> = {},
): Notifier {
  if (settings.length > 0) {
    refuseArguments('openNotifier', sinksSchema, { notify: settings });
  }
  const context = sinkContext(dirname(file), given);
  return new Notifier({
    sinks: openSinks(settings, context),
    origin,
    close: () => context.close(),
  });
}
