import * as pulumi from '@pulumi/pulumi';
import { AsyncResource } from 'node:async_hooks';
import { plainLines } from '../core/printable-text';

/** What a hook throws: an Error that certainly has a text, which the engine writes to the terminal as it is. */
export class HookError extends Error {
  public constructor(message: string, options?: { readonly cause?: unknown }) {
    super(plainLines(message), options);
    this.name = 'HookError';
  }
}

/**
 * An error with a text, whatever was thrown.
 *
 * Pulumi's engine takes a hook for one that has succeeded when what it throws has no text in `message`: a string, `{}`, an
 * error without a message, an AggregateError without one of its own.
 *
 * @param what what was going on, for errors that say nothing themselves: `the traffic shift of rule "web"`
 * @see https://github.com/pulumi/pulumi/blob/sdk/v3.248.0/sdk/nodejs/runtime/callbacks.ts
 */
export function errorWithText(thrown: unknown, what: string): HookError {
  if (thrown instanceof HookError && thrown.message.trim() !== '') {
    return thrown;
  }
  const text = textOf(thrown);
  return new HookError(text === '' ? `${what} failed, and nothing says why; nothing was updated` : text, {
    cause: thrown,
  });
}

/** A hook that throws nothing but errors with a text. */
export function failClosed<Args>(
  what: string,
  hook: (args: Args) => Promise<void>,
): (args: Args) => Promise<void> {
  return async (args) => {
    try {
      await hook(args);
    } catch (thrown) {
      throw errorWithText(thrown, what);
    }
  };
}

function textOf(thrown: unknown): string {
  if (typeof thrown === 'string') {
    return thrown.trim();
  }
  if (typeof thrown !== 'object' || thrown === null) {
    return typeof thrown === 'number' ? String(thrown) : '';
  }
  const { message, name, errors } = thrown as { message?: unknown; name?: unknown; errors?: unknown };
  if (typeof message === 'string' && message.trim() !== '') {
    return message.trim();
  }
  const inner = Array.isArray(errors) ? errors.map(textOf).filter((text) => text !== '') : [];
  if (inner.length > 0) {
    return inner.join('; ');
  }
  return typeof name === 'string' && name !== '' && name !== 'Error' ? name : '';
}

/** What the engine calls a hook for. */
export type HookEvent = 'beforeCreate' | 'afterCreate' | 'beforeUpdate' | 'beforeDelete';

const namesOf = new WeakMap<object, Map<string, number>>();

/**
 * A hook that the engine calls before it changes a resource, or after it has created one, in previews as well. What it throws
 * ends the run, whatever that is, and before a change there is no change then. It runs in the program's context, so that
 * logs and configuration are the program's own; and its name is its own, since of two hooks with one name the engine would
 * call the first for both.
 *
 * Only where hooks are known: see `canBindHooks`.
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
export function canBindHooks(): boolean {
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

/** A way to hear interrupts: `process`, or something that stands for it. */
export interface InterruptSource {
  /** Calls the listener when the signal comes. */
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  /** Does so no more. */
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

/** An interrupt that is watched. */
export interface EngineInterrupts {
  /** Aborted at the first interrupt. */
  readonly signal: AbortSignal;
  /** Stops watching. */
  stop(): void;
}

const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Who watches a source, behind one listener: Node warns of a leak where there are more than ten, and hooks run at once. */
const watching = new WeakMap<
  InterruptSource,
  { readonly listener: () => void; readonly who: Set<AbortController> }
>();

/**
 * Watches for SIGINT, SIGTERM and SIGHUP. Without it a hook would not learn of them: an engine that is interrupted waits
 * for its hooks and applies the update if they succeed, and with `pulumi up` the program is killed five seconds later.
 *
 * More of them change nothing: ctrl-C in a terminal reaches the program twice, from the terminal and from the engine.
 */
export function watchInterrupts(source: InterruptSource = process): EngineInterrupts {
  const controller = new AbortController();
  const { listener, who } = watching.get(source) ?? listen(source);
  who.add(controller);
  return {
    signal: controller.signal,
    stop: () => {
      if (who.delete(controller) && who.size === 0) {
        signals.forEach((signal) => source.off(signal, listener));
        watching.delete(source);
      }
    },
  };
}

function listen(source: InterruptSource): { listener: () => void; who: Set<AbortController> } {
  const who = new Set<AbortController>();
  const heard = { who, listener: () => who.forEach((each) => each.abort()) };
  signals.forEach((signal) => source.on(signal, heard.listener));
  watching.set(source, heard);
  return heard;
}

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
