import type { PlannedResource } from './plan';
import { unknownText } from './plan';
import { forwardedShares } from './shares';

type Inputs = Readonly<Record<string, unknown>>;
type Highlight = (resource: PlannedResource) => (string | undefined)[];

/** What matters about a resource at a glance, by type; the whole of it is in the JSON document. */
const byType: Readonly<Record<string, Highlight>> = {
  'aws:lb/listenerRule:ListenerRule': (rule) => [
    forwardedShares(rule, 'actions'),
    labelled('priority', rule.inputs['priority']),
    text(items(rule.inputs['conditions']).flatMap((each) => items(at(each, 'hostHeader', 'values')))),
  ],
  'aws:lb/listener:Listener': (listener) => [
    words(listener.inputs['protocol'], listener.inputs['port']),
    forwardedShares(listener, 'defaultActions'),
  ],
  'aws:lb/loadBalancer:LoadBalancer': ({ inputs }) => [
    inputs['internal'] === true ? 'internal' : 'internet-facing',
  ],
  'aws:lb/targetGroup:TargetGroup': ({ inputs }) => [
    words(inputs['protocol'], inputs['port']),
    labelled('targets', inputs['targetType']),
  ],
  'aws:route53/record:Record': ({ inputs }) => [words(inputs['type'], inputs['name'])],
  'aws:acm/certificate:Certificate': ({ inputs }) => [text(inputs['domainName'])],
  'aws:eks/cluster:Cluster': ({ inputs }) => [labelled('version', inputs['version'])],
  'eks:index:Cluster': ({ inputs }) => [labelled('version', inputs['version'])],
  'aws:eks/nodeGroup:NodeGroup': ({ inputs }) => nodeGroup(inputs),
  'eks:index:ManagedNodeGroup': ({ inputs }) => nodeGroup(inputs),
  'eks:index:NodeGroupV2': ({ inputs }) => [
    sizes(inputs['minSize'], inputs['maxSize']),
    text(inputs['instanceType']),
  ],
  'aws:eks/addon:Addon': ({ inputs }) => [words(inputs['addonName'], inputs['addonVersion'])],
  'aws:eks/podIdentityAssociation:PodIdentityAssociation': ({ inputs }) => [
    [text(inputs['namespace']), text(inputs['serviceAccount'])].filter(Boolean).join('/'),
  ],
  'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule': ({ inputs }) => portRange(inputs),
  'aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule': ({ inputs }) => portRange(inputs),
  'kubernetes:helm.sh/v3:Release': ({ inputs }) => chart(inputs),
  'kubernetes:helm.sh/v4:Chart': ({ inputs }) => chart(inputs),
};

/** A short line about a resource; empty where nothing is worth one. */
export function highlight(resource: PlannedResource): string {
  const parts = byType[resource.type]?.(resource) ?? kubernetesObject(resource);
  return parts.filter((part) => part !== undefined && part !== '').join(', ');
}

/** Namespace and name, unless the resource's own name says them, as the names of `Manifests` do. */
function kubernetesObject({ type, name, inputs }: PlannedResource): string[] {
  if (!type.startsWith('kubernetes:')) {
    return [];
  }
  const path = [at(inputs, 'metadata', 'namespace'), at(inputs, 'metadata', 'name')];
  const object = path.map(text).filter(Boolean).join('/');
  return name === object || name.endsWith(`:${object}`) ? [] : [object];
}

function nodeGroup(inputs: Inputs): (string | undefined)[] {
  const scaling = inputs['scalingConfig'];
  return [sizes(at(scaling, 'minSize'), at(scaling, 'maxSize')), text(inputs['instanceTypes'])];
}

function sizes(least: unknown, most: unknown): string | undefined {
  return least === undefined && most === undefined
    ? undefined
    : `${text(least) ?? unknownText} to ${text(most) ?? unknownText} nodes`;
}

function chart(inputs: Inputs): (string | undefined)[] {
  return [
    labelled('chart', inputs['chart']),
    text(inputs['version']),
    labelled('namespace', inputs['namespace']),
  ];
}

function portRange(inputs: Inputs): (string | undefined)[] {
  const [from, to] = [text(inputs['fromPort']), text(inputs['toPort'])];
  return [words(inputs['ipProtocol'], from === to ? from : `${from}-${to}`)];
}

function labelled(label: string, value: unknown): string | undefined {
  const shown = text(value);
  return shown === undefined ? undefined : `${label} ${shown}`;
}

function words(...values: unknown[]): string {
  return values.map(text).filter(Boolean).join(' ');
}

/** Text of a plain value or of a list of them. */
function text(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    return value.length === 0 ? undefined : value.map((each) => text(each) ?? '').join(' ');
  }
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

function at(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[key] : undefined,
    value,
  );
}

function items(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
