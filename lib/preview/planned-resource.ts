import type * as messages from '@pulumi/pulumi/proto/resource_pb';
import type { ResourceKind } from './plan';
import { stackType } from './urn';
import { readable, redacted } from './wire';

/** What a registered resource is. */
export function resourceKind(type: string, custom: boolean, remote: boolean): ResourceKind {
  if (type === stackType) {
    return 'stack';
  }
  if (remote) {
    return 'remote';
  }
  if (!custom) {
    return 'component';
  }
  return type.startsWith('pulumi:providers:') ? 'provider' : 'custom';
}

/**
 * Inputs as a plan shows them. The values of a Kubernetes Secret are never shown, whether or not the program
 * marked them as secret; its keys are.
 */
export function plannedInputs(
  type: string,
  inputs: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const isSecret = /^kubernetes:core\/v1:Secret(Patch)?$/.test(type);
  return Object.fromEntries(
    Object.entries(inputs).map(([property, value]) => {
      if (isSecret && (property === 'data' || property === 'stringData')) {
        return [property, redacted(value)];
      }
      if (property === '__provider') {
        return [property, '[code of a dynamic provider]'];
      }
      return [property, readable(value)];
    }),
  );
}

/** Names of bound hooks by occasion; occasions without hooks are left out. */
export function boundHooks(
  binding: messages.RegisterResourceRequest.ResourceHooksBinding | undefined,
): Readonly<Record<string, readonly string[]>> {
  if (binding === undefined) {
    return {};
  }
  const all = {
    beforeCreate: binding.getBeforeCreateList(),
    afterCreate: binding.getAfterCreateList(),
    beforeUpdate: binding.getBeforeUpdateList(),
    afterUpdate: binding.getAfterUpdateList(),
    beforeDelete: binding.getBeforeDeleteList(),
    afterDelete: binding.getAfterDeleteList(),
    onError: binding.getOnErrorList(),
  };
  return Object.fromEntries(Object.entries(all).filter(([, names]) => names.length > 0));
}
