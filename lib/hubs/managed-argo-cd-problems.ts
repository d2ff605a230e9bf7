import * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import { vpcEndpointId } from '../aws';
import { checkInputs } from '../bridge';
import { fleetRef } from '../fleet';
import { dnsLabel, Problems } from '../problems';
import type { Rule } from '../problems';
import { addonProblems } from './addon-problems';
import { hubAwsProblems } from './hub-aws-arguments';
import { checkChosenSlot } from './hub-clusters';
import { collectProblems } from './hub-objects';
import type { ManagedArgoCdArgs } from './managed-argo-cd-arguments';
import { ManagedArgoCdObjects } from './managed-argo-cd-objects';
import type { ManagedCluster } from './managed-clusters';
import { managedClusters } from './managed-clusters';
import { standIn } from './stand-in';

/**
 * What the managed Argo CD of EKS has not, by the settings that would ask for it.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/argocd-comparison.html
 */
const lacking: Readonly<Record<string, string>> = {
  notifications: 'it has no notifications controller; use an ArgoCdHub, or events of CloudWatch',
  sso: 'it logs in by AWS Identity Center alone, see "identityCenter"',
  groups: 'what people may do is said by "people", with identifiers of AWS Identity Center',
  policies: 'what people may do is said by "people", with identifiers of AWS Identity Center',
  resourceCustomizations: 'it has no custom health checks in Lua; use an ArgoCdHub',
  plugins: 'it has no config management plugins; use an ArgoCdHub, or render before Git',
  addonSteps:
    'a RollingSync is followed only where a parameter of Argo CD is on, and AWS gives no access to its parameters',
  values: "it has no chart; AWS gives no access to Argo CD's ConfigMaps and parameters",
  chartVersion: 'it has no chart; AWS chooses the version',
  highAvailability: 'it has no replicas to set; AWS sees to that',
  size: 'it has no replicas to set; AWS sees to that',
  repoCacheExpiration: "AWS gives no access to Argo CD's parameters",
};

const identityCenter: Rule = {
  allowed: 'the ARN of an instance of AWS Identity Center',
  accepts: (value) => typeof value === 'string' && /^arn:aws[a-z-]*:sso:::instance\/\S+$/.test(value),
};

/** The arguments without what gets a reason of its own: options that an `ArgoCdHub` has, and EKS's managed Argo CD lacks. */
export function withoutLacking(args: ManagedArgoCdArgs): object {
  return Object.fromEntries(Object.entries(args).filter(([key]) => !Object.hasOwn(lacking, key)));
}

/**
 * Everything that can be judged before anything is registered; answers the managed clusters.
 *
 * @throws InvalidInput with every problem of the plain values
 */
export function checkManagedArgoCd(name: string, args: ManagedArgoCdArgs): ManagedCluster[] {
  const problems = new Problems(`ManagedArgoCd "${name}"`);
  const namespace = args.namespace ?? 'argocd';
  problems.check('name', name, dnsLabel);
  problems.check('namespace', namespace, dnsLabel);
  problems.check('capabilityName', args.capabilityName ?? 'argocd', dnsLabel);
  const slots = Object.keys(fleetRef(args.fleet).slots);
  checkChosenSlot(problems, 'slot', args.slot, slots);
  const instanceArn = args.identityCenter?.instanceArn;
  if (!pulumi.Output.isInstance(instanceArn) && !(instanceArn instanceof Promise)) {
    problems.check('identityCenter.instanceArn', instanceArn, identityCenter);
  }
  checkInputs(problems, 'vpcEndpointIds', args.vpcEndpointIds, vpcEndpointId);
  problems.addAll(hubAwsProblems(args));
  for (const [field, reason] of Object.entries(lacking)) {
    const value = (args as unknown as Readonly<Record<string, unknown>>)[field];
    if (value !== undefined) {
      problems.addSecret(field, `left out: for EKS's managed Argo CD, ${reason}`);
    }
  }
  checkSets(problems, args);
  checkProjects(problems, args);
  const managed = managedClusters(problems, args.manages);
  const chart = new Chart(new App(), 'check');
  collectProblems(problems, '', () => {
    new ManagedArgoCdObjects(chart, 'hub', {
      args,
      clusters: managed,
      namespace: dnsLabel.accepts(namespace) ? namespace : 'argocd',
      token: standIn,
    });
  });
  problems.addAll(addonProblems({ ...args, steps: false }));
  problems.throwIfAny();
  return managed;
}

function checkSets(problems: Problems, { applicationSets = [] }: ManagedArgoCdArgs): void {
  applicationSets.forEach(({ annotations, strategy, template }, index) => {
    const at = `applicationSets[${index}]`;
    checkSubscriptions(problems, `${at}.annotations`, annotations);
    checkSubscriptions(problems, `${at}.template.metadata.annotations`, template.metadata.annotations);
    const { source, sources = [], destination } = template.spec;
    const all = source ? [source] : sources;
    all.forEach((each, position) => {
      if ('plugin' in each) {
        const path = source ? 'source' : `sources[${position}]`;
        problems.addSecret(`${at}.template.spec.${path}.plugin`, `left out: ${lacking.plugins!}`);
      }
    });
    if (strategy?.type === 'RollingSync') {
      problems.add(
        `${at}.strategy.type`,
        strategy.type,
        '"AllAtOnce", or left out: a RollingSync is followed only where a parameter of Argo CD is on, and AWS gives no ' +
          'access to its parameters',
      );
    }
    checkServer(problems, `${at}.template.spec.destination.server`, destination?.server);
    if (destination?.name === 'in-cluster') {
      problems.add(
        `${at}.template.spec.destination.name`,
        'in-cluster',
        'the name of a managed cluster, FLEET-SLOT: the managed Argo CD does not know the cluster that it belongs to',
      );
    }
  });
}

function checkProjects(problems: Problems, { projects = [] }: ManagedArgoCdArgs): void {
  projects.forEach(({ annotations, destinations }, index) => {
    checkSubscriptions(problems, `projects[${index}].annotations`, annotations);
    destinations.forEach(({ server }, position) => {
      checkServer(problems, `projects[${index}].destinations[${position}].server`, server);
    });
  });
}

/** https://docs.aws.amazon.com/eks/latest/userguide/argocd-register-clusters.html */
function checkServer(problems: Problems, path: string, server: string | undefined): void {
  if (server !== undefined && /^!?https?:/.test(server)) {
    problems.add(path, server, "the cluster's ARN: the managed Argo CD knows clusters by nothing else");
  }
}

function checkSubscriptions(
  problems: Problems,
  path: string,
  annotations: Readonly<Record<string, string>> | undefined,
): void {
  for (const key of Object.keys(annotations ?? {})) {
    if (key.startsWith('notifications.argoproj.io/')) {
      problems.add(path, key, `left out: for EKS's managed Argo CD, ${lacking.notifications!}`);
    }
  }
}
