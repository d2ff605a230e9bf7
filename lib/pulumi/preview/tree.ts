import { oneLine } from '../../core/printable-text';
import { unknownText } from './plan';
import type { PreviewPlan, PlannedResource, PlannedResourceKind } from './plan';
import { urnParts } from './wire';

/** Marks up parts of a text for a terminal. */
export interface Colours {
  /** Marks a heading. */
  readonly strong: (text: string) => string;
  /** Marks what is of less weight. */
  readonly faint: (text: string) => string;
  /** Marks what a reader should not miss. */
  readonly notice: (text: string) => string;
}

const escape =
  (code: number) =>
  (text: string): string =>
    `\u001b[${code}m${text}\u001b[0m`;

const plain = (text: string): string => text;

/** For a terminal. */
export const coloured: Colours = { strong: escape(1), faint: escape(2), notice: escape(33) };

/** For files, pipes and people who want none. */
export const colourless: Colours = { strong: plain, faint: plain, notice: plain };

interface ForwardedGroup {
  readonly arn?: unknown;
  readonly weight?: unknown;
}

const targetGroupType = 'aws:lb/targetGroup:TargetGroup';

/**
 * The weights of a rule or listener by target group: `blue 90, green 10`. ARNs are unknown before a deployment,
 * but the property's dependencies come in the order in which the ARNs stand there; where the two lists don't
 * match one to one, the weights are shown without names.
 *
 * @returns nothing where there are no weights
 */
function forwardedShares(resource: PlannedResource, property: string): string | undefined {
  const actions = resource.inputs[property];
  const groups = (Array.isArray(actions) ? actions : []).flatMap((action: unknown) => targetGroups(action));
  if (groups.length === 0) {
    return undefined;
  }
  const dependencies = (resource.propertyDependencies[property] ?? [])
    .map(urnParts)
    .filter(({ type }) => type === targetGroupType);
  const unknown = groups.filter(({ arn }) => arn === unknownText).length;
  const names = dependencies.length === unknown ? dependencies.map(({ name }) => name) : [];
  return groups
    .map(({ arn, weight }) => {
      const name = arn === unknownText ? names.shift() : nameInArn(arn);
      const share = typeof weight === 'number' || typeof weight === 'string' ? String(weight) : unknownText;
      return name === undefined ? share : `${name} ${share}`;
    })
    .join(', ');
}

function targetGroups(action: unknown): ForwardedGroup[] {
  const forward = (action as { forward?: { targetGroups?: unknown } } | undefined)?.forward;
  return Array.isArray(forward?.targetGroups) ? (forward.targetGroups as ForwardedGroup[]) : [];
}

/** `arn:aws:elasticloadbalancing:REGION:ACCOUNT:targetgroup/NAME/ID` */
function nameInArn(arn: unknown): string | undefined {
  return typeof arn === 'string' ? /:targetgroup\/([^/]+)\//.exec(arn)?.[1] : undefined;
}

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

/** Longest value of an output or an unknown result in the text form. */
const longest = 100;

const kindWords: Readonly<Record<PlannedResourceKind, [string, string]>> = {
  stack: ['stack', 'stacks'],
  custom: ['resource of a provider', 'resources of providers'],
  component: ['component', 'components'],
  remote: ['remote component', 'remote components'],
  provider: ['provider', 'providers'],
  read: ['existing resource', 'existing resources'],
};

const unknownWords = {
  invoke: 'result of',
  call: 'result of',
  stackReference: 'outputs of stack',
  read: 'state of',
  environment: 'values of environment',
} as const;

/** A plan as text: what it is, a tree by parent, outputs, what was not run, what is not known, and counts. */
export function renderPlan(plan: PreviewPlan, colours: Colours = colourless): string {
  const { strong, faint } = colours;
  const configuration = plan.configurationFile
    ? `configuration ${oneLine(plan.configurationFile)}`
    : 'no configuration file';
  return [
    `${strong(oneLine(plan.project))}, stack ${strong(oneLine(plan.stack))} (${configuration})`,
    faint('A plan of registrations, made offline. Not a diff: nothing that is deployed was looked at.'),
    ...(hasCharts(plan)
      ? [
          faint(
            "The objects of a chart are not known; its values are in the JSON document and in --out's files.",
          ),
        ]
      : []),
    '',
    ...tree(plan, colours),
    ...section('Outputs', outputs(plan), colours),
    ...section('Registered, not run', notRun(plan), colours),
    ...section('Not known offline', unknown(plan), colours),
    '',
    summary(plan),
    '',
  ].join('\n');
}

