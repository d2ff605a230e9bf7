import * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import {
  applicationLoadBalancerArn,
  certificateArn as certificateArnRule,
  listenerArn,
  loadBalancerArn as loadBalancerArnRule,
  targetGroupArnFormat,
} from '../../core/aws/identifiers';
import { namesIn, rawArgs, refuseArguments } from '../../core/validation/arguments';
import { object, optional } from '../../core/validation/collections';
import { nonEmptyText } from '../../core/validation/formats';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import type { Entries } from '../../core/validation/schema';
import { anything, following, oneOf, text, whole } from '../../core/validation/values';
import type { ShiftSubject } from '../../shift/engine';
import type { Tags } from '../aws-settings';
import { input, inputsByName } from '../input-schemas';
import { listeners } from './shift/kinds';
import type { SplitGroup } from './shift/split-group';
import { TrafficSplit, countProblems, splitProblems, trafficSplitEntries } from './traffic-split';
import type { TrafficSplitArgs } from './traffic-split';
import { recommendedSslPolicy } from './weighted-alb';

/** What a listener of a fleet speaks: the first four on a Network Load Balancer, the others on an Application Load Balancer. */
export type ListenerProtocol = (typeof protocols)[number];

const ofConnections = ['TCP', 'TLS', 'UDP', 'TCP_UDP'] as const;

const ofRequests = ['HTTP', 'HTTPS'] as const;

const protocols = [...ofConnections, ...ofRequests] as const;

const encrypted: readonly ListenerProtocol[] = ['TLS', 'HTTPS'];

/** How a listener stands on its load balancer. */
export interface ListenerSettings {
  /** 1 to 65535. */
  readonly port: number;
  /** The target groups have to fit: TCP or TLS ones behind TCP and TLS. */
  readonly protocol: ListenerProtocol;
  /** ARN of the certificate, of TLS and HTTPS only. */
  readonly certificateArn?: pulumi.Input<string>;
  /**
   * Name of the security policy: which versions of TLS and which ciphers are taken.
   * @default 'ELBSecurityPolicy-TLS13-1-2-Res-PQ-2025-09' - what AWS recommends, for TLS and HTTPS
   */
  readonly sslPolicy?: string;
  /**
   * ARN of a listener that exists: it is adopted (Pulumi's `import`) with the weights that are live, and then updated to the
   * program's, with a shift if weights differ. May stay in the program.
   *
   * @default - the listener is created
   */
  readonly adopt?: string;
  /** Raw arguments of the listener, over everything else. @default - none */
  readonly listenerArgs?: Partial<aws.lb.ListenerArgs>;
}

/** A schema for each setting of a listener. */
export const listenerSettingsEntries: Entries<ListenerSettings> = {
  port: whole(1, 65535),
  protocol: oneOf(...protocols),
  certificateArn: optional(input(certificateArnRule)),
  sslPolicy: optional(text('the name of a security policy')),
  adopt: optional(following(listenerArn)),
  listenerArgs: optional(rawArgs),
};

/** What is wrong with a listener's settings together, and on its load balancer. */
export function listenerSettingsProblems(
  { protocol, certificateArn, sslPolicy }: Partial<ListenerSettings>,
  loadBalancerArn: unknown,
): readonly Problem[] {
  const problems = new Problems('listener');
  if (protocol === undefined) {
    return [];
  }
  const ofKind = protocolsAt(loadBalancerArn);
  if (ofKind && !ofKind.includes(protocol)) {
    problems.add('protocol', protocol, `${oneOf(...ofKind).allowed} on the load balancer of loadBalancerArn`);
  }
  if (isEncrypted(protocol)) {
    if (certificateArn === undefined) {
      problems.require('certificateArn', `the ARN of a certificate, which ${protocol} needs`);
    }
  } else {
    for (const [key, value] of Object.entries({ certificateArn, sslPolicy })) {
      if (value !== undefined) {
        problems.conflicts(key, `${protocol}, which the load balancer does not encrypt`);
      }
    }
  }
  return problems.all;
}

/** What listeners of a load balancer speak, as far as its ARN says its kind. */
function protocolsAt(loadBalancerArn: unknown): readonly ListenerProtocol[] | undefined {
  if (applicationLoadBalancerArn.accepts(loadBalancerArn)) {
    return ofRequests;
  }
  return loadBalancerArnRule.accepts(loadBalancerArn) ? ofConnections : undefined;
}

/** Whether the load balancer has the certificate. */
function isEncrypted(protocol: ListenerProtocol): boolean {
  return encrypted.includes(protocol);
}

