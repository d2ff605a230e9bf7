import { stringify } from 'yaml';
import type { AccessRule } from '../../lib/core/kubernetes/api';
import type { ReadinessAccess } from '../../lib/core/readiness';
import { clusterSetRights, parseClusterSet } from '../../lib/manifests/cluster-sync';
import { targetGroupBindingStatements } from '../../lib/pulumi/addons';
import type { CheckSettings } from '../../lib/shift/checks';
import { checkAccess, checkKinds, checkRights } from '../../lib/shift/checks';
import { coreDns } from '../../lib/shift/checks/cluster-vitals/dns';
import type { ShiftSubject } from '../../lib/shift/engine';
import { searchedEvacuationPermissions } from '../../lib/shift/evacuate';
import { sinkKinds } from '../../lib/shift/notify';
import { parsePlan, shiftAccess, shiftPermissions } from '../../lib/shift/plan-file';
import { isOfAws, routerFacts, subjectOf } from '../../lib/shift/routers';
import type { RouterName } from '../../lib/shift/routers';
import { routerKinds } from '../../lib/shift/routers/registry';
import * as sinkFakes from '../shift/notify/fakes';
import { fakes } from '../shift/routers/fakes';

/**
 * A page with the tables of rights that come from the code. Each is between two marks, `<!-- rights NAME -->` and
 * `<!-- end -->`. `npx ts-node -T test/docs/write-rights.ts` writes them into `docs/security.md`.
 */
export function withRights(page: string): string {
  return page.replace(
    /(<!-- rights (\w+) -->\n)[^]*?(<!-- end -->)/g,
    (_, start: string, name: string, end: string) => `${start}\n${tables[name]!()}\n\n${end}`,
  );
}

/** The tables by their names. */
export const tables: Readonly<Record<string, () => string>> = {
  routers: () =>
    table(
      ['router', 'action', 'resource'],
      routers.flatMap((name) => statementRows(name, shiftPermissions(planOf(name, 'none')))),
    ),
  leases: () =>
    table(
      ['lease', 'action', 'resource'],
      Object.entries(leases).flatMap(([name, lease]) => {
        const [withLease, without] = [planOf('albRule', lease), planOf('albRule', 'none')];
        const statements = shiftPermissions(withLease).slice(shiftPermissions(without).length);
        return [
          ...statementRows(name, statements),
          ...shiftAccess(withLease).map((rule, index) => [
            index > 0 ? '' : `\`${name}\``,
            access(rule),
            'the namespace of the lease',
          ]),
        ];
      }),
    ),
  watch: () => table(['record', 'lease', 'action', 'resource'], watchRows()),
  evacuate: () =>
    table(
      ['statement', 'action', 'resource'],
      searchedEvacuationPermissions().map(({ Sid, Action, Resource, Condition }) => [
        `\`${Sid}\``,
        actionsOf(Action),
        [Resource].flat().map(found).join(', ') + (Condition === undefined ? '' : conditionOf(Condition)),
      ]),
    ),
  checks: () => table(['check', 'action', 'resource'], checkRows()),
  sinks: () =>
    table(
      ['sink', 'action', 'resource'],
      Object.entries(sinkKinds).flatMap(([name, kind]) => sinkRows(name, kind)),
    ),
  controller: () =>
    table(
      ['statement', 'action', 'resource'],
      targetGroupBindingStatements({
        cluster: { partition: 'aws', region: 'eu-west-1', account: '123456789012', clusterName: 'apps-blue' },
        targetGroupArns: [targetGroupArn],
        managesSecurityGroups: false,
      }).flatMap((statement) => statementRows(`\`${statement.Sid}\``, [statement])),
    ),
  clusterSet: () =>
    table(
      ['statement', 'action', 'resource'],
      [...clusterSetRights(clusterSet), ...clusterSetRights(clusterSet, readerRole)].flatMap((statement) =>
        statementRows(`\`${statement.Sid}\``, [statement]),
      ),
    ),
};

const elb = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012';
const targetGroupArn = `${elb}:targetgroup/blue/73e2d6bc24d8a067`;
const readerRole = 'arn:aws:iam::123456789012:role/clusters';

