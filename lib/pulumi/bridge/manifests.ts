import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import type { IConstruct } from 'constructs';
import { hasMarker, misplacedMarkers } from '../../core/tokens';
import { opaque, refuseArguments } from '../../core/validation/arguments';
import { object, optional } from '../../core/validation/collections';
import { Problems } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { callback, secret, that } from '../../core/validation/values';
import { CertificateAuthority } from '../../manifests/certificates';
import { childDependencies } from '../hooks';
import { gateAccess, gateHooks } from './ca-rotation-gate';
import type { GateAccess } from './ca-rotation-gate';
import { apiObjects, orderObjects, validationProblems } from './manifest-yaml';
import type { OrderedObject } from './manifest-yaml';
import { outputRegistry, resolveOutputs } from './output-token';

/**
 * What waits for the gate of a CA rotation, each object with its gates: what a phase changes, and what waits for that.
 *
 * @param ordered in an order in which they can be created
 */
export function gatedObjects(
  chart: Construct,
  ordered: readonly OrderedObject[],
): ReadonlyMap<ApiObject, readonly ApiObject[]> {
  const gates = new Set(
    chart.node
      .findAll()
      .flatMap((each) => (each instanceof CertificateAuthority && each.gate ? [each.gate] : [])),
  );
  const gated = new Map<ApiObject, readonly ApiObject[]>();
  for (const { object, after } of ordered) {
    const found = new Set(
      after.flatMap((each) => [...(gates.has(each) ? [each] : []), ...(gated.get(each) ?? [])]),
    );
    if (found.size > 0) {
      gated.set(object, [...found]);
    }
  }
  return gated;
}

/** A Kubernetes object whose values may be outputs. */
interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}

type ResourceClass = (new (
  name: string,
  args: object,
  opts: pulumi.CustomResourceOptions,
) => pulumi.CustomResource) & {
  readonly __pulumiType?: string;
};

