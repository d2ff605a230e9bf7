import * as pulumi from '@pulumi/pulumi';

/**
 * What a component was told to wait for, for its children: Pulumi does not hand a component's `dependsOn` down.
 *
 * @param opts the component's options
 * @param more what a child waits for beside that
 */
export function childDependencies(
  opts: pulumi.ComponentResourceOptions,
  more: readonly pulumi.Resource[] = [],
): pulumi.Input<pulumi.Input<pulumi.Resource>[]> {
  const given = opts.dependsOn;
  if (given === undefined || Array.isArray(given)) {
    return [...(given ?? []), ...more];
  }
  if (pulumi.Resource.isInstance(given)) {
    return [given, ...more];
  }
  const later = given as pulumi.Output<Waited> | Promise<Waited>;
  const withMore = (found: Waited): pulumi.Input<pulumi.Resource>[] => [...[found].flat(), ...more];
  return later instanceof Promise ? later.then(withMore) : later.apply(withMore);
}

type Waited = pulumi.Resource | pulumi.Resource[];
