import * as aws from '@pulumi/aws';
import type { PulumiFn } from '@pulumi/pulumi/automation';
import type { TrafficShiftArgs } from '../../../lib/pulumi/traffic';
import { FleetListeners, FleetRecords } from '../../../lib/pulumi/traffic';
import { slotRef } from './shift-program';

/** What a program of weights outside of rules differs in. Plain data, so that a program in a file can have it as well. */
export interface RouterProgramOptions {
  readonly vpcId: string;
  readonly subnetIds: readonly string[];
  readonly zoneId: string;
  readonly slots: readonly string[];
  readonly weights: Readonly<Record<string, number>>;
  readonly shift?: TrafficShiftArgs | false;
  /** Listeners of a Network Load Balancer by name, with their ports. @default - none */
  readonly listeners?: Readonly<Record<string, number>>;
  /** Types of the records of `www.example.com`. @default - no records */
  readonly types?: readonly ('A' | 'AAAA')[];
  /** Of the records, in seconds. @default 0 */
  readonly ttlSeconds?: number;
  readonly adopt?: readonly string[];
}

/** A Network Load Balancer with listeners, or records, or both; no clusters. */
export function routerProgram(options: RouterProgramOptions): PulumiFn {
  return () => {
    const { listeners = {}, types = [] } = options;
    const plans = {
      ...(Object.keys(listeners).length > 0 && { listeners: ofListeners(options, listeners) }),
      ...(types.length > 0 && { records: ofRecords(options, types) }),
    };
    return Promise.resolve(plans);
  };
}

function ofListeners(options: RouterProgramOptions, listeners: Readonly<Record<string, number>>) {
  const { vpcId, subnetIds, slots, weights, shift } = options;
  const balancer = new aws.lb.LoadBalancer('edge', {
    loadBalancerType: 'network',
    subnets: [...subnetIds],
    ipAddressType: 'ipv4',
  });
  const entries = Object.keys(listeners);
  return new FleetListeners('apps', {
    fleet: {
      name: 'apps',
      slots: Object.fromEntries(slots.map((slot) => [slot, slotRef(slot, vpcId, entries, 'TCP')])),
      entries: Object.fromEntries(
        entries.map((entry) => [entry, { namespace: 'podinfo', service: entry, port: 80 }]),
      ),
    },
    loadBalancerArn: balancer.arn,
    listeners: Object.fromEntries(
      Object.entries(listeners).map(([entry, port]) => [entry, { entry, port, protocol: 'TCP' as const }]),
    ),
    weights,
    shift,
  }).plan;
}

function ofRecords(
  { zoneId, slots, weights, shift, ttlSeconds = 0, adopt }: RouterProgramOptions,
  types: readonly ('A' | 'AAAA')[],
) {
  const address = (index: number) => ({ A: [`192.0.2.${index + 1}`], AAAA: [`2001:db8::${index + 1}`] });
  return new FleetRecords('names', {
    zoneId,
    names: ['www.example.com'],
    types,
    targets: Object.fromEntries(slots.map((slot) => [slot, { values: address(addressOf(slot)) }])),
    ttlSeconds,
    weights,
    shift,
    ...(adopt && { adopt }),
  }).plan;
}

function addressOf(slot: string): number {
  return ['blue', 'green', 'red'].indexOf(slot);
}
