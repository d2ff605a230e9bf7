import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { refuseProps, constructSubject } from '../field-schemas';
import { ValidatingPolicy } from '../webhooks';
import { accessManifests, networkPolicySpecs } from './access';
import { eventBusSpec, eventSourceSpec, restarterUrl, sensorSpec } from './events';
import { jobPolicy, rolloutPolicy } from './policies';
import { restarterSettings, rolloutRestarterProps } from './props';
import type { RolloutRestarterProps } from './props';

const argo = 'argoproj.io/v1alpha1';

/**
 * Restarts Rollouts that are stuck: Degraded with `ProgressDeadlineExceeded` while all of their pods are available.
 *
 * Argo CD tells an EventSource of a degraded Application, with a token; a Sensor makes a Job of it, and the Job looks and
 * restarts, or says why not. It makes EventBus, EventSource and Sensor, a service account each for Sensor and Jobs, the
 * policies that admit from the Sensor that one Job, and from the Job that one change, and NetworkPolicies. Nothing is
 * downloaded when it runs but the one image. It belongs into the cluster of the Rollouts.
 *
 * @example
 * const restarter = new restarter.RolloutRestarter(chart, 'restarter', {
 *   name: 'restarter',
 *   namespace: 'rollout-restarter',
 *   image: 'registry.example.com/cluster-canary@sha256:…',
 *   allowedNamespaces: ['podinfo'],
 *   token: { secret: 'restarter-token', key: 'token' },
 * });
 */
export class RolloutRestarter extends Construct {
  /** URL of the EventSource within the cluster. */
  public readonly url: string;
  /** What takes the requests. */
  public readonly eventSource: ApiObject;
  /** What makes Jobs of them. */
  public readonly sensor: ApiObject;
  /** What admits that one Job alone. */
  public readonly policy: ValidatingPolicy;
  /** The service account of the Jobs. */
  public readonly serviceAccount: {
    /** Its namespace. */
    readonly namespace: string;
    /** Its name. */
    readonly name: string;
  };

  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: RolloutRestarterProps) {
    refuseProps(constructSubject('RolloutRestarter', id, props), rolloutRestarterProps, props);
    super(scope, id);
    const settings = restarterSettings(props);
    const { name, namespace, labels, port } = settings;
    this.url = restarterUrl({ name, namespace, port, tls: props.tlsSecret !== undefined });
    this.serviceAccount = { namespace, name: settings.jobAccount };
    const object = (key: string, kind: string, spec: object, called = name, apiVersion = argo): ApiObject =>
      new ApiObject(this, key, { apiVersion, kind, metadata: { name: called, namespace, labels }, spec });

    this.policy = new ValidatingPolicy(this, 'Policy', jobPolicy(settings));
    const rolloutsPolicy = new ValidatingPolicy(this, 'RolloutPolicy', rolloutPolicy(settings));
    const access = accessManifests(settings).map(
      (manifest) =>
        new ApiObject(
          this,
          [manifest.kind, manifest.metadata.namespace, manifest.metadata.name].join(' '),
          manifest,
        ),
    );
    const { eventBus = {}, networkPolicy = true } = props;
    const bus =
      'existing' in eventBus
        ? []
        : [object('EventBus', 'EventBus', eventBusSpec(eventBus), settings.eventBus)];
    this.eventSource = object('EventSource', 'EventSource', eventSourceSpec(settings, props.tlsSecret));
    this.sensor = object('Sensor', 'Sensor', sensorSpec(settings));
    this.eventSource.addDependency(...bus);
    // Before there is a policy, the Sensor's account could make any Job.
    this.sensor.addDependency(this.policy, rolloutsPolicy, ...access, ...bus);
    if (networkPolicy) {
      for (const [end, spec] of Object.entries(networkPolicySpecs(settings, props))) {
        object(`NetworkPolicy ${end}`, 'NetworkPolicy', spec, `${name}-${end}`, 'networking.k8s.io/v1');
      }
    }
  }
}
