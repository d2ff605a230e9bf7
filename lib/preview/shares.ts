import type { PlannedResource } from './plan';
import { unknownText } from './plan';
import { urnParts } from './urn';

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
export function forwardedShares(resource: PlannedResource, property: string): string | undefined {
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
