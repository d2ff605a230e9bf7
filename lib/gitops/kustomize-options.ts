import type { OptionsOf } from '../problems';
import { listOf } from '../problems';

/** How a kustomization is built. */
export interface KustomizeOptions {
  /** Put before every object's name. @default - nothing */
  readonly namePrefix?: string;
  /** Put after every object's name. @default - nothing */
  readonly nameSuffix?: string;
  /** Namespace that every object gets. @default - as in the files */
  readonly namespace?: string;
  /** Images to swap, `[OLD=]NAME:TAG` or `[OLD=]NAME@DIGEST`. @default - as in the files */
  readonly images?: readonly string[];
  /** Replicas by workload. @default - as in the files */
  readonly replicas?: readonly {
    /** Name of the Deployment or StatefulSet. */
    readonly name: string;
    /** Number of replicas. */
    readonly count: number | string;
  }[];
  /** Labels that every object gets. @default - none */
  readonly commonLabels?: Readonly<Record<string, string>>;
  /** Whether common labels replace those of the files. @default false */
  readonly forceCommonLabels?: boolean;
  /** Whether common labels stay out of selectors. @default false */
  readonly labelWithoutSelector?: boolean;
  /** Annotations that every object gets. @default - none */
  readonly commonAnnotations?: Readonly<Record<string, string>>;
  /** Whether common annotations replace those of the files. @default false */
  readonly forceCommonAnnotations?: boolean;
  /** Components to add. @default - as in the files */
  readonly components?: readonly string[];
  /** Patches to add. @default - as in the files */
  readonly patches?: readonly KustomizePatch[];
}

/** A patch, inline or from a file, and what it applies to. */
export interface KustomizePatch {
  /** The patch as text; or `path`. @default - from the file */
  readonly patch?: string;
  /** File with the patch; or `patch`. @default - inline */
  readonly path?: string;
  /** Which objects it applies to. @default - the object that the patch names */
  readonly target?: {
    /** API group. @default - any */
    readonly group?: string;
    /** API version. @default - any */
    readonly version?: string;
    /** Kind. @default - any */
    readonly kind?: string;
    /** Name, as a regular expression. @default - any */
    readonly name?: string;
    /** Namespace, as a regular expression. @default - any */
    readonly namespace?: string;
    /** Label selector. @default - any */
    readonly labelSelector?: string;
    /** Annotation selector. @default - any */
    readonly annotationSelector?: string;
  };
}

const kustomizePatchKeys: OptionsOf<KustomizePatch> = {
  patch: 'plain',
  path: 'plain',
  target: {
    group: 'plain',
    version: 'plain',
    kind: 'plain',
    name: 'plain',
    namespace: 'plain',
    labelSelector: 'plain',
    annotationSelector: 'plain',
  },
};

export const kustomizeOptionsKeys: OptionsOf<KustomizeOptions> = {
  namePrefix: 'plain',
  nameSuffix: 'plain',
  namespace: 'plain',
  images: 'list',
  replicas: listOf({ name: 'plain', count: 'plain' }),
  commonLabels: 'plain',
  forceCommonLabels: 'plain',
  labelWithoutSelector: 'plain',
  commonAnnotations: 'plain',
  forceCommonAnnotations: 'plain',
  components: 'list',
  patches: listOf(kustomizePatchKeys),
};
