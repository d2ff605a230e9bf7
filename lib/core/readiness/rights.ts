import type { AllowStatement } from '../aws/iam';
import type { AccessRule } from '../kubernetes/api';
import type { ReadinessAccess, ReadinessSubject } from './report';

/** Which cluster rights are for. */
export interface RightsOf {
  /** Name of the EKS cluster. @default - clusters of every name */
  readonly clusterName?: string | undefined;
  /** AWS region of the cluster. @default - every region */
  readonly region?: string | undefined;
}

/** The least permissions at AWS that subjects need, one statement for each sort of resource. */
export function readinessPermissions(
  subjects: readonly ReadinessSubject[],
  cluster: RightsOf = {},
): readonly AllowStatement[] {
  const actions = new Map<string, Set<string>>();
  for (const { Action, Resource } of subjects.flatMap(({ permissions = [] }) => permissions)) {
    for (const resource of [Resource].flat()) {
      const narrow = narrowed(resource, cluster);
      actions.set(narrow, new Set([...(actions.get(narrow) ?? []), ...Action]));
    }
  }
  return [...actions].map(([Resource, Action], index) => ({
    ...{ Sid: `ReadReadiness${index === 0 ? '' : index + 1}`, Effect: 'Allow', Resource },
    Action: [...Action].sort(),
  }));
}

function narrowed(resource: string, cluster: RightsOf): string {
  const [, kind] = /^arn:\*:eks:\*:\*:(cluster|nodegroup|addon)\/\*$/.exec(resource) ?? [];
  return kind === undefined ? resource : eksResource(kind as Parameters<typeof eksResource>[0], cluster);
}

/**
 * ARN of a cluster, or of all its node groups or add-ons: these are named behind their cluster.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonelastickubernetesservice.html
 */
export function eksResource(
  kind: 'cluster' | 'nodegroup' | 'addon',
  { clusterName, region }: RightsOf,
): string {
  const name = clusterName === undefined ? '*' : kind === 'cluster' ? clusterName : `${clusterName}/*`;
  return `arn:*:eks:${region ?? '*'}:*:${kind}/${name}`;
}

/**
 * Rights that subjects need on API servers, each once; of what a rule for everything grants nothing is said again.
 *
 * @param at which clusters: both, where either may take the place of the other
 */
export function readinessAccess(
  subjects: readonly ReadinessSubject[],
  ...at: readonly NonNullable<ReadinessAccess['at']>[]
): readonly AccessRule[] {
  const rules = subjects
    .flatMap(({ access = [] }) => access)
    .filter((each) => at.includes(each.at ?? 'kubernetes'))
    .map(({ at: _at, ...rule }) => rule);
  const granted = rules.filter(isForAll).flatMap(({ verbs }) => verbs);
  const left = rules.flatMap((rule) => {
    const verbs = isForAll(rule) || rule.resources.length === 0 ? rule.verbs : without(rule.verbs, granted);
    return verbs.length === 0 ? [] : [{ ...rule, verbs }];
  });
  return [...new Map(left.map((rule) => [JSON.stringify(rule), rule])).values()];
}

function isForAll({ apiGroups, resources, namespace }: AccessRule): boolean {
  return apiGroups.includes('*') && resources.includes('*') && namespace === undefined;
}

function without(verbs: readonly string[], granted: readonly string[]): readonly string[] {
  return verbs.filter((verb) => !granted.includes(verb));
}
