import type { Clock } from '../../core/async';
import type { AllowStatement } from '../../core/aws/iam';
import type { AwsAccess } from '../../core/aws/arns';
import type { AwsClients } from '../../core/aws/clients';
import type { HttpClient } from '../../core/http';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import type { AccessRule, KubernetesApi } from '../../core/kubernetes/api';
import type { SecretReader } from '../../core/secret-source';
import { list, optional } from '../../core/validation/collections';
import type { Schema } from '../../core/validation/schema';
import { oneOf } from '../../core/validation/values';
import { eventTypes } from './event';
import type { EventType, FleetEvent } from './event';

/** Where events go: a chat, a queue, a metric. Yours can be one as well: see {@link Notifier}. */
export interface Sink {
  /** For logs and errors, without secrets: `slack`, `sns arn:aws:sns:…`. */
  readonly name: string;

  /** Whether it takes an event; the others are not kept for it. */
  takes(event: FleetEvent): boolean;

  /**
   * Delivers one event. It is called for one at a time, in order; what it throws is tried again.
   *
   * @throws DeliveryFailed to say when to try again, or that it is of no use
   */
  deliver(event: FleetEvent, signal: AbortSignal): Promise<void>;

  /** Delivers what it has kept back, and closes connections; called once, after the last event. @default - nothing is left to do */
  close?(signal: AbortSignal): Promise<void>;
}

/** An event was not delivered. */
export class DeliveryFailed extends Error {
  public constructor(
    /** For a person, without secrets. */
    message: string,
    /** What of another try. */
    public readonly how: {
      /** When the service wants to be asked again, in milliseconds. @default - it did not say */
      readonly retryAfterMs?: number;
      /** Whether another try is of no use. @default false */
      readonly final?: boolean;
    } = {},
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
    this.name = 'DeliveryFailed';
  }
}

/** What sinks are opened with. Whatever reaches outside of the process is here, so that a test can give its own. */
export interface SinkContext extends SecretReader {
  /** HTTP services other than AWS. */
  readonly http: HttpClient;
  /** Clients of AWS. */
  readonly aws: (access: AwsAccess) => AwsClients;
  /** API servers of Kubernetes. */
  readonly kubernetes: (settings: KubernetesSettings) => Promise<KubernetesApi>;
  /** The folder that paths start from. */
  readonly base: string;
  /** The Lease of a route's shift. @default - Kubernetes does not keep it */
  readonly leaseOf?: (route: string) => PlacedLease | undefined;
  /** For what waits between two messages. @default - that of this machine */
  readonly clock?: Clock;
}

/** Where the Lease of a shift is. */
export interface PlacedLease {
  /** The API server. */
  readonly at: KubernetesSettings;
  /** Its namespace. */
  readonly namespace: string;
  /** Its name. */
  readonly name: string;
}

/**
 * A kind of sink: all that is its own. A file of a kind, and its line in `registry.ts`, is all that there is to add: plan files,
 * their JSON Schema, permissions and the table of docs/notifications.md follow.
 */
export interface SinkKind<Settings extends CommonSinkSettings> {
  /** What arrives where, on one line: `Slack: one message for each shift, updated where a bot token allows`. */
  readonly tells: string;
  /** Events that it takes where the settings say nothing of them. */
  readonly events: readonly EventType[];
  /** The same where it depends on the settings. @default - `events` */
  eventsOf?(settings: Settings): readonly EventType[];
  /**
   * Whether it takes each answer of a check where the settings say nothing, as figures over time need them.
   *
   * @default false - only those whose status differs from the last one
   */
  readonly everyAnswer?: boolean;
  /** Its settings, the same in a plan file and in a program: see `sinkEntries`. */
  readonly settings: Schema<Settings>;
  /** Asks no one yet. */
  open(settings: Settings, context: SinkContext): Pick<Sink, 'name' | 'deliver' | 'close'>;
  /** Least rights at AWS, and the role that needs them. @default - none */
  permissions?(settings: Settings): {
    /** ARN of the role. @default - the credentials that the plan runs with */
    readonly roleArn?: string | undefined;
    /** What it needs. */
    readonly statements: readonly AllowStatement[];
  };
  /** Least rights on an API server. @default - none */
  access?(settings: Settings): {
    /** The API server. */
    readonly at: KubernetesSettings;
    /** What it needs there. */
    readonly rules: readonly AccessRule[];
  };
}

/** What every kind of sink takes. */
export interface CommonSinkSettings {
  /**
   * Types of events that it takes.
   *
   * @default - as its kind says; of answers of checks only those that differ from the last one, but for metrics and traces
   */
  readonly events?: readonly EventType[];
}

/** Schemas of {@link CommonSinkSettings}. */
export const sinkEntries = {
  events: optional(list(oneOf(...eventTypes), 1, `a list of types of events: ${eventTypes.join(', ')}`)),
};

/** Gives a kind its types. */
export function sinkKind<Settings extends CommonSinkSettings>(kind: SinkKind<Settings>): SinkKind<Settings> {
  return kind;
}

/** Every type; of answers of checks those that differ from the last one. */
export const everyEvent: readonly EventType[] = eventTypes;

/** Whether settings of a kind take an event. */
export function takesEvent(
  kind: Pick<SinkKind<CommonSinkSettings>, 'events' | 'eventsOf' | 'everyAnswer'>,
  settings: CommonSinkSettings,
  event: FleetEvent,
): boolean {
  const usual = kind.eventsOf?.(settings) ?? kind.events;
  const isNews = event.type !== 'checkAnswered' || kind.everyAnswer === true || event.changed;
  return settings.events?.includes(event.type) ?? (usual.includes(event.type) && isNews);
}
