import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import {
  applicationLoadBalancerArn,
  certificateArn as certificateArnRule,
  listenerArn,
  loadBalancerArn as loadBalancerArnRule,
  targetGroupArn,
} from '../../core/aws/identifiers';
import { oneOf, port } from '../../core/validation/formats';
import { refuseOptions } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { weightProblems } from '../../shift/engine';
import type { ShiftSubject, Weights } from '../../shift/engine';
import { withAwsSettings } from '../aws-settings';
import type { Tags } from '../aws-settings';
import { mostSlots } from '../fleet';
import { checkInput, checkInputs } from '../inputs';
import { listeners } from './shift/kinds';
import { trafficShiftArgsKeys, trafficShiftProblems } from './shift/shift-args';
import type { TrafficShiftArgs } from './shift/shift-args';
import { RuleGroup } from './shift/split-group';
import { recommendedSslPolicy } from './weighted-alb';
import { weightsOf } from './slot-weights';
import type { SlotWeights } from './slot-weights';

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

export const listenerSettingsKeys: OptionsOf<ListenerSettings> = {
  port: 'plain',
  protocol: 'plain',
  certificateArn: 'open',
  sslPolicy: 'plain',
  adopt: 'plain',
  listenerArgs: 'open',
};

/** What is wrong with a listener's settings on a load balancer. */
export function listenerSettingsProblems(
  settings: ListenerSettings,
  loadBalancerArn: pulumi.Input<string>,
): readonly Problem[] {
  const problems = new Problems('listener');
  problems.check('port', settings.port, port);
  if (problems.check('protocol', settings.protocol, oneOf(...protocols))) {
    const { protocol, certificateArn, sslPolicy } = settings;
    const ofKind = protocolsAt(loadBalancerArn);
    if (ofKind && !ofKind.includes(protocol)) {
      problems.add(
        'protocol',
        protocol,
        `${oneOf(...ofKind).allowed} on the load balancer of loadBalancerArn`,
      );
    }
    if (isEncrypted(protocol) && certificateArn === undefined) {
      problems.add('certificateArn', undefined, `the ARN of a certificate, which ${protocol} needs`);
    }
    if (isEncrypted(protocol)) {
      checkInput(problems, 'certificateArn', certificateArn, certificateArnRule);
    } else {
      for (const [key, value] of Object.entries({ certificateArn, sslPolicy })) {
        if (value !== undefined) {
          problems.add(key, value, `left out: ${protocol} is not encrypted by the load balancer`);
        }
      }
    }
  }
  if (settings.adopt !== undefined) {
    problems.check('adopt', settings.adopt, listenerArn);
  }
  return problems.all;
}

/** What listeners of a load balancer speak, as far as its ARN says its kind. */
function protocolsAt(loadBalancerArn: pulumi.Input<string>): readonly ListenerProtocol[] | undefined {
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
export function layerOf(settings: readonly Pick<ListenerSettings, 'protocol'>[]): ShiftSubject['layer'] {
  return settings.every(({ protocol }) => oneOf(...ofRequests).accepts(protocol)) ? 'http' : 'connections';
}

/** What `WeightedListener` takes. */
export interface WeightedListenerArgs<Slot extends string = string> extends ListenerSettings {
  /** ARN of the load balancer, network or application. */
  readonly loadBalancerArn: pulumi.Input<string>;
  /** ARN of each slot's target group, 1 to 5. */
  readonly targetGroupArns: Readonly<Record<Slot, pulumi.Input<string>>>;
  /** Whole percents by slot that add up to 100; unset means 0. @default - 100 for a slot that is alone */
  readonly weights?: SlotWeights<NoInfer<Slot>>;
  /**
   * How a change of the weights gets to the load balancer; `false` writes it at once.
   *
   * @default - a shift with the default of every setting: nobody meant to move all traffic in one step
   */
  readonly shift?: TrafficShiftArgs | false;
  /** Name of each slot's EKS cluster, for checks that ask it. @default - not known */
  readonly clusterNames?: Readonly<Record<NoInfer<Slot>, pulumi.Input<string>>>;
  /** AWS tags. @default - none */
  readonly tags?: Tags;
}

const weightedListenerArgsKeys: OptionsOf<WeightedListenerArgs> = {
  ...listenerSettingsKeys,
  loadBalancerArn: 'open',
  targetGroupArns: 'open',
  weights: 'plain',
  shift: trafficShiftArgsKeys,
  clusterNames: 'open',
  tags: 'open',
};

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
export class WeightedListener<const Slot extends string = string> extends pulumi.ComponentResource {
  /** The listener. */
  public readonly listener: aws.lb.Listener;
  /** Weight of every slot, in whole percent. */
  public readonly weights: Readonly<Record<Slot, number>>;

  /**
   * @param group listeners that are shifted with this one
   * @throws InvalidInput before anything is registered, with every problem of the plain values
   */
  public constructor(
    name: string,
    args: WeightedListenerArgs<Slot>,
    opts: pulumi.ComponentResourceOptions = {},
    group?: RuleGroup,
  ) {
    refuseOptions(`WeightedListener "${name}"`, args, weightedListenerArgsKeys);
    check(name, args);
    super('cluster-canary:traffic:WeightedListener', name, {}, withAwsSettings(opts, { tags: args.tags }));
    const { port, protocol, targetGroupArns } = args;
    const slots = Object.keys(targetGroupArns) as Slot[];
    this.weights = weightsOf<Slot>(slots, args.weights);
    const shifted =
      group ??
      new RuleGroup({
        kind: listeners,
        what: `WeightedListener "${name}"`,
        component: this,
        weights: this.weights,
        shift: args.shift,
        clusterNames: args.clusterNames,
      });
    const binding = shifted.add({ name, priority: port, targets: targetGroupArns });
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
                arn: args.targetGroupArns[slot],
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
    const verified = group ? this.weights : shifted.verified([this.listener.arn]);
    this.registerOutputs({ listener: this.listener, weights: verified });
  }
}

function check(name: string, args: WeightedListenerArgs): void {
  const problems = new Problems(`WeightedListener "${name}"`);
  const slots = Object.keys(args.targetGroupArns ?? {});
  if (slots.length < 1 || slots.length > mostSlots) {
    problems.add('targetGroupArns', slots, `1 to ${mostSlots} target groups: a listener forwards to no more`);
  }
  checkInputs(problems, 'targetGroupArns', args.targetGroupArns, targetGroupArn);
  checkInput(problems, 'loadBalancerArn', args.loadBalancerArn, loadBalancerArnRule);
  problems.addAll(weightProblems(slots, args.weights as Weights | undefined));
  problems.addAll(listenerSettingsProblems(args, args.loadBalancerArn));
  const ownActions = args.listenerArgs?.defaultActions !== undefined;
  problems.addAll(trafficShiftProblems(args.shift, slots, ownActions, layerOf([args])));
  problems.throwIfAny();
}
