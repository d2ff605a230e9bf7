import type { AwsCall } from './aws-proxy-call';

/** What calls at AWS have made of a fleet. */
export interface ReplayedCalls {
  /** What a swap must never do, a sentence each. */
  readonly faults: readonly string[];
  /** Names of the fleet's clusters that were made, and that were deleted, in order. */
  readonly made: readonly string[];
  readonly deleted: readonly string[];
  /** Every set of weights that was written, by slot, without those of zero. */
  readonly written: readonly Readonly<Record<string, number>>[];
}

/**
 * Goes through the recorded calls of a fleet that has its traffic by one rule: the weights on it always add up to 100 and lead to
 * clusters that are there, there are never more than two clusters, and never none once there was one.
 */
export function replayed(calls: readonly AwsCall[], fleet: string): ReplayedCalls {
  const faults: string[] = [];
  const made: string[] = [];
  const deleted: string[] = [];
  const written: Record<string, number>[] = [];
  const clusters = new Set<string>();
  let weights: Record<string, number> = {};
  const clusterOf = (slot: string): string => `${fleet}-${slot}`;
  for (const call of calls.filter(({ status = 500 }) => status < 300)) {
    const fault = (text: string): void => void faults.push(`${new Date(call.at).toISOString()}: ${text}`);
    const name = clusterIn(call);
    if (name?.startsWith(`${fleet}-`) === true) {
      if (call.action === 'POST /clusters') {
        made.push(name);
        clusters.add(name);
        if (clusters.size > 2) {
          fault(`${name} is made, the third of ${[...clusters].join(', ')}`);
        }
      } else {
        deleted.push(name);
        clusters.delete(name);
        if (clusters.size === 0) {
          fault(`${name} is deleted, the last one`);
        }
        if ((weights[name.slice(fleet.length + 1)] ?? 0) > 0) {
          fault(`${name} is deleted, which has traffic: ${JSON.stringify(weights)}`);
        }
      }
    }
    const next = weightsIn(call, fleet);
    if (next) {
      weights = next;
      written.push(next);
      const sum = Object.values(next).reduce((one, other) => one + other, 0);
      if (sum !== 100) {
        fault(`weights add up to ${sum}: ${JSON.stringify(next)}`);
      }
      const nowhere = Object.keys(next).filter((slot) => !clusters.has(clusterOf(slot)));
      if (nowhere.length > 0) {
        fault(`weights lead to ${nowhere.join(', ')}, which has no cluster: ${JSON.stringify(next)}`);
      }
    }
    const gone =
      call.action === 'DeleteTargetGroup' ? slotIn(String(call.body.TargetGroupArn), fleet) : undefined;
    if (gone !== undefined && (weights[gone] ?? 0) > 0) {
      fault(`the target group of ${gone} is deleted, which has traffic: ${JSON.stringify(weights)}`);
    }
  }
  return { faults, made, deleted, written };
}

/** The cluster that a call makes or deletes. */
function clusterIn({ action, body }: AwsCall): string | undefined {
  return action === 'POST /clusters' ? String(body.name) : /^DELETE \/clusters\/([^/]+)$/.exec(action)?.[1];
}

/** The weights on the fleet's rule that a call writes; undefined where it writes no such rule. */
function weightsIn({ action, body }: AwsCall, fleet: string): Record<string, number> | undefined {
  if (action !== 'CreateRule' && action !== 'ModifyRule') {
    return undefined;
  }
  const found: Record<string, number> = {};
  let isOwn = false;
  for (let member = 1; ; member += 1) {
    const of = `Actions.member.1.ForwardConfig.TargetGroups.member.${member}`;
    const arn = body[`${of}.TargetGroupArn`];
    if (typeof arn !== 'string') {
      return isOwn ? found : undefined;
    }
    const slot = slotIn(arn, fleet);
    isOwn ||= slot !== undefined;
    const weight = Number(body[`${of}.Weight`]);
    if (weight > 0) {
      found[slot ?? arn] = (found[slot ?? arn] ?? 0) + weight;
    }
  }
}

/** The slot of a target group: `targetgroup/FLEET-SLOT-ENTRY-RANDOM/ID`. */
function slotIn(arn: string, fleet: string): string | undefined {
  return new RegExp(`:targetgroup/${fleet}-([a-z]+)-`).exec(arn)?.[1];
}
