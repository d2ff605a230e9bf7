import type * as messages from '@pulumi/pulumi/proto/resource_pb';
import type { ResourceKind } from './plan';
import { stackType } from './urn';
import { isWireSecret, readable, wireSecret } from './wire';

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
 * Inputs as a plan shows them.
 *
 * @param secretOutputs properties that the resource declares to be secret
 */
export function plannedInputs(
  inputs: Readonly<Record<string, unknown>>,
  secretOutputs: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  const shown = { ...inputs };
  for (const property of secretOutputs.filter((each) => each in inputs && !isWireSecret(inputs[each]))) {
    shown[property] = wireSecret(inputs[property]);
  }
  if ('__provider' in inputs) {
    shown['__provider'] = '[code of a dynamic provider]';
  }
  return readable(shown) as Record<string, unknown>;
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
