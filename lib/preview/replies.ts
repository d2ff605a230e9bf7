/**
 * The engine's replies, as far as Pulumi's SDK reads them: through these accessors alone, so that no protocol
 * message needs to be built for each resource.
 * @see https://github.com/pulumi/pulumi/blob/master/sdk/nodejs/runtime/resource.ts
 */
interface Struct {
  toJavaScript(): Readonly<Record<string, unknown>>;
}

/** A reply, or an error; errors end the request as they would with an engine. */
export type Reply<T> = (error: (Error & { details?: string }) | null, reply?: T) => void;

function struct(values: Readonly<Record<string, unknown>>): Struct {
  return { toJavaScript: () => values };
}

/** The reply to a registration. An empty id is an unknown one. */
export function registered(urn: string, id: string, outputs: Readonly<Record<string, unknown>>): object {
  return {
    getUrn: () => urn,
    getId: () => id,
    getObject: () => struct(outputs),
    getPropertydependenciesMap: () => undefined,
    getResult: () => 0,
  };
}

/** The reply to the reading of an existing resource. */
export function read(urn: string, properties: Readonly<Record<string, unknown>>): object {
  return { getUrn: () => urn, getProperties: () => struct(properties) };
}

/** The reply to an invoke or a method call. */
export function returned(result: Readonly<Record<string, unknown>>): object {
  return {
    getReturn: () => struct(result),
    getFailuresList: () => [],
    getReturndependenciesMap: () => undefined,
  };
}

/** The reply to a question for the state of a resource by its URN. */
export function stateOf(urn: string, state: Readonly<Record<string, unknown>>): object {
  const fields = new Map<string, object>([
    ['urn', { toJavaScript: () => urn }],
    ['id', { toJavaScript: () => '' }],
    ['state', { getStructValue: () => struct(state) }],
  ]);
  return { getReturn: () => ({ getFieldsMap: () => fields }), getFailuresList: () => [] };
}
