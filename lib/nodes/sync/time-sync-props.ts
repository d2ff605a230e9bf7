import type { OptionsOf } from '../../problems';
import { containerCommand, dnsLabel, imageByDigest, labelKey, labelValue, Problems } from '../../problems';
import { amazonTimeSync, timeServers } from './time-servers';

/** What a `TimeSync` is made of. */
export interface TimeSyncProps {
  /** Name of the objects. @default 'time-sync' */
  readonly name?: string;
  /** Namespace of the pods. They get the right to set the clock, so it must admit privileged pods. It is not made here. */
  readonly namespace: string;
  /** Image with chrony, by its digest: `NAME@sha256:…`. */
  readonly image: string;
  /** chrony's daemon in the image. @default ['chronyd'] */
  readonly command?: readonly string[];
  /** Labels of the nodes that have no time daemon; `{}` for all nodes. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** NTP servers, the first one preferred. @default - Amazon Time Sync */
  readonly servers?: readonly string[];
  /** Resources of the pod. @default - requests 10m and 16Mi, limit 64Mi of memory */
  readonly resources?: object;
  /** Labels of all objects. @default - `app.kubernetes.io/name` and `app.kubernetes.io/instance` */
  readonly labels?: Readonly<Record<string, string>>;
}

export const timeSyncPropsKeys: OptionsOf<TimeSyncProps> = {
  name: 'plain',
  namespace: 'plain',
  image: 'plain',
  command: 'list',
  nodeSelector: 'plain',
  servers: 'list',
  resources: 'plain',
  labels: 'plain',
};

/**
 * Fills in the defaults.
 *
 * @throws InvalidInput with everything that is wrong
 */
export function timeSyncSettings(props: TimeSyncProps): Required<TimeSyncProps> {
  const { name = 'time-sync' } = props;
  const settings: Required<TimeSyncProps> = {
    command: ['chronyd'],
    servers: amazonTimeSync,
    resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
    ...props,
    name,
    labels: { 'app.kubernetes.io/name': 'time-sync', 'app.kubernetes.io/instance': name, ...props.labels },
  };
  const problems = new Problems(`TimeSync "${name}"`);
  problems.check('name', name, dnsLabel);
  problems.check('namespace', settings.namespace, dnsLabel);
  problems.check('image', settings.image, imageByDigest);
  problems.check('command', settings.command, containerCommand);
  problems.check('servers', settings.servers, timeServers);
  if (typeof settings.nodeSelector !== 'object' || settings.nodeSelector === null) {
    problems.add(
      'nodeSelector',
      settings.nodeSelector,
      'labels of the nodes that have no time daemon, or {}',
    );
  }
  for (const [at, map] of Object.entries({ nodeSelector: settings.nodeSelector, labels: settings.labels })) {
    for (const [key, value] of Object.entries(map ?? {})) {
      problems.check(at, key, labelKey);
      problems.check(`${at}.${key}`, value, labelValue);
    }
  }
  problems.throwIfAny();
  return settings;
}
