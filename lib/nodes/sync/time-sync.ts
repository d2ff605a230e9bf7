import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { refuseOptions } from '../../problems';
import { register } from '../register';
import { timeSyncObjects } from './time-sync-objects';
import type { TimeSyncProps } from './time-sync-props';
import { timeSyncSettings, timeSyncPropsKeys } from './time-sync-props';

/**
 * Keeps the clocks of nodes in time that have no time daemon of their own: chrony as a DaemonSet.
 *
 * The clock belongs to the whole machine, so two daemons on one node pull at it: choose the nodes by a label. Nodes of
 * EKS don't need it, neither Amazon Linux 2023 nor Bottlerocket; where one can, a time daemon in the image is better, as
 * it starts before kubelet does.
 *
 * @example
 * new nodes.TimeSync(chart, 'time', {
 *   namespace: 'time-sync',
 *   image: 'registry.example.com/chrony@sha256:…',
 *   nodeSelector: { 'example.com/time-daemon': 'none' },
 *   servers: ['ntp1.example.com', 'ntp2.example.com', 'ntp3.example.com'],
 * });
 */
export class TimeSync extends Construct {
  /** The DaemonSet. */
  public readonly daemonSet: ApiObject;

  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: TimeSyncProps) {
    refuseOptions(`TimeSync "${id}"`, props, timeSyncPropsKeys);
    super(scope, id);
    const objects = register(this, timeSyncObjects(timeSyncSettings(props)));
    this.daemonSet = objects.find(({ kind }) => kind === 'DaemonSet')!;
  }
}
