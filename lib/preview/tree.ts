import { oneLine } from '../problems';
import type { Colours } from './colours';
import { colourless } from './colours';
import { highlight } from './highlights';
import type { Plan, PlannedResource, ResourceKind } from './plan';

/** Longest value of an output or an unknown result in the text form. */
const longest = 100;

const kindWords: Readonly<Record<ResourceKind, [string, string]>> = {
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
export function renderPlan(plan: Plan, colours: Colours = colourless): string {
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

function hasCharts(plan: Plan): boolean {
  return plan.resources.some(({ type }) => /^kubernetes:helm\.sh\//.test(type));
}

function tree(plan: Plan, colours: Colours): string[] {
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

function outputs(plan: Plan): string[] {
  return Object.entries(plan.outputs).map(([name, value]) => `${name}: ${cut(asText(value))}`);
}

function notRun({ notRun: { hooks, transforms }, resources }: Plan): string[] {
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

function unknown(plan: Plan): string[] {
  return plan.unknown.map(
    ({ kind, name, times }) => `${unknownWords[kind]} ${cut(name)}${times > 1 ? ` (${times} times)` : ''}`,
  );
}

function section(title: string, lines: readonly string[], { strong }: Colours): string[] {
  return lines.length === 0 ? [] : ['', strong(title), ...lines.map((each) => `  ${oneLine(each)}`)];
}

function summary({ summary: { resources, kinds } }: Plan): string {
  const parts = (Object.entries(kinds) as [ResourceKind, number][]).map(([kind, count]) =>
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
