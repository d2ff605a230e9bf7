import * as pulumi from '@pulumi/pulumi';
import { existsSync } from 'node:fs';
import type { EksApiServer } from '../../core/kubernetes/eks-kubeconfig';
import { refuseArguments } from '../../core/validation/arguments';
import type { Problem } from '../../core/validation/problems';
import type { SlotRef } from '../fleet';
import { childDependencies, hasEngine, canBindHooks } from '../hooks';
import { applyHook, uninstallHook, watched } from './hooks';
import type { KnownRelease, LiveReleases } from './hooks';
import type { HelmfilePlan, ListedRelease } from './plan';
import { listReleases, planReleases } from './run';
import { helmfileReleaseArgs, helmfileSettings, runKubeconfig } from './settings';
import type { HelmfileReleaseArgs, HelmfileSettings } from './settings';

/** What helmfile says before it is asked to do anything. */
interface Listing {
  readonly releases: readonly ListedRelease[];
  /** Why there is no list. */
  readonly failed?: string;
}

/**
 * A helmfile as it is, applied to a cluster: `pulumi preview` shows what `helmfile diff` shows, `pulumi up` runs
 * `helmfile apply` where there is a difference, and `pulumi destroy --run-program` runs `helmfile destroy`.
 *
 * Pulumi's state has the names of the releases and no value. It says nothing of the charts' objects: whether something has to be
 * done is asked of the cluster at every run.
 *
 * @example
 * new helmfile.HelmfileRelease('platform', {
 *   file: 'helmfile.yaml',
 *   cluster: apps.slots.blue.ref,
 *   environment: 'production',
 *   selectors: ['delivery=bootstrap'],
 *   stateValues: { domain: 'example.com', apiToken: config.requireSecret('apiToken') },
 * }, { dependsOn: apps.slots.blue.ready });
 */
export class HelmfileRelease extends pulumi.ComponentResource {
  /** The releases that are to be there, by namespace and name. */
  public readonly releases: pulumi.Output<readonly ListedRelease[]>;
  /** What is there when the helmfile has been applied: let what needs a release depend on it. */
  public readonly ready: readonly pulumi.Resource[];

  /** @throws InvalidInput before anything is registered, with every problem of the plain values */
  public constructor(name: string, args: HelmfileReleaseArgs, opts: pulumi.ComponentResourceOptions = {}) {
    refuseArguments(`HelmfileRelease "${name}"`, helmfileReleaseArgs, args, missingFile);
    super('cluster-canary:helmfile:HelmfileRelease', name, {}, opts);
    const dependsOn = childDependencies(opts);
    const known: KnownRelease = {};
    const settings = helmfileSettings(args);
    // A component has its URN when all that it depends on is there, children of other components included. As a promise: an output
    // would make the component's children wait for the component, and so for themselves.
    const begun = new Promise<void>((resolve) => void this.urn.apply(() => resolve()));
    const listing = pulumi.unsecret(
      pulumi.all([settings, begun, idsOf(dependsOn)]).apply(([each]) => listingOf(each, known, this)),
    );
    this.releases = listing.apply(({ releases }) => releases);

    const uninstall = canBindHooks() && (args.uninstallOnDelete ?? true) ? uninstallHook() : undefined;
    const record = new pulumi.Stash(
      `${name}-releases`,
      { input: recordOf(args, this.releases) },
      {
        parent: this,
        dependsOn,
        deletedWith: opts.deletedWith,
        hooks: uninstall && { beforeDelete: [uninstall.hook] },
        // A helmfile that can't be read says nothing of what is installed.
        transforms: keepInputWhere(() => known.unreadable === true),
      },
    );
    record.urn.apply((urn) => uninstall?.known.set(urn, known));

    const plan = pulumi.unsecret(
      pulumi
        .all([settings, runKubeconfig(args), listing])
        .apply(async ([each, kubeconfig, { releases, failed }]) => {
          known.live = { settings: each, kubeconfig, releases };
          known.plan =
            failed === undefined ? await planOf(known.live, this) : { kind: 'failed', reason: failed };
          return known.plan;
        }),
    );
    const hooks = canBindHooks()
      ? {
          beforeCreate: [applyHook(name, known, this, 'beforeCreate')],
          beforeUpdate: [applyHook(name, known, this, 'beforeUpdate')],
        }
      : undefined;
    const applied = new pulumi.Stash(
      name,
      { input: plan.apply(changeOf) },
      {
        parent: this,
        dependsOn: childDependencies(opts, [record]),
        deletedWith: opts.deletedWith,
        hooks,
        transforms: keepInputWhere(() => known.plan?.kind === 'unchanged'),
      },
    );
    this.ready = [applied];
    this.registerOutputs({ releases: this.releases });
  }
}

