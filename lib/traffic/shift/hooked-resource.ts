import type * as pulumi from '@pulumi/pulumi';

/** What a hook says of a resource, as far as a shift asks. */
export type HookedResource = Pick<
  pulumi.ResourceHookArgs,
  'id' | 'name' | 'newInputs' | 'oldInputs' | 'oldOutputs'
>;