/** Routers that ask AWS, each with what the contract of routers tries it with. */
const routers = (Object.keys(routerKinds) as RouterName[]).filter((name) => isOfAws({ [name]: {} }));

const leases = { ssm: '{ ssm: {} }', kubernetes: '{ kubernetes: { namespace: shifts } }' } as const;

const clusterSet = parseClusterSet(
  `metadata: { name: apps }
spec:
  selector: {}
  template: {}
  accounts: [{ regions: [eu-west-1], roleArn: '${readerRole}' }]
`,
  'clusters.yaml',
);

function planOf(name: RouterName, lease: string): ReturnType<typeof parsePlan> {
  if (!Object.hasOwn(fakes, name)) {
    throw new Error(`test/shift/routers/fakes.ts has no fake of ${name}`);
  }
  const { settings, slots } = fakes[name];
  const { field } = routerFacts(name).slot!;
  const plan = {
    router: { [name]: settings },
    slots: { blue: { [field]: slots.blue }, green: { [field]: slots.green } },
    weights: { green: 100 },
    shift: { checks: [] },
  };
  return parsePlan(`${stringify(plan)}lease: ${lease}\n`, 'plan.yaml');
}

/** What `watch: true` adds to the rights of each kind of lease: a row for each record. */
function watchRows(): string[][] {
  const records = [
    ['where the shift is', 'shift-status'],
    ['what people ask', 'shift-answers'],
  ] as const;
  const watched = (lease: string) => planOf('albRule', `${lease}\nwatch: true`);
  const ofRecord = (names: readonly string[], prefix: string): string => {
    if (!names.some((name) => new RegExp(`(^|/)${prefix}-`).test(name))) {
      throw new Error(`no right names ${prefix}-…`);
    }
    return `\`${prefix}-*\``;
  };
  const statement = shiftPermissions(watched(leases.ssm)).find(({ Sid }) => Sid === 'HoldLease')!;
  const rules = shiftAccess(watched(leases.kubernetes));
  return records.flatMap(([what, prefix]) => [
    [
      ...[what, '`ssm`', actionsOf(statement.Action)],
      `the parameter ${ofRecord([statement.Resource].flat(), prefix)} below \`/cluster-canary/leases/\``,
    ],
    ...rules.map((rule) => [
      ...['', '`kubernetes`', access(rule)],
      rule.resourceNames === undefined
        ? 'the namespace of the lease'
        : `the Lease ${ofRecord(rule.resourceNames, prefix)} there`,
    ]),
  ]);
}

/** Kinds that need the same are one row; those that need nothing are one, too. */
function checkRows(): string[][] {
  const { slots, ...rest } = subjectOf(Object.values(planOf('albRule', 'none').routes)[0]!);
  const named = Object.entries(slots).map(([slot, each]) => [slot, { ...each, clusterName: 'CLUSTER' }]);
  const subject: ShiftSubject = { ...rest, slots: Object.fromEntries(named) };
  const kinds = new Map<string, string[]>();
  for (const kind of Object.keys(checkKinds)) {
    const address = 'https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-1';
    const args = { namespace: 'argocd', address, auth: { sigV4: { region: 'eu-west-1' } } };
    const settings = [{ [kind]: args } as unknown as CheckSettings];
    const rows = [
      ...checkRights(settings, subject).map(({ actions, resources }) => [
        actionsOf(actions),
        [...new Set(resources.map(resource))].join(', '),
      ]),
      ...checkAccess(settings, subject).map(({ cluster, rule }) => [
        access(rule),
        cluster === 'hub' ? 'the namespace of Argo CD' : inEachSlot(rule.namespace),
      ]),
    ];
    const key = JSON.stringify(rows.length === 0 ? [['none', '']] : rows);
    kinds.set(key, [...(kinds.get(key) ?? []), `\`${kind}\``]);
  }
  return [...kinds].flatMap(([rows, names]) =>
    (JSON.parse(rows) as string[][]).map((row, index) => [index === 0 ? names.join(', ') : '', ...row]),
  );
}

