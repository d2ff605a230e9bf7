import type * as messages from '@pulumi/pulumi/proto/resource_pb';
import { partitionOf } from '../../core/aws/partitions';
import { answerInvoke } from './answers';
import type { Answers } from './answers';
import {
  UnknownResults,
  boundHooks,
  customOutputs,
  plannedInputs,
  remoteOutputs,
  resourceKind,
  unknownResult,
} from './outputs';
import type { PlannedResource, UnknownResult } from './plan';
import type { Transforms } from './transforms';
import {
  isWireSecret,
  makeUrn,
  qualifiedType,
  readable,
  referencedUrns,
  stackType,
  unknownValue,
  urnParts,
} from './wire';

/**
 * The engine's replies, as far as Pulumi's SDK reads them: through these accessors alone, so that no protocol
 * message needs to be built for each resource.
 * @see https://github.com/pulumi/pulumi/blob/master/sdk/nodejs/runtime/resource.ts
 */
interface Struct {
  toJavaScript(): Readonly<Record<string, unknown>>;
}

/** A reply, or an error; errors end the request as they would with an engine. */
type Reply<T> = (error: (Error & { details?: string }) | null, reply?: T) => void;

function struct(values: Readonly<Record<string, unknown>>): Struct {
  return { toJavaScript: () => values };
}

/** The reply to a registration. An empty id is an unknown one. */
function registered(urn: string, id: string, outputs: Readonly<Record<string, unknown>>): object {
  return {
    getUrn: () => urn,
    getId: () => id,
    getObject: () => struct(outputs),
    getPropertydependenciesMap: () => undefined,
    getResult: () => 0,
  };
}

/** The reply to the reading of an existing resource. */
function read(urn: string, properties: Readonly<Record<string, unknown>>): object {
  return { getUrn: () => urn, getProperties: () => struct(properties) };
}

/** The reply to an invoke or a method call. */
function returned(result: Readonly<Record<string, unknown>>): object {
  return {
    getReturn: () => struct(result),
    getFailuresList: () => [],
    getReturndependenciesMap: () => undefined,
  };
}

/** The reply to a question for the state of a resource by its URN. */
function stateOf(urn: string, state: Readonly<Record<string, unknown>>): object {
  const fields = new Map<string, object>([
    ['urn', { toJavaScript: () => urn }],
    ['id', { toJavaScript: () => '' }],
    ['state', { getStructValue: () => struct(state) }],
  ]);
  return { getReturn: () => ({ getFieldsMap: () => fields }), getFailuresList: () => [] };
}

/**
 * What AWS's functions about the region answer, as far as the region alone says it.
 * @see https://www.pulumi.com/registry/packages/aws/api-docs/getregion/
 * @see https://www.pulumi.com/registry/packages/aws/api-docs/getpartition/
 * @returns nothing for other functions, or where the region is not known
 */
export function answerAboutRegion(
  token: string,
  region: string | undefined,
): Readonly<Record<string, unknown>> | undefined {
  if (region === undefined) {
    return undefined;
  }
  const { id: partition, dnsSuffix } = partitionOf(region);
  switch (token) {
    case 'aws:index/getRegion:getRegion':
      return { id: region, name: region, region, endpoint: `ec2.${region}.${dnsSuffix}` };
    case 'aws:index/getPartition:getPartition':
      return {
        id: partition,
        partition,
        dnsSuffix,
        reverseDnsPrefix: dnsSuffix.split('.').reverse().join('.'),
      };
    default:
      return undefined;
  }
}

type Properties = Record<string, unknown>;

/** What the monitor must know besides the program. */
export interface MonitorOptions {
  readonly project: string;
  readonly stack: string;
  /** The AWS region of the configuration, if any. */
  readonly region: string | undefined;
  readonly answers: Answers;
  /** The program's transforms of resources. */
  readonly transforms: Transforms;
  /** Whether the program has loaded the class of a resource type. */
  readonly canConstruct: (type: string) => boolean;
  /** Called after each registration. */
  readonly onRegistration: (resources: number) => void;
}

/**
 * Stands where the engine's resource monitor would: answers each request at once, as a preview of a first
 * deployment would, and keeps what was asked for.
 * @see https://github.com/pulumi/pulumi/blob/master/proto/pulumi/resource.proto
 */