/** What can be counted on listeners together: an NLB among them counts no requests. */
export function layerOf(
  settings: readonly Partial<Pick<ListenerSettings, 'protocol'>>[],
): ShiftSubject['layer'] {
  return settings.every(({ protocol }) => protocol === 'HTTP' || protocol === 'HTTPS')
    ? 'http'
    : 'connections';
}

/** What `WeightedListener` takes. */
export interface WeightedListenerArgs<Slot extends string = string>
  extends ListenerSettings, TrafficSplitArgs<Slot> {
  /** ARN of the load balancer, network or application. */
  readonly loadBalancerArn: pulumi.Input<string>;
  /** ARN of each slot's target group, 1 to 5. */
  readonly targetGroupArns: Readonly<Record<Slot, pulumi.Input<string>>>;
  /** Name of each slot's EKS cluster, for checks that ask it. @default - not known */
  readonly clusterNames?: Readonly<Record<NoInfer<Slot>, pulumi.Input<string>>>;
  /** AWS tags. @default - none */
  readonly tags?: Tags;
}

const weightedListenerArgs = object<WeightedListenerArgs>({
  ...listenerSettingsEntries,
  ...trafficSplitEntries,
  loadBalancerArn: input(loadBalancerArnRule),
  targetGroupArns: inputsByName(targetGroupArnFormat),
  clusterNames: optional(inputsByName(nonEmptyText)),
  tags: optional(anything),
});

/**
 * One listener that spreads what it takes over the slots' target groups by its default action: the connections of a Network Load
 * Balancer, or the requests of an Application Load Balancer that no rule takes.
 *
 * A change of its weights is a shift, as that of a `WeightedRule`. On a Network Load Balancer weights hold for new connections:
 * one that stands stays with its slot. It counts no HTTP requests, so checks that need them are refused.
 *
 * @example
 * new traffic.WeightedListener('mqtt', {
 *   loadBalancerArn: balancer.arn,
 *   port: 8883,
 *   protocol: 'TCP',
 *   targetGroupArns: { blue: blue.arn, green: green.arn },
 *   weights: { blue: 90, green: 10 },
 * });
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/network/load-balancer-listeners.html
 */
export class WeightedListener<const Slot extends string = string> extends TrafficSplit<Slot> {
  /** The listener. */
  public readonly listener: aws.lb.Listener;

  /**
   * @param group listeners that are shifted with this one
   * @throws InvalidInput before anything is registered, with every problem of the plain values
   */
  public constructor(
    name: string,
    args: WeightedListenerArgs<Slot>,
    opts: pulumi.ComponentResourceOptions = {},
    group?: SplitGroup,
  ) {
    refuseArguments(`WeightedListener "${name}"`, weightedListenerArgs, args, (sound) =>
      weightedListenerProblems(namesIn(args.targetGroupArns), sound),
    );
    const { port, protocol, targetGroupArns, weights, shift, clusterNames, tags } = args;
    const slots = Object.keys(targetGroupArns) as Slot[];
    super(
      'WeightedListener',
      name,
      { kind: listeners, slots, weights, shift, clusterNames, tags, group },
      opts,
    );
    const binding = this.group.add({ name, priority: port, targets: targetGroupArns });
    this.listener = new aws.lb.Listener(
      name,
      {
        loadBalancerArn: args.loadBalancerArn,
        port,
        protocol,
        ...(isEncrypted(protocol) && {
          certificateArn: args.certificateArn,
          sslPolicy: args.sslPolicy ?? recommendedSslPolicy,
        }),
        defaultActions: [
          {
            type: 'forward',
            forward: {
              targetGroups: slots.map((slot) => ({
                arn: targetGroupArns[slot],
                weight: this.weights[slot],
              })),
            },
          },
        ],
        tags: binding.tags,
        ...args.listenerArgs,
      },
      { parent: this, import: args.adopt, ...binding.opts },
    );
    this.registerOutputs({ listener: this.listener, weights: this.verified() });
  }

  protected ids(): Readonly<Record<string, pulumi.Output<string>>> {
    return { listener: this.listener.arn };
  }
}

/** What the schema does not say of the arguments of a `WeightedListener`. */
function weightedListenerProblems(
  slots: readonly string[],
  args: Partial<WeightedListenerArgs>,
): readonly Problem[] {
  const { listenerArgs, loadBalancerArn } = args;
  const hasOwnWeights = listenerArgs?.defaultActions !== undefined;
  return [
    ...countProblems('targetGroupArns', slots, 'target groups: a listener forwards to no more'),
    ...splitProblems(args, { slots, hasOwnWeights, layer: layerOf([args]) }),
    ...listenerSettingsProblems(args, loadBalancerArn),
  ];
}
