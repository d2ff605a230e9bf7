import { isWireSecret, unknownValue, wireResource, wireSecret, withoutReferences } from './wire';

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