function missingFile({ file }: Partial<HelmfileReleaseArgs>): readonly Problem[] {
  return file === undefined || existsSync(file)
    ? []
    : [{ path: 'file', value: file, allowed: 'the path of a file or a folder that is there' }];
}

/** Where there is no engine, nothing is run. */
async function listingOf(
  settings: HelmfileSettings,
  known: KnownRelease,
  component: pulumi.Resource,
): Promise<Listing> {
  if (!hasEngine()) {
    return { releases: [] };
  }
  try {
    const releases = await watched('helmfile list', component, (control) => listReleases(settings, control));
    return { releases };
  } catch (error) {
    known.unreadable = true;
    return { releases: [], failed: (error as Error).message };
  }
}

function planOf(live: LiveReleases, component: pulumi.Resource): Promise<HelmfilePlan> {
  return hasEngine()
    ? watched('helmfile diff', component, (control) =>
        planReleases(live.settings, live.kubeconfig, live.releases, control),
      )
    : Promise.resolve({ kind: 'unchanged' });
}

/**
 * What changes in Pulumi's state when something is to be done. The time makes every change another one: the same difference
 * can come back, by somebody who uninstalls a release each evening.
 */
function changeOf(plan: HelmfilePlan): object {
  if (!hasEngine()) {
    return {};
  }
  return { at: new Date().toISOString(), changes: plan.kind === 'changes' ? plan.releases : [] };
}

/**
 * Leaves what stands in the state as it is, so that the engine sees no difference: what stood there, the program does not know.
 *
 * @param keeps is asked when all inputs are known
 */
function keepInputWhere(keeps: () => boolean): pulumi.ResourceTransform[] {
  return hasEngine() && canBindHooks()
    ? [({ props, opts }) => (keeps() ? { props, opts: { ...opts, ignoreChanges: ['input'] } } : undefined)]
    : [];
}

/** What is plain is shown in a preview, also where the cluster is not known yet. */
function recordOf(
  { file, environment, selectors, helm, cluster, credentials }: HelmfileReleaseArgs,
  releases: pulumi.Output<readonly ListedRelease[]>,
): pulumi.Inputs {
  const parts = pulumi
    .all([cluster, credentials?.roleArn])
    .apply(([slot, roleArn]) => slot && { ...clusterParts(slot), roleArn, profile: credentials?.profile });
  return {
    ...{ file, environment, selectors, helm, releases },
    ...(cluster !== undefined && { cluster: parts }),
  };
}

function clusterParts({
  clusterName,
  region,
  endpoint,
  certificateAuthority,
  proxyUrl,
}: SlotRef): EksApiServer {
  return { clusterName, region, endpoint, certificateAuthority, proxyUrl };
}

/** Not known in a preview while one of them is still to be made. */
function idsOf(resources: ReturnType<typeof childDependencies>): pulumi.Output<unknown> {
  return pulumi
    .output(resources)
    .apply((found) =>
      pulumi.all(
        (found as pulumi.Resource[]).map((each) =>
          pulumi.CustomResource.isInstance(each) ? each.id : each.urn,
        ),
      ),
    );
}