function hasCharts(plan: PreviewPlan): boolean {
  return plan.resources.some(({ type }) => /^kubernetes:helm\.sh\//.test(type));
}

function tree(plan: PreviewPlan, colours: Colours): string[] {
  const children = new Map<string | null, PlannedResource[]>();
  for (const resource of plan.resources) {
    const siblings = children.get(resource.parent);
    if (siblings) {
      siblings.push(resource);
    } else {
      children.set(resource.parent, [resource]);
    }
  }
  const lines: string[] = [];
  const visit = (resource: PlannedResource, lead: string, isLast: boolean, isRoot: boolean): void => {
    lines.push(
      `${isRoot ? '' : colours.faint(`${lead}${isLast ? '└─ ' : '├─ '}`)}${line(resource, colours)}`,
    );
    const below = children.get(resource.urn) ?? [];
    below.forEach((child, index) =>
      visit(child, isRoot ? '' : `${lead}${isLast ? '   ' : '│  '}`, index === below.length - 1, false),
    );
  };
  (children.get(null) ?? []).forEach((root) => visit(root, '', true, true));
  return lines;
}

function line(resource: PlannedResource, { strong, faint, notice }: Colours): string {
  const marks = [
    resource.kind === 'read' ? 'exists already' : '',
    resource.kind === 'remote' ? 'its own resources are not known' : '',
    resource.protect ? 'protected' : '',
  ].filter(Boolean);
  return [
    faint(oneLine(shortType(resource.type))),
    strong(oneLine(resource.name)),
    oneLine(highlight(resource)),
    marks.length > 0 ? notice(`(${marks.join(', ')})`) : '',
  ]
    .filter(Boolean)
    .join('  ');
}

/** `aws:lb/listenerRule:ListenerRule` says its last word twice. */
export function shortType(type: string): string {
  const [packageName = '', module = '', name = ''] = type.split(':');
  const [folder = '', ...file] = module.split('/');
  const repeats = file.join('/').toLowerCase() === name.toLowerCase();
  return repeats && file.length > 0 ? `${packageName}:${folder}:${name}` : type;
}

function outputs(plan: PreviewPlan): string[] {
  return Object.entries(plan.outputs).map(([name, value]) => `${name}: ${cut(asText(value))}`);
}

function notRun({ notRun: { hooks, transforms }, resources }: PreviewPlan): string[] {
  const bound = (hook: string) =>
    resources.flatMap(({ name, hooks: occasions }) =>
      Object.entries(occasions)
        .filter(([, names]) => names.includes(hook))
        .map(([occasion]) => `${occasion} of ${name}`),
    );
  const counts = [
    ['stack', transforms.stack],
    ['resource', transforms.resource],
    ['invoke', transforms.invoke],
  ] as const;
  return [
    ...hooks.map((hook) => `hook ${hook}${bound(hook).length > 0 ? `: ${bound(hook).join(', ')}` : ''}`),
    ...counts
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => plural(count, [`${kind} transform`, `${kind} transforms`])),
  ];
}

function unknown(plan: PreviewPlan): string[] {
  return plan.unknown.map(
    ({ kind, name, times }) => `${unknownWords[kind]} ${cut(name)}${times > 1 ? ` (${times} times)` : ''}`,
  );
}

function section(title: string, lines: readonly string[], { strong }: Colours): string[] {
  return lines.length === 0 ? [] : ['', strong(title), ...lines.map((each) => `  ${oneLine(each)}`)];
}

function summary({ summary: { resources, kinds } }: PreviewPlan): string {
  const parts = (Object.entries(kinds) as [PlannedResourceKind, number][]).map(([kind, count]) =>
    plural(count, kindWords[kind]),
  );
  return `${plural(resources, ['registration', 'registrations'])}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
}

function plural(count: number, [one, many]: readonly [string, string]): string {
  return `${count} ${count === 1 ? one : many}`;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 3)}...` : text;
}
