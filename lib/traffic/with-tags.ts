import * as pulumi from '@pulumi/pulumi';

type Tags = pulumi.Input<Record<string, pulumi.Input<string>>>;

/** Tags with more of them. What is plain stays plain, so that a preview shows it. */
export function withTags(given: Tags | undefined, own: Readonly<Record<string, string>>): Tags {
  return pulumi.Output.isInstance(given) || given instanceof Promise
    ? pulumi.output(given).apply((known) => ({ ...known, ...own }))
    : { ...given, ...own };
}
