import { randomBytes } from 'node:crypto';
import type { KubernetesObject } from '../../kubernetes';
import { rfc3339 } from './history';
import type { Rollout } from './rollout';

/** Who restarts. */
export interface Restarter {
  /** The Argo CD Application that it is about. */
  readonly application: string;
  /** Name of the pod or the machine. */
  readonly host: string;
}

/** The most characters that the API server takes as a note. */
const longestNote = 1024;
const component = 'cluster-canary';

/** An Event on a Rollout, which `kubectl describe` shows. */
export function restartEvent(
  rollout: Rollout,
  { application, host }: Restarter,
  told: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly why: string },
  now: Date,
): KubernetesObject {
  const { name, namespace = 'default', uid, resourceVersion } = rollout.metadata;
  const at = rfc3339(now);
  const message = `cluster-canary (${host}), for the Argo CD Application ${application}: ${told.why}`;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name.slice(0, 200)}.${randomBytes(8).toString('hex')}`, namespace },
    involvedObject: {
      apiVersion: rollout.apiVersion,
      kind: rollout.kind,
      name,
      namespace,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    type: told.type,
    reason: told.reason,
    message: message.slice(0, longestNote),
    source: { component },
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
    reportingComponent: component,
    reportingInstance: host.slice(0, 128),
  };
}
