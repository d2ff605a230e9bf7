import type { FieldChecks } from '../../core/validation/fields';
import { dnsLabel, nonEmptyText } from '../../core/validation/formats';
import { listOf } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { helmReleaseName } from './argo-object';
import type { JsonValue } from './argo-object';
import { checkRepositoryUrl } from './repository-credential';

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

const jsonnetVariableKeys: OptionsOf<JsonnetVariable> = { name: 'plain', value: 'plain', code: 'plain' };

export const directoryOptionsKeys: OptionsOf<DirectoryOptions> = {
  recurse: 'plain',
  include: 'plain',
  exclude: 'plain',
  jsonnet: { extVars: listOf(jsonnetVariableKeys), tlas: listOf(jsonnetVariableKeys), libs: 'list' },
};

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

export const helmOptionsKeys: OptionsOf<HelmOptions> = {
  releaseName: 'plain',
  valuesObject: 'plain',
  valueFiles: 'list',
  ignoreMissingValueFiles: 'plain',
  parameters: listOf({ name: 'plain', value: 'plain', forceString: 'plain' }),
  fileParameters: listOf({ name: 'plain', path: 'plain' }),
  namespace: 'plain',
  skipCrds: 'plain',
  skipTests: 'plain',
  skipSchemaValidation: 'plain',
  passCredentials: 'plain',
  kubeVersion: 'plain',
  apiVersions: 'list',
};

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

const sourcePluginVariableKeys: OptionsOf<SourcePluginVariable> = { name: 'plain', value: 'plain' };

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

const sourcePluginParameterKeys: OptionsOf<SourcePluginParameter> = {
  name: 'plain',
  string: 'plain',
  array: 'list',
  map: 'plain',
};

export const sourcePluginKeys: OptionsOf<SourcePlugin> = {
  name: 'plain',
  env: listOf(sourcePluginVariableKeys),
  parameters: listOf(sourcePluginParameterKeys),
};

/**
 * Checks the sources of an Application by Argo CD's own rules: a path or a chart (or, among several, a `ref`),
 * a version for a chart, one tool a source.
 * @see https://github.com/argoproj/argo-cd/blob/37ee0097cf851bc2dd7665fc081bbce61a7e836e/util/argo/argo.go
 *
 * @param several whether the source is among others
 * @param applicationName what a Helm release without a name of its own is named after
 */
export function checkApplicationSource(
  checks: FieldChecks,
  path: string,
  source: ApplicationSource,
  several: boolean,
  applicationName: string,
): void {
  checkRepositoryUrl(checks, `${path}.repoURL`, source.repoURL);
  checkKind(checks, path, source, several);
  checks.optional(`${path}.targetRevision`, source.targetRevision, nonEmptyText);
  checks.optional(`${path}.ref`, source.ref, nonEmptyText);
  checkTools(checks, path, source);
  if (source.helm || source.chart !== undefined) {
    checkHelm(checks, `${path}.helm`, source.helm ?? {}, applicationName);
  }
  if (source.kustomize) {
    checkKustomize(checks, `${path}.kustomize`, source.kustomize);
  }
  checkPlugin(checks, `${path}.plugin`, source.plugin ?? {});
}

function checkKind(checks: FieldChecks, path: string, source: ApplicationSource, several: boolean): void {
  if (source.path === undefined && source.chart === undefined && several) {
    checks.required(`${path}.ref`, source.ref, nonEmptyText);
    return;
  }
  if (!checks.exactlyOne(path, source, ['path', 'chart'])) {
    return;
  }
  if (source.chart === undefined) {
    checks.required(`${path}.path`, source.path, nonEmptyText);
    return;
  }
  checks.required(`${path}.chart`, source.chart, nonEmptyText);
  checks.required(`${path}.targetRevision`, source.targetRevision, nonEmptyText);
  for (const field of ['ref', 'directory', 'kustomize', 'plugin'] as const) {
    const given: unknown = source[field];
    if (given !== undefined) {
      checks.problems.add(`${path}.${field}`, given, 'left out: the source is a chart of a Helm repository');
    }
  }
}

function checkTools(checks: FieldChecks, path: string, source: ApplicationSource): void {
  const tools = ['directory', 'kustomize', 'helm', 'plugin'] as const;
  const given = tools.filter((tool) => source[tool] !== undefined);
  if (given.length > 1) {
    checks.problems.add(path, given, `at most one of ${tools.map((tool) => `"${tool}"`).join(', ')}`);
  }
}

function checkHelm(checks: FieldChecks, path: string, helm: HelmOptions, applicationName: string): void {
  if ((helm as { values?: unknown }).values !== undefined) {
    checks.problems.addSecret(`${path}.values`, 'left out: give the values as data in "valuesObject"');
  }
  if (helm.releaseName === undefined) {
    if (!checks.isOpen(applicationName) && applicationName.length > 53) {
      checks.problems.add(
        `${path}.releaseName`,
        undefined,
        'given, at most 53 characters: the name of the Application is too long for a Helm release',
      );
    }
  } else {
    checks.required(`${path}.releaseName`, helm.releaseName, helmReleaseName);
  }
  checks.withoutNull(`${path}.valuesObject`, helm.valuesObject);
  checks.each(`${path}.valueFiles`, helm.valueFiles, nonEmptyText);
  checks.optional(`${path}.namespace`, helm.namespace, dnsLabel);
  helm.parameters?.forEach((parameter, position) => {
    checks.required(`${path}.parameters[${position}].name`, parameter.name, nonEmptyText);
  });
  helm.fileParameters?.forEach((parameter, position) => {
    checks.required(`${path}.fileParameters[${position}].name`, parameter.name, nonEmptyText);
    checks.required(`${path}.fileParameters[${position}].path`, parameter.path, nonEmptyText);
  });
}

function checkKustomize(checks: FieldChecks, path: string, kustomize: KustomizeOptions): void {
  checks.optional(`${path}.namespace`, kustomize.namespace, dnsLabel);
  checks.each(`${path}.images`, kustomize.images, nonEmptyText);
  checks.labels(`${path}.commonLabels`, kustomize.commonLabels);
  checks.annotations(`${path}.commonAnnotations`, kustomize.commonAnnotations);
  kustomize.patches?.forEach((patch, position) => {
    checks.exactlyOne(`${path}.patches[${position}]`, patch, ['patch', 'path']);
  });
}

function checkPlugin(checks: FieldChecks, path: string, { name, env, parameters }: SourcePlugin): void {
  checks.optional(`${path}.name`, name, nonEmptyText);
  env?.forEach((variable, position) =>
    checks.required(`${path}.env[${position}].name`, variable.name, nonEmptyText),
  );
  parameters?.forEach((parameter, position) => {
    checks.required(`${path}.parameters[${position}].name`, parameter.name, nonEmptyText);
    checks.exactlyOne(`${path}.parameters[${position}]`, parameter, ['string', 'array', 'map']);
  });
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
