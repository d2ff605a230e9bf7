import * as pulumi from '@pulumi/pulumi';

/** AWS tags, as Pulumi's classes take them. */
export type Tags = pulumi.Input<Record<string, pulumi.Input<string>>>;

/** What a component gives to all AWS resources below it. */
export interface AwsSettings {
  /** Tags of every resource that can be tagged; a resource's own tags win. */
  readonly tags?: Tags;
  /** ARN of the permissions boundary of every IAM role; a role's own wins. */
  readonly permissionsBoundaryArn?: pulumi.Input<string>;
}

const roleType = 'aws:iam/role:Role';

/**
 * The options of a component whose AWS resources, at any depth, get these settings: add-ons' resources of users' own as
 * well. They are set in the program's process, so that mocks and offline previews see them. A remote component makes its
 * resources in another process: see {@link remoteBoundary} for these.
 *
 * @param opts the component's options; transformations in them run after these settings
 */
export function withAwsSettings(
  opts: pulumi.ComponentResourceOptions,
  settings: AwsSettings,
): pulumi.ComponentResourceOptions {
  return {
    ...opts,
    transformations: [(args) => withSettings(args, settings), ...(opts.transformations ?? [])],
  };
}

/** Gives the permissions boundary to the IAM roles that a remote component makes: one of its `transforms`, run by the engine. */
export function remoteBoundary(permissionsBoundaryArn: pulumi.Input<string>): pulumi.ResourceTransform {
  return ({ type, props, opts }) =>
    type === roleType ? { props: bounded(props, permissionsBoundaryArn), opts } : undefined;
}

/** Tags with more of them, which win. What is plain stays plain, so that a preview shows it. */
export function mergeTags(given: Tags | undefined, over: Tags | undefined): Tags {
  return pulumi.Output.isInstance(given) ||
    given instanceof Promise ||
    pulumi.Output.isInstance(over) ||
    over instanceof Promise
    ? pulumi.all([given, over]).apply(([under, known]) => ({ ...under, ...known }))
    : { ...given, ...over };
}

function withSettings(
  { type, props, opts }: pulumi.ResourceTransformationArgs,
  { tags, permissionsBoundaryArn }: AwsSettings,
): pulumi.ResourceTransformationResult {
  let given = props as Record<string, unknown>;
  // A class of AWS's provider that takes tags names both, whether they were given or not.
  if (tags !== undefined && type.startsWith('aws:') && 'tags' in given && 'tagsAll' in given) {
    given = { ...given, tags: mergeTags(tags, given.tags as Tags | undefined) };
  }
  if (permissionsBoundaryArn !== undefined && type === roleType) {
    given = bounded(given, permissionsBoundaryArn);
  }
  return { props: given, opts };
}

function bounded(props: Record<string, unknown>, arn: pulumi.Input<string>): Record<string, unknown> {
  return { ...props, permissionsBoundary: props.permissionsBoundary ?? arn };
}