/** The Pulumi type of an object: `kubernetes:apps/v1:Deployment`, `kubernetes:core/v1:Secret`. */
function pulumiType(apiVersion: string, kind: string): string {
  return `kubernetes:${apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`}:${kind}`;
}

/**
 * Registers one object. Built-in kinds get the SDK's own class, which knows the kind's earlier API versions
 * (aliases) and which fields are secret; every other kind is a CustomResource.
 */
function registerObject(
  name: string,
  object: ManifestObject,
  opts: pulumi.CustomResourceOptions,
): pulumi.CustomResource {
  const BuiltIn = builtInClass(object.apiVersion, object.kind);
  return BuiltIn ? new BuiltIn(name, object, opts) : new k8s.apiextensions.CustomResource(name, object, opts);
}

function builtInClass(apiVersion: string, kind: string): ResourceClass | undefined {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  // The SDK names a module after the first label of the group; the type below tells apart groups that share it.
  const modules = k8s as unknown as Record<string, Record<string, Record<string, ResourceClass>>>;
  const found = modules[group.split('.')[0]!]?.[version]?.[kind];
  return found?.__pulumiType === pulumiType(apiVersion, kind) ? found : undefined;
}

/** What `Manifests` registers. */
export interface ManifestsArgs {
  /** A cdk8s chart, an app, or any construct with objects below it. */
  readonly chart: Construct;
  /**
   * The cluster that the objects live in: when it is deleted in the same operation they are not deleted one by
   * one, so a destroy never waits for an API server that is gone.
   *
   * @default - every object is deleted through the API server
   */
  readonly deletedWith?: pulumi.Resource;
  /**
   * The cluster that is asked, right before anything that waits for the gate of a CA rotation is made or changed, what the
   * gate's Job said: an `up` whose gate is shut changes nothing and says why.
   *
   * @default - nobody is asked: Pulumi waits for the Job, as for every Job
   */
  readonly gates?: GateAccess;
  /**
   * Whether an object stays in the cluster when it leaves the program.
   *
   * @default - none does
   */
  readonly retained?: (object: ApiObject) => boolean;
}

/** An object of a class. Of what is none, nothing is shown. */
function instance(allowed: string, isInstance: (value: unknown) => boolean): Schema<never> {
  return secret(that<never>(opaque(allowed), allowed, isInstance));
}

const manifestsArgs = object<ManifestsArgs>({
  chart: instance('a cdk8s chart, an app, or another construct', (value) => Construct.isConstruct(value)),
  deletedWith: optional(
    instance('the resource of the cluster', (value) => pulumi.Resource.isInstance(value)),
  ),
  gates: optional(gateAccess),
  retained: optional(callback),
});

/**
 * Registers every object of a cdk8s construct tree as a Pulumi resource of its own type
 * (`kubernetes:apps/v1:Deployment`), with the values of Pulumi outputs put in (see `outputToken`), in the order
 * that cdk8s dependencies ask for. A Namespace comes before what is in it and a CustomResourceDefinition before
 * objects of its kind.
 *
 * Resources are named `NAME:NAMESPACE/OBJECT`, after the object alone, so adding or removing an object changes
 * no other. Pass the cluster's Kubernetes provider in the options.
 *
 * @example
 * const app = new cdk8s.App();
 * new MyChart(app, 'podinfo');
 * new bridge.Manifests('podinfo', { chart: app, deletedWith: slot.cluster }, { provider: slot.kubernetes });
 */
export class Manifests extends pulumi.ComponentResource {
  /** The registered resources, in the order of creation. */
  public readonly resources: readonly pulumi.CustomResource[];

  private readonly byObject = new Map<ApiObject, pulumi.CustomResource>();

  /**
   * @throws InvalidInput where a construct's own validation fails, two objects have the same identity, or the
   * marker of an output stands where no deployment could put a value
   */
  public constructor(name: string, args: ManifestsArgs, opts: pulumi.ComponentResourceOptions = {}) {
    refuseArguments(`Manifests "${name}"`, manifestsArgs, args);
    const objects = resolvedObjects(name, args.chart);
    super('cluster-canary:bridge:Manifests', name, {}, opts);
    const gated = args.gates ? gatedObjects(args.chart, objects) : undefined;
    for (const { object, after, manifest } of objects) {
      const dependsOn = childDependencies(
        opts,
        after.map((earlier) => this.byObject.get(earlier)!),
      );
      const { deletedWith, gates } = args;
      const resource = resourceName(name, object);
      const waitsFor = gated?.get(object);
      this.byObject.set(
        object,
        registerObject(resource, manifest, {
          parent: this,
          dependsOn,
          deletedWith,
          ...(args.retained?.(object) ? { retainOnDelete: true } : {}),
          ...(gates && waitsFor ? { hooks: gateHooks(resource, waitsFor, gates) } : {}),
        }),
      );
    }
    this.resources = [...this.byObject.values()];
    this.registerOutputs({});
  }

  /**
   * The resource of one object.
   *
   * @throws Error if the object was not among the manifests
   */
  public resourceOf(object: ApiObject): pulumi.CustomResource {
    const resource = this.byObject.get(object);
    if (!resource) {
      throw new Error(`${object.kind} ${object.name} (${object.node.path}) is not among these manifests`);
    }
    return resource;
  }
}

/** The objects in the order of creation, with outputs in the place of their markers. */
function resolvedObjects(
  name: string,
  chart: Construct,
): (OrderedObject & { readonly manifest: ManifestObject })[] {
  const registry = outputRegistry(chart);
  return registry.render(() => {
    check(name, chart);
    return orderObjects(chart).map((ordered) => ({
      ...ordered,
      manifest: resolveOutputs(ordered.object.toJson(), registry) as ManifestObject,
    }));
  });
}

function resourceName(name: string, object: ApiObject): string {
  const namespace = object.metadata.namespace;
  return `${name}:${namespace ? `${namespace}/` : ''}${object.name}`;
}

function check(name: string, scope: IConstruct): void {
  const problems = new Problems(`Manifests "${name}"`);
  for (const construct of scope.node.findAll()) {
    if (hasMarker(construct.node.id)) {
      problems.addAll([
        { path: construct.node.path, allowed: 'a construct id that is known when the program runs' },
      ]);
    }
  }
  problems.addAll(validationProblems(scope));
  const seen = new Map<string, ApiObject>();
  for (const object of apiObjects(scope)) {
    const where = `${object.kind} ${object.metadata.namespace ? `${object.metadata.namespace}/` : ''}${object.name}`;
    const identity = `${object.apiGroup} ${where}`;
    const twin = seen.get(identity);
    if (twin) {
      problems.add(
        object.node.path,
        where,
        `an object of its own, but ${twin.node.path} has the same kind and name`,
      );
    }
    seen.set(identity, object);
    for (const { pointer, why } of misplacedMarkers(object.toJson())) {
      problems.addAll([{ path: `${where} ${pointer}`, allowed: `no output of a deployment: ${why}` }]);
    }
  }
  problems.throwIfAny();
}
