import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { evaluatedNamespace } from '../../core/admission/requests';
import { parseDuration } from '../../core/durations';
import {
  checkLabels,
  containerCommand,
  dnsLabel,
  dnsLabelUpTo,
  dnsSubdomain,
  goDuration,
  imageByDigest,
  networkCidr,
  port,
  secretKey,
  wholeNumber,
} from '../../core/validation/formats';
import { refuseOptions } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import type { Format } from '../../core/validation/problems';
import { ValidatingPolicy } from '../webhooks';
import { accessManifests, networkPolicySpecs } from './access';
import { eventBusSpec, eventSourceSpec, restarterUrl, sensorSpec } from './events';
import { jobPolicy, rolloutPolicy } from './policies';
import { rolloutRestarterPropsKeys, restarterSettings } from './props';
import type { RolloutRestarterProps } from './props';

const text = (pattern: RegExp, allowed: string): Format => ({
  allowed,
  accepts: (value) => typeof value === 'string' && pattern.test(value),
});

/** `NAME-eventsource-svc` is the name of a Service, and pods have longer names yet. */
const shortName = dnsLabelUpTo(40);

const version = text(
  /^\d+\.\d+\.\d+(-[a-z0-9]+)?$/,
  'a version such as "2.10.10": "latest" is another one tomorrow',
);

const quantity = text(/^[1-9]\d*(Ki|Mi|Gi|Ti)$/, 'a size such as "1Gi"');

/**
 * Checks the props of a restarter.
 *
 * @throws InvalidInput with everything that is wrong
 */
function checkProps(props: RolloutRestarterProps): void {
  const problems = new Problems(`RolloutRestarter "${props.name}"`);
  problems.check('name', props.name, shortName);
  problems.check('namespace', props.namespace, evaluatedNamespace);
  problems.check('image', props.image, imageByDigest);
  problems.check('token.secret', props.token?.secret, dnsSubdomain);
  problems.check('token.key', props.token?.key, secretKey);
  problems.checkGiven('', props, {
    command: containerCommand,
    tlsSecret: dnsSubdomain,
    port: wholeNumber(1024, 65_535),
    perDay: wholeNumber(1, 100),
    minReplicas: wholeNumber(1, 1_000),
    jobsPerMinute: wholeNumber(1, 1_000),
    monitoringNamespace: dnsLabel,
    user: wholeNumber(1, 2_147_483_647),
  });
  checkNamespaces(problems, props);
  checkDurations(problems, props);
  checkSurroundings(problems, props);
  problems.throwIfAny();
}

function checkNamespaces(problems: Problems, { allowedNamespaces, namespace }: RolloutRestarterProps): void {
  if (!Array.isArray(allowedNamespaces) || allowedNamespaces.length === 0) {
    problems.add('allowedNamespaces', allowedNamespaces, 'a list with at least one namespace');
    return;
  }
  allowedNamespaces.forEach((each, position) => {
    const at = `allowedNamespaces[${position}]`;
    problems.check(at, each, evaluatedNamespace);
    if (allowedNamespaces.indexOf(each) < position) {
      problems.add(at, each, 'in the list once');
    }
    if (each === namespace) {
      problems.add(at, each, "another one than the restarter's own: no application runs in it");
    }
  });
}

function checkDurations(problems: Problems, { coolDown, wait, keepJobs }: RolloutRestarterProps): void {
  const least = { coolDown: 60, wait: 0, keepJobs: 60 };
  for (const [key, value] of Object.entries({ coolDown, wait, keepJobs })) {
    if (value !== undefined && problems.check(key, value, goDuration)) {
      const seconds = parseDuration(value)! / 1000;
      const lowest = least[key as keyof typeof least];
      if (seconds < lowest || seconds > 7 * 24 * 3600) {
        problems.add(key, value, `from ${lowest}s to 168h`);
      }
    }
  }
}

function checkSurroundings(problems: Problems, props: RolloutRestarterProps): void {
  const { eventBus = {}, sender = {}, apiServerPorts, labels } = props;
  if ('existing' in eventBus) {
    problems.check('eventBus.existing', eventBus.existing, dnsLabel);
  } else {
    problems.checkGiven('eventBus', eventBus, {
      version,
      replicas: wholeNumber(1, 9),
      volumeSize: quantity,
      storageClassName: dnsSubdomain,
    });
    if (eventBus.storageClassName !== undefined && eventBus.volumeSize === undefined) {
      problems.add('eventBus.volumeSize', undefined, 'given, where "storageClassName" is');
    }
  }
  problems.checkGiven('sender', sender, { namespace: dnsLabel });
  sender.cidrs?.forEach((each, position) => problems.check(`sender.cidrs[${position}]`, each, networkCidr));
  checkLabels(problems, 'labels', labels);
  checkLabels(problems, 'sender.podLabels', sender.podLabels);
  apiServerPorts?.forEach((each, position) => problems.check(`apiServerPorts[${position}]`, each, port));
}

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
    refuseOptions(`RolloutRestarter "${id}"`, props, rolloutRestarterPropsKeys);
    super(scope, id);
    checkProps(props);
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
