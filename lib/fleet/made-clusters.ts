import * as pulumi from '@pulumi/pulumi';
import { engineHook } from '../bridge';

/** ARNs by program. */
const programs = new WeakMap<object, Set<string>>();

/** ARNs of the clusters that the engine has made in this run of the program. */
export function madeClusters(): Set<string> {
  const program = pulumi.runtime.getStackResource() ?? (pulumi.runtime.getMonitor() as object);
  const made = programs.get(program) ?? new Set<string>();
  programs.set(program, made);
  return made;
}

/**
 * A hook that notes a cluster when it has been made: the engine calls it before the program gets the endpoint.
 *
 * @param name of the cluster's resource
 */
export function noteMadeCluster(name: string): pulumi.ResourceHook {
  const made = madeClusters();
  return engineHook('a new cluster', name, 'afterCreate', ({ newOutputs }) => {
    const arn: unknown = newOutputs?.arn;
    if (typeof arn === 'string') {
      made.add(arn);
    }
    return Promise.resolve();
  });
}
