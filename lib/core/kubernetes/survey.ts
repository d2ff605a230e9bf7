import type { KubernetesObject, ListOptions, ObjectKind } from './api';

/** Says which kinds an API server serves. */
export interface Discovery {
  /**
   * Every kind that can be listed, by each version that serves it.
   *
   * @throws KubernetesError
   * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api
   */
  servedKinds(signal?: AbortSignal): Promise<ServedKinds>;
}

/** What discovery answers. */
export interface ServedKinds {
  /** Kinds with the verb `list`, the version that the server prefers first. */
  readonly kinds: readonly ServedKind[];
  /** Versions of groups that the server could not say anything about, such as `metrics.k8s.io/v1beta1`: its server is down. */
  readonly silent: readonly string[];
}

/** A kind in one version. */
export interface ServedKind extends ObjectKind {
  /** `poddisruptionbudgets` */
  readonly resource: string;
}

/** Lists objects without their content. */
export interface MetadataReader {
  /**
   * What `keep` makes of each object that fits, page by page, so that only what is kept takes memory. Objects have the
   * `metadata` of real ones, their `apiVersion` and `kind`, and nothing else.
   *
   * @param keep answers `undefined` for what is of no interest; after a list that expired it sees objects again
   * @throws KubernetesError
   * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches
   */
  listMetadata<Kept>(
    kind: ObjectKind,
    keep: (object: KubernetesObject) => Kept | undefined,
    options?: ListOptions,
  ): Promise<readonly Kept[]>;
}

/** Reads what an API server measures of itself. */
export interface ServerMetrics {
  /**
   * The text of `/metrics`, in Prometheus' format. Of several API servers behind one address, one answers.
   *
   * @throws KubernetesError; `denied` where the right to `get` `/metrics` is missing
   */
  metrics(signal?: AbortSignal): Promise<string>;
}

/** Asks whether an object would be admitted. */
export interface AdmissionTrial {
  /**
   * Creates an object by a server-side dry run: defaults, policies, webhooks, quotas; nothing is stored.
   *
   * @throws KubernetesError of what refuses it
   * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run
   */
  tryCreate(object: KubernetesObject, signal?: AbortSignal): Promise<void>;
}

/** What is asked of a whole cluster. */
export type Survey = Discovery & MetadataReader & ServerMetrics & AdmissionTrial;

const surveyMethods: readonly (keyof Survey)[] = ['servedKinds', 'listMetadata', 'metrics', 'tryCreate'];

/** Whether a client of an API server can ask for all of that, too. */
export function canSurvey<Client extends object>(client: Client): client is Client & Survey {
  const methods: Readonly<Record<string, unknown>> = { ...surveyOf(client) };
  return surveyMethods.every((name) => typeof methods[name] === 'function');
}

function surveyOf(client: object): Partial<Survey> {
  return Object.fromEntries(
    surveyMethods.map((name) => [name, (client as Readonly<Record<string, unknown>>)[name]]),
  );
}

/** What `Accept` says for objects without their content; a server that does not know it sends the objects. */
export const metadataOnly =
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json;q=0.9';

/** Of `/metrics`, in bytes: a large cluster's has some ten megabytes. */
export const longestMetrics = 128 * 1024 * 1024;