/** Settings with every key that changes rights are those of the fake for the contract of sinks. */
function sinkRows(name: string, kind: (typeof sinkKinds)[string]): string[][] {
  const { least, whole = least } = sinkFakes[name as keyof typeof sinkFakes];
  const rows = [
    ...statementRows(name, kind.permissions?.(whole).statements ?? []),
    ...(kind.access?.(whole).rules ?? []).map((rule) => [`\`${name}\``, access(rule), 'the namespace']),
  ];
  return rows.length === 0 ? [[`\`${name}\``, 'none', '']] : rows;
}

function inEachSlot(namespace: string | undefined): string {
  return namespace === undefined
    ? "each slot's cluster"
    : `${namespace === coreDns.namespace ? `\`${namespace}\`` : 'the namespace'}, in each slot`;
}

interface Statement {
  readonly Action: readonly string[];
  readonly Resource?: string | readonly string[];
  readonly Condition?: object;
}

function statementRows(name: string, statements: readonly Statement[]): string[][] {
  return statements.map(({ Action, Resource, Condition }, index) => [
    index > 0 ? '' : name.startsWith('`') ? name : `\`${name}\``,
    actionsOf(Action),
    [Resource ?? []].flat().map(resource).join(', ') +
      (Condition === undefined ? '' : conditionOf(Condition)),
  ]);
}

/** `elb:DescribeRules`, then names alone for those of the same service. */
function actionsOf(actions: readonly string[]): string {
  let service = '';
  return actions
    .map((action) => {
      const [before, name] = action.split(':');
      const text = before === service ? name : action;
      service = before!;
      return `\`${text}\``;
    })
    .join(', ');
}

function access(rule: AccessRule): string {
  const { verbs, apiGroups, resources, resourceNames } = rule;
  const code = (texts: readonly string[]) => texts.map((text) => `\`${text}\``).join(', ');
  if (resources.length === 0) {
    return `${code(verbs)} ${code((rule as ReadinessAccess).nonResourceURLs ?? [])}`;
  }
  const group = apiGroups.join() === '' ? '' : ` (${code(apiGroups)})`;
  return `${code(verbs)} ${code(resources)}${group}${resourceNames === undefined ? '' : ', by name'}`;
}

/** What the resource is, in place of the one of the sample. */
function resource(arn: string): string {
  const kinds: readonly (readonly [RegExp, string])[] = [
    [/^\*$/, '`*`'],
    [/:listener-rule\//, 'the rule'],
    [/:listener\//, 'the listener'],
    [/:targetgroup\//, "the slot's target groups"],
    [/:hostedzone\//, 'the zone'],
    [/:change\/\*$/, '`change/*`'],
    [/:sns:/, 'the topic'],
    [/:event-bus\//, 'the bus'],
    [/:kms:/, 'the key of the topic, with `kmsKeyArn`'],
    [/:loadbalancer\//, 'the load balancer'],
    [/:parameter\//, 'the parameter below `/cluster-canary/leases/`'],
    [/:role\//, 'the roles'],
    [/:workspace\//, 'the workspace'],
    [/^arn:\*:eks:.*:cluster\//, "the slots' clusters"],
    [/^arn:\*:eks:.*:nodegroup\//, 'their node groups'],
    [/^arn:\*:eks:.*:addon\//, 'their add-ons'],
    [/:(cluster|nodegroup|addon)\/CLUSTER/, "the slots' clusters"],
    [/:cluster\/\*$/, "clusters of the set's regions and accounts"],
  ];
  const known = kinds.find(([pattern]) => pattern.test(arn));
  if (known === undefined) {
    throw new Error(`there are no words for ${arn}`);
  }
  return known[1];
}

/** Resources of a search: which ones there are is known only then. */
function found(arn: string): string {
  const path = arn.replace(/^arn:[^:]*:[^:]*:[^:]*:[^:]*:/, '');
  return `\`${path}\``;
}

/** Keys of a condition: their values are those of the sample. */
function conditionOf(condition: object): string {
  const keys = Object.values(condition as Record<string, object>).flatMap((each) => Object.keys(each));
  return `, with a condition on ${keys.map((key) => `\`${key}\``).join(', ')}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}
