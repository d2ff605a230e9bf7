import { across, list, object, optional, record } from '../../core/validation/collections';
import { dnsLabel, nonEmptyText, trueOrFalse } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Format } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { following, text } from '../../core/validation/values';
import {
  completed,
  completedAnnotations,
  completedLabels,
  dataWithoutNull,
  isCompleted,
  withKeys,
} from '../field-schemas';
import type { Completion, FieldsOf } from '../field-schemas';
import { helmReleaseName } from './argo-object';
import type { JsonValue } from './argo-object';
import { repositoryUrl } from './repository-credential';

const anyText = text('a text');

/** How plain manifests are read. */
export interface DirectoryOptions {
  /** Whether directories below count too. @default false */
  readonly recurse?: boolean;
  /** Glob of the files that count. @default - all manifests */
  readonly include?: string;
  /** Glob of the files that don't count. @default - none */
  readonly exclude?: string;
  /** Variables and libraries for Jsonnet files. @default - none */
  readonly jsonnet?: {
    /** External variables. @default - none */
    readonly extVars?: readonly JsonnetVariable[];
    /** Arguments of the top-level function. @default - none */
    readonly tlas?: readonly JsonnetVariable[];
    /** Directories with libraries. @default - none */
    readonly libs?: readonly string[];
  };
}

/** A variable for Jsonnet. */
export interface JsonnetVariable {
  /** Name of the variable. */
  readonly name: string;
  /** Value: a text, or Jsonnet code where `code` says so. */
  readonly value: string;
  /** Whether the value is code. @default false */
  readonly code?: boolean;
}

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

/** How a chart is rendered. */
export interface HelmOptions {
  /** Name of the release. @default - the Application's name, which then may have 53 characters at most */
  readonly releaseName?: string;
  /**
   * Values as data; they go before `valueFiles`. Text of values is not offered: it can't be checked, and a
   * deployment's outputs can be put into data safely. A null would be left out of the manifest and is refused.
   * @default - the chart's own values
   */
  readonly valuesObject?: { readonly [key: string]: JsonValue };
  /** Value files, relative to the chart, or `$REF/path` into another source. @default - none */
  readonly valueFiles?: readonly string[];
  /** Whether value files may be missing. @default false */
  readonly ignoreMissingValueFiles?: boolean;
  /** Single values (Helm's `--set`); they go before everything else. @default - none */
  readonly parameters?: readonly {
    /** Path of the value, `service.port`. */
    readonly name: string;
    /** The value. */
    readonly value: string;
    /** Whether the value is a text whatever it looks like. @default false */
    readonly forceString?: boolean;
  }[];
  /** Values out of files (Helm's `--set-file`). @default - none */
  readonly fileParameters?: readonly {
    /** Path of the value. */
    readonly name: string;
    /** File that holds it. */
    readonly path: string;
  }[];
  /** Namespace to render with. @default - the destination's */
  readonly namespace?: string;
  /** Whether the chart's CustomResourceDefinitions are left out. @default false */
  readonly skipCrds?: boolean;
  /** Whether the chart's test hooks are left out. @default false */
  readonly skipTests?: boolean;
  /** Whether the chart's own JSON schema of its values is not read. @default false */
  readonly skipSchemaValidation?: boolean;
  /** Whether credentials go to every domain that the chart comes from. @default false */
  readonly passCredentials?: boolean;
  /** Kubernetes version to render for. @default - the destination's */
  readonly kubeVersion?: string;
  /** API versions to render for, `[group/]version/kind`. @default - the destination's */
  readonly apiVersions?: readonly string[];
}

/**
 * A config management plugin that renders a directory, say a `HelmfilePlugin`.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/config-management-plugins/
 */
export interface SourcePlugin {
  /** Name of the plugin; with a version in its definition `NAME-VERSION`. @default - the plugin that finds its files in the directory */
  readonly name?: string;
  /** Variables for the plugin. @default - none */
  readonly env?: readonly SourcePluginVariable[];
  /** Parameters for the plugin, each with one of the three values. @default - none */
  readonly parameters?: readonly SourcePluginParameter[];
}

/** A variable for a plugin. It is plain text in the Application. */
export interface SourcePluginVariable {
  /** Name of the variable; the plugin sees it as `ARGOCD_ENV_NAME`. */
  readonly name: string;
  /** Its value. Argo CD fills in references to its own variables: `$ARGOCD_APP_NAME`. */
  readonly value: string;
}

