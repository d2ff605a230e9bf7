import { judgedNamespace } from '../../admission';
import { goDuration, parseDuration } from '../../durations';
import type { Rule } from '../../problems';
import {
  checkLabels,
  containerCommand,
  dnsLabel,
  dnsLabelUpTo,
  dnsSubdomain,
  imageByDigest,
  networkCidr,
  port,
  Problems,
  secretKey,
  wholeNumber,
} from '../../problems';
import type { RolloutRestarterProps } from './restarter-props';

const text = (pattern: RegExp, allowed: string): Rule => ({
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
export function checkProps(props: RolloutRestarterProps): void {
  const problems = new Problems(`RolloutRestarter "${props.name}"`);
  problems.check('name', props.name, shortName);
  problems.check('namespace', props.namespace, judgedNamespace);
  problems.check('image', props.image, imageByDigest);
  problems.check('token.secret', props.token?.secret, dnsSubdomain);
  problems.check('token.key', props.token?.key, secretKey);
  problems.checkGiven('', props, {
    command: containerCommand,
    tlsSecret: dnsSubdomain,
    port: wholeNumber(1024, 65_535),
    perDay: wholeNumber(1, 100),
    leastReplicas: wholeNumber(1, 1_000),
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
    problems.check(at, each, judgedNamespace);
    if (allowedNamespaces.indexOf(each) < position) {
      problems.add(at, each, 'in the list once');
    }
    if (each === namespace) {
      problems.add(at, each, "another one than the restarter's own: no application runs beside it");
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
