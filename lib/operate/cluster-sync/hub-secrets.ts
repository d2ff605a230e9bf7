import type { Limiter } from '../../core/async';
import type { KubernetesApi, KubernetesObject, ObjectReference } from '../../core/kubernetes/api';
import { isKubernetesError } from '../../core/kubernetes/errors';
import { fieldManager, missingSinceKey, secretTypeLabel } from '../../core/names';
import type { ClusterSetSettings } from '../../manifests/cluster-sync';
import { currentSecret } from './current-secrets';
import type { CurrentSecret } from './current-secrets';
import type { DesiredSecret } from './desired-secrets';
import type { ClustersPlan, Deletion, Update } from './plan';

/** The hub's Secrets, as the set may read and write them. */
export class HubSecrets {
  public constructor(
    private readonly api: KubernetesApi,
    private readonly settings: Pick<ClusterSetSettings, 'name' | 'namespace'>,
    private readonly limiter: Limiter,
    private readonly signal?: AbortSignal,
  ) {}

  /**
   * All Secrets of clusters; and those that have a wanted name, whatever they are for: applying to one of them would mix
   * two Secrets into one.
   */
  public async read(wanted: readonly Pick<DesiredSecret, 'name'>[]): Promise<readonly CurrentSecret[]> {
    const { name: owner, namespace } = this.settings;
    const listed = await this.api.list(
      { apiVersion: 'v1', kind: 'Secret' },
      { namespace, labelSelector: `${secretTypeLabel}=cluster`, ...this.cancel },
    );
    const known = new Set(listed.map(({ metadata }) => metadata.name));
    const others = await Promise.all(
      wanted
        .filter(({ name }) => !known.has(name))
        .map(({ name }) => this.limiter.run(() => this.look(name))),
    );
    return [...listed, ...others.filter((each) => each !== undefined)].map((object) =>
      currentSecret(object, owner),
    );
  }

  /** Makes the Secrets of a plan so. One that fails does not stop the others; answers the failures. */
  public async write(
    { create, update, delete: remove }: ClustersPlan,
    onWritten: () => void,
  ): Promise<readonly FailedWrite[]> {
    const failed: FailedWrite[] = [];
    const each = async (secret: string, call: () => Promise<unknown>): Promise<void> => {
      try {
        await this.limiter.run(async () => {
          this.signal?.throwIfAborted();
          await call();
        });
        onWritten();
      } catch (error) {
        this.signal?.throwIfAborted();
        if (!isKubernetesError(error)) {
          throw error;
        }
        failed.push({ secret, reason: (error as Error).message });
      }
    };
    await Promise.all([
      ...create.map(({ secret, desired }) => each(secret, () => this.create(desired))),
      ...update.map((one) => each(one.secret, () => this.update(one))),
      ...remove.map((one) => each(one.secret, () => this.remove(one))),
    ]);
    return failed;
  }

  /** Without force: a Secret that was created since is a conflict. */
  private create(desired: DesiredSecret): Promise<unknown> {
    return this.api.apply(this.manifest(desired), { fieldManager, ...this.cancel });
  }

  private async update({ secret, uid, desired, missingSince }: Update): Promise<void> {
    if (desired) {
      // With the uid, a Secret that is gone or another one by now is a conflict.
      await this.api.apply(this.manifest(desired, uid), { fieldManager, force: true, ...this.cancel });
    }
    if (missingSince !== undefined) {
      const patch = { metadata: { uid, annotations: { [missingSinceKey]: missingSince } } };
      await this.api.patch(this.reference(secret), patch, { fieldManager, ...this.cancel });
    }
  }

  private async remove({ secret, uid, resourceVersion }: Deletion): Promise<void> {
    try {
      await this.api.remove(this.reference(secret), { uid, resourceVersion, ...this.cancel });
    } catch (error) {
      if (!isKubernetesError(error, 'notFound')) {
        throw error;
      }
    }
  }

  private async look(name: string): Promise<KubernetesObject | undefined> {
    try {
      return await this.api.get(this.reference(name), this.signal);
    } catch (error) {
      if (isKubernetesError(error, 'notFound')) {
        return undefined;
      }
      throw error;
    }
  }

  private get cancel(): { readonly signal?: AbortSignal } {
    return this.signal === undefined ? {} : { signal: this.signal };
  }

  private reference(name: string): ObjectReference {
    return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: this.settings.namespace } };
  }

  private manifest({ name, labels, annotations, data }: DesiredSecret, uid?: string): KubernetesObject {
    const values = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
    const { namespace } = this.settings;
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace, labels, annotations, ...(uid === undefined ? {} : { uid }) },
      type: 'Opaque',
      data: Object.fromEntries(values) as Record<string, string>,
    };
  }
}

/** A Secret that could not be written. */
export interface FailedWrite {
  /** Name of the Secret. */
  readonly secret: string;
  /** Why, for a person. */
  readonly reason: string;
}