/** A parameter for a plugin. */
export interface SourcePluginParameter {
  /** Name of the parameter. */
  readonly name: string;
  /** Its value, of a text. @default - it is a list or a map */
  readonly string?: string;
  /** Its value, of a list. @default - it is a text or a map */
  readonly array?: readonly string[];
  /** Its value, of a map. @default - it is a text or a list */
  readonly map?: Readonly<Record<string, string>>;
}

function directorySchema(by: Completion): Schema<DirectoryOptions> {
  const flag = completed(trueOrFalse, by);
  const variables = optional(
    list(object<JsonnetVariable>({ name: anyText, value: anyText, code: optional(flag) })),
  );
  return object<DirectoryOptions>({
    recurse: optional(flag),
    include: optional(anyText),
    exclude: optional(anyText),
    jsonnet: optional(object({ extVars: variables, tlas: variables, libs: optional(list(anyText)) })),
  });
}

function kustomizeSchema(by: Completion): Schema<KustomizeOptions> {
  const flag = completed(trueOrFalse, by);
  return object<KustomizeOptions>({
    namePrefix: optional(anyText),
    nameSuffix: optional(anyText),
    namespace: optional(completed(dnsLabel, by)),
    images: optional(list(completed(nonEmptyText, by))),
    replicas: optional(list(object({ name: anyText, count: following(replicaCount) }))),
    commonLabels: optional(completedLabels(by)),
    forceCommonLabels: optional(flag),
    labelWithoutSelector: optional(flag),
    commonAnnotations: optional(completedAnnotations(by)),
    forceCommonAnnotations: optional(flag),
    components: optional(list(anyText)),
    patches: optional(
      list(
        withKeys(
          'exactly one',
          ['patch', 'path'],
          object<KustomizePatch>({
            patch: optional(anyText),
            path: optional(anyText),
            target: optional(
              object({
                group: optional(anyText),
                version: optional(anyText),
                kind: optional(anyText),
                name: optional(anyText),
                namespace: optional(anyText),
                labelSelector: optional(anyText),
                annotationSelector: optional(anyText),
              }),
            ),
          }),
        ),
      ),
    ),
  });
}

const replicaCount: Format = {
  allowed: 'a number or a text',
  accepts: (value) => typeof value === 'number' || typeof value === 'string',
};

function helmSchema(by: Completion): Schema<HelmOptions> {
  const name = completed(nonEmptyText, by);
  const flag = completed(trueOrFalse, by);
  return object<HelmOptions>({
    releaseName: optional(completed(helmReleaseName, by)),
    valuesObject: optional(dataWithoutNull),
    valueFiles: optional(list(name)),
    ignoreMissingValueFiles: optional(flag),
    parameters: optional(list(object({ name, value: anyText, forceString: optional(flag) }))),
    fileParameters: optional(list(object({ name, path: name }))),
    namespace: optional(completed(dnsLabel, by)),
    skipCrds: optional(flag),
    skipTests: optional(flag),
    skipSchemaValidation: optional(flag),
    passCredentials: optional(flag),
    kubeVersion: optional(anyText),
    apiVersions: optional(list(anyText)),
  });
}

function pluginSchema(by: Completion): Schema<SourcePlugin> {
  const name = completed(nonEmptyText, by);
  return object<SourcePlugin>({
    name: optional(name),
    env: optional(list(object<SourcePluginVariable>({ name, value: anyText }))),
    parameters: optional(
      list(
        withKeys(
          'exactly one',
          ['string', 'array', 'map'],
          object<SourcePluginParameter>({
            name,
            string: optional(anyText),
            array: optional(list(anyText)),
            map: optional(record(anyText)),
          }),
        ),
      ),
    ),
  });
}

const tools = ['directory', 'kustomize', 'helm', 'plugin'] as const;

/**
 * A source of an Application by Argo CD's own rules: a path or a chart (or, among several, a `ref`), a version for a chart, one
 * tool a source.
 * @see https://github.com/argoproj/argo-cd/blob/37ee0097cf851bc2dd7665fc081bbce61a7e836e/util/argo/argo.go
 *
 * @param several whether the source is among others
 */
