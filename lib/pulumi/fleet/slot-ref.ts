import type * as pulumi from '@pulumi/pulumi';
import { across, object, optional } from '../../core/validation/collections';
import { dnsLabel } from '../../core/validation/formats';
import type { PlainObject } from '../../core/validation/problems';
import { opaque } from '../../core/validation/arguments';
import { Problems, isPlainObject, laterValue } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import type { Schema } from '../../core/validation/schema';
import { following, oneOf, text, whole } from '../../core/validation/values';

/** A Service that takes outside traffic. Every slot has a target group for each entry. */
export interface Entry {
  /** Namespace of the Service. */
  readonly namespace: string;
  /** Name of the Service. */
  readonly service: string;
  /** Port of the Service, 1 to 65535. */
  readonly port: number;
  /**
   * Port that the pods listen on, for ip targets: the load balancer sends traffic there.
   * @default - the Service's port
   */
  readonly targetPort?: number;
  /** How the load balancer asks a target whether it is healthy. @default - GET / on the traffic port */
  readonly healthCheck?: EntryHealthCheck;
  /**
   * What is registered as a target: pod addresses, or nodes with a node port.
   * @default 'ip' - no second hop through kube-proxy, and each pod is a target of its own. A pod that is ready need not be a
   * healthy target yet, unless pods have readiness gates: `podReadinessGates`
   */
  readonly targetType?: 'ip' | 'instance';
  /** The Service's node port, 30000 to 32767; needed for, and allowed only with, `instance` targets. */
  readonly nodePort?: number;
}

/** How the load balancer asks a target whether it is healthy. */
export interface EntryHealthCheck {
  /** Path of the request. @default '/' */
  readonly path?: string;
  /** Port of the target. @default - the traffic port */
  readonly port?: number;
  /** Seconds between two requests, 5 to 300. @default 15 - AWS's 30 s would make every step of a shift wait */
  readonly intervalSeconds?: number;
  /** Status codes of a healthy target, `200` or `200-299`. @default '200' - AWS's own default */
  readonly matcher?: string;
}

const nodePort = whole(30000, 32767);

/** A Service that takes outside traffic. */
export const entrySchema: Schema<Entry> = across(
  object<Entry>({
    namespace: following(dnsLabel),
    service: following(dnsLabel),
    port: whole(1, 65535),
    targetPort: optional(whole(1, 65535)),
    healthCheck: optional(
      object<EntryHealthCheck>({
        path: optional(text('a path that starts with "/", at most 1024 characters', /^\/\S{0,1023}$/)),
        port: optional(whole(1, 65535)),
        intervalSeconds: optional(whole(5, 300)),
        matcher: optional(text('status codes such as "200" or "200-299"')),
      }),
    ),
    targetType: optional(oneOf('ip', 'instance')),
    nodePort: optional(nodePort),
  }),
  ({ targetType = 'ip', nodePort: given }, { mustBe }) => {
    if (targetType === 'instance' && given === undefined) {
      mustBe(['nodePort'], nodePort.allowed);
    } else if (targetType === 'ip' && given !== undefined) {
      mustBe(['nodePort'], 'left out with ip targets');
    }
  },
);

/** One slot as plain values, so that it can be a stack output: a stack a slot is joined by these. */
export interface SlotRef {
  /** Name of the EKS cluster. */
  readonly clusterName: string;
  /** ARN of the EKS cluster. */
  readonly clusterArn: string;
  /** AWS region of the cluster. */
  readonly region: string;
  /** URL of the cluster's API server. */
  readonly endpoint: string;
  /** The API server's certificate authority, PEM in base64. */
  readonly certificateAuthority: string;
  /** Proxy through which the API server is reached, if any. */
  readonly proxyUrl?: string;
  /** The VPC that the cluster is in. */
  readonly vpcId: string;
  /** Security group of the control plane: who may reach port 443 of a private endpoint. */
  readonly clusterSecurityGroupId: string;
  /** Security group of the nodes (and of pods with ip targets). */
  readonly nodeSecurityGroupId: string;
  /** ARN of the target group of each entry. */
  readonly targetGroupArns: Readonly<Record<string, string>>;
}

/** A fleet as plain values: what traffic and hubs need to know of it, from this stack or from others. */
export interface FleetRef<Slot extends string = string, EntryName extends string = string> {
  /** Name of the fleet. */
  readonly name: string;
  /** The fleet's slots by name: 1 to 5. */
  readonly slots: Readonly<Record<Slot, pulumi.Input<SlotRef>>>;
  /** The fleet's entries by name. */
  readonly entries: Readonly<Record<EntryName, Entry>>;
  /** Labels of each slot's cluster Secret in Argo CD. @default - none */
  readonly labels?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * Whether the slots' target groups keep a client with one target by a cookie. AWS takes that only behind rules that keep
   * the client with one target group.
   * @default false
   */
  readonly cookieStickiness?: boolean;
}

/** A fleet, or something that knows one. */
export type FleetSource<Slot extends string = string, EntryName extends string = string> =
  | FleetRef<Slot, EntryName>
  | {
      /** The fleet. */
      readonly ref: FleetRef<Slot, EntryName>;
    };

const someFleet = 'a ClusterFleet, or { name, entries, slots } of the fleet of another stack';

/** A fleet, or something that knows one. Its slots are not looked into. */
export const fleetSource: Schema<never> = across<{ readonly ref: unknown; readonly slots: unknown }>(
  opaque(someFleet),
  (source, { mustBe }) => {
    const [ref, path] = 'ref' in source ? [source.ref, ['ref']] : [source, []];
    if (!isObject(ref)) {
      mustBe(path, someFleet);
    } else if (!isObject(ref.slots)) {
      mustBe([...path, 'slots'], 'the SlotRef of each slot by its name');
    } else {
      for (const [slot, given] of Object.entries(ref.slots)) {
        if (!isPlainObject(given) && laterValue(given) === undefined) {
          mustBe([...path, 'slots', slot], 'a SlotRef: a cluster as plain values');
        }
      }
      const { entries = {} } = ref;
      if (!isObject(entries) || !Object.values(entries).every(isObject)) {
        mustBe([...path, 'entries'], 'the Entry of each Service by its name');
      }
    }
  },
) as Schema as Schema<never>;

/** The fleet behind a source as it was given; of one that is wrong nothing. */
export function soundFleet(source: FleetSource | undefined): FleetRef | undefined {
  return problemsOf(fleetSource, source).length === 0 ? fleetRef(source!) : undefined;
}

/**
 * The fleet behind a source.
 *
 * @throws InvalidInput for what is none, such as an Output of a stack
 */
export function fleetRef<Slot extends string, EntryName extends string>(
  source: FleetSource<Slot, EntryName>,
): FleetRef<Slot, EntryName> {
  const ref = typeof source === 'object' && source !== null && 'ref' in source ? source.ref : source;
  const problems = new Problems('A fleet');
  if (!isObject(ref)) {
    problems.add('fleet', ref, someFleet);
  } else if (!isObject(ref.slots)) {
    problems.add('fleet.slots', ref.slots, 'the SlotRef of each slot by its name');
  }
  problems.throwIfAny();
  return ref;
}

/** Whether a program can look into it: an Output is none. */
function isObject(value: unknown): value is PlainObject {
  return isPlainObject(value) && laterValue(value) === undefined;
}
