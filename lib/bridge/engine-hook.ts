import { AsyncResource } from 'node:async_hooks';
import * as pulumi from '@pulumi/pulumi';
import { failClosed } from './fail-closed';

/** What the engine calls a hook for. */
export type HookEvent = 'beforeCreate' | 'afterCreate' | 'beforeUpdate' | 'beforeDelete';

const namesOf = new WeakMap<object, Map<string, number>>();

/**
 * A hook that the engine calls before it changes a resource, or after it has created one, in previews as well. What it throws
 * ends the run, whatever that is, and before a change there is no change then. It runs in the program's context, so that
 * logs and configuration are the program's own; and its name is its own, since of two hooks with one name the engine would
 * call the first for both.
 *
 * Only where hooks are known: see `hooksAreKnown`.
 *
 * @param what it is for, for people: `the shift of FleetTraffic "apps"`
 * @param resource name of the resource
 */
export function engineHook(
  what: string,
  resource: string,
  event: HookEvent,
  run: (args: pulumi.ResourceHookArgs) => Promise<void>,
): pulumi.ResourceHook {
  const name = freeName(`cluster-canary:${event}:${resource}`);
  return new pulumi.ResourceHook(name, AsyncResource.bind(failClosed(what, run)), { onDryRun: true });
}

/**
 * Whether hooks can be bound here: in a program that an engine runs, and in a plan of one. Mocks know no hooks.
 * @see https://www.pulumi.com/docs/iac/guides/testing/unit/
 */
export function hooksAreKnown(): boolean {
  const monitor = pulumi.runtime.getMonitor() as object | undefined;
  return monitor !== undefined && !('mocks' in monitor);
}

/** Whether there is an engine, and so resources that are live: not with mocks, and not in a plan. */
export function hasEngine(): boolean {
  return pulumi.runtime.getEngine() !== undefined;
}

/** Resources in different components may have the same name. */
function freeName(name: string): string {
  const stack = pulumi.runtime.getStackResource();
  const names = (stack && namesOf.get(stack)) ?? new Map<string, number>();
  if (stack) {
    namesOf.set(stack, names);
  }
  const count = (names.get(name) ?? 0) + 1;
  names.set(name, count);
  return count === 1 ? name : `${name}:${count}`;
}
