import type * as messages from '@pulumi/pulumi/proto/resource_pb';
import type { PlannedResourceKind, UnknownResult } from './plan';
import {
  isWireSecret,
  readable,
  stackType,
  unknownValue,
  wireResource,
  wireSecret,
  withoutReferences,
} from './wire';

/**
 * What could not be known, each once. Arguments are left out: Pulumi hands them over in plain text, whether or
 * not they are secret.
 */
export class UnknownResults {
  private readonly found = new Map<string, UnknownResult>();

  public add(kind: UnknownResult['kind'], name: string): void {
    const key = `${kind} ${name}`;
    this.found.set(key, { kind, name, times: (this.found.get(key)?.times ?? 0) + 1 });
  }

  /** Sorted, since a program asks in no certain order. */
  public list(): UnknownResult[] {
    return [...this.found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, result]) => result);
  }
}

/** What a registered resource is. */
export function resourceKind(type: string, custom: boolean, remote: boolean): PlannedResourceKind {
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

/**
 * A result that is unknown as a whole. A result is a map of values and has no word for that; its prototype says
 * it: the SDK copies every key of a result by assignment, so this key makes the copy inherit from the SDK's
 * unknown value, and `isUnknown` holds for it. A map without keys would mean "known, and nothing in it": `.id`
 * of it would be left out of the inputs, with its dependency. The other key is for functions with one value.
 */
export const unknownResult = JSON.parse(
  `{ "__proto__": "${unknownValue}", "value": "${unknownValue}" }`,
) as Readonly<Record<string, unknown>>;

/**
 * Stands for an unknown result, and for everything below it, where a program gets no Output but a plain value. As
 * an input it is unknown, inside a text it shows as unknown, and calling or iterating it throws.
 */
const standIn: unknown = new Proxy(Object.freeze({}), {
  get: (_, key): unknown => {
    switch (key) {
      case '__pulumiUnknown':
        return true;
      case 'toString':
      case 'toJSON':
      case Symbol.toPrimitive:
        return () => unknownValue;
      // Not a promise.
      case 'then':
        return undefined;
      default:
        return typeof key === 'symbol' || key.startsWith('__') ? undefined : standIn;
    }
  },
});

/** The plain forms of invoke in Pulumi's SDK: they answer a promise of a value. */
export interface PlainInvokes {
  invoke: (...args: unknown[]) => Promise<unknown>;
  invokeSingle: (...args: unknown[]) => Promise<unknown>;
}

/**
 * Makes the plain forms of invoke answer a value that can be passed on where their result is unknown. A program
 * would else compute with `undefined`, and the plan would show less than is deployed.
 *
 * @returns a function that takes it back
 */
export function standInForUnknownResults(
  runtime: PlainInvokes,
  isUnknown: (value: unknown) => boolean,
): () => void {
  const { invoke, invokeSingle } = runtime;
  const replaced = (result: unknown) => (isUnknown(result) ? standIn : result);
  runtime.invoke = (...args) => invoke(...args).then(replaced);
  runtime.invokeSingle = (...args) => invokeSingle(...args).then(replaced);
  return () => {
    Object.assign(runtime, { invoke, invokeSingle });
  };
}

type Properties = Readonly<Record<string, unknown>>;

/**
 * Properties that a provider fills in inside of an object of the inputs. A missing output is unknown by itself;
 * a missing part of a given object would be read as "there is none", and its dependency would be lost.
 */
const filledIn: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // https://www.pulumi.com/registry/packages/aws/api-docs/eks/cluster/
  'aws:eks/cluster:Cluster': { vpcConfig: ['clusterSecurityGroupId', 'vpcId'] },
};

/**
 * A resource that a remote component makes and hands out as an output.
 * @see https://github.com/pulumi/pulumi-eks/blob/master/nodejs/eks/cluster/cluster.ts
 */
interface HandedOut {
  readonly output: string;
  readonly type: string;
  readonly suffix: string;
  /** Inputs of the component that are outputs of the resource. */
  readonly known: readonly string[];
}

const handedOut: Readonly<Record<string, HandedOut>> = {
  'eks:index:Cluster': {
    output: 'eksCluster',
    type: 'aws:eks/cluster:Cluster',
    suffix: '-eksCluster',
    known: ['name', 'version'],
  },
};

/**
 * The outputs of a new resource, as far as its inputs say them. Every output that is not among them is unknown
 * to the program.
 */
export function customOutputs(
  type: string,
  inputs: Properties,
  secretOutputs: readonly string[],
): Properties {
  const outputs = withoutReferences(inputs) as Record<string, unknown>;
  for (const [property, parts] of Object.entries(filledIn[type] ?? {})) {
    fillIn(outputs, property, parts);
  }
  if (type.startsWith('kubernetes:') && typeof inputs['kind'] === 'string') {
    // The provider names an object that has no name.
    outputs['metadata'] ??= {};
    fillIn(outputs, 'metadata', ['name']);
  }
  for (const property of secretOutputs) {
    if (property in outputs && !isWireSecret(outputs[property])) {
      outputs[property] = wireSecret(outputs[property]);
    }
  }
  return outputs;
}

function fillIn(outputs: Record<string, unknown>, property: string, parts: readonly string[]): void {
  const given = outputs[property];
  if (typeof given === 'object' && given !== null && !isWireSecret(given)) {
    outputs[property] = { ...Object.fromEntries(parts.map((part) => [part, unknownValue])), ...given };
  }
}

/** What a remote component answers: its outputs, and the resource behind one of them. */
export interface RemoteOutputs {
  readonly outputs: Properties;
  /** The resource that an output hands out. */
  readonly inner?: { readonly urn: string; readonly state: Properties };
}

/**
 * The outputs of a remote component. All are unknown, but an output that is a resource is one, so that a program
 * can use it as a resource.
 *
 * @param urnOf makes the URN of a child
 * @param canConstruct whether the program has loaded the class of a type
 */
export function remoteOutputs(
  type: string,
  name: string,
  inputs: Properties,
  urnOf: (type: string, name: string) => string,
  canConstruct: (type: string) => boolean,
): RemoteOutputs {
  const resource = handedOut[type];
  if (resource === undefined || !canConstruct(resource.type)) {
    return { outputs: {} };
  }
  const urn = urnOf(resource.type, `${name}${resource.suffix}`);
  const known = resource.known.filter((property) => inputs[property] !== undefined);
  return {
    outputs: { [resource.output]: wireResource(urn) },
    inner: { urn, state: Object.fromEntries(known.map((property) => [property, inputs[property]])) },
  };
}