export class PreviewMonitor {
  /** The resources by URN, in the order of registration. */
  public readonly resources = new Map<string, PlannedResource>();

  /** URNs of resources that a program looked up instead of registering them. */
  public readonly lookedUp = new Set<string>();

  /** Stack outputs. */
  public outputs: Properties = {};

  private readonly unknown = new UnknownResults();
  private readonly states = new Map<string, Properties>();
  /** The remote component of a resource that it hands out. */
  private readonly owners = new Map<string, string>();

  public constructor(private readonly options: MonitorOptions) {}

  /** Results that a deployment would know. */
  public get unknownResults(): UnknownResult[] {
    return this.unknown.list();
  }

  public supportsFeature(request: messages.SupportsFeatureRequest, reply: Reply<object>): void {
    // Unknown values inside of a remote component's inputs come as plain unknowns then.
    reply(null, { getHassupport: () => request.getId() !== 'outputValues' });
  }

  /** Newer SDKs ask this first. Without an answer they ask for each feature, as the older ones do. */
  public getDeploymentInfo(_request: unknown, reply: Reply<object>): void {
    const unimplemented = 12; // https://grpc.io/docs/guides/status-codes/
    reply(Object.assign(new Error('the preview tells features one by one'), { code: unimplemented }));
  }

  public registerResource(request: messages.RegisterResourceRequest, reply: Reply<object>): void {
    const urn = this.newUrn(request.getParent(), request.getType(), request.getName());
    const transformed = this.options.transforms.run(request, urn);
    if (transformed === undefined) {
      this.register(request, urn, reply);
    } else {
      transformed.then(
        () => this.register(request, urn, reply),
        (error: Error) => reply(error),
      );
    }
  }

  private register(request: messages.RegisterResourceRequest, urn: string, reply: Reply<object>): void {
    const [type, name] = [request.getType(), request.getName()];
    const inputs = (request.getObject()?.toJavaScript() ?? {}) as Properties;
    const references = this.dependenciesByProperty(request, inputs);
    const added = this.add({
      urn,
      type,
      name,
      kind: resourceKind(type, request.getCustom(), request.getRemote()),
      parent: request.getParent() || null,
      inputs: plannedInputs(inputs, request.getAdditionalsecretoutputsList()),
      dependencies: this.known([...request.getDependenciesList(), ...Object.values(references).flat()], urn),
      propertyDependencies: references,
      provider: providerUrn(request.getProvider()),
      protect: request.getProtect() ?? false,
      deletedWith: this.owners.get(request.getDeletedwith()) ?? (request.getDeletedwith() || null),
      hooks: boundHooks(request.getHooks()),
    });
    if (!added) {
      reply(new Error(`two resources have the URN ${urn}: give one of them another name`));
      return;
    }
    // An imported resource has its id already; every other id is made by the deployment.
    reply(null, registered(urn, request.getImportid(), this.outputsOf(request, urn, inputs)));
  }

  public readResource(request: messages.ReadResourceRequest, reply: Reply<object>): void {
    const [type, name] = [request.getType(), request.getName()];
    const urn = this.newUrn(request.getParent(), type, name);
    const inputs = (request.getProperties()?.toJavaScript() ?? {}) as Properties;
    const added = this.add({
      urn,
      type,
      name,
      kind: 'read',
      parent: request.getParent() || null,
      inputs: plannedInputs(inputs, request.getAdditionalsecretoutputsList()),
      dependencies: this.known(request.getDependenciesList(), urn),
      propertyDependencies: {},
      provider: providerUrn(request.getProvider()),
      protect: false,
      deletedWith: null,
      hooks: {},
    });
    if (!added) {
      reply(new Error(`two resources have the URN ${urn}: give one of them another name`));
      return;
    }
    if (type !== 'pulumi:pulumi:StackReference') {
      this.unknown.add('read', urn);
      reply(null, read(urn, inputs));
      return;
    }
    const stack = String(inputs['name']);
    const outputs = this.options.answers.stackReferences?.[stack];
    if (outputs === undefined) {
      this.unknown.add('stackReference', stack);
      reply(null, read(urn, { name: stack }));
      return;
    }
    const secretOutputNames = Object.keys(outputs).filter((key) => isWireSecret(outputs[key]));
    reply(null, read(urn, { name: stack, outputs, secretOutputNames }));
  }

