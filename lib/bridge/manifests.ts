import * as pulumi from '@pulumi/pulumi';
import type { ApiObject } from 'cdk8s';
import type { Construct, IConstruct } from 'constructs';
import type { OptionsOf } from '../problems';
import { Problems, refuseOptions } from '../problems';
import { hasMarker, misplacedMarkers } from '../tokens';
import { childDependencies } from './component-dependencies';
import { gatedObjects } from './gated-objects';
import type { OrderedObject } from './object-order';
import { apiObjects, orderObjects } from './object-order';
import { outputRegistry } from './output-token';
import type { ManifestObject } from './register-object';
import { registerObject } from './register-object';
import type { GateAccess } from './rekey-gate';
import { gateHooks, gateAccessKeys } from './rekey-gate';
import { resolveOutputs } from './resolve-outputs';
import { validationProblems } from './validation-problems';

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
   * The cluster that is asked, right before anything that waits for the gate of a re-key is made or changed, what the
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

const manifestsArgsKeys: OptionsOf<ManifestsArgs> = {
  chart: 'open',
  deletedWith: 'open',
  gates: gateAccessKeys,
  retained: 'open',
};

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
    refuseOptions(`Manifests "${name}"`, args, manifestsArgsKeys);
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
