import type { PolicyDocument } from '../../../lib/core/aws/iam';
import type { Addon } from '../../../lib/pulumi/addons';
import {
  chartSupport,
  checkAddons,
  checkAddonsFit,
  existingAddon,
  installAddons,
} from '../../../lib/pulumi/addons';
import type { Registrations } from '../../pulumi-mocks';
import { register } from '../../pulumi-mocks';
import { clusterArn, slot } from './slot';

const cluster = {
  ...{
    name: 'apps-blue',
    clusterName: 'blue',
    clusterArn,
    region: 'eu-west-1',
    vpcId: 'vpc-1',
    autoMode: false,
  },
};

/**
 * What every add-on has to be and to do, whatever it brings; each line is something that is not so.
 *
 * @param make the add-on, with what is laid over the options that it needs
 * @param known names of the add-ons that it may require
 */
export async function contractProblems(
  make: (over?: object) => Addon,
  known: readonly string[],
): Promise<string[]> {
  const addon = make();
  const list = [addon, ...addon.requires.map((name) => existingAddon(name))];
  const said = [...checkAddons(list), ...checkAddonsFit(list, cluster)];
  return [
    ...(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(addon.name) ? [] : ['name: no DNS label']),
    ...addon.requires.filter((name) => !known.includes(name)).map((name) => `requires: there is no ${name}`),
    ...said.map((each) => `has a problem of its own: ${each.path}`),
    ...(refuses(() => make({ noSuchOption: 1 })) ? [] : ['options: takes one that there is not']),
    ...(addon.chart === undefined ? [] : releaseProblems(addon)),
    ...(said.length > 0 ? [] : planProblems(addon, await installed(list))),
  ];
}

function refuses(make: () => Addon): boolean {
  try {
    make();
    return false;
  } catch (error) {
    return String(error).includes('noSuchOption');
  }
}

/** What another delivery delivers is the chart of an exact version, and values that are data. */
function releaseProblems(addon: Addon): string[] {
  const { values, namespace } = addon.release?.(cluster) ?? {};
  const { chart, version } = addon.chart!;
  const isInTable = chartSupport.some(
    (row) => chart.endsWith(row.chart) && version.replace('v', '').startsWith(row.versions),
  );
  return [
    ...(/^v?\d+\.\d+\.\d+$/.test(version) ? [] : ['chart: no exact version']),
    ...(isInTable ? [] : ['chart: not in the table of Kubernetes versions']),
    ...(typeof namespace === 'string' ? [] : ['release: no namespace']),
    ...(typeof values === 'object' && JSON.stringify(values) !== undefined ? [] : ['release: no values']),
  ];
}

function installed(list: readonly Addon[]): Promise<Registrations> {
  return register(() => {
    installAddons(list, slot());
  });
}

/** What is registered goes with the cluster or stays, and comes after what the slot says. */
function planProblems({ name }: Addon, { all }: Registrations): string[] {
  const within = (parent: string): string[] =>
    all.filter((each) => each.parent === parent).flatMap(({ urn }) => [urn, ...within(urn)]);
  const own = all.find(
    (each) => each.type === 'cluster-canary:addons:InstalledAddon' && each.name === `apps-blue-${name}`,
  )!;
  const urns = within(own.urn);
  const resources = all.filter(({ urn, custom }) => custom && urns.includes(urn));
  const objects = resources.filter(({ type }) => type.startsWith('kubernetes:'));
  const agent = all.find((each) => each.name === 'agent')!.urn;
  const after = (urn: string, seen: readonly string[] = []): boolean =>
    (all.find((each) => each.urn === urn)?.dependencies ?? []).some(
      (each) => each === agent || (!seen.includes(each) && after(each, [...seen, each])),
    );
  return [
    ...(resources.length > 0 ? [] : ['plan: nothing']),
    ...resources
      .filter((each) => !each.name.startsWith('apps-blue-'))
      .map((each) => `plan: ${each.name}: not named by the slot`),
    ...objects
      .filter((each) => !each.deletedWith.endsWith('::blue') && !each.retainOnDelete)
      .map((each) => `plan: ${each.name}: deleted through an API server that is gone`),
    ...objects
      .filter(({ urn }) => !after(urn))
      .map((each) => `plan: ${each.name}: does not wait for the slot`),
    ...resources
      .filter(({ type }) => type === 'aws:iam/rolePolicy:RolePolicy')
      .flatMap(({ inputs }) => statementProblems(JSON.parse(inputs['policy'] as string))),
  ];
}

/** Each statement has a name, allows actions one by one, and what it allows on everything only looks. */
function statementProblems({ Statement }: PolicyDocument): string[] {
  return Statement.flatMap(({ Sid, Action, Resource, Condition, Effect }) => {
    const actions = [Action].flat();
    const isAnything = [Resource].flat().includes('*') && Condition === undefined && Effect === 'Allow';
    const written = actions.filter((each) => !/:(Describe|Get|List)[A-Za-z]*$/.test(each));
    return [
      ...(Sid === undefined ? ['statement: no Sid'] : []),
      ...actions.filter((each) => each.includes('*')).map((each) => `statement: ${Sid}: ${each}`),
      ...(isAnything ? written.map((each) => `statement: ${Sid}: ${each} on everything`) : []),
    ];
  });
}
