/** The SDK's module that watches for promises that never resolve. */
export interface Debuggable {
  debuggablePromise: <T>(promise: Promise<T>, context: unknown) => Promise<T>;
}

/**
 * Keeps the SDK from recording a stack trace for each of its promises, four for every output. They would serve a
 * report of pending promises, which a preview makes from the resources themselves; without them a large program
 * takes a third of the time (measured with 1,000 clusters).
 *
 * @returns a function that takes it back
 */
export function withoutPromiseTraces(debuggable: Debuggable): () => void {
  const { debuggablePromise } = debuggable;
  debuggable.debuggablePromise = (promise) => promise;
  return () => {
    debuggable.debuggablePromise = debuggablePromise;
  };
}

/** The SDK's class of resources, which tells an engine from which line of the program each one comes. */
export interface LocatesResources {
  callsites?: () => unknown[];
}

/**
 * Keeps the SDK from making a stack trace, mapped to the sources, for each resource: no plan holds it, and it is a
 * fifth of the time that a large program takes.
 *
 * @returns a function that takes it back
 */
export function withoutSourcePositions(resource: LocatesResources): () => void {
  const { callsites } = resource;
  if (callsites === undefined) {
    return () => undefined;
  }
  resource.callsites = () => [];
  return () => {
    resource.callsites = callsites;
  };
}