export function applicationSourceSchema(by: Completion, several: boolean): Schema<ApplicationSource> {
  const filled = optional(completed(nonEmptyText, by));
  const source = object<FieldsOf<ApplicationSource>>({
    repoURL: repositoryUrl(by),
    path: filled,
    targetRevision: filled,
    directory: optional(directorySchema(by)),
    kustomize: optional(kustomizeSchema(by)),
    helm: optional(helmSchema(by)),
    plugin: optional(pluginSchema(by)),
    ref: filled,
    chart: filled,
  });
  return across(withKeys('at most one', tools, source), (given, { mustBe, mustBeSecretly, conflicts }) => {
    const [hasPath, hasChart] = [given.path !== undefined, given.chart !== undefined];
    if (hasPath === hasChart) {
      if (hasPath || !several) {
        mustBeSecretly([], 'an object with exactly one of "path", "chart"');
      } else if (given.ref === undefined) {
        mustBe(['ref'], nonEmptyText.allowed);
      }
    } else if (hasChart) {
      if (given.targetRevision === undefined) {
        mustBe(['targetRevision'], 'the version of the chart, or a range');
      }
      for (const field of ['ref', 'directory', 'kustomize', 'plugin'] as const) {
        if (given[field] !== undefined) {
          conflicts([field], 'chart, which is of a Helm repository');
        }
      }
    }
  }) as Schema<ApplicationSource>;
}

/**
 * Whether the release of a source has no name of its own, and can not have the Application's: Helm's names have at most 53
 * characters.
 */
export function lacksReleaseName(source: unknown, applicationName: unknown, by: Completion): boolean {
  if (!isPlainObject(source) || typeof applicationName !== 'string' || isCompleted(applicationName, by)) {
    return false;
  }
  const { helm, chart } = source;
  const isNamed = isPlainObject(helm) && helm.releaseName !== undefined;
  return (helm !== undefined || chart !== undefined) && !isNamed && applicationName.length > 53;
}

/**
 * Where an Application's objects come from: a directory of a Git repository, a chart of a Helm repository, or
 * (beside others only) a Git repository that just lends its files.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/application-specification/
 */
export type ApplicationSource = GitSource | ChartSource | ReferenceSource;

/** A directory of a Git repository. At most one of `directory`, `kustomize`, `helm` and `plugin` says how to read it. */
export interface GitSource {
  /** URL of the repository, without credentials. */
  readonly repoURL: string;
  /** Directory in the repository; `.` is its root. */
  readonly path: string;
  /** Branch, tag or commit. @default - the repository's HEAD */
  readonly targetRevision?: string;
  /** Reads plain manifests and Jsonnet. @default - Argo CD looks what the directory holds */
  readonly directory?: DirectoryOptions;
  /** Builds with Kustomize. @default - Argo CD looks what the directory holds */
  readonly kustomize?: KustomizeOptions;
  /** Renders the chart in the directory. @default - Argo CD looks what the directory holds */
  readonly helm?: HelmOptions;
  /** Renders with a config management plugin. @default - none, unless a plugin finds its files in the directory */
  readonly plugin?: SourcePlugin;
  /** Name by which value files of other sources refer to this repository (`$NAME/path`). @default - none */
  readonly ref?: string;
  /** Left out: a chart by name comes from a Helm repository. */
  readonly chart?: undefined;
}

/** A chart of a Helm repository or an OCI registry. */
export interface ChartSource {
  /** URL of the Helm repository; for OCI the registry and path without `oci://`. */
  readonly repoURL: string;
  /** Name of the chart. */
  readonly chart: string;
  /** Version of the chart, or a range. */
  readonly targetRevision: string;
  /** How the chart is rendered. @default - the chart's own values */
  readonly helm?: HelmOptions;
  /** Left out: the chart is the path. */
  readonly path?: undefined;
  /** Left out: Argo CD takes value files from Git repositories only. */
  readonly ref?: undefined;
  /** Left out: a chart is rendered with Helm. */
  readonly directory?: undefined;
  /** Left out: a chart is rendered with Helm. */
  readonly kustomize?: undefined;
  /** Left out: a chart is rendered with Helm. */
  readonly plugin?: undefined;
}

/** A Git repository that lends value files to the other sources and deploys nothing itself. */
export interface ReferenceSource {
  /** URL of the repository, without credentials. */
  readonly repoURL: string;
  /** Name by which value files of other sources refer to this repository (`$NAME/path`). */
  readonly ref: string;
  /** Branch, tag or commit. @default - the repository's HEAD */
  readonly targetRevision?: string;
  /** Left out: with a path the repository deploys too. */
  readonly path?: undefined;
  /** Left out: the repository deploys nothing. */
  readonly chart?: undefined;
  /** Left out: the repository deploys nothing. */
  readonly directory?: undefined;
  /** Left out: the repository deploys nothing. */
  readonly kustomize?: undefined;
  /** Left out: the repository deploys nothing. */
  readonly helm?: undefined;
  /** Left out: the repository deploys nothing. */
  readonly plugin?: undefined;
}