  public registerResourceOutputs(
    request: messages.RegisterResourceOutputsRequest,
    reply: Reply<object>,
  ): void {
    if (urnParts(request.getUrn()).type === stackType) {
      this.outputs = readable(request.getOutputs()?.toJavaScript() ?? {}) as Properties;
    }
    reply(null, {});
  }

  public invoke(request: messages.ResourceInvokeRequest, reply: Reply<object>): void {
    const token = request.getTok();
    const args = (request.getArgs()?.toJavaScript() ?? {}) as Properties;
    if (token === 'pulumi:pulumi:getResource') {
      const urn = String(args['urn']);
      this.lookedUp.add(urn);
      reply(null, stateOf(urn, this.states.get(urn) ?? {}));
      return;
    }
    const answer =
      answerInvoke(this.options.answers, token, args) ??
      answerAboutRegion(token, this.regionOf(request.getProvider(), args));
    if (answer === undefined) {
      this.unknown.add('invoke', token);
    }
    reply(null, returned(answer ?? unknownResult));
  }

  public call(request: messages.ResourceCallRequest, reply: Reply<object>): void {
    this.unknown.add('call', request.getTok());
    reply(null, returned(unknownResult));
  }

  public registerPackage(request: messages.RegisterPackageRequest, reply: Reply<object>): void {
    reply(null, { getRef: () => request.getName() });
  }

  private newUrn(parent: string, type: string, name: string): string {
    const { project, stack } = this.options;
    const above = parent === '' ? undefined : urnParts(parent).qualifiedType;
    return makeUrn(project, stack, qualifiedType(above, type), name);
  }

  private add(resource: PlannedResource): boolean {
    if (this.resources.has(resource.urn)) {
      return false;
    }
    this.resources.set(resource.urn, resource);
    this.options.onRegistration(this.resources.size);
    return true;
  }

  private outputsOf(request: messages.RegisterResourceRequest, urn: string, inputs: Properties): Properties {
    const [type, name] = [request.getType(), request.getName()];
    if (request.getCustom()) {
      const outputs = customOutputs(type, inputs, request.getAdditionalsecretoutputsList());
      this.states.set(urn, outputs);
      return outputs;
    }
    if (!request.getRemote()) {
      return {};
    }
    const urnOf = (childType: string, childName: string) => this.newUrn(urn, childType, childName);
    const { outputs, inner } = remoteOutputs(type, name, inputs, urnOf, this.options.canConstruct);
    if (inner !== undefined) {
      this.states.set(inner.urn, inner.state);
      this.owners.set(inner.urn, urn);
    }
    return outputs;
  }

  private dependenciesByProperty(
    request: messages.RegisterResourceRequest,
    inputs: Properties,
  ): Record<string, string[]> {
    const found: Record<string, string[]> = {};
    const self = this.newUrn(request.getParent(), request.getType(), request.getName());
    const declared = request.getPropertydependenciesMap();
    for (const [property, value] of Object.entries(inputs)) {
      // Pulumi does not count a resource that is handed to a remote component as a dependency.
      const urns = this.known(
        [...(declared.get(property)?.getUrnsList() ?? []), ...referencedUrns(value)],
        self,
      );
      if (urns.length > 0) {
        found[property] = urns;
      }
    }
    return found;
  }

  /** Each URN once; a resource that a remote component handed out counts as the component. */
  private known(urns: readonly string[], self: string): string[] {
    return [...new Set(urns.map((urn) => this.owners.get(urn) ?? urn))].filter((urn) => urn !== self);
  }

  private regionOf(provider: string, args: Properties): string | undefined {
    const explicit = this.resources.get(providerUrn(provider) ?? '');
    const region = args['region'] ?? (explicit ? explicit.inputs['region'] : this.options.region);
    return typeof region === 'string' && !region.startsWith('[') && region !== unknownValue
      ? region
      : undefined;
  }
}

/** A provider reference is the provider's URN and its id, joined by `::`. */
function providerUrn(reference: string): string | null {
  return reference === '' ? null : reference.slice(0, reference.lastIndexOf('::'));
}
