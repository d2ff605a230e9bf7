import * as pulumi from '@pulumi/pulumi';
import type { PreviewPlan, PlannedResource } from '../../../lib/pulumi/preview';

/** A resource of a provider that nobody knows, for tests of what holds for all of them. */
export class Thing extends pulumi.CustomResource {
  declare public readonly value: pulumi.Output<any>;
  declare public readonly made: pulumi.Output<any>;

  public constructor(
    name: string,
    inputs: Readonly<Record<string, unknown>> = {},
    opts?: pulumi.CustomResourceOptions,
  ) {
    super('test:index:Thing', name, { made: undefined, value: undefined, ...inputs }, opts);
  }
}

/** A component of a program. */
export class Part extends pulumi.ComponentResource {
  public constructor(name: string, inputs: object = {}, opts?: pulumi.ComponentResourceOptions) {
    super('test:index:Part', name, inputs, opts);
  }
}

/** The planned resource with this name; the only one. */
export function planned(plan: PreviewPlan, name: string): PlannedResource {
  const [found, ...more] = plan.resources.filter((resource) => resource.name === name);
  if (!found || more.length > 0) {
    throw new Error(`${name}: ${plan.resources.map((resource) => resource.urn).join('\n')}`);
  }
  return found;
}
